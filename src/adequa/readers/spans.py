"""Error spans that people or detectors marked in texts, from the forms of `FORMATS`.

Offsets are Python string offsets. Where a file also has the marked words, they must be the words at
the offsets.

`D2tEvalReader` reads the texts that were marked, as D2T-Eval has them (Kasner et al. 2025): records
with several systems' texts about them, in a folder with two files of JSON lines.

    records.jsonl   {"id": …, "domain": …, "record": {…}}
    texts.jsonl     {"id": …, "system": …, "domain": …, "text": …, "annotators": [[span, …], …]}

A text belongs to the record with its id. `annotators` has the spans that each person marked, for
`adequa spans`; the texts can be scored without it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from adequa.codec import rating_from_object
from adequa.data import ErrorSpan, Item, Marking, Rating
from adequa.errors import DataError, SettingError, UnknownName
from adequa.files import (
    errors_at,
    kind_of,
    lines,
    load_object,
    read_json,
    read_objects,
    reject_constant,
)
from adequa.readers.base import PlacedItem, Reader
from adequa.readers.ratings import read_ratings
from adequa.readers.records import JSON_LINES, decode_record, read_record, stream_json
from adequa.settings import setting

RECORDS, TEXTS = "records.jsonl", "texts.jsonl"

_plain = json.JSONDecoder(parse_constant=reject_constant).decode


class _Line(NamedTuple):
    number: int
    value: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.value["id"])

    @property
    def system(self) -> str:
        return str(self.value.get("system", ""))


@dataclass(frozen=True)
class D2tEvalReader(Reader):
    """Reads each text with the record that has its id; the domain is the category.

    Records are held in memory. What people marked is kept in `meta`.
    """

    name: ClassVar[str] = "d2t-eval"
    doc: ClassVar[str] = "a folder with records.jsonl, and with texts.jsonl about them"
    takes_folders: ClassVar[bool] = True

    domain: str | None = setting(None, "only the texts of this domain")
    sample: int | None = setting(
        None, "only that many texts, chosen by a hash of system and id: always the same"
    )

    def __post_init__(self) -> None:
        if self.sample is not None and self.sample < 1:
            raise SettingError(f"{self.name}: sample is {self.sample}; choose at least 1 text")

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """One item per text, in file order; with `bare`, one item per record."""
        beside = _both_files(path)
        found = _lines(beside[RECORDS], needs=("id", "record"), decode=decode_record)
        records = {line.id: line for line in found}
        if bare:
            for line in self._chosen(list(records.values())):
                with errors_at(beside[RECORDS], line.number):
                    item = _item(line, line.value, "")
                yield PlacedItem(item, beside[RECORDS], line.number)
            return
        texts = list(_lines(beside[TEXTS], needs=("id", "text"), decode=_plain))
        for line in self._chosen(texts):
            with errors_at(beside[TEXTS], line.number):
                if line.id not in records:
                    problem = f"no record of {RECORDS} has the id {line.id!r}"
                    raise DataError(problem, remedy="add the record, or remove the text")
                item = _item(line, records[line.id].value, line.value["text"])
            yield PlacedItem(item, beside[TEXTS], line.number)

    def companions(self, path: Path) -> list[Path]:
        """The other file of the two."""
        return list(_both_files(path).values())

    def _chosen(self, every: list[_Line]) -> list[_Line]:
        chosen = [line for line in every if self.domain in (None, line.value.get("domain"))]
        if self.domain is not None and not chosen:
            known = sorted({str(line.value.get("domain")) for line in every})
            raise SettingError(f"there is no domain {self.domain!r}; there are {', '.join(known)}")
        if self.sample is None or self.sample >= len(chosen):
            return chosen
        last = sorted(map(_digest, chosen))[self.sample - 1]
        return [line for line in chosen if _digest(line) <= last]


def _digest(line: _Line) -> str:
    return hashlib.sha256(f"{line.system}\t{line.id}".encode()).hexdigest()


def _both_files(path: Path) -> dict[str, Path]:
    """The two files, of which `path` is one, or the folder."""
    folder = path if path.is_dir() else path.parent
    files = {name: folder / name for name in (RECORDS, TEXTS)}
    if path.is_file():
        files[RECORDS if path.name == RECORDS else TEXTS] = path
    return files


def _lines(path: Path, *, needs: tuple[str, ...], decode: Callable[[str], Any]) -> Iterator[_Line]:
    for number, line in lines(path):
        if line and not line.isspace():
            with errors_at(path, number):
                yield _Line(number, _checked(load_object(line, decode=decode), needs))


def _checked(value: Any, needs: tuple[str, ...]) -> Mapping[str, Any]:
    if type(value) is not dict:
        raise DataError(f"is {kind_of(value)}, not an object", remedy='write {"id": …}')
    for name in needs:
        if name not in value:
            raise DataError(f"has no {name!r}", remedy=f"write {', '.join(needs)}")
    for name in ("id", "system", "domain", "text"):
        if name in value and type(value[name]) is not str:
            raise DataError(f"{name!r} is {kind_of(value[name])}, not a string")
    return value


def _item(line: _Line, record: Mapping[str, Any], text: str) -> Item:
    item = read_record(record["record"], text, id=line.id).item
    known = ("id", "system", "domain", "text", "record")
    meta = {name: value for name, value in line.value.items() if name not in known}
    return replace(item, system=line.system, category=line.value.get("domain"), meta=meta)


FORMATS = {
    "d2t-eval": "texts.jsonl of D2T-Eval, or its folder: a list of spans for each person",
    "factgenie": "JSON lines of a campaign, or its folder with metadata.json and files/",
    "labelstudio": "the JSON export of Label Studio: labelled regions of texts",
    "lettucedetect": "JSON or JSON lines with the `predictions` or `labels` of LettuceDetect",
    "long": "ratings in the long form, with `spans`, or the folder of a campaign of `adequa human`",
    "spans": 'JSON lines: {"id", "system", "spans": [{"start", "end", "type"}]}',
}
"""The forms of marked spans by name."""

Row = Mapping[str, Any]

_decode = json.JSONDecoder(parse_constant=reject_constant).raw_decode
_REMEDY = 'write {"id": …, "system": …, "spans": [{"start": 3, "end": 9, "type": "wrong"}]}'
_FACTGENIE_METADATA = "metadata.json"
_CAMPAIGN_RATINGS = "ratings.jsonl"
"""What `adequa human` exports into the folder of a campaign."""


def read_markings(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002
    predicted: bool = False,
) -> list[Marking]:
    """The markings of a file or folder; the format is recognised if it is not given.

    `predicted` takes the predictions of models, rather than the annotations of people, where a
    format has both.
    """
    path = Path(path)
    if format is not None and format not in FORMATS:
        raise UnknownName("format of spans", format, FORMATS)
    if not path.exists():
        raise DataError("does not exist", path=path, remedy="check the spelling of the path")
    markings = [one for file in _files(path) for one in _read(file, format, predicted=predicted)]
    if not markings:
        raise DataError("holds no marked texts", path=path, remedy=_REMEDY)
    _require_unique(markings, path)
    return markings


def _read(file: Path, name: str | None, *, predicted: bool) -> list[Marking]:
    if file.suffix.lower() in (".csv", ".tsv"):
        return _of_ratings(file, ((None, rating) for rating in read_ratings(file, format="long")))
    rows = _rows(file)
    first = next(rows, None)
    if first is None:
        return []
    with errors_at(file, first[0]):
        name = name or _recognise(first[1])
    every = chain([first], rows)
    if name == "long":
        return _of_ratings(file, _ratings(file, every))
    convert = _converter(name, file, predicted=predicted)
    found: list[Marking] = []
    for line, row in every:
        with errors_at(file, line):
            found += convert(row)
    return found


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    for name in (TEXTS, _CAMPAIGN_RATINGS):
        if (path / name).is_file():
            return [path / name]
    files = sorted((path / "files").glob("*.jsonl"))
    if (path / _FACTGENIE_METADATA).is_file() and files:
        return files
    problem = f"is a folder without {TEXTS} or {_CAMPAIGN_RATINGS}, and not factgenie's"
    raise DataError(problem, path=path, remedy="name a file")


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    if path.suffix.lower() in JSON_LINES:
        yield from read_objects(path, remedy=_REMEDY)
        return
    for found in stream_json(path, _decode):
        if not isinstance(found.value, dict):
            problem = f"is {kind_of(found.value)}, not an object"
            raise DataError(problem, path=path, line=found.line, remedy=_REMEDY)
        yield found.line, found.value


def _recognise(row: Row) -> str:
    keys = row.keys()
    if "annotators" in keys:
        return "d2t-eval"
    if {"example_idx", "annotations"} <= keys:
        return "factgenie"
    if "data" in keys and ("annotations" in keys or "predictions" in keys):
        return "labelstudio"
    if {"criterion", "rater"} <= keys:
        return "long"
    if "spans" in keys:
        return "spans"
    if "predictions" in keys or {"answer", "labels"} <= keys:
        return "lettucedetect"
    problem = f"is not in a known form of spans (its keys: {', '.join(keys)[:120] or 'none'})"
    raise DataError(problem, remedy=f"{_REMEDY}, or name the format: {', '.join(FORMATS)}")


def _converter(name: str, file: Path, *, predicted: bool) -> Callable[[Row], Iterator[Marking]]:
    if name == "d2t-eval":
        return _of_d2t_eval
    if name == "factgenie":
        campaign = file.parent.parent / _FACTGENIE_METADATA
        shared = _categories(read_json(campaign).get("config")) if campaign.is_file() else None
        return lambda row: _of_factgenie(row, shared)
    if name == "labelstudio":
        return lambda row: _of_label_studio(row, predicted=predicted)
    return _of_lettuce_detect if name == "lettucedetect" else _of_spans


def _of_spans(row: Row) -> Iterator[Marking]:
    text = _string(row, "text")
    verdict = _string(row, "verdict")
    yield Marking(
        *_key(row, text),
        marker=_string(row, "annotator") or _string(row, "rater") or "",
        spans=_spans(row, "spans", text),
        text=text,
        domain=_string(row, "domain") or _string(row, "category"),
        flagged=None if verdict is None else verdict != "OK",
        score=_number(row, "score"),
    )


def _of_lettuce_detect(row: Row) -> Iterator[Marking]:
    text = _string(row, "answer")
    text = _string(row, "text") if text is None else text
    field = next(name for name in ("predictions", "spans", "labels", "") if name in row or not name)
    if not field:
        raise DataError("has no 'predictions'", remedy="store what `predict` gives as spans")
    yield Marking(*_key(row, text), marker="", spans=_spans(row, field, text), text=text)


def _of_d2t_eval(row: Row) -> Iterator[Marking]:
    text = _string(row, "text")
    annotators = row.get("annotators")
    if type(annotators) is not list:
        raise DataError("has no list 'annotators'", remedy="one list of spans for each person")
    for number, spans in enumerate(annotators, 1):
        yield Marking(
            *_key(row, text),
            marker=f"annotator {number}",
            spans=_spans({"annotators": spans}, "annotators", text),
            text=text,
            domain=_string(row, "domain"),
        )


def _categories(config: Any) -> list[str] | None:
    """The names of factgenie's categories, which a span gives by their number."""
    categories = config.get("annotation_span_categories") if isinstance(config, dict) else None
    if not isinstance(categories, list):
        return None
    return [str(one.get("name", one)) if isinstance(one, dict) else str(one) for one in categories]


