"""Runs as one HTML file to send to a colleague: numbers, and the texts behind them."""

from adequa.report.report import ReportFile, write_report

__all__ = ["ReportFile", "write_report"]
