"""`adequa retrieve`: find texts by graph, and graphs by text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from adequa.cli import options
from adequa.cli.options import argument, flag, group, option
from adequa.progress import progress_bar

if TYPE_CHECKING:
    from adequa.data import Item
    from adequa.retrieval import Hit, Query, Recall, Reranker

retrieve = group("retrieve", "Find texts by graph, and graphs by text.")


EncoderName = Annotated[
    str | None,
    option(
        "NAME",
        "A version or folder of weights, hub:MODEL for a sentence-transformers model (extra: "
        "hf), or package.module:attribute. The shipped weights by default.",
        "--encoder",
    ),
]
Rerank = Annotated[
    int | None,
    option(
        "N",
        "Rerank the N best with a scorer of pairs; 0 uses the encoder alone. Default: 50 if a "
        "graph is compared with texts or a text with graphs, else 0.",
        "--rerank",
        min=0,
    ),
]
Scorer = Annotated[
    str,
    option(
        "NAME",
        "Scorer of pairs: entities, a metric such as esa, or package.module:function.",
        "--scorer",
    ),
]
Weight = Annotated[
    float | None, option("W", "Weight of the scorer: cosine + W * score.", "--weight")
]


@retrieve.command()
def index(
    input_: options.Input,
    out: Annotated[Path, option("INDEX", "The folder to write.", "--out", "-o")],
    of: Annotated[Literal["texts", "graphs"], option("texts|graphs", "What to index.")] = "texts",
    vectors: Annotated[
        Literal["float32", "int8"], option("float32|int8", "int8 takes a quarter of the space.")
    ] = "float32",
    approximate: Annotated[
        bool,
        flag("--approximate", "Add a neighbour graph, for millions of entries (extra: retrieval)."),
    ] = False,
    format: options.Format = None,  # noqa: A002
    encoder: EncoderName = None,
    batch_size: Annotated[int, option(None, "Items encoded and written per batch.", min=1)] = 1024,
    resume: Annotated[bool, flag("--resume", "Continue an interrupted build.")] = False,
    force: Annotated[bool, flag("--force", "Replace an existing index.")] = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Index texts or graphs for search.

    Texts need no triples: a .txt file has one text per line, and JSONL items may omit the triples.
    Graphs need no texts. The index is a folder of plain files; an interrupted build can be resumed.

    Example: adequa retrieve index train.xml --of texts --out texts.index
    """
    from adequa.retrieval import build_index, load_encoder, read_documents

    total = sum(1 for _ in read_documents(input_, of, format=format))
    with progress_bar("indexing", quiet=quiet) as progress:
        built = build_index(
            read_documents(input_, of, format=format),
            out,
            load_encoder(encoder),
            of=of,
            dtype=vectors,
            approximate=approximate,
            batch_size=batch_size,
            resume=resume,
            force=force,
            progress=lambda done: progress(done, total),
        )
    if as_json:
        options.echo_json({"out": str(out), **built.manifest})
        return
    options.echo(f"{len(built):,} {built.of} by {built.manifest['encoder']}: {out}")
    if total > len(built):
        options.echo(f"left out: {total - len(built):,} empty texts")


