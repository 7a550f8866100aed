"""The values of an item's data: which of them a text states, and which values nothing explains.

This is where the detector asks `adequa.text.values`. The facts of a record have their JSON
pointers, so that the fields of one object and the objects of one list are known to belong together;
of plain triples, those of one subject do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple, Protocol

from adequa.caches import MEGABYTE, cached
from adequa.data import UNNAMED, Item, Mention, Triple
from adequa.entities.comparisons import ComparisonCheck, RowCheck, TrendCheck
from adequa.entities.entries import EntryCheck, EntryList, read_entries
from adequa.entities.events import ObjectCheck, merge_faults
from adequa.entities.fields import FieldCheck
from adequa.entities.graph import Graph
from adequa.entities.members import MemberCheck
from adequa.entities.outcomes import OutcomeCheck
from adequa.entities.owners import (
    CategoryCheck,
    ClaimText,
    OwnerFault,
    RowList,
    SeriesCheck,
    read_rows,
)
from adequa.entities.roles import RoleCheck, Roles, stem_of
from adequa.text import (
    Language,
    PreparedText,
    clauses_around,
    label_of,
    sentence_at,
    words_of,
)
from adequa.text.values import (
    Claim,
    Explainer,
    Reading,
    Support,
    ValueFact,
    ValueSpan,
    claim_of,
    clock_of,
    find_contradictions,
    find_polarity,
    is_comparable,
    is_readable,
    is_same_time,
    quantity_of,
    read_claims,
    read_value,
    spellings_of,
)

_FACT_BYTES = 2_500
_METHODS = {"converted": "converted number", "rounded": "rounded number", "share": "share"}


class Denial(NamedTuple):
    """A place where the text denies what a triple affirms, or the reverse."""

    triple: Triple
    start: int
    end: int


class DataValues:
    """The values of some triples; `paths` are their JSON pointers, if they are of a record."""

    def __init__(
        self,
        triples: Sequence[Triple],
        paths: Sequence[str],
        unnamed: frozenset[str] = frozenset(),
    ) -> None:
        self.triples = tuple(triples)
        self.is_record = bool(paths)
        self.paths = tuple(paths)
        named = (one.subject if one.subject not in unnamed else "" for one in triples)
        self._names = tuple(named) if paths else ()
        if paths:
            self.facts = _facts_of_record(self.triples, paths)
        else:
            self.facts = tuple(map(_plain_fact, self.triples))

    @cached_property
    def explainer(self) -> Explainer:
        """Explains values of texts by these facts."""
        return Explainer(self.facts, self._names)

    @cached_property
    def roles(self) -> Roles:
        """The facts of the record by field, object and name."""
        return Roles(self.triples, self.facts, self.paths, self.explainer)

    @cached_property
    def rows(self) -> list[RowList]:
        """The lists of objects of the record."""
        return read_rows(self.facts, self.paths)

    @cached_property
    def entries(self) -> list[EntryList]:
        """What stands side by side in the record."""
        return read_entries(self.facts, self.paths, self.explainer, self._names)

    @cached_property
    def _claims(self) -> dict[int, Claim]:
        return read_claims(self.facts)

    def explain(self, span: ValueSpan, text: str) -> tuple[Support, ...]:
        """The facts that a value of a text follows from; empty if none."""
        return self.explainer.explain(span, text)

    def contradictions(self, text: str, language: Language | None = None) -> list[Denial]:
        """Where the text denies a yes of the data, or affirms a no."""
        if not self._claims:
            return []
        return [
            Denial(self.triples[one.fact], one.start, one.end)
            for one in find_contradictions(
                self.facts, text, self._claims, language, bare=self.is_record
            )
            # "a population of 0" does not affirm what the zero denies
            if self.facts[one.fact].value != "0" or not _SAID_ZERO.search(text)
        ]

    def unreadable(self, language: Language) -> set[str]:
        """The entities that are a yes or no of qualities whose words are not known."""
        known: dict[str, bool] = {}
        for place, claim in self._claims.items():
            entity = self.triples[place].object
            known[entity] = known.get(entity, False) or is_readable(claim, language)
        return {entity for entity, readable in known.items() if not readable}

    def owner_faults(
        self, text: PreparedText, mentions: Sequence[Mention]
    ) -> list[tuple[OwnerFault, Triple | None]]:
        """Where the text says of an object, field or time what the data says of another."""
        found = [
            one
            for check in (RoleCheck, ComparisonCheck, FieldCheck, MemberCheck)
            for one in _faults_of(check(self.roles, text.string, text.values, mentions))
        ]
        found += _faults_of(OutcomeCheck(self.roles, self.rows, text.string, text.values, mentions))
        keys = [fact.key for fact in self.facts]
        entities = [triple.object for triple in self.triples]
        claims = ClaimText(text.string, text.values, mentions, keys, self.explainer)
        of_rows: list[OwnerFault] = []
        for rows in self.rows:
            if rows.is_timed:
                of_rows += _faults_of(SeriesCheck(rows, claims))
                of_rows += _faults_of(CategoryCheck(rows, claims))
            of_rows += _faults_of(ObjectCheck(rows, claims, entities))
            found += _faults_of(RowCheck(rows, claims, self.facts, self.triples))
            found += _faults_of(TrendCheck(rows, claims))
        found += merge_faults(sorted(of_rows))
        for entries in self.entries:
            checked = EntryCheck(
                entries, text.string, text.values, self.facts, self.triples, self.explainer
            )
            found += _faults_of(checked)
        return [(one, None if one.fact is None else self.triples[one.fact]) for one in found]

    def nearest(self, span: ValueSpan, text: str) -> Triple | None:
        """The triple that a wrong value stands for: of the same kind, spoken of, and near."""
        place = self.explainer.counterpart(span, text)
        return None if place is None else self.triples[place]

    def named_by(self, place: int, text: str) -> Triple | None:
        """The triple that an unknown name may stand for: the only name of a field of its clause.

        The field is spoken of in the clause, and the sentence has no name of its own for it.
        """
        sentence = sentence_at(text, place)
        clause = text[slice(*clauses_around(text, place, place + 1, sentence))]
        said = {stem_of(word) for word in words_of(clause)}
        whole = text[slice(*sentence)].lower()
        found = [
            fact
            for fact, stems in enumerate(self.roles.stems)
            if stems & said and self.explainer.index.readings[fact] == Reading()
            if fact not in self._claims and _NAME.search(self.facts[fact].value)
        ]
        if len(found) != 1 or self.facts[found[0]].value.lower() in whole:
            return None
        return self.triples[found[0]]

    def mentions(self, text: PreparedText, missing: Iterable[str]) -> list[Mention]:
        """Mentions of values that the detector has not found: times, shares, codes, zeros, yes."""
        wanted = {*missing}
        places = [place for place, one in enumerate(self.triples) if one.object in wanted]
        found: dict[str, Mention] = {}
        for place in places:
            entity = self.triples[place].object
            if (
                place in self._wordable
                and entity not in found
                and (mention := self._worded(place, text))
            ):
                found[entity] = mention
        if not self._valued.isdisjoint(places) and any(
            self.triples[place].object not in found for place in places
        ):  # words of the text that are values, for facts that are
            for span in text.values:
                for support in self.explainer.index.explain(span, text.string):
                    entity = self.triples[support.facts[0]].object
                    if entity in wanted and entity not in found and support.how != "part":
                        method = _METHODS.get(support.how, span.kind)
                        found[entity] = Mention(entity, span.start, span.end, method, 0.1)
        return sorted(found.values(), key=lambda mention: (mention.start, mention.end))

    @cached_property
    def _valued(self) -> frozenset[int]:
        """The facts that are a value rather than a name."""
        facts = enumerate(self.facts)
        return frozenset(place for place, fact in facts if read_value(fact) != Reading())

    @cached_property
    def _wordable(self) -> frozenset[int]:
        """The facts of which `_worded` may find something in a text."""
        return frozenset(
            place
            for place, (key, value, *_) in enumerate(self.facts)
            if value == "1"
            or place in self._claims
            or _ZERO.fullmatch(value)
            or _RANGE.fullmatch(value)
            or spellings_of(key, value)
        )

    def _worded(self, place: int, text: PreparedText) -> Mention | None:
        """A yes or no, a zero as "no", a range from one value to another, or a code as words."""
        fact, triple = self.facts[place], self.triples[place]
        if ends := _RANGE.fullmatch(fact.value):
            for first, last in pairwise(text.values):
                if (
                    _is_end(first, ends["first"])
                    and _is_end(last, ends["last"])
                    and _UNTIL.fullmatch(text.string, first.end, last.start)
                ):
                    return Mention(triple.object, first.start, last.end, "range", 0.1)
            return None
        is_bit = fact.value in ("0", "1")  # which `_claims` may leave out
        claim = claim_of(fact.key, fact.value) if is_bit else self._claims.get(place)
        if claim is None and _ZERO.fullmatch(fact.value):
            claim = claim_of(fact.key, "no")
        if claim is not None:
            for one in find_polarity(text.string, claim, text.language):
                if one.affirmed == claim.holds:
                    return Mention(triple.object, one.start, one.end, "truth value")
            return None
        for spelling in spellings_of(fact.key, fact.value):
            pattern = rf"(?<!\w){re.escape(spelling)}(?!\w)"
            flags = 0 if spelling.isupper() else re.IGNORECASE
            if match := re.search(pattern, text.string, flags):
                return Mention(triple.object, *match.span(), "code")
        return None


class _Check(Protocol):
    def faults(self) -> Iterable[OwnerFault]: ...


def _faults_of(check: _Check) -> Iterator[OwnerFault]:
    """The faults of a check, with the rule's name by which their credibility was fitted."""
    rule = type(check).__name__.removesuffix("Check").lower()
    return (one._replace(rule=f"{rule} {one.kind}") for one in check.faults())


