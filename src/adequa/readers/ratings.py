"""Human judgments: the long form, and the campaigns of WebNLG 2017 and 2020.

    long         JSON lines or CSV with id, system, rater, criterion, value
    webnlg2017   the challenge's CSVs: averages, or single judgments with worker ids
    webnlg2020   the challenge's JSON lines: averages, or single judgments with worker ids

The ids and team names of the campaigns are mapped onto those of the items. 2020: the id `29` is the
entry `Id29`; systems keep their names. 2017: a row has triples and a text in place of an id. The
triples identify the entry; among the human references, which are one item per text, the text
identifies the item.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adequa.codec import rating_from_object
from adequa.data import Item, Rating, Triple
from adequa.errors import DataError, UnknownName
from adequa.files import lines, load_object, read_objects
from adequa.readers.tables import read_table
from adequa.tables import csv_text
from adequa.text.linearised import parse_triples

CRITERIA_2020 = ("Correctness", "DataCoverage", "Fluency", "Relevance", "TextStructure")
_CRITERIA_2017 = {
    "fluency": "fluency",
    "grammar": "grammar",
    "grammaticality": "grammar",
    "semantics": "semantics",
    "semantic_adequacy": "semantics",
}
_TEAMS_2017 = {
    "adapt": "ADAPT",
    "baseline": "Baseline",
    "melbourne": "Melbourne",
    "pkuwriter": "PKUWriter",
    "tilburg-nmt": "Tilburg-NMT",
    "tilburg-pipe": "Tilburg-Pipeline",
    "tilburg-smt": "Tilburg-SMT",
    "upf-forge": "UPF-FORGe",
    "vietnam": "UIT-VNU-HCM",
    "webnlg": "reference",
}
_UNMARKED = str.maketrans("øłđı", "oldi")
"""Letters that Unicode does not decompose into a base letter and a mark."""
_WORKER_2017 = "X_worker_id"
_NOBODY_2017 = "na"
"""The worker id of empty texts, which nobody was shown and which got the lowest score."""

Triples = frozenset[Triple]


def ratings_2020(row: Mapping[str, Any]) -> Iterator[Rating]:
    """One rating per criterion of a judgment, or of an average, which has no worker."""
    identifier = row.get("id")
    if type(identifier) is not int or identifier < 1:
        problem = f"'id' is {identifier!r}, not the number of an entry"
        raise DataError(problem, remedy="entries count from 1")
    system, worker = row.get("system"), row.get("worker", "")
    if not isinstance(system, str) or not isinstance(worker, str):
        raise DataError("'system' or 'worker' is not a string")
    meta = {
        name: value
        for name, value in row.items()
        if name not in ("id", "system", "worker", *CRITERIA_2020)
    }
    if row.keys().isdisjoint(CRITERIA_2020):
        raise DataError("has no criterion", remedy=f"give one of {', '.join(CRITERIA_2020)}")
    for criterion in CRITERIA_2020:
        if criterion in row:
            value = _finite(criterion, row[criterion])
            yield Rating(f"Id{identifier}", system, worker, criterion, value, meta=meta)


def ratings_2017(row: Mapping[str, Any], matcher: Matcher2017) -> Iterator[Rating]:
    """One rating per criterion of a row; the other columns are in `meta`."""
    for name in ("mr", "team", "text"):
        if not isinstance(row.get(name), str):
            raise DataError(f"has no {name!r}", remedy="is this a CSV of the 2017 campaign?")
    system = _TEAMS_2017.get(row["team"])
    if system is None:
        problem = f"the team {row['team']!r} did not take part"
        raise DataError(problem, remedy=f"the teams are {', '.join(_TEAMS_2017)}")
    identifier = matcher.find(row["mr"], row["text"], system)
    meta = {
        name: value for name, value in row.items() if name not in (*_CRITERIA_2017, _WORKER_2017)
    }
    rater = row.get(_WORKER_2017, "")
    if rater == _NOBODY_2017:
        # Counted as a person who always answers 1, it would distort the statistics of raters.
        rater, meta["not_shown"] = "", "empty"
    for column, criterion in _CRITERIA_2017.items():
        if column in row:
            value = _finite(column, row[column])
            yield Rating(identifier, system, rater, criterion, value, meta=meta)


def _finite(name: str, raw: Any) -> float:
    try:
        value = float(raw)
    except (OverflowError, TypeError, ValueError):
        value = math.nan
    if isinstance(raw, bool) or not math.isfinite(value):
        raise DataError(f"{name!r} is {raw!r:.80}, not a number", remedy="write a finite number")
    return value


@dataclass(frozen=True)
class Matcher2017:
    """Finds the id of an item by its triples and text."""

    entries: Mapping[Triples, str]
    references: Mapping[tuple[Triples, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, ratings: Path, items: Iterable[Item] | None) -> Matcher2017:
        """Built from the items, or from the files of the sample next to the ratings."""
        if items is not None:
            return cls._of_items(items)
        numbers, graphs = ratings.with_name("sample-ids.txt"), ratings.with_name("MRs.txt")
        if not (numbers.is_file() and graphs.is_file()):
            remedy = "give the rated items, or put sample-ids.txt and MRs.txt next to it"
            raise DataError("has triples instead of ids", path=ratings, remedy=remedy)
        return cls._of_sample(numbers, graphs)

    @classmethod
    def _of_items(cls, items: Iterable[Item]) -> Matcher2017:
        entries: dict[Triples, str] = {}
        references: dict[tuple[Triples, str], str] = {}
        for item in items:
            triples = frozenset(item.triples)
            if item.system == "reference":
                references[triples, _letters(item.text)] = item.id
                entries.setdefault(triples, item.id.partition("/")[0])
            else:
                entries[triples] = item.id
        return cls(entries, references)

    @classmethod
    def _of_sample(cls, numbers: Path, graphs: Path) -> Matcher2017:
        ids = [(line, text.strip()) for line, text in lines(numbers) if text.strip()]
        wanted = [(line, text) for line, text in lines(graphs) if text.strip()]
        if len(ids) != len(wanted):
            problem = f"has {len(wanted)} graphs for the {len(ids)} ids of {numbers.name}"
            remedy = "line i of one belongs to line i of the other"
            raise DataError(
                problem, path=graphs, line=min(len(ids), len(wanted)) + 1, remedy=remedy
            )
        entries: dict[Triples, str] = {}
        for (place, number), (line, graph) in zip(ids, wanted, strict=True):
            if not number.isdecimal():
                raise DataError(f"{number!r} is not a number", path=numbers, line=place)
            try:
                entries[frozenset(parse_triples(graph))] = f"Id{number}"
            except DataError as error:
                raise error.at(graphs, line) from None
        return cls(entries)

    def find(self, graph: str, text: str, system: str) -> str:
        """The id of the rated item; raises a DataError if there is none."""
        triples = frozenset(parse_triples(graph))
        if system == "reference" and (triples, _letters(text)) in self.references:
            return self.references[triples, _letters(text)]
        if triples not in self.entries:
            problem = "has triples that no item has"
            raise DataError(problem, remedy="are these the items of the 2017 test?")
        return self.entries[triples]


def _letters(text: str) -> str:
    """The letters of a text: the campaign changed case, spaces, punctuation and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_UNMARKED))
    return "".join(character for character in plain if character.isalnum())


