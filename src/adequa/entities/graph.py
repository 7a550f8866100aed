"""The data of an item, compiled for matching once and used for every system's text of it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from adequa.data import Term, Triple
from adequa.entities import lexicon
from adequa.entities.names import WEAK, Name, names_of
from adequa.text import Label, fold, key_of, label_of, split_camel, words_of
from adequa.text.values import Date, Quantity, date_of, find_dates, quantity_of, unit_in

Made = TypeVar("Made")
_NAMED = 4096
_SHORT_WORD = 3

_TIME_WORDS = {"date", "year", "day", "time", "founded", "established", "born", "died", "season"}
_GROUPS = {"band", "group", "duo", "trio", "team", "company", "album", "song", "film"}
_BOOLEANS = {"yes", "true", "no", "false"}
_LIST = re.compile(r"\s*(?:[,;/]|\band\b|\bor\b|&)\s*")
_TYPE_NOUNS = {
    *("airport", "university", "institute", "college", "school", "academy", "company", "club"),
    *("stadium", "county", "city", "town", "village", "state", "province", "region", "river"),
    *("monument", "memorial", "church", "museum", "hotel", "hall", "tower", "building", "bridge"),
    *("street", "party", "league", "team", "band", "journal", "magazine", "newspaper", "press"),
    *("council", "party", "army", "navy", "island", "peninsula", "township", "empire", "kingdom"),
    *("republic", "union", "park", "library", "hospital", "theatre", "center", "centre", "station"),
    *("railway", "road", "society", "association", "foundation", "organisation", "organization"),
    *("federation", "championship", "award", "prize", "language", "asteroid", "comet", "aircraft"),
}


class EntityUse(NamedTuple):
    """An entity's place in a triple."""

    predicate: str
    is_subject: bool
    kind: str
    nouns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """A subject or object, and all ways to say it."""

    string: str
    label: Label
    sure_names: tuple[Name, ...]
    """The names of the tiers 0 and 1."""
    weak_names: tuple[Name, ...]
    date: Date | None
    quantity: Quantity | None
    figures: tuple[str, ...]
    """How a number is usually written: as it stands, without decimals of zero, with commas."""
    period: tuple[Date, ...]
    """Of `May 1950 - August 1956`: both ends."""
    kind: str
    """`date`, `number`, `period`, `list`, `boolean`, or `name`."""
    uses: tuple[EntityUse, ...]
    person: bool
    nouns: tuple[str, ...]
    """Common nouns for it: the airport, the country."""
    words: tuple[str, ...]
    """The words of its label without small ones, for matching in any order."""
    short_forms: Mapping[str, tuple[str, ...]]
    """Acronyms of parts of a long value, and the words they stand for."""
    spellings: tuple[Name, ...]
    """The names worth looking for misspelt."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The entities of some triples in the order they appear, and the one all is about."""

    entities: tuple[Entity, ...]
    strings: tuple[str, ...]
    """The entities as the data writes them."""
    order: tuple[int, ...]
    """The rank of each entity by its string, which the order of triples does not change."""
    root: int
    links: frozenset[tuple[int, int]]
    """Subject and object of each triple."""
    lists: tuple[int, ...]
    """The entities that are lists."""
    has_values: bool
    """Whether there are numbers or dates to look for."""
    has_booleans: bool
    """Whether a value is true or false."""
    clashes: bool
    """Whether two entities have a sure name in common."""
    predicate_words: frozenset[str]
    data_words: frozenset[str] = field(repr=False)
    """Every folded word of the data: what no text can have made up."""
    _memory: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def remember(self, name: str, make: Callable[[Graph], Made]) -> Made:
        """What `make` makes of this graph, made once: a graph serves every system's text."""
        made: Made
        if name in self._memory:
            made = self._memory[name]
        else:
            made = self._memory[name] = make(self)
        return made

    def predicates_of(self, number: int, *, subject: bool) -> frozenset[str]:
        """The words of the predicates an entity is the subject of, or the object."""
        words = self.remember("predicates", _predicates)
        return words[number, subject]


