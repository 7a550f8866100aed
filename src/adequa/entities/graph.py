"""The entities of some triples, compiled once for matching in the texts of all systems."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeVar

from adequa.caches import MEGABYTE, cached
from adequa.data import Term, Triple
from adequa.entities import lexicon
from adequa.entities.lexicon import EntityType
from adequa.entities.names import WEAK, Name, names_of
from adequa.text import Label, fold, key_of, label_of, local_name, split_camel, word_set, words_of
from adequa.text.values import Date, Quantity, date_of, find_dates, quantity_of, unit_in

Part = TypeVar("Part")
_SHORT_WORD = 3
"""Letters of the longest word of a predicate that does not name a truth value by itself."""

_GRAPH_BYTES, _ENTITY_BYTES, _NAME_BYTES = 2_000, 3_000, 180
_VALUES_BYTES, _FACT_BYTES = 2_000, 2_500
"""Of the values that are derived from the triples."""
_INDEX_BYTES = 150
"""Of a name in the index by its first letters, which belongs to the graph."""

_TIME_WORDS = {"date", "year", "day", "time", "founded", "established", "born", "died", "season"}
_GROUPS = {"band", "group", "duo", "trio", "team", "company", "album", "song", "film"}
_BOOLEANS = {"yes", "true", "no", "false"}
_LIST = re.compile(r"\s*(?:[,;/]|\band\b|\bor\b|&)\s*")
_TYPE_NOUNS = word_set(
    "airport university institute college school academy company club stadium county city town "
    "village state province region river monument memorial church museum hotel hall tower building "
    "bridge street party league team band journal magazine newspaper press council army navy "
    "island peninsula township empire kingdom republic union park library hospital theatre center "
    "centre station railway road society association foundation organisation organization "
    "federation championship award prize language asteroid comet aircraft"
)


ValueKind = Literal["name", "date", "number", "period", "list", "boolean"]


class EntityUse(NamedTuple):
    """The role of an entity in a triple."""

    predicate: str
    is_subject: bool
    type: EntityType
    nouns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """A subject or object with its names and values."""

    string: str
    label: Label
    sure_names: tuple[Name, ...]
    """Names of the tiers 0 and 1."""
    weak_names: tuple[Name, ...]
    date: Date | None
    quantity: Quantity | None
    figures: tuple[str, ...]
    """The usual spellings of a number: unchanged, without zero decimals, with commas."""
    period: tuple[Date, ...]
    """Both ends of a period such as `May 1950 - August 1956`."""
    kind: ValueKind
    uses: tuple[EntityUse, ...]
    person: bool
    nouns: tuple[str, ...]
    """Common nouns for it: the airport, the country."""
    words: tuple[str, ...]
    """The words of its label without single letters, for matching in any order."""
    short_forms: Mapping[str, tuple[str, ...]]
    """Acronyms of parts of a long value, and the words they stand for."""
    spellings: tuple[Name, ...]
    """The names that are also looked for misspelt."""
    others: tuple[str, ...] = ()
    """Further names as they are given: aliases and labels."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The entities of some triples in order of appearance.

    What only some texts need is derived when it is asked for.
    """

    triples: tuple[Triple, ...]
    entities: tuple[Entity, ...]
    strings: tuple[str, ...]
    """The entities as the data writes them."""
    order: tuple[int, ...]
    """The alphabetical rank of each entity, which does not depend on the order of triples."""
    lists: tuple[int, ...]
    """The entities that are lists."""
    has_values: bool
    """Whether there are numbers or dates to look for."""
    has_booleans: bool
    """Whether a value is true or false."""
    clashes: bool
    """Whether two entities have a sure name in common."""
    _derived: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def root(self) -> int:
        """The main subject."""
        return self.derive("root", _root)

    @property
    def links(self) -> frozenset[tuple[int, int]]:
        """Subject and object of each triple."""
        return self.derive("links", _links)

    @property
    def predicate_words(self) -> frozenset[str]:
        """Every folded word of the predicates."""
        return self.derive("predicate words", _all_predicate_words)

    @property
    def data_words(self) -> frozenset[str]:
        """Every folded word of the data: a text did not invent these."""
        return self.derive("data words", _data_words)

    def derive(self, name: str, make: Callable[[Graph], Part]) -> Part:
        """The result of `make` on this graph, computed once and kept as long as the graph."""
        derived = self._derived
        if name not in derived:
            derived[name] = make(self)
        part: Part = derived[name]
        return part

    def estimated_bytes(self) -> int:
        """Its approximate size in memory, for caches; `deep_size` takes longer than compiling."""
        names = sum(len(one.sure_names) + len(one.weak_names) for one in self.entities)
        size = _GRAPH_BYTES + _ENTITY_BYTES * len(self.entities)
        size += _VALUES_BYTES + _FACT_BYTES * len(self.triples)
        return size + (_NAME_BYTES + _INDEX_BYTES) * names

    def predicates_of(self, number: int, *, subject: bool) -> frozenset[str]:
        """The words of the predicates an entity is the subject of, or the object."""
        return self.derive("predicates", _predicates)[number, subject]


def _predicates(graph: Graph) -> dict[tuple[int, bool], frozenset[str]]:
    found: dict[tuple[int, bool], set[str]] = defaultdict(set)
    for number, entity in enumerate(graph.entities):
        for use in entity.uses:
            found[number, use.is_subject].update(predicate_words_of(use.predicate))
    return defaultdict(frozenset, {key: frozenset(words) for key, words in found.items()})


def compile_graph(
    triples: Sequence[Triple], terms: Mapping[str, Term], aliases: Mapping[str, Sequence[str]]
) -> Graph:
    """Compile the entities of triples; `aliases` maps entities to further names."""
    uses: dict[str, list[EntityUse]] = {}
    for subject, predicate, object_ in triples:
        as_subject, as_object = _uses(predicate)
        uses.setdefault(subject, []).append(as_subject)
        uses.setdefault(object_, []).append(as_object)
    entities = tuple(
        [
            _entity(string, tuple(found), terms.get(string), tuple(aliases.get(string, ())))
            for string, found in uses.items()
        ]
    )
    kinds = {entity.kind for entity in entities}
    keys = [name.key for entity in entities for name in entity.sure_names]
    rank = {string: place for place, string in enumerate(sorted(uses))}
    numbers = range(len(entities)) if "list" in kinds else ()
    return Graph(
        triples=tuple(triples),
        entities=entities,
        strings=tuple(uses),
        order=tuple([rank[string] for string in uses]),
        lists=tuple(number for number in numbers if entities[number].kind == "list"),
        has_values=not kinds.isdisjoint(("date", "number", "period")),
        has_booleans="boolean" in kinds,
        clashes=len(keys) > len(set(keys)),
    )


@lru_cache(maxsize=4096)  # a corpus has some hundred predicates
def _uses(predicate: str) -> tuple[EntityUse, EntityUse]:
    """The roles of the subject and of the object of a predicate."""
    known = lexicon.predicate_use(predicate)
    if known is None:
        return EntityUse(predicate, True, "unknown", ()), EntityUse(predicate, False, "unknown", ())
    return EntityUse(predicate, True, *known[:2]), EntityUse(predicate, False, *known[2:])


def _links(graph: Graph) -> frozenset[tuple[int, int]]:
    number = {string: place for place, string in enumerate(graph.strings)}
    return frozenset((number[one.subject], number[one.object]) for one in graph.triples)


def _all_predicate_words(graph: Graph) -> frozenset[str]:
    words = (predicate_words_of(triple.predicate) for triple in graph.triples)
    return frozenset(chain.from_iterable(words))


def _data_words(graph: Graph) -> frozenset[str]:
    words = (words_of(entity.label.string) for entity in graph.entities)
    return graph.predicate_words.union(*words)


@lru_cache(maxsize=4096)  # a corpus has some hundred predicates
def predicate_words_of(predicate: str) -> tuple[str, ...]:
    """The folded words of a predicate's name, camel case split."""
    local = re.sub(r"^.*[/#](?=.)", "", predicate) if "://" in predicate else predicate
    # Acronyms stay with the next word: the mention weights were learned with these words.
    return tuple(words_of(split_camel(local.replace("_", " "), acronyms=False)))


