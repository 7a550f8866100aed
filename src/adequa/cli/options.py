"""What commands share: options, arguments, and the way tables, JSON and files are written.

An argument may be a file, `-` for stdin, or the value itself: one graph, one text, a corpus.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from adequa.data import Item
    from adequa.errors import DataError
    from adequa.metrics import Metric
    from adequa.readers import Source
    from adequa.run import Engine, Run
    from adequa.tables import Column


def argument(metavar: str, help_: str, **settings: Any) -> Any:
    """An argument of a command."""
    return typer.Argument(metavar=metavar, help=help_, **settings)


def option(metavar: str | None, help_: str, *names: str, **settings: Any) -> Any:
    """An option of a command; without names, its parameter names it."""
    return typer.Option(*names, metavar=metavar, help=help_, **settings)


def flag(name: str, help_: str) -> Any:
    """An option without a value; its name is given because `--no-…` would be added otherwise."""
    return typer.Option(name, help=help_)


def complete_metric(incomplete: str) -> list[str]:
    """The names of metrics that a shell may complete."""
    from adequa.metrics import names

    return [name for name in names() if name.startswith(incomplete)]


def _complete_format(incomplete: str) -> list[str]:
    from adequa.readers.formats import format_names

    return [name for name in format_names() if name.startswith(incomplete)]


Input = Annotated[Path, argument("INPUT", "A file or a folder in any known format.")]
Inputs = Annotated[list[Path], argument("INPUT…", "Files or folders in any known format.")]
Runs = Annotated[list[Path], argument("RUN…", "Folders written by `adequa score`.")]
Format = Annotated[
    str | None,
    option(
        "NAME[:key=value,…]",
        "The input's format and its options; detected by default. See `adequa formats`.",
        "--format",
        autocompletion=_complete_format,
    ),
]
RatingsFormat = Annotated[
    str | None, option("NAME", "long, webnlg2017 or webnlg2020; detected by default.")
]
Texts = Annotated[
    list[str] | None,
    option(
        "SYSTEM=FILE",
        "A system's outputs: line i of FILE is the text of item i. Repeat for each system.",
        "--texts",
    ),
]
Metrics = Annotated[
    list[str] | None,
    option(
        "[ALIAS=]NAME[:key=value,…]",
        "A metric and its settings. Repeat for each metric. See `adequa metrics`.",
        "--metric",
        "-m",
        autocompletion=complete_metric,
    ),
]
IgnorePredicate = Annotated[
    list[str] | None,
    option("PREDICATE", "Ignore triples with this predicate. Repeatable.", "--ignore"),
]
OptionalPredicate = Annotated[
    list[str] | None,
    option("PREDICATE", "A text may omit facts with this predicate. Repeatable.", "--optional"),
]
Allowed = Annotated[
    Path | None, option("FILE", "Phrases that a text may add, one per line.", "--allowed")
]
Aliases = Annotated[
    Path | None, option("FILE", "Other names of entities. See `adequa aliases`.", "--aliases")
]
Coverage = Annotated[
    str | None,
    option(
        "all|selected",
        "all: a text must say every fact; selected: it may choose, and what it leaves out is not a "
        "fault. Default: all for triples, selected for records.",
        "--coverage",
    ),
]
Jobs = Annotated[int, option(None, "Number of processes.", "--jobs", "-j", min=1)]
Seed = Annotated[int, option(None, "Random seed; the same seed gives the same result.", min=0)]
Host = Annotated[str, option(None, "The address to listen on.")]
Port = Annotated[int, option(None, "The port to listen on; 0 picks a free one.", min=0, max=65535)]
BehindProxy = Annotated[
    bool, flag("--behind-proxy", "Trust the proxy's headers for client address and HTTPS.")
]
Out = Annotated[Path | None, option("FILE", "Write to FILE instead of stdout.", "--out", "-o")]
TableForm = Annotated[str, option("NAME", "text, markdown, latex or csv.")]
Json = Annotated[bool, flag("--json", "Print JSON.")]
Quiet = Annotated[bool, option(None, "Do not show progress.", "--quiet", "-q")]
Force = Annotated[bool, flag("--force", "Replace an existing file.")]


def group(name: str, summary: str) -> typer.Typer:
    """An empty group of commands, with the settings that all groups share."""
    return typer.Typer(name=name, no_args_is_help=True, rich_markup_mode=None, help=summary)


def add_checkout_command(app: typer.Typer, name: str, target: str, summary: str) -> None:
    """Add a command that says that it needs a checkout of the project, and where to find it."""
    from adequa.checkout import from_research

    def unavailable(context: typer.Context) -> None:
        from_research(target, f"adequa {context.command_path.partition(' ')[2]}")

    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name, help=f"{summary} Needs a checkout.", context_settings=settings)(unavailable)


def with_settings(
    chosen: Mapping[str, Metric],
    *,
    ignore: list[str] | None,
    optional: list[str] | None,
    allowed: Path | None,
    aliases: Path | None,
) -> dict[str, Metric]:
    """The metrics with the given options applied to each that has a setting of that name."""
    from dataclasses import fields, replace

    from adequa.errors import SettingError

    given = {
        "ignore": tuple(dict.fromkeys(ignore or ())),
        "optional": tuple(dict.fromkeys(optional or ())),
        "allowed": allowed,
        "aliases": aliases,
    }
    metrics = dict(chosen)
    for name, value in given.items():
        having = [
            (label, metric, field)
            for label, metric in metrics.items()
            for field in fields(metric)
            if value and field.init and field.name == name
        ]
        for label, metric, field in having:
            if getattr(metric, name) not in (field.default, value):
                raise SettingError(f"--{name} and {label}:{name} are both given; keep one")
            metrics[label] = replace(metric, **{name: value})
        if value and not having:
            raise SettingError(
                f"--{name} is not a setting of any chosen metric ({', '.join(metrics)}); "
                "add one that has it: -m esa"
            )
    return metrics


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text from wherever it comes; what a terminal or a CI service would obey is escaped."""
    from adequa.tables import printable

    typer.echo(printable(text), err=err, nl=nl)