_NAME = re.compile(r"[^\W\d_a-z][a-z]")
_ZERO = re.compile(r"0(?:\.0+)?")
_SAID_ZERO = re.compile(r"(?<![\w.,])(?:0|zero)(?!\w|[.,]\d)", re.IGNORECASE)
_RANGE = re.compile(
    r"\D{0,3}(?P<first>[0-9][0-9.,:]*)\s*(?:[-–—]|to)\s*[^\d\s]{0,3}(?P<last>[0-9][0-9.,:]*)"
    r"(?:\s*[^\d\s]{1,20})?"
)
"""Two numbers or times with at most a sign of a currency before them and a unit after them."""
_UNTIL = re.compile(r"(?:\s*[-–—]\s*|,? (?:to|and|until|till|through) )", re.IGNORECASE)


def _is_end(span: ValueSpan, written: str) -> bool:
    """Whether a value of a text is an end of a range, whose unit may stand at the other end."""
    if ":" in written:
        clock = clock_of(written)
        return clock is not None and any(is_same_time(clock, one) for one in span.clocks)
    quantity = quantity_of(written)
    return quantity is not None and any(one.value == quantity.value for one in span.quantities)


def _facts_of_record(triples: Sequence[Triple], paths: Sequence[str]) -> tuple[ValueFact, ...]:
    facts = [_fact(triple, path) for triple, path in zip(triples, paths, strict=True)]
    tops = {fact.group for fact in facts if fact.key.rpartition(".")[2] in ("max", "maximum")}
    return tuple(
        # `min` without a `max` beside it are minutes.
        fact._replace(unit="minute")
        if fact.key.rpartition(".")[2] == "min" and fact.group not in tops
        else fact
        for fact in facts
    )


