"""Reports: runs as one HTML file to send to a colleague, with numbers and texts."""

from adequa.report.page import ReportFile, asset, write_report

__all__ = ["ReportFile", "asset", "write_report"]