def _of_factgenie(row: Row, shared: list[str] | None) -> Iterator[Marking]:
    for name in ("dataset", "split", "setup_id"):
        if type(row.get(name)) is not str:
            raise DataError(f"has no {name!r}", remedy="is this a file of a factgenie campaign?")
    details = row.get("metadata")
    details = details if isinstance(details, dict) else {}
    names = _categories(details) or shared or []
    text = _string(row, "output")
    spans = []
    for raw in _objects(row, "annotations"):
        words, start = raw.get("text"), raw.get("start")
        if type(words) is not str or type(start) is not int:
            raise DataError("an annotation has no 'text' and 'start'", remedy="give both")
        number = raw.get("type")
        known = type(number) is int and 0 <= number < len(names)
        label = names[number] if known else str(number)  # type: ignore[index]
        placed = {"start": start, "end": start + len(words), "type": label, "text": words}
        spans.append(_span({**placed, "why": raw.get("reason")}, text))
    person = details.get("annotator_id", row.get("annotator_id"))
    yield Marking(
        id=f"{row['dataset']}-{row['split']}-{row['example_idx']}",
        system=row["setup_id"],
        marker=f"group {details.get('annotator_group', 0)}" if person is None else str(person),
        spans=tuple(spans),
        text=text,
        domain=row["dataset"],
    )


