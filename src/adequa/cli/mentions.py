"""`adequa mentions`: the detector against gold mentions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from adequa.cli import options
from adequa.cli.options import argument, option
from adequa.progress import progress_bar
from adequa.tables import counted

if TYPE_CHECKING:
    from adequa.entities import Disagreement, MentionAgreement

PAPER = {"exact": (0.75, 0.74), "lenient": (0.83, 0.82)}
"""Precision and recall that the ESA paper reports in section 4.2, on the enriched corpus."""


def mentions(
    gold: Annotated[Path, argument("GOLD", "Texts with gold mentions: the enriched corpus.")],
    predictions: Annotated[
        Path | None, option("FILE", "Write the mentions found, one JSON line per text.")
    ] = None,
    mode: Annotated[
        Literal["mentions", "adequacy"],
        option("mentions|adequacy", "Find every mention, or one per entity with the right value."),
    ] = "mentions",
    detector: Annotated[
        Literal["adequa", "paper"],
        option("adequa|paper", "Our detector, or the paper's Algorithm 1."),
    ] = "adequa",
    threshold: Annotated[
        float | None,
        option("NUMBER", "The largest edit distance of a misspelt name.", min=0, max=1),
    ] = None,
    aliases: Annotated[
        Path | None,
        option("FILE", "Other names of entities: TSV, JSON, or of `adequa aliases build`."),
    ] = None,
    linker: Annotated[
        str | None, option("URL", "A REL server, asked for the linked mentions of each text.")
    ] = None,
    coreference: Annotated[
        Literal["none", "stanza", "adequa"],
        option(
            "none|stanza|adequa",
            "Who resolves pronouns: Stanza (extra coref), or adequa, which --mode mentions "
            "includes.",
        ),
    ] = "none",
    errors: Annotated[
        int, option(None, "Show this many of the most frequent kinds of disagreement.", min=0)
    ] = 0,
    format: options.Format = None,  # noqa: A002
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Evaluate the entity detector on gold mentions.

    A mention is correct if its entity and its words match the gold: exactly, or (lenient) within an
    edit distance of 0.2. The paper's figures are shown next to ours.

    Algorithm 1 with --aliases, --linker and --coreference is the paper's whole detector; an option
    that changes nothing is an error.

    Example: adequa mentions enriched/dev --predictions found.jsonl --errors 10

    Example: adequa mentions enriched/dev --detector paper --aliases names.tsv --coreference adequa
    """
    from adequa import entities
    from adequa.entities.aliases.lookup import require_some
    from adequa.errors import DataError
    from adequa.readers import open_source

    if detector == "paper" and mode == "adequacy":
        raise typer.BadParameter("the paper's detector has no modes; leave --mode out")
    detect = entities.mention_detector(
        detector, mode, threshold, aliases=aliases, linker=linker, coreference=coreference
    )
    items = list(open_source(gold, format=format))
    if aliases is not None:
        ends = (end for item in items for one in item.triples for end in (one.subject, one.object))
        require_some(aliases, ends, where=gold)
    try:
        with progress_bar("texts", quiet=quiet) as progress:
            evaluated = entities.evaluate_mentions(
                items, detect, lambda done: progress(done, len(items))
            )
    except DataError as error:
        raise error.at(gold) from None
    if predictions is not None:
        entities.write_predictions(evaluated.predictions, predictions)
    kinds = entities.find_disagreements(evaluated.predictions, errors)
    if as_json:
        figures = evaluated.agreement.figures()
        if errors:
            figures["errors"] = [kind._asdict() for kind in kinds]
        options.echo_json(figures)
        return
    _show(evaluated.agreement, kinds)
    if predictions is not None:
        options.echo_written(predictions)


def _show(agreement: MentionAgreement, kinds: list[Disagreement]) -> None:
    found = {name: getattr(agreement, name) for name in ("exact", "lenient", "entities")}
    rows = [
        [name, counts.precision, counts.recall, counts.f1, *PAPER.get(name, (None, None))]
        for name, counts in found.items()
    ]
    title = (
        f"{agreement.exact.found:,} mentions found, {agreement.exact.gold:,} in the gold, "
        f"{counted(agreement.texts, 'text')}"
    )
    columns = ["", "precision", "recall", "F1", "paper's precision", "paper's recall"]
    options.echo_table(columns, rows, title)
    types = [
        [kind, counts.recall, counts.right_gold, counts.gold]
        for kind, counts in sorted(agreement.by_type.items(), key=lambda pair: -pair[1].gold)
    ]
    options.echo_table(["type in the gold", "recall", "found", "gold"], types, gap=True)
    if kinds:
        examples = [[kind.times, kind.kind, kind.examples[0]] for kind in kinds]
        options.echo_table(["times", "disagreement", "example"], examples, gap=True)
