"""The command `adequa`: the table of its commands, and the exit code of each kind of error."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from adequa import __version__
from adequa.errors import AdequaError

WRONG_USE, INTERNAL = 2, 3


class CommandEntry(NamedTuple):
    """Where a command is defined, as `module:name`, and its line in `adequa --help`."""

    target: str
    summary: str


COMMANDS = {
    "check": CommandEntry("adequa.cli.check:check", "Check one text against its data."),
    "score": CommandEntry("adequa.cli.score:score", "Score a corpus into a run folder."),
    "compare": CommandEntry("adequa.cli.compare:compare", "Compare systems, with significance."),
    "gate": CommandEntry("adequa.cli.gate:gate", "Test a run against limits, for CI."),
    "report": CommandEntry("adequa.cli.report:report", "Write runs into one HTML file."),
    "correlate": CommandEntry(
        "adequa.cli.correlate:correlate", "Correlate metrics with human ratings."
    ),
    "doctor": CommandEntry(
        "adequa.cli.doctor:doctor", "Inject errors into your data; see which metric notices."
    ),
    "human": CommandEntry("adequa.cli.human:human", "Run a human evaluation, start to finish."),
    "retrieve": CommandEntry(
        "adequa.cli.retrieve:retrieve", "Find texts by graph, and graphs by text."
    ),
    "serve": CommandEntry("adequa.cli.serve:serve", "Serve the workbench and the HTTP API."),
    "mentions": CommandEntry(
        "adequa.cli.mentions:mentions", "Evaluate the entity detector on gold mentions."
    ),
    "aliases": CommandEntry("adequa.cli.aliases:aliases", "Build and look up entity aliases."),
    "templates": CommandEntry(
        "adequa.cli.templates:templates", "Extract, check and show sentence templates."
    ),
    "train": CommandEntry("adequa.cli.train:train", "Train models on your own data."),
    "export": CommandEntry("adequa.cli.export:export", "Write trained models as ONNX files."),
    "paper": CommandEntry(
        "research.papers.command:paper", "Reproduce a paper's tables and figures."
    ),
    "derive": CommandEntry(
        "research.corpora.command:derive", "Derive training and test sets from a corpus."
    ),
    "metrics": CommandEntry("adequa.cli.metrics:metrics", "List the metrics, or show one."),
    "formats": CommandEntry(
        "adequa.cli.formats:formats", "List the input formats and their options."
    ),
    "convert": CommandEntry("adequa.cli.convert:convert", "Write any known format as plain items."),
    "demo": CommandEntry("adequa.cli.demo:demo", "Score the built-in sample."),
}
"""All commands, in the order of `adequa --help`. The first line of a command's own help is its
summary; a test compares them."""


class _Commands(MutableMapping[str, Any]):
    """The commands by name, each imported when it is first used."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = _load(name, COMMANDS[name])
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _load(name: str, entry: CommandEntry) -> Any:
    if entry.target.startswith("research."):
        from adequa.checkout import has_research
        from adequa.cli.options import add_checkout_command

        if not has_research():
            single = _single()
            add_checkout_command(single, name, entry.target, entry.summary)
            return get_command(single)
    module, _, attribute = entry.target.partition(":")
    loaded = getattr(import_module(module), attribute)
    if isinstance(loaded, typer.Typer):
        return get_group(loaded)
    single = _single()
    single.command(name)(loaded)
    return get_command(single)


def _single() -> typer.Typer:
    return typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)


class LazyGroup(TyperGroup):
    """A group that imports a command only when it is called, completed or asked for its help."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names, without loading the commands."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """The names with their summaries, without loading the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


app = typer.Typer(
    name="adequa",
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,  # plain help: importing rich takes longer than everything else
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"adequa {__version__}")
        raise typer.Exit


@app.callback()
def adequa(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Does this text say all and only what its data says? Per text, per fact, offline.

    Results go to stdout, progress to stderr. Exit code 0: success; 1: a check or a gate failed;
    2: wrong usage or invalid input; 3: internal error.
    """


def main() -> None:
    """Run a command, and turn an exception into an exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a character gets a replacement character instead of an error.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr,unused-ignore]
    try:
        app()
    except AdequaError as error:
        typer.echo(f"adequa: {error}", err=True)
        sys.exit(WRONG_USE)
    except Exception:  # noqa: BLE001  # a programming error keeps its traceback
        traceback.print_exc()
        typer.echo("adequa: internal error; please report it with the traceback above", err=True)
        sys.exit(INTERNAL)