def _predicates(graph: Graph) -> dict[tuple[int, bool], frozenset[str]]:
    return {
        (number, subject): frozenset(
            word
            for use in entity.uses
            if use.is_subject == subject
            for word in predicate_words_of(use.predicate)
        )
        for number, entity in enumerate(graph.entities)
        for subject in (True, False)
    }


def compile_graph(
    triples: Sequence[Triple],
    terms: Mapping[str, Term],
    aliases: Mapping[str, Sequence[str]],
) -> Graph:
    """Prepare the entities of triples; `aliases` are the user's, for the entities at hand."""
    uses: dict[str, list[EntityUse]] = {}
    predicate_words: set[str] = set()
    for subject, predicate, object_ in triples:
        predicate_words.update(predicate_words_of(predicate))
        known = lexicon.predicate_use(predicate)
        for entity, is_subject in ((subject, True), (object_, False)):
            kind = "-"
            nouns: tuple[str, ...] = ()
            if known is not None:
                kind = known.subject_kind if is_subject else known.object_kind
                nouns = known.subject_nouns if is_subject else known.object_nouns
            uses.setdefault(entity, []).append(EntityUse(predicate, is_subject, kind, nouns))
    entities = tuple(
        _entity(string, tuple(found), terms.get(string), aliases.get(string, ()))
        for string, found in uses.items()
    )
    words = {word for entity in entities for word in words_of(entity.label.string)}
    number = {entity.string: place for place, entity in enumerate(entities)}
    keys = [name.key for entity in entities for name in entity.sure_names]
    return Graph(
        entities,
        tuple(uses),
        tuple(sorted(uses).index(string) for string in uses),
        _root(entities),
        frozenset((number[triple.subject], number[triple.object]) for triple in triples),
        tuple(place for place, entity in enumerate(entities) if entity.kind == "list"),
        any(entity.kind in ("date", "number", "period") for entity in entities),
        any(entity.kind == "boolean" for entity in entities),
        len(keys) > len(set(keys)),
        frozenset(predicate_words),
        frozenset(words | predicate_words),
    )


def predicate_words_of(predicate: str) -> list[str]:
    """The folded words of a predicate's name, camel case split."""
    local = re.sub(r"^.*[/#](?=.)", "", predicate) if "://" in predicate else predicate
    # Acronyms stay with the next word: the mention weights were learned with these words.
    return words_of(split_camel(local.replace("_", " "), acronyms=False))


def _entity(
    string: str, uses: tuple[EntityUse, ...], term: Term | None, aliases: Sequence[str]
) -> Entity:
    label = label_of(string)
    extra = list(aliases)
    if term is not None and term.label:
        extra.append(term.label)
    if "&" in string:
        extra.append(string)  # a text may keep what a page wrote: &minus;7
    if "://" in string:
        label = label_of(term.label if term and term.label else _local_name(string))
    kinds = {use.kind for use in uses}
    group = (
        label.base.startswith("The ")
        or " of " in label.base
        or bool(_GROUPS & set(words_of(label.qualifier)))
    )
    person = "p" in kinds and not kinds & {"l", "o"} and not group
    written = html.unescape(string) if "&" in string else string
    date = date_of(written)
    quantity = quantity_of(written)
    if quantity is not None and quantity.unit is None:
        unit = next((unit for use in uses if (unit := unit_in(use.predicate))), None)
        quantity = quantity._replace(unit=unit)
    kind = "name"
    about_time = any(_TIME_WORDS & set(predicate_words_of(use.predicate)) for use in uses)
    if date is not None and (quantity is None or about_time or not date.year):
        kind = "date"
    elif quantity is not None:
        kind = "number"
    elif fold(label.string) in _BOOLEANS:
        kind = "boolean"
    period = _period(label.string) if kind == "name" else ()
    if period:
        kind = "period"
    if kind == "name" and any(character in label.string for character in ",;/&"):
        parts = [part for part in _LIST.split(label.string) if words_of(part)]
        if len(parts) > 2 or (len(parts) == 2 and string[:1] == '"' and not _is_place(parts)):
            kind = "list"
    names: tuple[Name, ...]
    if kind == "boolean":
        words = predicate_words_of(uses[0].predicate)
        words = words[1:] if words[:1] in (["is"], ["has"]) and len(words) > 1 else words
        telling = [word for word in words if len(word) > _SHORT_WORD]
        every = ["".join(words)] if words else []
        names = (
            *(Name(word, 0, "predicate") for word in every),
            *(Name(word, 1, "predicate") for word in telling if len(words) > 1),
        )
    else:
        names = _names(label, tuple(extra), person, "l" in kinds)
        if kind == "list":
            names = tuple(name for name in names if name.method != "comma head")
    if kind in ("date", "number"):
        names = tuple(name for name in names if name.method == "alias")
    return Entity(
        string,
        label,
        tuple(name for name in names if name.tier < WEAK),
        tuple(name for name in names if name.tier >= WEAK),
        date,
        quantity,
        _figures(quantity),
        period,
        kind,
        uses,
        person,
        _nouns(label, uses),
        tuple(word for word in words_of(label.base) if len(word) > 1 or word.isdigit()),
        _short_forms(label.base) if kind == "list" else {},
        tuple(name for name in names if name.tier == 0 and len(name.key) > 3)[:3],
    )


