"""The command line: one file per command or family of commands, which parses, calls and prints."""

from adequa.cli.app import app, main

__all__ = ["app", "main"]