FORMATS = ("long", "webnlg2017", "webnlg2020")

_LONG = {"id", "system", "rater", "criterion", "value"}
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_NUMBERS = ("value", "seconds")
_JSON = {"meta", "spans"}


def read_ratings(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002
    items: Iterable[Item] | None = None,
) -> Iterator[Rating]:
    """The ratings of a file, in its order; the format is recognised if it is not given.

    `items` are the rated items. Only WebNLG 2017 needs them, and only if the files `sample-ids.txt`
    and `MRs.txt` are not next to the ratings.
    """
    path = Path(path)
    if format is not None and format not in FORMATS:
        raise UnknownName("format of ratings", format, FORMATS)
    delimiter = _DELIMITERS.get(path.suffix.lower())
    rows: Iterator[tuple[int, Mapping[str, Any]]]
    if delimiter is None:
        rows = read_objects(path)
        first = set(next((row for _, row in read_objects(path)), {}))
    else:
        table = read_table(path, delimiter, row_names=True)
        first, rows = set(table.columns), ((row.line, row.cells) for row in table.rows)
    name = format or _recognise(path, first)
    convert = _converter(name, path, items, typed=delimiter is None)
    found = False
    for number, row in rows:
        try:
            yield from convert(row)
        except DataError as error:
            raise error.at(path, number) from None
        found = True
    if not found:
        raise DataError("holds no ratings", path=path, remedy="is it the right file?")


def _recognise(path: Path, columns: set[str]) -> str:
    if columns >= _LONG:
        return "long"
    if columns >= {"mr", "team", "fluency"}:
        return "webnlg2017"
    if columns >= {"id", "system"} and columns & set(CRITERIA_2020):
        return "webnlg2020"
    if columns >= {"id", "system"}:
        remedy = "use them as a metric: NAME=precomputed:file=FILE,key=FIELD"
        raise DataError("holds scores, not ratings", path=path, line=1, remedy=remedy)
    if not columns:
        raise DataError("holds no ratings", path=path, remedy="is it the right file?")
    remedy = f"write the fields {', '.join(sorted(_LONG))}"
    raise DataError("is not in a known form of ratings", path=path, line=1, remedy=remedy)


def _converter(
    name: str, path: Path, items: Iterable[Item] | None, *, typed: bool
) -> Callable[[Mapping[str, Any]], Iterable[Rating]]:
    if name == "webnlg2017":
        matcher = Matcher2017.of(path, items)
        return lambda row: ratings_2017(row, matcher)
    if name == "webnlg2020":
        return ratings_2020
    return lambda row: [rating_from_object(dict(row) if typed else _with_numbers(row))]


def _with_numbers(row: Mapping[str, str]) -> dict[str, Any]:
    """A row of a table in the types of the long form; an empty cell is an absent field."""
    cells = {name: csv_text(cell) for name, cell in row.items()}
    typed: dict[str, Any] = {name: cell for name, cell in cells.items() if cell or name == "rater"}
    for name in _NUMBERS:
        if name in typed:
            typed[name] = number(name, typed[name])
    for name in _JSON & typed.keys():
        typed[name] = load_object(typed[name])
    return typed


def number(name: str, cell: str) -> float:
    """The number in a cell, or a DataError."""
    try:
        return float(cell)
    except ValueError:
        raise DataError(f"{name!r} is {cell!r}, not a number", remedy="write a number") from None
