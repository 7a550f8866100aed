"""Languages: faithful texts against texts with one fault, in eight languages, by `esa` alone.

Reads `bench/challenges/languages`. The half `open` is for developing; `python -m bench languages
--half sealed` scores the other half and belongs to the end of a piece of work. A faithful text is
right when `esa` finds nothing in it, a wrong one when it finds anything. The language of the texts
is not given: it has to be recognised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adequa.data import Item, Score, Term, Triple
from adequa.metrics import load_metric
from adequa.tables import Cell, Table
from adequa.text import language_code, language_name
from bench.groups import Measured, figure_rows, read_groups, share

TARGET = 0.85
"""The share of texts that are right, for each language."""


class Text(NamedTuple):
    """A text of the set: its language, its fault if it has one, and what was found."""

    language: str
    fault: str | None
    recognised: bool
    score: Score

    @property
    def is_right(self) -> bool:
        """Whether a faithful text has no finding, and a wrong one has."""
        if self.score.value is None:
            return False
        return bool(self.score.findings) == (self.fault is not None)


def items_of(group: dict[str, Any]) -> Iterable[tuple[Item, str | None]]:
    """Every text of a group as an item, with the kind of its fault."""
    triples = tuple(Triple(*triple) for triple in group["triples"])
    terms = {name: Term(**term) for name, term in group.get("terms", {}).items()}
    texts = [(text, None) for text in group["faithful"]]
    texts += [(wrong["text"], wrong["kind"]) for wrong in group["wrong"]]
    for number, (text, fault) in enumerate(texts):
        yield Item(str(number), triples, text, terms=terms), fault


def judge(groups: Sequence[dict[str, Any]]) -> list[Text]:
    """Score every text."""
    metric = load_metric("esa")
    return [
        Text(
            group["lang"],
            fault,
            recognised=language_code(item) == group["lang"],
            score=metric.score([item])[0],
        )
        for group in groups
        for item, fault in items_of(group)
    ]


def table(texts: Sequence[Text]) -> Table:
    """One row per language, and one for all."""
    rows: list[list[Cell]] = []
    for code in [*dict.fromkeys(text.language for text in texts), "all"]:
        own = [text for text in texts if code in (text.language, "all")]
        faithful = [text.is_right for text in own if text.fault is None]
        wrong = [text.is_right for text in own if text.fault is not None]
        rows.append(
            [
                code if code == "all" else language_name(code),
                len(faithful),
                share(faithful),
                len(wrong),
                share(wrong),
                share([text.is_right for text in own]),
                share([text.recognised for text in own]),
            ]
        )
    columns = ["language", "faithful", "no finding", "wrong", "noticed", "right", "recognised"]
    return Table("esa in other languages", columns, rows)


def figures(texts: Sequence[Text]) -> dict[str, float]:
    """The share of right texts by language."""
    codes = dict.fromkeys(text.language for text in texts)
    return {
        f"right in {language_name(code)}": share(
            [text.is_right for text in texts if text.language == code]
        )
        for code in codes
    }


TARGETS = {
    f"right in {name}": TARGET
    for name in (
        "German",
        "French",
        "Spanish",
        "Italian",
        "Portuguese",
        "Dutch",
        "Czech",
        "Russian",
    )
}


def _detail(text: Text) -> dict[str, Any]:
    return {
        "language": text.language,
        "fault": text.fault,
        "right": text.is_right,
        "findings": [finding.why for finding in text.score.findings],
    }


def measure_half(half: str) -> Measured:
    """The table, the figures and the findings of a half."""
    texts = judge(read_groups("languages", half))
    return Measured(table(texts), figures(texts), [_detail(text) for text in texts])


def measure(_data: Path) -> list[dict[str, object]]:
    """The figures on the open half."""
    return figure_rows("languages", "open", measure_half("open").figures, TARGETS)
