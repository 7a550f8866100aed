"""The command `adequa`: the table of its commands, and the exit code of each kind of error."""

from __future__ import annotations

import re
import shlex
import sys
import traceback
import warnings
from collections.abc import Container, Iterable, Iterator, MutableMapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from adequa import __version__
from adequa.errors import AdequaError, RunError

WRONG_USE, INTERNAL = 2, 3


GROUPS = {
    "Judge texts": {
        "check": "Check one text against its data.",
        "score": "Score a corpus into a run folder.",
        "merge": "Join the shards of a run.",
        "demo": "Score the built-in sample.",
    },
    "Look at results": {
        "report": "Write runs into one HTML file.",
        "compare": "Compare systems, with significance.",
        "gate": "Test a run against limits, for CI.",
        "log": "Log a run to MLflow or Weights & Biases.",
        "serve": "Serve the workbench and the HTTP API.",
    },
    "Ask people, and compare metrics with them": {
        "human": "Run a human evaluation, start to finish.",
        "correlate": "Correlate metrics with human ratings.",
        "spans": "Compare error spans with those that people marked.",
        "doctor": "Inject errors into your data; see which metric notices.",
        "mentions": "Evaluate the entity detector on gold mentions.",
    },
    "Data and metrics": {
        "formats": "List the input formats and their options.",
        "convert": "Write any known format as plain items.",
        "metrics": "List the metrics, or show one.",
        "aliases": "Build and look up entity aliases.",
        "templates": "Extract, check and show sentence templates.",
        "retrieve": "Find texts by graph, and graphs by text.",
    },
    "Train and reproduce": {
        "train": "Train models on your own data.",
        "export": "Write trained models as ONNX files.",
        "paper": "Reproduce a paper's tables and figures.",
        "derive": "Derive training and test sets from a corpus.",
    },
}
"""The commands by task, with their summaries, in the order of `adequa --help`. A summary is also
the first line of the command's own help, which a test compares."""
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
_RESEARCH = {"paper": "research.papers.command", "derive": "research.corpora.command"}
"""The modules of commands that need a checkout."""
_MODULES = _RESEARCH | {
    "export": "adequa.cli.train",
    "formats": "adequa.cli.convert",
    "log": "adequa.cli.report",
    "merge": "adequa.cli.score",
}
"""The modules of commands that are not in a module of their own name."""


_loaded: dict[str, Any] = {}
"""The commands that were used: in a process of the command line, the one that is run."""


class _Commands(MutableMapping[str, Any]):
    """The commands by name, each imported when it is first used."""

    def __getitem__(self, name: str) -> Any:
        if name not in _loaded:
            _loaded[name] = _load(name, COMMANDS[name])
        return _loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        _loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del _loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _load(name: str, summary: str) -> Any:
    if name in _RESEARCH:
        from adequa.checkout import has_research
        from adequa.cli.options import add_checkout_command

        if not has_research():
            single = _single()
            add_checkout_command(single, name, f"{_RESEARCH[name]}:{name}", summary)
            return get_command(single)
    loaded = getattr(import_module(_MODULES.get(name, f"adequa.cli.{name}")), name)
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
        width = max(map(len, COMMANDS))
        for task, commands in GROUPS.items():
            with formatter.section(task):
                # One line each, in the same column for all groups, however narrow the terminal is.
                for name, summary in commands.items():
                    formatter.write(f"  {name:<{width}}  {summary}\n")


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


_ARGUMENT = re.compile(
    r"(?<![\w.:])(?:(?P<name>[a-z][a-z_]*)=(?P<value>True|False|None|…|\"[^\"]*\"|\{system: file\})"
    # Other numbers are values of the user's data: no text has size=9.
    r"|(?P<count>jobs|levels|lowest)=(?P<number>[\d.]+))"
)
_RENAMED = {
    "limits": "--max, --min or --no-worse",
    "metrics": "--metric",
    "systems": "--system",
}
"""Arguments whose options have other names."""


def options_of(commands: Iterable[Any]) -> set[str]:
    """The options of commands, and of those below them."""
    found: set[str] = set()
    for command in commands:
        for parameter in command.params:
            found.update((*parameter.opts, *parameter.secondary_opts))
        found |= options_of(getattr(command, "commands", {}).values())
    return found


def as_flags(message: str, options: Container[str]) -> str:
    """A message of the library, which speaks of arguments, in the words of a command's options.

    What is not an option of the command stays as it is.

    >>> options = {"--force", "--no-cache", "--format", "--levels"}
    >>> as_flags('is there already; give force=True, cache=None or format="NAME"', options)
    'is there already; give --force, --no-cache or --format NAME'
    >>> as_flags("no text has size=9; draw with levels=1", options)
    'no text has size=9; draw with --levels 1'
    >>> as_flags('name its column: format="records:text=long description"', options)
    "name its column: --format 'records:text=long description'"
    >>> as_flags('write <lex lid="Id1">', options)
    'write <lex lid="Id1">'
    """

    def flag(found: re.Match[str]) -> str:
        argument, value = found["name"] or found["count"], found["value"] or found["number"]
        name = _RENAMED.get(argument, "--" + argument.replace("_", "-"))
        if value in ("False", "None"):
            name = f"--no-{name[2:]}"
        if name.partition(",")[0] not in options:
            return found[0]
        if value in ("True", "False", "None", "…"):
            return name
        if value == "{system: file}":
            return f"{name} SYSTEM=FILE"
        value = value.strip('"')
        return f"{name} {shlex.quote(value) if ' ' in value else value}"

    return _ARGUMENT.sub(flag, message)


_plain_warning = warnings.showwarning


def _show_warning(message: Warning | str, category: type[Warning], *place: Any) -> None:
    """A warning of ours in one line; those of other packages as they are."""
    if category.__module__.partition(".")[0] != "adequa":
        _plain_warning(message, category, *place)
        return
    _echo_words(str(message), _loaded.values())


def _echo_words(message: str, commands: Iterable[Any]) -> None:
    """A message of the library on stderr, in the words of these commands."""
    from adequa.cli.options import echo

    echo(f"adequa: {as_flags(message, options_of(commands))}", err=True)


def main() -> None:
    """Run a command, and turn an exception into an exit code."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a character gets a replacement character instead of an error.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr,unused-ignore]
    try:
        app()
    except AdequaError as error:
        running = [*_loaded.values()]
        # What is wrong with a run is mended by `adequa score`, whichever command reads the run.
        mending = [_Commands()["score"]] if isinstance(error, RunError) else []
        _echo_words(str(error), [*running, *mending])
        sys.exit(WRONG_USE)
    except Exception:  # noqa: BLE001  # a programming error keeps its traceback
        from adequa.cli.options import echo

        echo(traceback.format_exc(), err=True)
        echo("adequa: internal error; please report it with the traceback above", err=True)
        sys.exit(INTERNAL)
