"""Items, ratings, results and scores to and from JSON objects, with all checks of the contract.

An object that breaks the contract raises a DataError without a place; the reader of the file adds
the place with `DataError.at`.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, cast

from adequa.data import Coverage, Fact, Finding, Item, Mention, Rating, Result, Score, Term, Triple
from adequa.errors import DataError
from adequa.files import kind_of
from adequa.text.linearised import triples_from_object


def without_none(noun: Any) -> dict[str, Any]:
    """The fields of a dataclass that are not None."""
    pairs = ((field.name, getattr(noun, field.name)) for field in fields(noun))
    return {name: value for name, value in pairs if value is not None}


_ITEM_FIELDS = frozenset(field.name for field in fields(Item))
_TERM_FIELDS = frozenset(field.name for field in fields(Term))


def item_from_object(raw: Any, *, bare: bool = False, position: int | None = None) -> Item:
    """An Item from a JSON object; unknown fields go to `meta`; `bare` allows a missing text.

    The id of an object without one is its position, if that is given.
    """
    if type(raw) is not dict:
        raise DataError(f"is {kind_of(raw)}, not an object", remedy='write {"id": …, "triples": …}')
    try:
        identifier = raw["id"] if position is None else raw.get("id", position)
        triples = raw["triples"]
        text = raw.get("text", "") if bare else raw["text"]
    except KeyError as error:
        needed = "'triples' and 'text'" if position is not None else "'id', 'triples' and 'text'"
        raise DataError(f"has no {error.args[0]!r}", remedy=f"an item needs {needed}") from None
    if type(identifier) is int:
        identifier = str(identifier)
    if type(identifier) is not str or not identifier:
        what = "empty" if identifier == "" else kind_of(identifier)
        raise DataError(f"'id' is {what}, not a name", remedy='write a string: "Id1"')
    meta = _meta(raw, _ITEM_FIELDS)
    if text is None or (bare and text):
        # A system without an output, or a text that will be replaced: `meta` keeps it.
        text, meta = "", {**meta, "text": text}
    if type(text) is not str:
        raise DataError(
            f"'text' is {kind_of(text)}, not a string", remedy='an empty text is written ""'
        )
    facts = triples_from_object(triples)
    return Item(
        id=identifier,
        triples=facts,
        text=text,
        system=_optional_string(raw, "system") or "",
        category=_optional_string(raw, "category"),
        lang=_optional_string(raw, "lang"),
        references=_strings(raw["references"]) if raw.get("references") else (),
        terms=_terms(raw["terms"]) if raw.get("terms") else {},
        meta=meta,
        record=raw.get("record"),
        paths=_paths(raw["paths"], len(facts)) if raw.get("paths") not in (None, []) else (),
        coverage=_coverage(raw),
    )


def _paths(raw: Any, count: int) -> tuple[str, ...]:
    if type(raw) is not list or any(type(part) is not str for part in raw) or len(raw) != count:
        raise DataError("'paths' is not a list of one string per triple", remedy="leave it out")
    return tuple(raw)


def _coverage(raw: Mapping[str, Any]) -> Coverage:
    coverage = raw.get("coverage")
    if coverage is None:
        return "all" if raw.get("record") is None else "selected"
    if coverage not in ("all", "selected"):
        raise DataError(f"'coverage' is {coverage!r}", remedy='write "all" or "selected"')
    return cast("Coverage", coverage)


def _optional_string(raw: Mapping[str, Any], name: str) -> str | None:
    value = raw.get(name)
    if value is None or type(value) is str:
        return value
    raise DataError(f"{name!r} is {kind_of(value)}, not a string")


def _strings(raw: Any) -> tuple[str, ...]:
    if type(raw) is not list or any(type(part) is not str for part in raw):
        raise DataError(
            "'references' is not a list of strings", remedy='write ["one text", "another"]'
        )
    return tuple(raw)


def _terms(raw: Any) -> dict[str, Term]:
    if type(raw) is not dict:
        raise DataError(f"'terms' is {kind_of(raw)}, not an object")
    terms = {}
    for name, value in raw.items():
        if type(value) is not dict or not _TERM_FIELDS.issuperset(value):
            raise DataError(
                f"the term {name!r} is not an object with {', '.join(sorted(_TERM_FIELDS))}"
            )
        plain = (part for key, part in value.items() if key != "labels")
        if any(part is not None and type(part) is not str for part in plain):
            raise DataError(f"the term {name!r} has a part that is not a string")
        if not _is_of_strings(value.get("labels") or {}):
            raise DataError(
                f"the labels of the term {name!r} are not an object of strings",
                remedy='write {"de": "Wien"}',
            )
        terms[name] = Term(**{**value, "labels": value.get("labels") or {}})
    return terms


def _is_of_strings(raw: Any) -> bool:
    return type(raw) is dict and all(type(part) is str for part in raw.values())


def _meta(raw: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """The field `meta`, with the fields that are not known added."""
    meta = raw.get("meta") or {}
    if type(meta) is not dict:
        raise DataError(f"'meta' is {kind_of(meta)}, not an object")
    if known.issuperset(raw):
        return meta
    extra = {name: value for name, value in raw.items() if name not in known}
    clash = sorted(extra.keys() & meta.keys())
    if clash:
        raise DataError(f"{clash[0]!r} is both inside and outside of 'meta'", remedy="keep one")
    return {**meta, **extra}


def _term_object(term: Term) -> dict[str, Any]:
    raw = without_none(term)
    if not raw["labels"]:
        del raw["labels"]
    return raw


def item_to_object(item: Item) -> dict[str, Any]:
    """The JSON object of an item; absent fields are left out."""
    raw = {
        "id": item.id,
        "system": item.system or None,
        "category": item.category,
        "lang": item.lang,
        "triples": item.triples,
        "text": item.text,
        "references": item.references or None,
        "terms": {name: _term_object(term) for name, term in item.terms.items()} or None,
        "meta": dict(item.meta) or None,
        "record": item.record,
        "paths": item.paths or None,
        "coverage": None if item.record is None and item.coverage == "all" else item.coverage,
    }
    return {name: value for name, value in raw.items() if value is not None}


_RATING_FIELDS = frozenset(field.name for field in fields(Rating))


def rating_from_object(raw: Any) -> Rating:
    """A Rating from its JSON object in the long form; unknown fields go to `meta`."""
    if type(raw) is not dict:
        raise DataError(f"is {kind_of(raw)}, not an object")
    for name in ("id", "system", "rater", "criterion", "value"):
        if name not in raw:
            raise DataError(
                f"has no {name!r}", remedy="id, system, rater, criterion, value are needed"
            )
    spans = raw.get("spans") or []
    if type(spans) is not list or any(type(span) is not dict for span in spans):
        raise DataError("'spans' is not a list of objects")
    meta = _meta(raw, _RATING_FIELDS)
    return Rating(
        id=_filled(raw, "id"),
        system=_name(raw, "system"),
        rater=_name(raw, "rater"),
        criterion=_filled(raw, "criterion"),
        value=_finite(raw, "value"),
        seconds=None if raw.get("seconds") is None else _finite(raw, "seconds"),
        round=None if raw.get("round") is None else _name(raw, "round"),
        spans=tuple(spans),
        meta=meta,
    )


def _name(raw: Mapping[str, Any], field: str) -> str:
    value = raw[field]
    if type(value) is int:
        return str(value)
    if type(value) is not str:
        raise DataError(f"{field!r} is {kind_of(value)}, not a string")
    return value


def _filled(raw: Mapping[str, Any], field: str) -> str:
    value = _name(raw, field)
    if not value:
        raise DataError(f"{field!r} is empty", remedy="fill it")
    return value


def _finite(raw: Mapping[str, Any], field: str) -> float:
    value = raw[field]
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:  # JSON has integers of any length
        number = math.inf
    if not math.isfinite(number):
        raise DataError(f"{field!r} is {kind_of(value)}, not a finite number")
    return number


def rating_to_object(rating: Rating) -> dict[str, Any]:
    """The long form of a rating; absent optional fields are left out."""
    raw = without_none(rating)
    raw["spans"] = list(rating.spans)
    raw["meta"] = dict(rating.meta)
    return {name: value for name, value in raw.items() if name not in ("spans", "meta") or value}


_RESULT_FIELDS = tuple(field.name for field in fields(Result) if field.name != "item")


def _number(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)


def result_to_object(result: Result) -> dict[str, Any]:
    """A line of `scores.jsonl`: the fields of the item, then those of the result."""
    raw = item_to_object(result.item)
    raw["scores"] = {name: _number(value) for name, value in result.scores.items()}
    raw.update(_evidence_to_object(result))
    raw["verdicts"] = dict(result.verdicts)
    raw["verdict"] = result.verdict
    raw["confidence"] = _number(result.confidence)
    if result.statistics:
        raw["statistics"] = {name: list(row) for name, row in result.statistics.items()}
    if result.reasons:
        raw["reasons"] = dict(result.reasons)
    return raw


def result_to_page(result: Result) -> dict[str, Any]:
    """A line of `scores.jsonl` for a page, which also shows every fault in one line."""
    faults = [{"kind": one.kind, "why": one.why, "metric": one.metric} for one in result.faults]
    return {**result_to_object(result), "faults": faults}


_EVIDENCE = {
    "mentions": ("entity", "start", "end", "method", "distance"),
    "facts": ("triple", "status", "confidence", "start", "end", "path"),
    "findings": (
        *("metric", "kind", "detail", "triple", "entity"),
        *("start", "end", "confidence", "path", "why"),
    ),
}
"""The fields of each kind of evidence, in the order of a line of a run."""
_ROUNDED = {"distance", "confidence"}


def _evidence_to_object(source: Result | Score) -> dict[str, Any]:
    # Only the facts of a record have a path.
    hidden = {"path"} if isinstance(source, Score) or source.item.record is None else frozenset()

    def row(one: Mention | Fact | Finding, names: Iterable[str]) -> dict[str, Any]:
        values = ((name, getattr(one, name)) for name in names if name not in hidden)
        return {name: _number(value) if name in _ROUNDED else value for name, value in values}

    return {
        kind: [row(one, names) for one in getattr(source, kind)]
        for kind, names in _EVIDENCE.items()
    }


def _evidence_from_object(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "mentions": tuple(Mention(**mention) for mention in raw["mentions"]),
        "facts": tuple(
            Fact(**{**fact, "triple": Triple(*fact["triple"])}) for fact in raw["facts"]
        ),
        "findings": tuple(
            Finding(**{**finding, "triple": finding["triple"] and Triple(*finding["triple"])})
            for finding in raw["findings"]
        ),
    }


def item_fields(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a line of `scores.jsonl` that is the item."""
    return {name: raw[name] for name in raw if name not in _RESULT_FIELDS}


