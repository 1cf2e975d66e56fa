"""The one door of the laboratory: without the extra it says what to install."""

from sparring.extras import demand_all

demand_all("lab", "sparring.lab")
