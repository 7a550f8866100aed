"""Changes that leave the facts alone: slips of language, other names, other words for predicates.

Slips are words a rater would call not fluent. Other names and predicates make no text right or
wrong; they keep the verifier from memorising them, and teach it to read whatever a user's data
calls them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from random import Random
from typing import Any

from adequa.data import Triple
from adequa.errors import DataError
from adequa.files import errors_at, read_json
from adequa.perturb.documents import Document, LabelledDocument, LabelledSpan, is_inside
from adequa.perturb.knowledge import Knowledge, Phrases, same_label
from adequa.readers import read_table
from adequa.text import folded, label_of, word_set

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_FUNCTION_WORDS = word_set(
    "a an the is was are were of in by at to and with which that who its his her for from on as it "
    "he she"
)
_CONFUSED = {
    "is": ("are", "be", "is is"), "are": ("is",), "was": ("were", "is was"), "were": ("was",),
    "has": ("have",), "have": ("has",), "a": ("an", "the a"), "an": ("a",), "the": ("the the", "a"),
    "in": ("on in", "of"), "of": ("in of", "of of"), "by": ("of",), "born": ("birth",),
    "located": ("location",), "its": ("their", "his"), "his": ("its", "her"), "her": ("his", "its"),
}  # fmt: skip


def add_slips(labelled: LabelledDocument, chance: Random) -> bool:
    """Make one to four slips; names, numbers and dates stay whole."""
    done = False
    for _ in range(chance.choice((1, 1, 2, 4))):
        slip = chance.choice(_SLIPS)
        kept = [*labelled.spans, *labelled.unsupported]
        words = _WORD.finditer(labelled.text)
        free = [match for match in words if not is_inside(*match.span(), kept)]
        if free:
            done = slip(labelled, free, chance) or done
    # A slip at the edge of a marked stretch may leave nothing but a space of it.
    for marked in (labelled.unsupported, labelled.disfluent):
        marked[:] = [one for one in marked if labelled.text[one.start : one.end].strip()]
    return done


Words = Sequence["re.Match[str]"]


def _leave_out(labelled: LabelledDocument, words: Words, chance: Random) -> bool:
    """Leave out a function word; the word after it is marked."""
    function_words = [word for word in words if word[0].casefold() in _FUNCTION_WORDS]
    if not function_words:
        return False
    word = chance.choice(function_words)
    labelled.write(word.start(), min(len(labelled.text), word.end() + 1), "")
    after = _WORD.match(labelled.text, word.start())
    if after:
        labelled.disfluent.append(LabelledSpan(after.start(), after.end()))
    return True


def _confuse(labelled: LabelledDocument, words: Words, chance: Random) -> bool:
    """Write a wrong form or preposition."""
    known = [word for word in words if word[0] in _CONFUSED]
    if not known:
        return False
    word = chance.choice(known)
    new = chance.choice(_CONFUSED[word[0]])
    labelled.disfluent.append(labelled.write(word.start(), word.end(), new))
    return True


def _stutter(labelled: LabelledDocument, words: Words, chance: Random) -> bool:
    """Repeat a word or a few."""
    word = chance.choice(words)
    end = word.end()
    for _ in range(chance.choice((0, 0, 1, 3))):
        following = _WORD.search(labelled.text, end)
        end = following.end() if following else end
    repeated = labelled.text[word.start() : end]
    again = labelled.write(end, end, f" {repeated}")
    labelled.disfluent.append(LabelledSpan(again.start + 1, again.end))
    return True


def _swap_words(labelled: LabelledDocument, words: Words, chance: Random) -> bool:
    """Exchange two neighbouring words."""
    pairs = itertools.pairwise(words)
    beside = [(one, other) for one, other in pairs if other.start() == one.end() + 1]
    if not beside:
        return False
    one, other = chance.choice(beside)
    labelled.disfluent.append(labelled.write(one.start(), other.end(), f"{other[0]} {one[0]}"))
    return True


_SLIPS: Sequence[Callable[[LabelledDocument, Words, Random], bool]] = (
    *(_leave_out, _leave_out, _confuse, _confuse, _stutter, _swap_words),
)


def rename(document: Document, knowledge: Knowledge, chance: Random) -> Document:
    """Give one entity another's name, in the text and in the graph; the same where none can be."""
    entities = {end for triple in document.triples for end in (triple.subject, triple.object)}
    for triple in chance.sample(document.triples, len(document.triples)):
        subject = chance.random() < 0.5
        old = triple.subject if subject else triple.object
        new = knowledge.another(triple.predicate, subject=subject, instead=old, chance=chance)
        places = document.mentioned(old)
        label = label_of(old).base
        if (
            new is None
            or not places
            or any(document.text[one.start : one.end] != label for one in places)
            or any(same_label(new, one) for one in entities)
            or document.text.count(label) != len(places)
        ):
            continue
        return _renamed(document, old, new)
    return document


