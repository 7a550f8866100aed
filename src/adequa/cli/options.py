"""Options that several commands share, and how they show progress and print JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from adequa.metrics.base import Metric

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME[:key=value,…]",
        help="The input's format and its options; recognised if not given. See `adequa formats`.",
    ),
]
Texts = Annotated[
    list[str] | None,
    typer.Option(
        "--texts",
        metavar="SYSTEM=FILE",
        help="A system's outputs: line i of FILE is the text of item i. Give it once a system.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Input = Annotated[
    Path, typer.Argument(metavar="INPUT", help="A file or a folder in any known format.")
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="[ALIAS=]NAME[:key=value,…]",
        help="A metric and its settings; give it once a metric. See `adequa metrics`.",
    ),
]
IgnorePredicate = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", metavar="PREDICATE", help="Leave out the triples of a predicate. Repeatable."
    ),
]
OptionalPredicate = Annotated[
    list[str] | None,
    typer.Option(
        "--optional",
        metavar="PREDICATE",
        help="What a predicate says may be left out of a text. Repeatable.",
    ),
]
Allowed = Annotated[
    Path | None,
    typer.Option("--allowed", metavar="FILE", help="Phrases that a text may add, one a line."),
]
Aliases = Annotated[
    Path | None,
    typer.Option(
        "--aliases", metavar="FILE", help="Other names of entities. See `adequa aliases`."
    ),
]


class Choice(str, Enum):
    """A choice that is written as it is typed."""

    def __str__(self) -> str:
        return str(self.value)


def json_text(value: object) -> str:
    """A result for machines, as `--json` prints it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def echo_json(value: object) -> None:
    """What `--json` prints."""
    typer.echo(json_text(value))


def with_settings(
    chosen: Mapping[str, Metric],
    *,
    ignore: list[str] | None,
    optional: list[str] | None,
    allowed: Path | None,
    aliases: Path | None,
) -> dict[str, Metric]:
    """The metrics with what the options give, each where it has a setting of that name."""
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
        if not value:
            continue
        known = False
        for label, metric in metrics.items():
            field = next((one for one in fields(metric) if one.init and one.name == name), None)
            if field is None:
                continue
            known = True
            if getattr(metric, name) not in (field.default, value):
                raise SettingError(f"--{name} and {label}:{name} are both given; keep one")
            metrics[label] = replace(metric, **{name: value})
        if not known:
            raise SettingError(
                f"--{name} is a setting of none of the chosen metrics ({', '.join(metrics)}); "
                "add one that has it: -m esa"
            )
    return metrics


# ---
# Where a command's results go: to stdout, to a file, into a folder of pictures.
# ---

Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write there, not to stdout.")
]
TableForm = Annotated[str, typer.Option(metavar="NAME", help="text, markdown, latex or csv.")]


def write_or_echo(written: str, out: Path | None) -> None:
    """The results to a file, or to stdout where none is named."""
    from adequa.errors import DataError

    if out is None:
        typer.echo(written)
        return
    try:
        out.write_text(written + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})", path=out, remedy="name another file"
        ) from None


def draw_pictures(pictures: Mapping[str, str], folder: Path) -> None:
    """Each picture as SVG, and as PNG where that can be rendered; says on stderr where they are."""
    from adequa.charts import save_picture
    from adequa.errors import DataError, MissingExtra

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot be made ({error.strerror})", path=folder, remedy="name another folder"
        ) from None
    missing: MissingExtra | None = None
    for name, svg in pictures.items():
        save_picture(svg, folder / f"{name}.svg")
        try:
            save_picture(svg, folder / f"{name}.png")
        except MissingExtra as error:
            missing = error
    if missing is not None:
        typer.echo(f"SVG only: {missing}", err=True)
    typer.echo(f"{len(pictures)} pictures in {folder}", err=True)