def _of_label_studio(row: Row, *, predicted: bool) -> Iterator[Marking]:
    data = row["data"] if isinstance(row.get("data"), dict) else {}
    text = _string(data, "text")
    if text is None:
        raise DataError("has no 'text' in 'data'", remedy="the task must show $text")
    field = "predictions" if predicted and row.get("predictions") else "annotations"
    for one in _objects(row, field):
        if one.get("was_cancelled"):
            continue
        person = one.get("model_version" if field == "predictions" else "completed_by")
        if isinstance(person, dict):
            person = person.get("email") or person.get("id")
        regions = [
            _region(region["value"], text)
            for region in _objects(one, "result")
            if str(region.get("type")).endswith("labels") and isinstance(region.get("value"), dict)
        ]
        yield Marking(
            *_key(data, text),
            marker="" if person is None else str(person),
            spans=tuple(regions),
            text=text,
            domain=_string(data, "domain") or _string(data, "category"),
        )


def _region(value: Row, text: str) -> ErrorSpan:
    """A region; its offsets may count UTF-16 units, as a browser does, and its words tell."""
    place = value.get("globalOffsets") if "globalOffsets" in value else value
    start, end = (place.get(name) if isinstance(place, dict) else None for name in ("start", "end"))
    if type(start) is not int or type(end) is not int:
        remedy = "export texts labelled with <Text> and <Labels>"
        raise DataError("a region has no numbers as 'start' and 'end'", remedy=remedy)
    labels: list[Any] = next((part for name, part in value.items() if name.endswith("labels")), [])
    words = value.get("text")
    words = words.replace("\\n", "\n") if isinstance(words, str) else None
    units = text.encode("utf-16-le")
    if words is not None and text[start:end] != words:
        in_units = units[2 * start : 2 * end].decode("utf-16-le", errors="replace")
        if in_units == words:
            start = len(units[: 2 * start].decode("utf-16-le", errors="replace"))
            end = start + len(words)
    named = {"type": "+".join(map(str, labels)), "text": words}
    return _span({"start": start, "end": end, **named}, text)


