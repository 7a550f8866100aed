"""`adequa templates`: sentences for predicates, extracted from texts, checked and shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import Format, Json, Quiet, echo_json
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adequa.data import Item
    from adequa.metrics.nli.extraction import TemplateReview

_MOST_SHOWN = 10

templates = typer.Typer(
    name="templates",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Extract, check and show templates: the sentences that say a predicate's facts.",
)

Inputs = Annotated[
    list[Path], typer.Argument(metavar="INPUT…", help="Files or folders in any known format.")
]
Source = Annotated[
    str,
    typer.Argument(
        metavar="TEMPLATES", help="A .json or .tsv file, or the name of shipped ones: e2e."
    ),
]


@templates.command()
def extract(
    inputs: Inputs,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The .json or .tsv file to write.")
    ],
    format: Format = None,  # noqa: A002
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Extract a template for each predicate from texts that say one fact.

    Of what the texts say, the wording that most facts share is taken, without their names. The
    table has the facts that are said in these very words, the facts with a text that was looked
    at, the score of the choice (from 0 to 1), and the share of the other texts that have all of the
    template's words.

    Example: adequa templates extract webnlg/train --out templates.json
    """
    from adequa.metrics.nli.extraction import extract as choose
    from adequa.metrics.nli.templates import require_free_path, write_templates
    from adequa.tables import Cell, Column, Table

    require_free_path(out, force=force)
    with progress_bar("texts", quiet=quiet) as progress:
        extraction = choose(_counted(inputs, format, progress))
    if extraction.found:
        write_templates(extraction.templates, out, force=force)
    if as_json:
        found = {
            one.predicate: {
                "template": one.template.string,
                "support": one.support,
                "facts": one.facts,
                "score": round(one.score, 6),
                "share": None if one.share is None else round(one.share, 6),
            }
            for one in extraction.found
        }
        written = str(out) if found else None
        echo_json({"out": written, "found": found, "missing": dict(extraction.missing)})
        return
    if extraction.found:
        rows: list[list[Cell]] = [
            [one.predicate, one.template.string, one.support, one.facts, one.score, one.share]
            for one in extraction.found
        ]
        columns: list[str | Column] = ["predicate", "template", "support", "facts"]
        columns += [Column("score", 2), Column("share", 2)]
        typer.echo(Table("", columns, rows).text() + "\n")
    where = f": {out}" if extraction.found else "; nothing is written"
    total = len(extraction.found) + len(extraction.missing)
    typer.echo(f"{len(extraction.found):,} of {total:,} predicates have a template{where}")
    reasons: dict[str, list[str]] = {}
    for predicate, reason in extraction.missing.items():
        reasons.setdefault(reason, []).append(predicate)
    for reason, names in reasons.items():
        typer.echo(f"without: {len(names):,} ({reason}): {_listed(names)}")


@templates.command()
def check(
    source: Source,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="INPUT…", help="Data to fill the templates with."),
    ] = None,
    format: Format = None,  # noqa: A002
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Check templates: their file, how they read when filled, and what of some data they say.

    Filled with the facts of INPUT, or with made-up names, a template reads badly that says a word
    twice, has stray signs, or no full stop. Exit code 1 where one does; facts without a template
    are counted, and are no fault: the backoff says them.

    Example: adequa templates check templates.json webnlg/dev
    """
    from adequa.metrics.nli.extraction import review
    from adequa.metrics.nli.templates import ANY, read_templates
    from adequa.tables import Cell, Table

    known = read_templates(source)
    with progress_bar("texts", quiet=quiet or not inputs) as progress:
        checked = review(known, _counted(inputs or [], format, progress))
    if as_json:
        echo_json(_figures(checked, known.digest))
    else:
        if checked.problems:
            rows: list[list[Cell]] = [
                [one.row.predicate, one.row.value, one.problem, one.sentence]
                for one in checked.problems
            ]
            columns = ["predicate", "value", "problem", "sentence"]
            typer.echo(Table("", columns, rows).text() + "\n")
        bad = f"{len(checked.problems):,} read badly" if checked.problems else "all read well"
        typer.echo(f"{len(checked.examples):,} templates ({known.digest}): {bad}")
        if checked.facts:
            share = 100 * checked.said / checked.facts
            typer.echo(f"{checked.said:,} of {checked.facts:,} facts have one ({share:.1f} %)")
            if checked.missing:
                typer.echo(f"predicates without: {_listed(list(checked.missing))}")
            if checked.unused:
                names = [
                    row.predicate if row.value == ANY else f"{row.predicate} ({row.value})"
                    for row in checked.unused
                ]
                typer.echo(f"not needed by any fact: {_listed(names)}")
    if checked.problems:
        raise typer.Exit(1)


@templates.command("list-missing")
def list_missing(
    source: Source,
    inputs: Inputs,
    format: Format = None,  # noqa: A002
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """List the predicates of some data that have no template, with the number of their facts.

    Example: adequa templates list-missing e2e devset.csv
    """
    from adequa.metrics.nli.templates import read_templates
    from adequa.tables import Cell, Table

    known = read_templates(source)
    with progress_bar("texts", quiet=quiet) as progress:
        missing = known.missing(_counted(inputs, format, progress))
    if as_json:
        echo_json(missing)
    elif missing:
        rows: list[list[Cell]] = [[name, count] for name, count in missing.items()]
        typer.echo(Table("", ["predicate", "facts"], rows).text())
    else:
        typer.echo("every fact has a template")


@templates.command()
def show(source: Source, as_json: Json = False) -> None:
    """Show templates, each filled once with made-up names.

    Example: adequa templates show e2e
    """
    from adequa.metrics.nli.extraction import examples
    from adequa.metrics.nli.templates import read_templates
    from adequa.tables import Cell, Table

    shown = examples(read_templates(source))
    if as_json:
        names = ("predicate", "template", "value")
        echo_json(
            [
                {**dict(zip(names, one.row[:3], strict=True)), "example": one.sentence}
                for one in shown
            ]
        )
        return
    rows: list[list[Cell]] = [
        [one.row.predicate, one.row.value, one.row.template, one.sentence] for one in shown
    ]
    typer.echo(Table("", ["predicate", "value", "template", "example"], rows).text())


def _counted(
    inputs: list[Path], format_: str | None, progress: Callable[[int, int], None]
) -> Iterator[Item]:
    """The items of all inputs, which are counted first, so that their way can be shown."""
    from adequa.readers import open_source

    sources = [open_source(path, format=format_) for path in inputs]
    total = sum(source.count() for source in sources)
    done = 0
    for source in sources:
        for item in source:
            yield item
            done += 1
            progress(done, total)


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_SHOWN
    return ", ".join(names[:_MOST_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _figures(checked: TemplateReview, digest: str) -> dict[str, object]:
    """What `check --json` prints."""
    return {
        "templates": len(checked.examples),
        "digest": digest,
        "problems": [
            {
                "predicate": one.row.predicate,
                "value": one.row.value,
                "problem": one.problem,
                "sentence": one.sentence,
            }
            for one in checked.problems
        ],
        "facts": checked.facts,
        "said": checked.said,
        "missing": checked.missing,
        "unused": [[row.predicate, row.value] for row in checked.unused],
    }
