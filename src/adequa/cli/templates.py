"""`adequa templates`: sentence templates for predicates, extracted, checked and shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli import options
from adequa.cli.options import argument, group, option
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adequa.data import Item
    from adequa.metrics.nli.extraction import TemplateExample, TemplateReview

_MOST_SHOWN = 10

templates = group("templates", "Extract, check and show sentence templates.")

Source = Annotated[
    str, argument("TEMPLATES", "A .json or .tsv file, or the name of shipped templates: e2e.")
]


@templates.command()
def extract(
    inputs: options.Inputs,
    out: Annotated[Path, option("FILE", "The .json or .tsv file to write.", "--out", "-o")],
    format: options.Format = None,  # noqa: A002
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Extract a template for each predicate.

    Uses texts that state one fact and takes the wording that most facts share, without their names.
    The table shows the facts stated in exactly these words, the facts with a usable text, the score
    of the template (0 to 1), and the share of the other texts that contain all of its words.

    Example: adequa templates extract webnlg/train --out templates.json
    """
    from adequa.metrics.nli import require_free_path, write_templates
    from adequa.metrics.nli.extraction import extract as choose
    from adequa.tables import Column

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
        options.echo_json({"out": written, "found": found, "missing": dict(extraction.missing)})
        return
    if extraction.found:
        rows = [
            [one.predicate, one.template.string, one.support, one.facts, one.score, one.share]
            for one in extraction.found
        ]
        columns: list[str | Column] = ["predicate", "template", "support", "facts"]
        columns += [Column("score", 2), Column("share", 2)]
        options.echo_table(columns, rows)
        options.echo()
    where = f": {out}" if extraction.found else "; nothing was written"
    total = len(extraction.found) + len(extraction.missing)
    options.echo(f"{len(extraction.found):,} of {total:,} predicates have a template{where}")
    reasons: dict[str, list[str]] = {}
    for predicate, reason in extraction.missing.items():
        reasons.setdefault(reason, []).append(predicate)
    for reason, names in reasons.items():
        options.echo(f"without a template: {len(names):,} ({reason}): {_listed(names)}")


@templates.command()
def check(
    source: Source,
    inputs: Annotated[
        list[Path] | None, argument("INPUT…", "Data to fill the templates with.")
    ] = None,
    format: options.Format = None,  # noqa: A002
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Check how templates read, and how many facts they cover.

    Templates are filled with the facts of INPUT, or with made-up names. A sentence reads badly if
    it repeats a word, has stray punctuation or lacks a full stop: then the exit code is 1. Facts
    without a template are counted but not an error, as the backoff covers them.

    Example: adequa templates check templates.json webnlg/dev
    """
    from adequa.metrics.nli import ANY, read_templates
    from adequa.metrics.nli.extraction import review

    known = read_templates(source)
    with progress_bar("texts", quiet=quiet or not inputs) as progress:
        checked = review(known, _counted(inputs or [], format, progress))
    if as_json:
        options.echo_json(_figures(checked, known.digest))
    else:
        if checked.problems:
            rows = [list(_problem(one).values()) for one in checked.problems]
            options.echo_table(list(_problem(checked.problems[0])), rows)
            options.echo()
        bad = f"{len(checked.problems):,} read badly" if checked.problems else "all read well"
        options.echo(f"{len(checked.examples):,} templates ({known.digest}): {bad}")
        if checked.facts:
            share = 100 * checked.said / checked.facts
            options.echo(
                f"{checked.said:,} of {checked.facts:,} facts have a template ({share:.1f} %)"
            )
            if checked.missing:
                options.echo(f"predicates without a template: {_listed(list(checked.missing))}")
            if checked.unused:
                names = [
                    row.predicate if row.value == ANY else f"{row.predicate} ({row.value})"
                    for row in checked.unused
                ]
                options.echo(f"unused templates: {_listed(names)}")
    if checked.problems:
        raise typer.Exit(1)


@templates.command("list-missing")
def list_missing(
    source: Source,
    inputs: options.Inputs,
    format: options.Format = None,  # noqa: A002
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """List predicates without a template, with fact counts.

    Example: adequa templates list-missing e2e devset.csv
    """
    from adequa.metrics.nli import read_templates

    known = read_templates(source)
    with progress_bar("texts", quiet=quiet) as progress:
        missing = known.missing(_counted(inputs, format, progress))
    if as_json:
        options.echo_json(missing)
    elif missing:
        options.echo_table(["predicate", "facts"], list(missing.items()))
    else:
        options.echo("every fact has a template")


@templates.command()
def show(source: Source, as_json: options.Json = False) -> None:
    """Show templates, each with a made-up example.

    Example: adequa templates show e2e
    """
    from adequa.metrics.nli import read_templates
    from adequa.metrics.nli.extraction import examples

    shown = examples(read_templates(source))
    if as_json:
        names = ("predicate", "template", "value")
        options.echo_json(
            [
                {**dict(zip(names, one.row[:3], strict=True)), "example": one.sentence}
                for one in shown
            ]
        )
        return
    rows = [[one.row.predicate, one.row.value, one.row.template, one.sentence] for one in shown]
    options.echo_table(["predicate", "value", "template", "example"], rows)


def _counted(
    inputs: list[Path], format_: str | None, progress: Callable[[int, int], None]
) -> Iterator[Item]:
    """The items of all inputs, counted first so that progress can be shown."""
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


def _problem(one: TemplateExample) -> dict[str, str | None]:
    row = one.row
    values = (row.predicate, row.value, one.problem, one.sentence)
    return dict(zip(("predicate", "value", "problem", "sentence"), values, strict=True))


def _figures(checked: TemplateReview, digest: str) -> dict[str, object]:
    """The output of `check --json`."""
    return {
        "templates": len(checked.examples),
        "digest": digest,
        "problems": [_problem(one) for one in checked.problems],
        "facts": checked.facts,
        "said": checked.said,
        "missing": checked.missing,
        "unused": [[row.predicate, row.value] for row in checked.unused],
    }
