"""One HTTP stack, with the API, the workbench and the campaign on top; needs the extra `web`.

The client needs only the standard library. The servers are in `adequa.web.api`,
`adequa.web.workbench` and `adequa.web.campaign`.
"""

from adequa.web.client import Client, RemoteRun

__all__ = ["Client", "RemoteRun"]
