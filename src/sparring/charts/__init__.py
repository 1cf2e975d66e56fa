"""Charts: pages, and figures within them as text, for votes and boards."""

from sparring.extras import demand_all

demand_all("charts", "sparring.charts")