def _estimated_bytes(entity: Entity) -> int:
    letters = 2 * len(entity.string) + sum(map(len, entity.others))
    names = len(entity.sure_names) + len(entity.weak_names)
    return _ENTITY_BYTES + letters + _NAME_BYTES * names


class _Written(NamedTuple):
    """What an entity is by its string alone, in whatever triples it is."""

    label: Label
    label_words: tuple[str, ...]
    words: tuple[str, ...]
    is_group: bool
    date: Date | None
    quantity: Quantity | None
    figures: tuple[str, ...]
    period: tuple[Date, ...]
    kind: ValueKind
    """A number that is also a year is a number here."""
    short_forms: Mapping[str, tuple[str, ...]]


# An entity is in some graphs with these predicates and in others with those.
@cached(8 * MEGABYTE, size_of=lambda one: _ENTITY_BYTES + 2 * len(one.label.string))
def _read(string: str, shown: str) -> _Written:
    """Read the string of an entity, of which `shown` is the part to read a label from."""
    label = label_of(shown)
    label_words = words_of(label.string)
    base_words = label_words if label.base == label.string else words_of(label.base)
    is_group = label.base.startswith("The ") or " of " in label.base
    is_group = is_group or not _GROUPS.isdisjoint(words_of(label.qualifier))
    written = html.unescape(string) if "&" in string else string
    date = date_of(written)
    quantity = quantity_of(written)
    kind: ValueKind = "name"
    if date is not None and (quantity is None or not date.year):
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
    return _Written(
        label=label,
        label_words=tuple(label_words),
        words=tuple(word for word in base_words if len(word) > 1 or word.isdigit()),
        is_group=is_group,
        date=date,
        quantity=quantity,
        figures=_figures(quantity),
        period=period,
        kind=kind,
        short_forms=_short_forms(label.base) if kind == "list" else {},
    )