@lru_cache(maxsize=_NAMED)
def _names(label: Label, aliases: tuple[str, ...], person: bool, place: bool) -> tuple[Name, ...]:
    # An entity occurs in many graphs, and its names cost more than all the rest.
    return names_of(label, aliases=aliases, person=person, place=place)


def _short_forms(string: str) -> dict[str, tuple[str, ...]]:
    """`MIT` for the words of `Massachusetts Institute of Technology` within a list."""
    forms: dict[str, tuple[str, ...]] = {}
    split = string.replace(",", " ").split()
    for length in (1, 2, 3):
        for start in range(len(split) - length + 1):
            phrase = " ".join(split[start : start + length])
            for other in (*lexicon.word_variants(phrase), *lexicon.other_names(phrase)):
                if " " not in other:
                    forms[key_of(other)] = tuple(words_of(phrase))
    for part in _LIST.split(string):
        words = part.split()
        initials = "".join(word[0] for word in words if word[0].isupper())
        if len(initials) > 2:
            forms[key_of(initials)] = tuple(words_of(part))
    return forms


def _figures(quantity: Quantity | None) -> tuple[str, ...]:
    if quantity is None:
        return ()
    value = quantity.value
    forms = [format(value, "f")]
    if value == value.to_integral_value():
        forms += [f"{int(value)}", f"{int(value):,}"]
    else:
        forms.append(f"{value:,f}")
    return tuple(dict.fromkeys(forms))


def _period(string: str) -> tuple[Date, ...]:
    """The ends of a period that is written as two dates and nothing else."""
    if not any(map(str.isdigit, string)):
        return ()
    spans = find_dates(string)
    rest = string
    for span in reversed(spans):
        rest = rest[: span.start] + rest[span.end :]
    words = set(words_of(rest))
    if len(spans) != 2 or words - {"to", "and", "from", "until", "between", "the"}:
        return ()
    return tuple(span.readings[0] for span in spans)


def _is_place(parts: Sequence[str]) -> bool:
    """Whether `head, rest` is a place in a place, and no list of two things."""
    return all(part[:1].isupper() and not any(map(str.isdigit, part)) for part in parts)


def _local_name(iri: str) -> str:
    return re.split(r"[/#]", iri.strip("<>").rstrip("/#"))[-1]


def _nouns(label: Label, uses: Sequence[EntityUse]) -> tuple[str, ...]:
    own = [word for word in words_of(label.string) if word in _TYPE_NOUNS]
    qualifier = words_of(label.qualifier)[-1:]
    theirs = [noun for use in uses for noun in use.nouns]
    return tuple(dict.fromkeys([*own, *qualifier, *theirs]))


def _root(entities: Sequence[Entity]) -> int:
    """The subject that is no object, with the most said of it; of equals, the first by name."""

    def rank(number: int) -> tuple[bool, int, str]:
        entity = entities[number]
        said = sum(use.is_subject for use in entity.uses)
        return not (said and said == len(entity.uses)), -said, entity.string

    return min(range(len(entities)), key=rank, default=0)
