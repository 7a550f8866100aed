"""`adequa human`: an evaluation by people, from the sample to the tables."""

from __future__ import annotations

import typer

from adequa.cli.human_analyse import analyse
from adequa.cli.human_quality import quality
from adequa.cli.human_sample import sample
from adequa.cli.human_serve import serve

__all__ = ["human"]

human = typer.Typer(
    name="human",
    no_args_is_help=True,
    help="Ask people: draw a sample, collect judgments, look at the raters, make the tables.",
)
human.command()(analyse)
human.command()(quality)
human.command()(sample)
human.command()(serve)
