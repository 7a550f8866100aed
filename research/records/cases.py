"""Sentences about records with their faults, as word numbers: what the record reader learns from.

The records are written by hand (`research/records/data`): two faithful texts, edits
that make one of them wrong, and edits that leave it true. A wrong sentence is learned beside its
faithful twin. Where the record itself can be changed so that the wrong words become right (a yes
turned, a value replaced, two rows exchanged), both are learned with that record as well: then
neither the words nor the record alone tell which is wrong. Groups of the relation reader, small
graphs with faithful and wrong texts, are read in the same way.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from adequa.data import Item, Triple
from adequa.entities import read_findings
from adequa.files import replacing
from adequa.metrics.nli.records import read_marks
from adequa.models.records import RecordReader
from adequa.readers.records import read_record
from adequa.settings import file_hash
from adequa.text import fold
from adequa.text.values import truth_of
from research.relations.groups import WRITTEN

DATA = Path(__file__).parent / "data"
HELD_OUT = 8
"""Every eighth record of a file is held out, for figures and thresholds."""
_LONGEST_VALUE = 5
"""Words of a wrong value that may stand in the record in place of the right one."""
_NOT_FAULTS = frozenset({"not_said"})
"""Kinds of wrong relation texts that say less than the data, and nothing wrong."""
_MOST_CHANGED = 0.5
"""The share of a sentence that may differ from its faithful twin, to know the place of a fault."""

Span = tuple[int, int]
_Any = TypeVar("_Any")


class Row(NamedTuple):
    """A sentence beside facts as word numbers; for each of its pieces whether it is wrong."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    places: tuple[int, ...]
    labels: tuple[int, ...]

    @property
    def is_wrong(self) -> bool:
        """Whether any piece is."""
        return any(self.labels)


class Case(NamedTuple):
    """Rows that are learned together, and pairs of which the first is worse than the second."""

    rows: tuple[Row, ...]
    worse: tuple[tuple[int, int], ...] = ()


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


# Rows


def rows_of(
    reader: RecordReader, item: Item, spans: Sequence[Span], near: Sequence[Span] | None = None
) -> list[tuple[Span, Row]]:
    """The rows of a text's sentences with their places; `near`: only those that overlap."""
    found = []
    rules = read_findings(item)
    for one in reader.inputs(item, read_marks(rules)):
        place = one.offsets[0][0], one.offsets[-1][1]
        if near is not None and not any(overlap(place, own) for own in near):
            continue
        labels = tuple(int(any(overlap(own, span) for span in spans)) for own in one.offsets)
        found.append((place, Row(tuple(one.ids), tuple(one.types), tuple(one.places), labels)))
    return found


def overlap(one: Span, other: Span) -> bool:
    """Whether two places have a letter in common."""
    return one[0] < other[1] and other[0] < one[1]


def _item(record: Any, text: str) -> Item:
    return read_record(record, text, id="1").item


def record_cases(reader: RecordReader, one: WrittenRecord) -> list[Case]:
    """All cases of a written record."""
    texts = [rows_of(reader, _item(one.record, text), ()) for text in one.faithful]
    cases, used = [], set()
    for wrong in one.wrong:
        twin = texts[wrong.of]
        rows = rows_of(reader, _item(one.record, wrong.text), wrong.spans, wrong.spans)
        rows = [(place, row) for place, row in rows if row.is_wrong]
        for _, row in rows:
            right = _twin(twin, row)
            if right is None:
                cases.append(Case((row,)))
                continue
            used.add((wrong.of, right))
            own = [row, twin[right][1]]
            worse = [(0, 1)]
            turned = turn_record(one.record, wrong) if len(rows) == 1 else None
            if turned is not None:
                start = _start_of(one.faithful[wrong.of], wrong)
                old = (start, start + len(wrong.old))
                now = rows_of(reader, _item(turned, wrong.text), (), wrong.spans)
                then = rows_of(reader, _item(turned, one.faithful[wrong.of]), (old,), (old,))
                if len(now) == len(then) == 1 and then[0][1].is_wrong:
                    own += [then[0][1], now[0][1]]
                    worse += [(2, 3), (0, 3), (2, 1)]
            cases.append(Case(tuple(own), tuple(worse)))
    for _, text, span in one.same:
        for _, row in rows_of(reader, _item(one.record, text), (), (span,)):
            cases.append(Case((row,)))
    for of, own in enumerate(texts):
        rest = [row for number, (_, row) in enumerate(own) if (of, number) not in used]
        cases += [Case((row,)) for row in rest]
    return cases


def _start_of(text: str, wrong: WrongText) -> int:
    first = 0
    while first < min(len(text), len(wrong.text)) and text[first] == wrong.text[first]:
        first += 1
    found = text.find(wrong.old, max(0, first - len(wrong.old)))
    return first if found < 0 else found


def _twin(rows: Sequence[tuple[Span, Row]], row: Row) -> int | None:
    """The sentence of the faithful text with the most pieces in common."""
    words = {row.ids[one] for one in row.places}
    best, most = None, 0.4
    for number, (_, other) in enumerate(rows):
        own = {other.ids[one] for one in other.places}
        alike = len(words & own) / max(1, len(words | own))
        if alike > most:
            best, most = number, alike
    return best


# Groups of the relation reader