class _Tiers(NamedTuple):
    """Names by their certainty, as in `Entity`."""

    sure: tuple[Name, ...]
    weak: tuple[Name, ...]
    spellings: tuple[Name, ...]


# An entity occurs in many graphs, and its names take longer than the rest of its compilation.
@cached(16 * MEGABYTE, size_of=lambda tiers: _NAME_BYTES * (len(tiers.sure) + len(tiers.weak)))
def _names(
    label: Label, *, aliases: tuple[str, ...], person: bool, place: bool, kind: ValueKind
) -> _Tiers:
    names = names_of(label, aliases=aliases, person=person, place=place)
    if kind == "list":
        names = tuple(name for name in names if name.method != "comma head")
    if kind in ("date", "number"):
        names = tuple(name for name in names if name.method == "alias")
    return _in_tiers(names)


def _names_of_truth(predicate: str) -> _Tiers:
    """The names of a yes or no: the words of its predicate."""
    words = predicate_words_of(predicate)
    words = words[1:] if words[:1] in (("is",), ("has",)) and len(words) > 1 else words
    telling = [word for word in words if len(word) > _SHORT_WORD]
    every = ["".join(words)] if words else []
    return _in_tiers(
        [
            *(Name(word, 0, "predicate") for word in every),
            *(Name(word, 1, "predicate") for word in telling if len(words) > 1),
        ]
    )


def _in_tiers(names: Sequence[Name]) -> _Tiers:
    return _Tiers(
        sure=tuple(name for name in names if name.tier < WEAK),
        weak=tuple(name for name in names if name.tier >= WEAK),
        spellings=tuple(name for name in names if name.tier == 0 and len(name.key) > 3)[:3],
    )


# Of ten entities in the graphs of a corpus, seven occur in another one with the same predicates.
@cached(16 * MEGABYTE, size_of=_estimated_bytes, key_in_value=True)
def _entity(
    string: str, uses: tuple[EntityUse, ...], term: Term | None, aliases: tuple[str, ...]
) -> Entity:
    others, shown = list(aliases), string
    if term is not None and term.label:
        others.append(term.label)
    if "&" in string:
        others.append(string)  # a text may copy the markup: &minus;7
    if "://" in string:
        shown = term.label if term and term.label else local_name(string)
    read = _read(string, shown)
    types = {use.type for use in uses}
    person = "person" in types and not types & {"place", "organisation"} and not read.is_group
    quantity, kind = read.quantity, read.kind
    if quantity is not None and quantity.unit is None:
        unit = next((unit for use in uses if (unit := unit_in(use.predicate))), None)
        quantity = quantity._replace(unit=unit)
    if kind == "number" and read.date is not None and _is_about_time(uses):
        kind = "date"
    if kind == "boolean":
        names = _names_of_truth(uses[0].predicate)
    else:
        names = _names(
            read.label, aliases=tuple(others), person=person, place="place" in types, kind=kind
        )
    return Entity(
        string=string,
        label=read.label,
        sure_names=names.sure,
        weak_names=names.weak,
        date=read.date,
        quantity=quantity,
        figures=read.figures,
        period=read.period,
        kind=kind,
        uses=uses,
        person=person,
        nouns=_nouns(read.label, read.label_words, uses),
        words=read.words,
        short_forms=read.short_forms,
        spellings=names.spellings,
        others=tuple(others),
    )


def _is_about_time(uses: Sequence[EntityUse]) -> bool:
    return any(not _TIME_WORDS.isdisjoint(predicate_words_of(use.predicate)) for use in uses)


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
    whole = value == value.to_integral_value()
    others = [f"{int(value)}", f"{int(value):,}"] if whole else [f"{value:,f}"]
    return tuple(dict.fromkeys([format(value, "f"), *others]))


def _period(string: str) -> tuple[Date, ...]:
    """The two dates of a period, if the string holds nothing else."""
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
    """Whether `head, rest` is a place within a place, not a list of two things."""
    return all(part[:1].isupper() and not any(map(str.isdigit, part)) for part in parts)


def _nouns(label: Label, words: Iterable[str], uses: Sequence[EntityUse]) -> tuple[str, ...]:
    own = [word for word in words if word in _TYPE_NOUNS]
    qualifier = words_of(label.qualifier)[-1:]
    theirs = [noun for use in uses for noun in use.nouns]
    return tuple(dict.fromkeys([*own, *qualifier, *theirs]))


def _root(graph: Graph) -> int:
    """The subject that is not an object, with the most triples; then the first by name."""
    entities = graph.entities

    def rank(number: int) -> tuple[bool, int, str]:
        entity = entities[number]
        triples = sum(use.is_subject for use in entity.uses)
        return not (triples and triples == len(entity.uses)), -triples, entity.string

    return min(range(len(entities)), key=rank, default=0)
