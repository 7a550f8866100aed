"""The workbench: pages for browsing runs, trying texts and scoring files."""

from adequa.web.workbench.app import Workbench
from adequa.web.workbench.home import open_campaign

__all__ = ["Workbench", "open_campaign"]