@lru_cache(maxsize=4096)  # graphs of a corpus have triples in common
def _plain_fact(triple: Triple) -> ValueFact:
    label = label_of(triple.object)
    key = _local(triple.predicate)
    return ValueFact(key, label.string, label.qualifier or None, triple.subject)


def _fact(triple: Triple, path: str) -> ValueFact:
    """A triple as a fact; the pointer tells the key and what the value belongs to."""
    value = label_of(triple.object).string
    predicate = triple.predicate
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    last = parts[-1] if parts else ""
    # A number at the end is a place in a list, unless it is a key: `population: {2021: …}`.
    placed = last.isdigit() and not predicate.endswith(last)
    names = [part for part in parts[:-1] if not part.isdigit()]
    names += [] if placed else [last]
    group = path if placed else path.rpartition("/")[0]
    key = ".".join(names)
    # `{name: Weight, value: 5}` is a fact about the weight, whatever its pointer says.
    if not placed and last and not re.sub(r" [0-9]+$", "", predicate).endswith(last):
        key = predicate
    return ValueFact(key or predicate, value, None, group)


def is_counterpart(triple: Triple, words: str) -> bool:
    """Whether some words may stand for the value of a triple: their kinds and units agree."""
    return is_comparable(_plain_fact(triple), words)


def _local(predicate: str) -> str:
    return re.sub(r"^.*[/#](?=.)", "", predicate) if "://" in predicate else predicate


def values_of(item: Item, graph: Graph | None = None) -> DataValues:
    """The values of an item's data, kept for the texts of all systems.

    The graph of its triples keeps them, where it is given and they are all there is.
    """
    if graph is None or item.paths or item.terms:
        return _compiled(item.triples, item.paths, unnamed_terms(item))
    return graph.derive("values of data", _plain_values)


def _plain_values(graph: Graph) -> DataValues:
    return DataValues(graph.triples, ())


def unnamed_terms(item: Item) -> frozenset[str]:
    """The things of an item that have no name, which no text has to mention."""
    if not item.terms:
        return frozenset()
    return frozenset(name for name, term in item.terms.items() if term.datatype == UNNAMED)


@cached(32 * MEGABYTE, size_of=lambda values: 2_000 + _FACT_BYTES * len(values.facts))
def _compiled(
    triples: tuple[Triple, ...], paths: tuple[str, ...], unnamed: frozenset[str]
) -> DataValues:
    kept = [place for place, triple in enumerate(triples) if triple.object not in unnamed]
    pointers = [paths[place] for place in kept] if paths else ()
    return DataValues([triples[place] for place in kept], pointers, unnamed)
