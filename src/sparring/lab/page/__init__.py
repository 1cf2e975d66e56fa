"""Pages: results as one HTML file that needs nothing else; templates, a style sheet, a script."""

from sparring.lab.page.league import league_page, write_league
from sparring.lab.page.report import report_page, write_report

__all__ = ["league_page", "report_page", "write_league", "write_report"]
