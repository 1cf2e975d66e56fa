"""The one door of the laboratory: without the extra it says what to install."""

from sparring import extras

for library in ("matplotlib", "polars", "rich", "scipy"):
    extras.demand(library, "sparring.lab")
