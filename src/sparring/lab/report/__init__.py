"""The report: a folder of results as one HTML page that needs nothing else."""

from sparring.lab.report.assembly import page, write

__all__ = ["page", "write"]
