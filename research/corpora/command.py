"""`adequa derive`: sets derived from a corpus as in paper 003, and statistics of a corpus."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adequa.cli.options import Aliases, Format, Input, Json, echo_json, option

if TYPE_CHECKING:
    from research.corpora.derived import CorpusTally

_MOST_REASONS = 10

derive = typer.Typer(
    name="derive",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Derive training and test sets from a corpus.",
)

Out = Annotated[
    Path, option("FILE", "The .jsonl, .csv, .tsv or .parquet file to write.", "--out", "-o")
]


@derive.command()
def inverted(
    source: Input,
    out: Out,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
) -> None:
    """Write single-triple texts with the triple and its inversion.

    Triples whose predicate holds both ways (spouse, shares border with) are left out. The wrong
    item has the id of the right one and /inverted, and meta.inverted is true.

    Example: adequa derive inverted webnlg/test --out inverted.jsonl
    """
    from adequa.readers import open_source, write_items
    from research.corpora.derived import CorpusTally
    from research.corpora.derived import inverted as invert

    tally = CorpusTally()
    pairs = invert(open_source(source, format=format), tally)
    write_items((item for pair in pairs for item in pair), out)
    _report(tally, "texts", out, as_json=as_json)


@derive.command()
def labels(
    source: Input,
    out: Out,
    seed: Annotated[int, option(None, "Random seed of the changed facts.", "--seed")] = 0,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
) -> None:
    """Write texts with labels for adequa train calibrate.

    Each text, which must state its graph, is written three times: unchanged, with one wrong value,
    and with one fact added; meta.label has 1 for the facts it states and 0 for the others.

    Example: adequa derive labels mine.jsonl --out labelled.jsonl
    """
    from adequa.readers import open_source, write_items
    from research.corpora.derived import CorpusTally, make_labels

    tally = CorpusTally()
    write_items(make_labels(open_source(source, format=format), tally, seed=seed), out)
    _report(tally, "texts", out, as_json=as_json)


@derive.command()
def chunks(
    passages: Annotated[
        Path,
        typer.Argument(
            metavar="PASSAGES", help="A .tsv (id, text, title) or .jsonl file of passages or pages."
        ),
    ],
    triples: Annotated[
        Path,
        option(
            "FILE", "Tab-separated subject, predicate and object, or any known format.", "--triples"
        ),
    ],
    out: Out,
    aliases: Aliases = None,
    words: Annotated[
        int | None,
        option("N", "Cut texts into pieces of this many words, such as 100.", "--words", min=1),
    ] = None,
    as_json: Json = False,
) -> None:
    """Pair passages with the triples that they mention.

    As paper 003 made WikiChunks: a triple's subject is the title of the page, and its object, or
    an alias of it, occurs in the passage. Passages are streamed; a temporary file has the triples.

    Example: adequa derive chunks pages.tsv --triples wikidata.tsv --words 100 --out chunks.jsonl
    """
    from adequa.entities.aliases.lookup import open_aliases
    from adequa.readers import write_items
    from research.corpora.derived import CorpusTally
    from research.corpora.passages import PassagesReader
    from research.corpora.wiki_chunks import read_triples, wiki_chunks

    tally = CorpusTally()
    known = None if aliases is None else open_aliases(aliases)
    read = PassagesReader(words=words).passages(passages)
    write_items(wiki_chunks(read, read_triples(triples), known, tally), out)
    _report(tally, "passages", out, as_json=as_json)


@derive.command()
def wikidata(
    source: Input,
    out: Out,
    mapping: Annotated[
        Path | None,
        option(
            "FILE",
            "TSV or JSON file from DBpedia properties to Wikidata labels; by default the "
            "mapping that comes with the checkout.",
            "--mapping",
        ),
    ] = None,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
) -> None:
    """Rename DBpedia properties to Wikidata properties.

    An item with an unmapped property is left out and counted under that property.

    Example: adequa derive wikidata webnlg/test --mapping properties.tsv --out wikidata.jsonl
    """
    from adequa.perturb.paraphrases import read_properties
    from adequa.readers import open_source, write_items
    from research.corpora.derived import CorpusTally, to_wikidata

    tally = CorpusTally()
    properties = None if mapping is None else read_properties(mapping)
    write_items(to_wikidata(open_source(source, format=format), properties, tally), out)
    _report(tally, "texts", out, as_json=as_json)


@derive.command()
def statistics(
    source: Input,
    format: Format = None,  # noqa: A002
    as_json: Json = False,
) -> None:
    """Count the parts of a corpus, as Table 1 of paper 003.

    These are pairs, texts, graphs, properties and entities.

    Example: adequa derive statistics webnlg/train
    """
    from adequa.readers import open_source
    from adequa.tables import Cell, Table
    from research.corpora.derived import statistics as count

    counts = asdict(count(open_source(source, format=format)))
    if as_json:
        echo_json(counts)
        return
    row: list[Cell] = list(counts.values())
    typer.echo(Table("", list(counts), [row]).text())


def _report(tally: CorpusTally, what: str, out: Path, *, as_json: bool) -> None:
    """Print the number of kept items, and the most frequent reasons for leaving out the others."""
    reasons = tally.left_out.most_common()
    if as_json:
        echo_json({"out": str(out), "kept": tally.kept, "left_out": dict(reasons)})
        return
    typer.echo(f"{tally.kept:,} of {tally.seen:,} {what}: {out}")
    for reason, count in reasons[:_MOST_REASONS]:
        typer.echo(f"left out: {count:,} ({reason})")
    others = sum(count for _, count in reasons[_MOST_REASONS:])
    if others:
        typer.echo(f"left out: {others:,} ({len(reasons) - _MOST_REASONS} other reasons)")
