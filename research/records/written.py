"""Records written by hand: faithful texts, edits that make them wrong or leave them true.

Some records can be turned so that the wrong words are right: a yes becomes a no, a value is
replaced, or two rows exchange their values.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from adequa.text import Span, fold
from adequa.text.values import truth_of

DATA = Path(__file__).parent / "data"
HELD_OUT = 8
"""Every eighth record of a file is held out, for figures and thresholds."""
ASIDE = frozenset("wxy")
"""The files that are held out as a whole, by writers of whom nothing is learned."""
_LONGEST_VALUE = 5
"""Words of a wrong value that may stand in the record in place of the right one."""

_Any = TypeVar("_Any")


class WrongText(NamedTuple):
    """A text with the places of its faults."""

    text: str
    of: int
    spans: tuple[Span, ...]
    kind: str
    path: str | None = None
    old: str = ""
    new: str = ""


class WrittenRecord(NamedTuple):
    """A record with its texts."""

    id: str
    record: Any
    faithful: tuple[str, ...]
    wrong: tuple[WrongText, ...]
    same: tuple[tuple[int, str, Span], ...]
    """True texts that were edited: which text, and what place of it."""


def read_written(path: Path) -> list[WrittenRecord]:
    """The records of a file; wrong texts are whole (`text`, `start`, `end`) or edits."""
    return [_written(json.loads(line)) for line in path.read_text("utf-8").splitlines() if line]


def _written(raw: dict[str, Any]) -> WrittenRecord:
    faithful = tuple(raw["faithful"])
    wrong = []
    for one in raw["wrong"]:
        if "text" in one:
            spans = tuple((own["start"], own["end"]) for own in one.get("spans", [one]))
            text, old, new = one["text"], "", ""
            if len(spans) == 1:
                old, new = _replaced(faithful[one["of"]], text)
        else:
            text, (start, _) = _edited(faithful[one["of"]], one["old"], one["new"])
            begin = start + (one["new"].find(one["span"]) if "span" in one else 0)
            spans = ((begin, begin + len(one.get("span", one["new"]))),)
            old, new = one["old"], one["new"]
        path = one.get("path")
        wrong.append(WrongText(text, one["of"], spans, one["kind"], path, old, new))
    same = tuple(
        (one["of"], *_edited(faithful[one["of"]], one["old"], one["new"]))
        for one in raw.get("same", ())
    )
    return WrittenRecord(raw["id"], raw["record"], faithful, tuple(wrong), same)


def _edited(text: str, old: str, new: str) -> tuple[str, Span]:
    start = text.index(old)
    return text[:start] + new + text[start + len(old) :], (start, start + len(new))


def _replaced(before: str, after: str) -> tuple[str, str]:
    """What differs between two texts, in one piece of each."""
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    return before[first : len(before) - last], after[first : len(after) - last]


def read_parts(path: Path) -> tuple[list[WrittenRecord], list[WrittenRecord]]:
    """The records of a file that are learned from, and those that are held out."""
    records = read_written(path)
    return ([], records) if path.stem in ASIDE else split(records)


def split(records: Sequence[_Any]) -> tuple[list[_Any], list[_Any]]:
    """What is trained on, and every eighth, which is held out."""
    learned = [one for number, one in enumerate(records) if number % HELD_OUT != HELD_OUT - 1]
    return learned, [*records[HELD_OUT - 1 :: HELD_OUT]]


def overlap(one: Span, other: Span) -> bool:
    """Whether two places have a letter in common."""
    return one[0] < other[1] and other[0] < one[1]


# Records in which the wrong words are right


def turn_record(record: Any, wrong: WrongText) -> Any | None:
    """The record with the value that the wrong words claim; None where that is not plain."""
    if not wrong.path or not wrong.old:
        return None
    changed = copy.deepcopy(record)
    try:
        parent, key = _parent(changed, wrong.path)
        value = parent[key]
    except (KeyError, IndexError, ValueError, TypeError):
        return None
    if isinstance(value, (dict, list)) or value is None:
        return None
    truth = truth_of(str(key), str(value))
    if truth is not None:
        if wrong.kind not in ("polarity", "wrong_category", "wrong_relation"):
            return None
        parent[key] = _turned(value)
        return changed if parent[key] != value else None
    new, old = (fold(one).strip(" .,;:") for one in (wrong.new, wrong.old))
    if wrong.kind not in ("wrong_value", "wrong_owner", "wrong_category", "wrong_relation"):
        return None
    if fold(str(value)) not in old and fold(str(value)) != old:
        return None
    other = _row_with(changed, wrong.path, new)
    if other is not None:  # two rows exchange their values
        other[key], parent[key] = parent[key], other[key]
        return changed
    said = new if fold(str(value)) == old else ""
    if not said or len(said.split()) > _LONGEST_VALUE:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not re.fullmatch(r"\d+(?:\.\d+)?", said):
            return None
        parent[key] = type(value)(float(said))
    else:
        parent[key] = wrong.new.strip(" .,;:")
    return changed


def _turned(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    pairs = {"yes": "no", "true": "false", "y": "n", "1": "0", "on": "off"}
    both = pairs | {no: yes for yes, no in pairs.items()}
    other = both.get(str(value).lower(), str(value))
    return other.upper() if str(value).isupper() else other


def _parent(record: Any, path: str) -> tuple[Any, Any]:
    *way, last = (part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/"))
    at = record
    for part in way:
        at = at[int(part)] if isinstance(at, list) else at[part]
    return at, int(last) if isinstance(at, list) else last


def _row_with(record: Any, path: str, said: str) -> Any | None:
    """Another row of the same list that has a value in the same field that is said."""
    parts = path[1:].split("/")
    if len(parts) < 3 or not parts[-2].isdigit():
        return None
    rows, number = _parent(record, "/" + "/".join(parts[:-1]))
    for place, row in enumerate(rows):
        if place != number and isinstance(row, dict):
            value = row.get(parts[-1])
            if isinstance(value, str) and value and fold(value) in said:
                return row
    return None
