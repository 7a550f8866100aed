"""Reports: runs as one HTML file to send to a colleague, with numbers and texts."""

from adequa.report.page import ReportFile, write_report

__all__ = ["ReportFile", "write_report"]
