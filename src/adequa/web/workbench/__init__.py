"""The workbench: pages for browsing runs, trying texts and scoring files."""

from adequa.web.workbench.home import Workbench, open_campaign

__all__ = ["Workbench", "open_campaign"]
