"""Runs what is fitted and trained on written records: `python -m research.records`."""

from research.records.command import app

if __name__ == "__main__":
    app()
