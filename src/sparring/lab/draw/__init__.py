"""Drawing: figures of results for papers and pages; the only renderer, its styles and its words."""

from sparring.lab.draw.alarms import alarms_figure
from sparring.lab.draw.curves import curves
from sparring.lab.draw.league import league_figures
from sparring.lab.draw.needed import needed_figure
from sparring.lab.draw.panels import all_labels, over_time_figure, overview, panel_figure
from sparring.lab.draw.saving import FORMATS, save
from sparring.lab.draw.shown import shown_figure
from sparring.lab.draw.styles import STYLES, Style, style_of
from sparring.lab.draw.theory import bounds_figure, coverage_figure

__all__ = [
    "FORMATS",
    "STYLES",
    "Style",
    "alarms_figure",
    "all_labels",
    "bounds_figure",
    "coverage_figure",
    "curves",
    "league_figures",
    "needed_figure",
    "over_time_figure",
    "overview",
    "panel_figure",
    "save",
    "shown_figure",
    "style_of",
]