def relation_cases(reader: RecordReader, raw: dict[str, Any]) -> list[Case]:
    """The cases of a small graph with faithful and wrong texts."""
    triples = tuple(Triple(*map(str, one)) for one in raw["triples"])

    def item(text: str) -> Item:
        return Item("1", triples, text)

    texts = [rows_of_graph(reader, item(text), ()) for text in raw["faithful"]]
    cases, used = [], set()
    for wrong in raw["wrong"]:
        if wrong["kind"] in _NOT_FAULTS:
            continue
        spans = changed_places(raw["faithful"][wrong["of"]], wrong["text"])
        if spans is None:
            continue
        for _, row in rows_of_graph(reader, item(wrong["text"]), spans):
            right = _twin(texts[wrong["of"]], row)
            if row.is_wrong and right is not None:
                if sum(row.labels) > _MOST_CHANGED * len(row.labels):
                    continue
                used.add((wrong["of"], right))
                cases.append(Case((row, texts[wrong["of"]][right][1]), ((0, 1),)))
    for of, own in enumerate(texts):
        cases += [Case((row,)) for n, (_, row) in enumerate(own) if (of, n) not in used]
    return cases


def rows_of_graph(
    reader: RecordReader, item: Item, spans: Sequence[Span]
) -> list[tuple[Span, Row]]:
    """The rows of a short text about a small graph; all facts fit."""
    found = []
    for one in reader.inputs(item):
        labels = tuple(int(any(overlap(own, span) for span in spans)) for own in one.offsets)
        place = one.offsets[0][0], one.offsets[-1][1]
        found.append((place, Row(tuple(one.ids), tuple(one.types), tuple(one.places), labels)))
    return found


def changed_places(before: str, after: str) -> list[Span] | None:
    """The words of a text that another version of it does not have; None where most differ."""
    old, new = ([*re.finditer(r"\w+|[^\w\s]", one)] for one in (before, after))
    matcher = SequenceMatcher(
        None, [one[0] for one in old], [one[0] for one in new], autojunk=False
    )
    found: list[Span] = []
    for tag, _, _, first, last in matcher.get_opcodes():
        if tag == "equal":
            continue
        if first == last:  # words are missing: their neighbours say something else now
            first, last = max(0, first - 1), min(len(new), last + 1)
        found.append((new[first].start(), new[last - 1].end()))
    return found if found and matcher.ratio() > 1 - _MOST_CHANGED else None


# All of them


class Source(NamedTuple):
    """Cases of one kind, and how often they are drawn."""

    name: str
    share: float
    items: int
    """The records or graphs that the cases are of."""
    cases: Sequence[Case]


def split(records: Sequence[_Any]) -> tuple[list[_Any], list[_Any]]:
    """What is trained on, and every eighth, which is held out."""
    learned = [one for number, one in enumerate(records) if number % HELD_OUT != HELD_OUT - 1]
    return learned, [*records[HELD_OUT - 1 :: HELD_OUT]]


def read_sources(
    reader: RecordReader,
    cache: Path,
    relations: float,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[Source]:
    """The written records and the groups of the relation reader, with a share for the latter.

    The rules read every text, which takes a second per record, so the cases of a file are kept in
    the folder `cache` until the file changes.
    """
    cache.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Case]] = {"records": [], "relations": []}
    counts = dict.fromkeys(found, 0)
    records, graphs = sorted(DATA.glob("*.jsonl")), sorted(WRITTEN.glob("*.jsonl"))
    for number, path in enumerate([*records, *graphs]):
        kind = "records" if path.parent == DATA else "relations"
        kept = cache / f"{kind}-{path.stem}-{file_hash(path)[:12]}.pickle"
        if not kept.is_file():
            made = _make_cases(reader, path, kind)
            with replacing(kept) as stream:
                pickle.dump(made, stream)
        with kept.open("rb") as stream:
            count, cases = pickle.load(stream)  # noqa: S301 - a file that this recipe has written
        found[kind] += cases
        counts[kind] += count
        progress(number + 1, len(records) + len(graphs))
    shares = {"records": 1 - relations, "relations": relations}
    names = {"records": "research/records/data", "relations": "research/relations/data/written"}
    return [Source(names[one], shares[one], counts[one], found[one]) for one in found]


def _make_cases(reader: RecordReader, path: Path, kind: str) -> tuple[int, list[Case]]:
    if kind == "records":
        learned, _ = split(read_written(path))
        return len(learned), [case for one in learned for case in record_cases(reader, one)]
    graphs, _ = split([json.loads(one) for one in path.read_text("utf-8").splitlines() if one])
    return len(graphs), [case for one in graphs for case in relation_cases(reader, one)]


@dataclass(frozen=True)
class Batches:
    """Stacks of cases of nearly one length; they follow from the seed and the number of a pool."""

    sources: Sequence[Source]
    seed: int = 0
    pool: int = 512
    """Cases that are sorted by length together."""
    size: int = 2048
    """Word pieces of a stack, with padding."""
    stacks: int = 2

    def steps(self, pool: int) -> list[list[list[Case]]]:
        """The steps of a pool of cases drawn from all sources."""
        chance = random.Random(f"records:{self.seed}:{pool}")  # noqa: S311
        known = [one for one in self.sources if one.cases and one.share]
        drawn = [
            chance.choice(source.cases)
            for source in chance.choices(known, [one.share for one in known], k=self.pool)
        ]
        drawn.sort(key=_longest)
        stacks: list[list[Case]] = [[]]
        rows = 0
        for case in drawn:
            if stacks[-1] and (rows + len(case.rows)) * _longest(case) > self.size:
                stacks.append([])
                rows = 0
            stacks[-1].append(case)
            rows += len(case.rows)
        chance.shuffle(stacks)
        firsts = range(0, len(stacks) - self.stacks + 1, self.stacks)
        return [stacks[first : first + self.stacks] for first in firsts]


def _longest(case: Case) -> int:
    return max(len(row.ids) for row in case.rows)
