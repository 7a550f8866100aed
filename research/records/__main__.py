"""Runs the recipe of the record reader: `python -m research.records`."""

from research.records.command import app

if __name__ == "__main__":
    app()
