"""Runs the recipe of the relation reader: `python -m research.relations`."""

from research.relations.command import app

if __name__ == "__main__":
    app()
