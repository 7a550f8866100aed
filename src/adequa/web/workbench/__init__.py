"""The workbench: runs and campaigns in the browser, a page to try texts on, and uploads."""
