"""The command line: one file a command, which parses, calls and prints."""

from __future__ import annotations

import sys
import traceback
from functools import partial
from typing import Annotated

import typer

from adequa import __version__
from adequa.checkout import from_research, has_research
from adequa.cli.aliases import aliases
from adequa.cli.check import check
from adequa.cli.compare import compare
from adequa.cli.convert import convert
from adequa.cli.correlate import correlate
from adequa.cli.demo import demo
from adequa.cli.doctor import doctor
from adequa.cli.export import export
from adequa.cli.formats import formats
from adequa.cli.gate import gate
from adequa.cli.human import human
from adequa.cli.mentions import mentions
from adequa.cli.metrics import metrics
from adequa.cli.report import report
from adequa.cli.retrieve import retrieve
from adequa.cli.score import score
from adequa.cli.serve import serve
from adequa.cli.templates import templates
from adequa.cli.train import train
from adequa.errors import AdequaError

WRONG_USE, INTERNAL = 2, 3

app = typer.Typer(
    name="adequa",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,  # plain help: rich takes longer to load than all the rest
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (check, score, compare, gate, mentions, metrics, formats, convert, export, demo):
    app.command()(command)
app.command()(correlate)
app.command()(serve)
app.command()(doctor)
app.command()(report)
app.add_typer(aliases)
app.add_typer(human)
app.add_typer(retrieve)
app.add_typer(templates)
app.add_typer(train)

_RESEARCH = {
    "derive": ("research.corpora.command:derive", "Make sets for training and tests."),
    "paper": ("research.papers.command:paper", "Reproduce a paper's tables and figures."),
}


def _offer_research() -> None:
    """Add the commands of a checkout; where there is none, commands that say what they need."""
    for name, (target, summary) in _RESEARCH.items():
        if has_research():
            app.add_typer(from_research(target, f"adequa {name}"))
        else:
            app.command(
                name,
                help=f"{summary} Only in a checkout of adequa.",
                context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
            )(partial(from_research, target, f"adequa {name}"))


_offer_research()


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"adequa {__version__}")
        raise typer.Exit


@app.callback()
def adequa(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and stop."
        ),
    ] = False,
) -> None:
    """Does this text say all and only what its data says? Per text, per fact, offline.

    Results go to stdout, progress to stderr. Exit code 0: fine; 1: a check failed; 2: wrong use or
    wrong input; 3: a fault of adequa's own.
    """


def main() -> None:
    """Run a command and turn what it raises into an exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a character shows a mark for it instead of failing.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr,unused-ignore]
    try:
        app()
    except AdequaError as error:
        typer.echo(f"adequa: {error}", err=True)
        sys.exit(WRONG_USE)
    except Exception:  # noqa: BLE001  # a programming error keeps its traceback
        traceback.print_exc()
        typer.echo("adequa: this is a fault of adequa's own; please report it", err=True)
        sys.exit(INTERNAL)
