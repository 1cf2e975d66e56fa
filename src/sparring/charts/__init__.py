"""Charts: the one renderer of figures and pages, for votes, boards, experiments and the league."""

from sparring.extras import demand_all

demand_all("charts", "sparring.charts")
