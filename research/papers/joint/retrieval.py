"""Retrieval in paper 003: graphs among texts (Figure 1)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from adequa.data import Item
from adequa.retrieval import Encoder, Graph, Recall, Reranker, entity_evidence, evaluate
from adequa.tables import Cell, Column, Table
from research.papers.figures import Bar, bars
from research.papers.joint.data import NO_WEIGHTS, JointStudy, spread
from research.papers.joint.printed import RETRIEVAL
from research.papers.section import Section

_T = TypeVar("_T")

CHUNKS = "WikiChunks"
_COLUMNS: list[str | Column] = [
    *("set", "model", "whose", "R@1", "R@5", "R@10", "MRR"),
    *("text→graph R@1", "text→graph R@10", "queries", "pool"),
]


@dataclass(frozen=True)
class _Set:
    """Queries, and the other items whose texts and graphs are candidates too."""

    name: str
    queries: Sequence[Item]
    others: Sequence[Item]


class RememberingEncoder:
    """An encoder that encodes each text and graph once: the sets and the reranking share them."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.signature = encoder.signature
        self._texts: dict[Hashable, npt.NDArray[Any]] = {}
        self._graphs: dict[Hashable, npt.NDArray[Any]] = {}

    def encode(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        """One vector per text."""
        return _remembered(texts, texts, self._texts, self.encoder.encode)

    def encode_graphs(self, graphs: Sequence[Graph]) -> npt.NDArray[Any]:
        """One vector per graph."""
        keys = [(tuple(triples), tuple((terms or {}).items())) for triples, terms in graphs]
        return _remembered(keys, graphs, self._graphs, self.encoder.encode_graphs)


def _remembered(
    keys: Sequence[Hashable],
    given: Sequence[_T],
    known: dict[Hashable, npt.NDArray[Any]],
    encode: Callable[[Sequence[_T]], npt.NDArray[Any]],
) -> npt.NDArray[Any]:
    new = {key: one for key, one in zip(keys, given, strict=True) if key not in known}
    if new:
        known.update(zip(new, encode(list(new.values())), strict=True))
    return np.array([known[key] for key in keys])


def retrieval(study: JointStudy) -> Section:
    """R@1, R@10 and MRR of each model on each set, with the paper's rows."""
    sets, notes = _sets(study)
    rows = _printed()
    found: dict[str, list[list[Cell]]] = {one.name: [] for one in sets}
    for number, model in enumerate(study.models):
        if model.encoder is None:
            continue
        encoder = RememberingEncoder(model.encoder)
        for one in sets:
            measured = _measure(study, model.name, encoder, one)
            found[one.name].append(_row(one.name, model.name, measured))
            if number == 0 and one is sets[0]:
                second = Reranker(entity_evidence)
                measured = _measure(study, model.name, encoder, one, second)
                again = f"{model.name}; the first {second.top} reranked by entities"
                found[one.name].append(_row(one.name, again, measured))
    rows += [row for own in found.values() for row in own]
    notes += [
        *([] if study.models else [f"n/a: our models: {NO_WEIGHTS}"]),
        "trainings with other negatives, batches and data: --study, on a small schedule",
        (
            "the candidates are one text per entry of test and train, 15,008 for WebNLG-DB; the "
            "paper has about 13,000, and its models were not trained on WebNLG"
        ),
        *([] if study.pool is None else [_fewer(study.pool)]),
        "Figure 1's other bars have no numbers; the paper has R@10 of 0.98 or above for all",
        "a text or graph equal to the right one counts as right, and ties count as wrong",
    ]
    panels: dict[str, list[Bar]] = {}
    for row in rows:
        if isinstance(row[3], float):
            panels.setdefault(f"{row[0]}, R@1", []).append(Bar(f"{row[2]}: {row[1]}", row[3]))
    files = {"figure1.svg": partial(bars, panels, "Figure 1: the right text comes first")}
    table = Table("Figure 1: graphs find their texts", _COLUMNS, rows)
    return Section("retrieval", [table], notes=notes, files=files)


def _fewer(pool: int) -> str:
    return (
        f"searched here: at most {pool:,} of these texts (--pool), among which the right one is "
        "easier to find than among the paper's"
    )


def _sets(study: JointStudy) -> tuple[list[_Set], list[str]]:
    found, notes = [], []
    for name, queries, others in (
        ("WebNLG-DB", study.entries.get("test", []), study.entries.get("train", [])),
        ("WebNLG-WD", study.wikidata("test"), study.wikidata("train")),
    ):
        if queries:
            asked = spread(queries, study.pool)
            rest = None if study.pool is None else max(0, study.pool - len(asked))
            found.append(_Set(name, asked, spread(others, rest)))
        else:
            notes.append(f"n/a: {name}: there is no test set; see the list of missing data")
    if CHUNKS in study.corpora:
        found.append(_Set(CHUNKS, study.counted[CHUNKS].sample, ()))
        notes.append(f"{CHUNKS}: a sample of {study.sample:,}; use --sample for more")
    else:
        notes.append(
            f"n/a: {CHUNKS}: it needs passages of Wikipedia; make a set with adequa derive chunks "
            f"and give it with --corpus {CHUNKS}=FILE"
        )
    return found, notes


def _measure(
    study: JointStudy, name: str, encoder: Encoder, one: _Set, rerank: Reranker | None = None
) -> Mapping[str, Recall]:
    title = f"{name}, {one.name}{', reranked' if rerank else ''}"
    with study.show(title) as advance:
        return evaluate(one.queries, one.others, encoder, rerank=rerank, progress=advance)


def _row(name: str, words: str, found: Mapping[str, Recall]) -> list[Cell]:
    forth, back = found["graph_to_text"], found["text_to_graph"]
    own: list[Cell] = [forth.at(1), forth.at(5), forth.at(10), forth.mean_reciprocal_rank]
    return [
        *(name, words, "ours", *own, back.at(1), back.at(10), len(forth.ranks), forth.pool),
    ]


def _printed() -> list[list[Cell]]:
    nothing: list[Cell] = [None] * 5
    return [
        ["WebNLG-DB", one.model, "paper", one.first, None, one.tenth, *nothing] for one in RETRIEVAL
    ]
