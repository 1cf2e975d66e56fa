"""Figures of panels for papers and pages: how a summary is drawn, styled and saved."""

from sparring.lab.figures.alarms import alarms_figure
from sparring.lab.figures.drawing import over_time_figure, overview, panel_figure
from sparring.lab.figures.files import FORMATS, save
from sparring.lab.figures.league import league_figures
from sparring.lab.figures.theory import bounds_figure, coverage_figure
from sparring.lab.figures.votes import votes_figure
from sparring.lab.styles import STYLES, Style, style_of

__all__ = [
    "FORMATS",
    "STYLES",
    "Style",
    "alarms_figure",
    "bounds_figure",
    "coverage_figure",
    "league_figures",
    "over_time_figure",
    "overview",
    "panel_figure",
    "save",
    "style_of",
    "votes_figure",
]
