"""Reports: runs as one HTML file to send to a colleague, with numbers and texts."""

from adequa.report.figures import Axis, axis, digits_for, percent, written
from adequa.report.page import ReportFile, asset, script_json, write_report
from adequa.report.texts import SEEN, VERDICTS, seen_name

__all__ = ["SEEN", "VERDICTS", "Axis", "ReportFile"]
__all__ += ["asset", "axis", "digits_for", "percent", "script_json", "seen_name", "write_report"]
__all__ += ["written"]
