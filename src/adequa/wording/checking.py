"""Whether templates read well, and how much of some data they say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from adequa.data import Item, Term, Triple
from adequa.wording.collection import ANY, Row, Templates, fold_predicate, fold_value
from adequa.wording.templates import Template
from adequa.wording.values import said

__all__ = ["Check", "Example", "check", "examples"]

_SUBJECT, _VALUE = "Alpha", "Beta"
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_STRAY = re.compile(r"\s[,.;:!?]|[,;:]\.|,,|(?<!\.)\.\.(?!\.)|\s{2}")


@dataclass(frozen=True, slots=True)
class Example:
    """A template filled: with a fact of the data, or with `Alpha` and `Beta` where it has none."""

    row: Row
    sentence: str
    problem: str | None
    """What reads badly."""
    from_data: bool


@dataclass
class Check:
    """What was found out about templates."""

    examples: list[Example]
    """One a template, in the order of the file: the first that reads badly, or else the first."""
    facts: int = 0
    said: int = 0
    """The facts that have a template."""
    missing: dict[str, int] = field(default_factory=dict)
    """The predicates of the other facts, with their numbers, most first."""

    @property
    def problems(self) -> list[Example]:
        """The examples that read badly."""
        return [one for one in self.examples if one.problem]

    @property
    def unused(self) -> list[Row]:
        """The templates that no fact of the data needs; empty where there is no data."""
        return [one.row for one in self.examples if self.facts and not one.from_data]


def examples(templates: Templates) -> list[Example]:
    """Every template filled with names that are none."""
    return [_filled(row, Template(row.template), _invented(row)) for row in templates.rows()]


def check(templates: Templates, items: Iterable[Item] = ()) -> Check:
    """Fill every template with the facts of some data, and count the facts that have one."""
    shown: dict[tuple[str, str], Example] = {}
    checked = Check([])
    seen: set[Triple] = set()

    def noted() -> Iterator[Item]:
        for item in items:
            checked.facts += len(item.triples)
            for triple in item.triples:
                template = templates.for_triple(triple, item.terms)
                checked.said += template is not None
                if template is not None and triple not in seen:
                    seen.add(triple)
                    _note(shown, templates, triple, item.terms, template)
            yield item

    checked.missing = templates.missing(noted())
    for invented in examples(templates):
        found = shown.get(_key(invented.row))
        checked.examples.append(invented if found is None else found)
    return checked


def _note(
    shown: dict[tuple[str, str], Example],
    templates: Templates,
    triple: Triple,
    terms: Mapping[str, Term],
    template: Template,
) -> None:
    """Keep the example of a fact where it is the first of its template, or the first bad one."""
    term = terms.get(triple.predicate)
    predicate = fold_predicate(triple.predicate)
    if predicate not in templates.entries and term and term.label:
        predicate = fold_predicate(term.label)
    values = templates.entries[predicate]
    value = next(value for value, one in values.items() if one is template)
    known = shown.get((predicate, value))
    if known is None or not known.problem:
        row = Row(templates.names.get(predicate, predicate), template.string, value)
        example = _filled(row, template, said(triple, terms), from_data=True)
        if known is None or example.problem:
            shown[predicate, value] = example


def _key(row: Row) -> tuple[str, str]:
    return fold_predicate(row.predicate), row.value if row.value == ANY else fold_value(row.value)


def _invented(row: Row) -> tuple[str, str, str]:
    return _SUBJECT, "kind", _VALUE if row.value == ANY else row.value


def _filled(
    row: Row, template: Template, words: tuple[str, str, str], *, from_data: bool = False
) -> Example:
    subject, predicate, value = words
    pieces = template.pieces(subject, value, predicate)
    sentence = "".join(pieces)
    return Example(row, sentence, _problem(pieces, sentence), from_data)


def _problem(pieces: list[str], sentence: str) -> str | None:
    """What reads badly in a sentence cut at its names; what is inside a name is not looked at."""
    if not sentence.rstrip("\"'”’)").endswith((".", "!", "?")):
        return "has no full stop"
    if pieces[0][:1].islower():
        return "begins with a small letter"
    if any(_STRAY.search(words) for words in pieces[::2]):
        return "has a stray sign or space"
    words = [
        (word.casefold(), number % 2)
        for number, piece in enumerate(pieces)
        for word in _WORD.findall(piece)
    ]
    for (one, first), (other, last) in pairwise(words):
        if one == other and not (first and last):
            return f"says {one!r} twice"
    return None