def _renamed(document: Document, old: str, new: str) -> Document:
    """Write the new label wherever the old one stands; all other mentions move along."""
    label = label_of(new).base
    shift = len(label) - len(label_of(old).base)
    starts = [one.start for one in document.mentioned(old)]
    text = document.text
    for start in sorted(starts, reverse=True):
        text = text[:start] + label + text[start + len(label) - shift :]

    def moved(place: int) -> int:
        return place + shift * sum(start < place for start in starts)

    def named(entity: str) -> str:
        return new if entity == old else entity

    def renamed(triple: Triple) -> Triple:
        return triple._replace(subject=named(triple.subject), object=named(triple.object))

    mentions = tuple(
        replace(one, entity=named(one.entity), start=moved(one.start), end=moved(one.end))
        for one in document.mentions
    )
    item = replace(document.item, text=text, triples=tuple(map(renamed, document.triples)))
    facts = tuple(frozenset(map(renamed, one)) for one in document.facts)
    places = tuple((moved(start), moved(end)) for start, end in document.sentences)
    return Document(item, mentions, places, facts)


def reword(labelled: LabelledDocument, phrases: Phrases, chance: Random) -> None:
    """Name predicates as Wikidata does, or as sentences do; no two triples become one."""
    wikidata = chance.random() < 0.5
    properties = shipped_properties()
    for number, triple in enumerate(labelled.triples):
        known = properties.get(folded(triple.predicate)) if wikidata else None
        new = triple
        if known is not None and not known.inverse:
            new = triple._replace(predicate=known.label)
        elif triple.predicate in phrases and chance.random() < 0.6:
            template = chance.choice(phrases[triple.predicate])
            ends = (label_of(end).base for end in (triple.subject, triple.object))
            new = Triple(*template.parts(*ends))
        if new not in labelled.triples:
            labelled.triples[number] = new


# DBpedia's properties by Wikidata's names

_INVERSE = {"": False, "no": False, "false": False, "yes": True, "true": True}


@dataclass(frozen=True, slots=True)
class Property:
    """A property of Wikidata; `inverse`: its subject is DBpedia's object."""

    label: str
    id: str = ""
    inverse: bool = False


@cache
def shipped_properties() -> Mapping[str, Property]:
    """The mapping that is shipped: common properties that mean the same in both."""
    with as_file(files("adequa.perturb") / "resources" / "wikidata.tsv") as path:
        return read_properties(path)


def read_properties(path: Path) -> dict[str, Property]:
    """A mapping by folded name from TSV (`dbpedia`, `label`, also `wikidata`, `inverse`) or JSON.

    JSON is `{"birthPlace": "place of birth"}`, or an object in place of the label that has the
    columns of the table: `{"label": "subclass of", "wikidata": "P279", "inverse": true}`.
    """
    properties: dict[str, Property] = {}
    rows = _from_json(path) if path.suffix.lower() == ".json" else _from_table(path)
    for line, name, raw in rows:
        with errors_at(path, line):
            found = _property(raw)
            if not folded(name):
                _refuse("has no name of a DBpedia property")
            if properties.setdefault(folded(name), found) != found:
                _refuse(f"maps {name!r} a second time, and differently")
    return properties


def _refuse(problem: str) -> None:
    raise DataError(problem, remedy="correct the mapping")


def _from_table(path: Path) -> Iterator[tuple[int | None, str, Any]]:
    table = read_table(path, "\t", quotes=False)
    remedy = "its first line is: dbpedia, label, and if need be wikidata, inverse"
    for column in ("dbpedia", "label"):
        if column not in table.columns:
            raise DataError(f"has no column {column!r}", path=path, line=1, remedy=remedy)
    for line, cells in table.rows:
        yield line, cells["dbpedia"], cells


def _from_json(path: Path) -> Iterator[tuple[int | None, str, Any]]:
    raw = read_json(path)
    if type(raw) is not dict:
        raise DataError("is not an object", path=path, remedy='{"birthPlace": "place of birth"}')
    yield from ((None, name, value) for name, value in raw.items())


def _property(raw: Any) -> Property:
    cells = {"label": raw} if type(raw) is str else raw
    label = cells.get("label") if isinstance(cells, Mapping) else None
    if type(label) is not str or not label.strip():
        raise DataError("has no label of a Wikidata property", remedy="write it, or drop the line")
    inverse = cells.get("inverse", "")
    if type(inverse) is str and inverse.strip().casefold() in _INVERSE:
        inverse = _INVERSE[inverse.strip().casefold()]
    if type(inverse) is not bool:
        raise DataError(f"has {inverse!r:.20} for 'inverse'", remedy="write yes, no or nothing")
    return Property(label.strip(), str(cells.get("wikidata") or "").strip(), inverse)