@retrieve.command()
def search(
    path: Annotated[Path, argument("INDEX", "A folder written by `adequa retrieve index`.")],
    query: Annotated[
        str,
        argument(
            "QUERY",
            "Triples for an index of texts, a text for one of graphs: a file, - for stdin, "
            "or a string.",
        ),
    ],
    k: Annotated[int, option(None, "Number of results.", "-k", min=1)] = 10,
    as_: Annotated[
        Literal["text", "triples"] | None,
        option(
            "text|triples",
            "The kind of QUERY, to search texts by a text or graphs by a graph.",
            "--as",
        ),
    ] = None,
    rerank: Rerank = None,
    scorer: Scorer = "entities",
    weight: Weight = None,
    exact: Annotated[
        bool, flag("--exact", "Compare with all entries, even if the index has a neighbour graph.")
    ] = False,
    format: options.Format = None,  # noqa: A002
    encoder: EncoderName = None,
    as_json: options.Json = False,
) -> None:
    """Find texts that express a graph, or graphs that express a text.

    Triples are written as in adequa check: 'Blue_Spice | eatType | pub', several separated by
    newlines or ' && '.

    Example: adequa retrieve search texts.index "Blue_Spice | eatType | pub" -k 3
    """
    from adequa.cli.options import read_graph, read_text
    from adequa.retrieval import load_encoder, open_index
    from adequa.retrieval import search as find

    opened = open_index(path)
    kind = as_ or ("triples" if opened.of == "texts" else "text")
    asked: Query = read_text(query) if kind == "text" else read_graph(query, format)
    if rerank is None and (kind == "text") == (opened.of == "texts"):
        rerank = 0  # text with text, or graph with graph
    reranker = _reranker(rerank, scorer, weight)
    (hits,) = find(opened, [asked], load_encoder(encoder), k=k, rerank=reranker, exact=exact)
    if as_json:
        options.echo_json(
            {"of": opened.of, "hits": [_plain(number, hit) for number, hit in enumerate(hits, 1)]}
        )
        return
    _show_hits(hits, opened.of)


@retrieve.command()
def evaluate(
    queries: Annotated[Path, argument("QUERIES", "Graphs with texts, in any known format.")],
    pool: Annotated[
        list[Path] | None, option("MORE", "Further graphs with texts, as candidates. Repeatable.")
    ] = None,
    rerank: Rerank = None,
    scorer: Scorer = "entities",
    weight: Weight = None,
    format: options.Format = None,  # noqa: A002
    encoder: EncoderName = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Measure how often the right text or graph is found.

    Each graph of QUERIES is used to find its text among the texts of QUERIES and MORE, and each
    text to find its graph. If a graph has several texts (WebNLG, E2E), the first is used. Ties
    count against the right answer; an identical text or set of triples counts as right.

    Example: adequa retrieve evaluate test.xml --pool train --json
    """
    from adequa.retrieval import evaluate as measure
    from adequa.retrieval import load_encoder, read_entries

    asked = read_entries(queries, format=format)
    more = [item for path in pool or () for item in read_entries(path, format=format)]
    with progress_bar("encoding and ranking", quiet=quiet) as progress:
        reranker = _reranker(rerank, scorer, weight)
        found = measure(asked, more, load_encoder(encoder), rerank=reranker, progress=progress)
    if as_json:
        options.echo_json({name: recall.figures() for name, recall in found.items()})
        return
    _show_recall(found)


def _reranker(top: int | None, scorer: str, weight: float | None) -> Reranker | None:
    if top == 0:
        return None
    from adequa.retrieval import TOP, WEIGHT, Reranker, load_scorer

    return Reranker(
        load_scorer(scorer), TOP if top is None else top, WEIGHT if weight is None else weight
    )


def _plain(number: int, hit: Hit) -> dict[str, Any]:
    item: Item = hit.item
    return {
        "rank": number,
        "score": round(hit.score, 6),
        "cosine": round(hit.cosine, 6),
        "id": item.id,
        "system": item.system,
        "triples": item.triples,
        "text": item.text,
    }


def _show_hits(hits: list[Hit], of: str) -> None:
    rows = []
    for hit in hits:
        graph = " && ".join(" | ".join(triple) for triple in hit.item.triples)
        rows.append([hit.score, hit.item.id, hit.item.text if of == "texts" else graph])
    options.echo_table(["score", "id", "text" if of == "texts" else "graph"], rows)


def _show_recall(found: dict[str, Recall]) -> None:
    first = next(iter(found.values()))
    rows = [
        [name.replace("_", " "), *list(recall.figures().values())[:-2]]
        for name, recall in found.items()
    ]
    title = f"{len(first.ranks):,} queries, {first.pool:,} candidates"
    options.echo_table(["", "R@1", "R@5", "R@10", "MRR"], rows, title)