def json_text(value: object) -> str:
    """A result as `--json` prints it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def echo_json(value: object) -> None:
    """Print a result as JSON."""
    echo(json_text(value))


def echo_table(
    columns: Sequence[str | Column],
    rows: Sequence[Sequence[Any]],
    title: str = "",
    *,
    gap: bool = False,
) -> None:
    """Print a table; with `gap`, after an empty line."""
    from adequa.tables import Table

    # Only a person needs lines that fit; a program finds each row on one line.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    echo(("\n" if gap else "") + Table(title, columns, rows).text(width))


def echo_written(path: Path, detail: str = "") -> None:
    """Say on stderr which file or folder was written."""
    echo(f"written to {path}{detail}", err=True)


def echo_reading(opened: Source, named: Path, *, quiet: bool) -> None:
    """Say on stderr, in one line, how the records of a source are read; nothing for items."""
    from adequa.readers.explanation import explain

    found = None if quiet else explain(opened)
    if found is not None:
        echo(f"{found.line()} (adequa convert {named} --explain)", err=True)


def echo_run(run: Run, *, as_json: bool, place: Path | None = None) -> None:
    """Print the summary of a run, and where it is."""
    from adequa.files import url_of
    from adequa.run import summary_table, unscored_lines

    if as_json:
        echo_json(run.summary)
        return
    echo(summary_table(run.summary, run.manifest).text())
    for line in unscored_lines(run.summary):
        echo(line)
    files = "scores.jsonl (one line per text), summary.json, manifest.json"
    written = (place and url_of(place)) or run.path
    echo(f"\nwritten to {written}: {files}")
    echo(f"The texts, worst first: adequa report {written} --out report.html")


def run_folder(run: Path, shard: str | None = None) -> AbstractContextManager[Path]:
    """The folder of RUN; of one on a store, a local copy of it or of one of its shards."""
    from adequa.files import url_of

    if url := url_of(run):
        from adequa.run import local_run

        return local_run(url, shard=shard)
    return nullcontext(run)


def choose_engine(name: str, *, jobs: int, address: str | None = None) -> Engine:
    """The engine of a name, with so many processes."""
    from adequa.errors import SettingError, require_known
    from adequa.run import LocalEngine, RayEngine

    require_known("engine", [name], ["local", "ray"])
    if name == "ray":
        return RayEngine(jobs, address)
    if address is not None:
        raise SettingError("--address names a Ray cluster; give --engine ray too")
    return LocalEngine(jobs)


def write_file(path: Path, content: str, *, append: bool = False) -> None:
    """Write or append a result to a file that the user named."""
    from adequa.files import write_errors

    mode, errors = "a" if append else "w", write_errors(path, remedy="name another file")
    with errors, path.open(mode, encoding="utf-8", newline="\n") as stream:
        stream.write(content)


def write_or_echo(result: str, out: Path | None) -> None:
    """Write a result to a file, or to stdout if none is named."""
    if out is None:
        echo(result)
    else:
        write_file(out, result + "\n")


def write_pictures(pictures: Mapping[str, str], folder: Path) -> None:
    """Write each picture as SVG, and as PNG if the extra `png` and a font are installed."""
    from adequa.charts import MissingFont, save_picture
    from adequa.errors import AdequaError, MissingExtra
    from adequa.files import write_errors

    with write_errors(folder, remedy="name another folder"):
        folder.mkdir(parents=True, exist_ok=True)
    missing: AdequaError | None = None
    for name, svg in pictures.items():
        save_picture(svg, folder / f"{name}.svg")
        try:
            save_picture(svg, folder / f"{name}.png")
        except (MissingExtra, MissingFont) as error:
            missing = error
    if missing is not None:
        echo(f"SVG only: {missing}", err=True)
    echo_written(folder, f": {len(pictures)} pictures")


_CORPUS = "to score a corpus, use: adequa score INPUT --out RUN"
_TRIPLES_IN_ANY_FORM = {".txt", ".json"}
"""Endings of files that may hold linearised triples, as may files with an unknown ending."""


def read_graph(argument: str, format_: str | None, *, name: str = "TRIPLES") -> Item:
    """The graph that the argument of that name gives, as an item without text."""
    from adequa.errors import DataError
    from adequa.readers import SUFFIXES, read_one

    path = _path(argument)
    if path is None or not path.is_file():
        if path is not None and path.is_dir():
            raise DataError("is a folder", path=path, remedy=_CORPUS)
        return _parse(_read(argument, path), path, name)
    if format_ is None and path.suffix.lower() in _TRIPLES_IN_ANY_FORM | (
        {path.suffix.lower()} - SUFFIXES.keys()
    ):
        try:
            return _parse(_read(argument, path), path, name)
        except DataError:
            if path.suffix.lower() != ".json":
                raise
    return read_one(path, format_)


@contextlib.contextmanager
def source_path(argument: Path) -> Iterator[Path]:
    """The path that INPUT names; for `-`, a pipe or an address, a copy of it, for the block.

    A source is read more than once, and its format is recognised by its content.
    """
    from adequa.errors import DataError
    from adequa.files import url_of

    if url := url_of(argument):
        from adequa.run import local_input

        with local_input(url) as path:
            yield path
        return

    is_stdin = str(argument) == "-"
    if not is_stdin and (not argument.exists() or argument.is_file() or argument.is_dir()):
        yield argument
        return
    label = source_label(argument)
    try:
        content = sys.stdin.buffer.read() if is_stdin else argument.read_bytes()
    except OSError as error:
        raise DataError.of_file(error, label) from None
    if not content.strip():
        raise DataError(f"{label} is empty", remedy="pipe a file into the command")
    with tempfile.TemporaryDirectory(prefix="adequa-stdin-") as folder:
        path = Path(folder) / f"stdin{_ending(content)}"
        path.write_bytes(content)
        try:
            yield path
        except DataError as error:
            if error.path != path:
                raise
            # The user does not know the copy.
            problem, line, remedy = error.problem, error.line, error.remedy
            raise DataError(problem, path=label, line=line, remedy=remedy) from None


def source_label(argument: Path) -> str:
    """What INPUT is called in messages and manifests."""
    from adequa.files import url_of

    return "stdin" if str(argument) == "-" else url_of(argument) or str(argument)


def _ending(content: bytes) -> str:
    """The ending of a file with such content."""
    head = content.lstrip(b"\xef\xbb\xbf \t\r\n")[: 1 << 16].decode("utf-8", errors="replace")
    first = head.split("\n", 1)[0]
    if content.startswith(b"PAR1"):
        return ".parquet"
    if head.startswith("<"):
        return ".xml"
    if head.startswith("{"):
        return ".jsonl" if first.rstrip().endswith("}") else ".json"
    if head.startswith("["):
        return ".json"
    return ".tsv" if "\t" in first else ".csv"


def _parse(written: str, path: Path | None, name: str) -> Item:
    from adequa.errors import DataError
    from adequa.readers import parse_graph, read_pasted

    is_record = re.match(r"\s*(\{|\[\s*\{)", written) is not None
    try:
        return read_pasted(written) if is_record else parse_graph(written)
    except DataError as error:
        raise _with_place(error, path, name) from None


def _with_place(error: DataError, path: Path | None, name: str) -> DataError:
    if path is not None:
        return error.at(path)
    from adequa.errors import DataError

    return DataError(f"{name}: {error.problem}", line=error.line, remedy=error.remedy)


def read_text(argument: str) -> str:
    """The text that an argument gives: the content of a file or of stdin, or the argument."""
    path = _path(argument)
    if path is not None and path.is_dir():
        path = None  # a folder called "docs" does not keep "docs" from being a text
    text = _read(argument, path)
    if path is None and argument != "-":
        return text
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")


def _path(argument: str) -> Path | None:
    """The path that an argument names, or None; raises if it looks like a file but is absent."""
    from adequa.errors import DataError
    from adequa.readers import SUFFIXES

    if not argument or argument == "-":
        return None
    path = Path(argument)
    try:
        if path.exists():
            return path
    except (OSError, ValueError):  # too long for a file name, or with a NUL
        return None
    one_word = not any(one.isspace() or one == "|" for one in argument)
    if one_word and path.suffix.lower() in SUFFIXES:
        raise DataError("does not exist", path=path, remedy="check the spelling of the path")
    return None


def _read(argument: str, path: Path | None) -> str:
    """The content that an argument stands for."""
    from adequa.errors import DataError
    from adequa.files import lines

    if path is not None and path.is_file():
        return "".join(line for _, line in lines(path, keep_ends=True))
    try:
        if path is not None:  # a pipe can be read once and cannot be rewound
            return path.read_bytes().decode("utf-8-sig")
        if argument == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        argument.encode()  # bytes that are not UTF-8 arrive as lone surrogates
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", path=path) from None
    except UnicodeError:
        name = "stdin" if argument == "-" else "an argument"
        raise DataError(f"{path or name} is not UTF-8", remedy="convert it to UTF-8") from None
    return argument
