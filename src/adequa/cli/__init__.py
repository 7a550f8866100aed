"""The command line: one file a command, which parses, calls and prints."""
