"""What commands share: options, and the way tables, JSON and files are written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
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


Input = Annotated[Path, argument("INPUT", "A file or a folder in any known format.")]
Inputs = Annotated[list[Path], argument("INPUT…", "Files or folders in any known format.")]
Runs = Annotated[list[Path], argument("RUN…", "Folders written by `adequa score`.")]
Format = Annotated[
    str | None,
    option(
        "NAME[:key=value,…]",
        "The input's format and its options; detected by default. See `adequa formats`.",
        "--format",
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

    echo(("\n" if gap else "") + Table(title, columns, rows).text())


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