def _ratings(file: Path, rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Rating]]:
    for line, row in rows:
        with errors_at(file, line):
            yield line, rating_from_object(row)


def _of_ratings(file: Path, ratings: Iterable[tuple[int | None, Rating]]) -> list[Marking]:
    """One marking per rater and text, of the criteria for which anybody marked spans."""
    every = list(ratings)
    marked = {rating.criterion for _, rating in every if rating.spans}
    if not marked:
        remedy = "ask for spans: adequa human sample --spans"
        raise DataError("has ratings, but nobody marked spans", path=file, remedy=remedy)
    found: dict[tuple[str, str, str], list[ErrorSpan]] = {}
    for line, rating in every:
        if rating.criterion in marked:
            spans = found.setdefault((rating.id, rating.system, rating.rater), [])
            with errors_at(file, line):
                # A mark on a fact that was left out has no place in the text.
                spans += [_span(span, None) for span in rating.spans if "triple" not in span]
    return [Marking(*key, spans=tuple(spans)) for key, spans in found.items()]


def _key(row: Row, text: str | None) -> tuple[str, str]:
    """The id and the system; without an id the text identifies a text."""
    identifier = row.get("id")
    if type(identifier) is int:
        identifier = str(identifier)
    if identifier is None and text is not None:
        identifier = ""
    elif type(identifier) is not str or not identifier:
        raise DataError("has neither 'id' nor text", remedy="give the id of the marked text")
    return identifier, _string(row, "system") or ""


def _spans(row: Row, field: str, text: str | None) -> tuple[ErrorSpan, ...]:
    return tuple(_span(raw, text) for raw in _objects(row, field))


def _span(raw: Row, text: str | None) -> ErrorSpan:
    start, end = raw.get("start"), raw.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        problem = f"a span goes from {start!r} to {end!r}"
        raise DataError(problem, remedy="give offsets with 0 ≤ start < end")
    if text is not None and end > len(text):
        problem = f"a span ends at {end}, but the text has {len(text)} characters"
        raise DataError(problem, remedy="count characters of this text, from 0")
    words = raw.get("text")
    if text is not None and isinstance(words, str) and words and text[start:end] != words:
        problem = f"a span is {words!r:.60}, but the text has {text[start:end]!r:.60} there"
        raise DataError(problem, remedy="count characters of this text, from 0")
    kind = next((raw[name] for name in ("type", "label", "category") if name in raw), None)
    why = raw.get("why")
    return ErrorSpan(
        start,
        end,
        type="" if kind is None else str(kind),
        confidence=_number(raw, "confidence"),
        why=why if isinstance(why, str) else "",
    )


def _objects(row: Row, field: str) -> list[dict[str, Any]]:
    found = row.get(field)
    if type(found) is not list or any(type(one) is not dict for one in found):
        raise DataError(f"{field!r} is not a list of objects", remedy=_REMEDY)
    return found


def _string(row: Row, field: str) -> str | None:
    value = row.get(field)
    if value is None or type(value) is str:
        return value
    raise DataError(f"{field!r} is {kind_of(value)}, not a string")


def _number(row: Row, field: str) -> float | None:
    value = row.get(field)
    if value is None:
        return None
    if type(value) not in (int, float):
        raise DataError(f"{field!r} is {kind_of(value)}, not a number")
    return float(value)


def _require_unique(markings: list[Marking], path: Path) -> None:
    seen: set[tuple[str, str, str, str]] = set()
    for one in markings:
        key = (one.marker, one.system, one.id, "" if one.id else one.text or "")
        if key in seen:
            who = f" by {one.marker!r}" if one.marker else ""
            problem = f"the text {one.id or (one.text or '')[:40]!r} of {one.system!r} is marked"
            raise DataError(f"{problem} twice{who}", path=path, remedy="keep one marking")
        seen.add(key)