def result_from_object(raw: Any) -> Result:
    """A Result from a line of `scores.jsonl`."""
    if type(raw) is not dict or type(raw.get("scores")) is not dict:
        raise DataError("is not a line of a run", remedy="was the file edited? score it again")
    own = {name: raw[name] for name in _RESULT_FIELDS if name in raw}
    item = item_from_object(item_fields(raw))
    try:
        return Result(
            item,
            scores=own["scores"],
            **_evidence_from_object(own),
            verdicts=own["verdicts"],
            verdict=own["verdict"],
            confidence=own.get("confidence"),  # runs of older versions have none
            statistics={name: tuple(row) for name, row in own.get("statistics", {}).items()},
            reasons=own.get("reasons", {}),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"is not a line of a run ({error})", remedy="was the file edited? score it again"
        ) from None


def score_to_object(score: Score) -> dict[str, Any]:
    """The JSON object of a Score, for the cache."""
    return {
        "value": _number(score.value),
        "statistics": list(score.statistics),
        **_evidence_to_object(score),
        "verdict": score.verdict,
        "confidence": _number(score.confidence),
        "reason": score.reason,
    }


def score_from_object(raw: Any) -> Score:
    """A Score from its JSON object, which anything may have written; a DataError if it is none."""
    try:
        score = Score(
            value=raw["value"],
            statistics=tuple(raw["statistics"]),
            **_evidence_from_object(raw),
            verdict=raw["verdict"],
            confidence=raw.get("confidence"),
            reason=raw["reason"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"is not a score ({error})") from None
    parts = (score, *score.mentions, *score.facts, *score.findings)
    numbers = all(type(one) in (int, float) for one in score.statistics)
    strings = (part for one in parts for part in getattr(one, "triple", None) or ())
    if not (numbers and all(map(_fits, parts)) and all(type(part) is str for part in strings)):
        raise DataError("is not a score (a field has a value of another type)")
    return score


def _flat(hint: Any) -> Iterator[type]:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        for option in typing.get_args(hint):
            yield from _flat(option)
    elif origin is typing.Literal:
        yield from {type(choice) for choice in typing.get_args(hint)}
    else:
        yield origin or hint
        if hint is float:
            yield int  # a whole number in JSON


_TYPES = {
    noun: {name: tuple(_flat(hint)) for name, hint in typing.get_type_hints(noun).items()}
    for noun in (Score, Mention, Fact, Finding)
}


def _fits(noun: Any) -> bool:
    """Whether every field has a value of its declared type."""
    return all(type(getattr(noun, name)) in kinds for name, kinds in _TYPES[type(noun)].items())
