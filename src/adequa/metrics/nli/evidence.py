"""Evidence: how likely a text states each fact, and which stretches of it have no support.

`VerifierEvidence` reads all words and all facts that have to do with the text (`related_facts`) in
one pass of the verifier, or in several for long texts and wide data. A second pass looks for
contradictions: where a stretch has no support and some fact is not stated, the fact's value is put
in place of the stretch; if the text would then state the fact, the stretch contradicts it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from adequa.data import Item, Mention, Triple
from adequa.entities import is_counterpart
from adequa.entities.credibility import Credibility, read_credibility
from adequa.metrics.nli.additions import Encode, find_additions
from adequa.metrics.nli.contradictions import find_contradictions
from adequa.metrics.nli.relevance import FactIndex, related_facts, with_facts
from adequa.metrics.nli.signs import (
    UNNAMED_SUBJECT,
    WRONG_VALUE,
    Signs,
    SpanIndex,
    Weighing,
    hidden_names,
    read_signs,
)
from adequa.metrics.nli.templates import Cues
from adequa.metrics.sources import ReadRecords, ReadRelations, geometric_mean, probability
from adequa.models import Calibration, NamedText
from adequa.text import label_of, word_set
from adequa.text.values import is_value, word_triple

if TYPE_CHECKING:
    from adequa.models import SentenceReading, VerifierOutput

Level = Literal["text", "sentence", "clause", "span"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the text that the data may not support."""

    start: int
    end: int
    level: Level
    unsupported: float | None
    """The probability that the data does not support it; None where it could not be read."""
    contradicted: float | None = None
    """The probability that the data contradicts it, where the model distinguishes that."""
    fact: int | None = None
    """The number of the triple that contradicts it, where that is known."""
    garbled: bool = False
    """Whether its words are not well formed, so that their meaning is unclear."""
    note: str = ""
    """The reason, where the entities have found it."""
    credible: float | None = None
    """The probability that the entities are right about it, where that is known."""


class Word(NamedTuple):
    """A word of the text, and how likely the data does not support it."""

    start: int
    end: int
    unsupported: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """Both directions of one item, as probabilities; None where the model could not read it."""

    stated: tuple[float | None, ...]
    """The probability that the text states each triple."""
    stretches: tuple[Stretch, ...]
    """Parts of the text, in its order and apart from each other, at the finest level there is."""
    supported: float | None
    """The probability that the data supports the text as a whole."""
    value: float | None
    """The score: 1 if the text says all facts and only facts."""
    words: tuple[Word, ...] = ()
    """The words of the text, where the model reads them one by one."""
    relations: tuple[float | None, ...] = ()
    """The probability that the words between its names state each triple, from the relation reader;
    empty without one, None for a triple that it does not read."""


EvidenceSource = Callable[[Sequence[Item]], "list[Evidence]"]
"""Asks a model about items that have triples and text; one answer per item, in their order."""

_WORD = re.compile(r"[^\W_]")
_CAPITAL = re.compile(r"[^\W\d_a-z]")
"""A letter of a name, not of an attribute."""
_END = re.compile(r"[.!?;]\s")
_LITTLE = word_set(
    "a an and as at by for from his in into is it its of on or that the their this to was were "
    "which who with"
)
# No record of the data the following limits were chosen on; kept for stable scores.
_LONG_RUN = 8
"""Words of a run from which on it is not divided into values."""
_BRIDGE = 2
"""The most words between two unsupported ones that join them, if they are little or in doubt."""
_DOUBT = 0.35
"""The share of the threshold from which a word is in doubt."""


def words_of(
    text: str, offsets: Sequence[tuple[int, int]], unsupported: Sequence[float]
) -> list[Word]:
    """Adjacent pieces joined to words, as doubtful as their worst piece, without punctuation."""
    found: list[Word] = []
    for (start, end), doubt in zip(offsets, unsupported, strict=True):
        if not _WORD.search(text, start, end):
            continue
        if found and found[-1].end == start:
            last = found.pop()
            found.append(Word(last.start, end, max(last.unsupported, doubt)))
        else:
            found.append(Word(start, end, doubt))
    return found


def stretches(
    text: str, words: Sequence[Word], threshold: float, values: Sequence[tuple[int, int]] = ()
) -> list[Stretch]:
    """The runs of words that the data does not support, as wide as a person would mark them.

    Little or doubtful words between two that are not supported stay, unless a sentence ends there.
    In a short run, `values` (wrong names, numbers and dates) are stretches of their own.
    """
    flagged = [number for number, word in enumerate(words) if word.unsupported >= threshold]
    runs: list[list[int]] = []
    for number in flagged:
        if runs and _together(text, words, runs[-1][-1], number, threshold):
            runs[-1].append(number)
        else:
            runs.append([number])
    found = []
    known = SpanIndex(len(text), values)
    for run in runs:
        for part in _parted(words, run, known):
            doubt = max(words[number].unsupported for number in part)
            start, end = words[part[0]].start, words[part[-1]].end
            found.append(Stretch(start, end, "span", doubt))
    return found


def _parted(words: Sequence[Word], run: list[int], values: SpanIndex) -> list[list[int]]:
    """A short run divided into its values and the words between them."""
    if run[-1] - run[0] >= _LONG_RUN:
        return [run]
    parts: list[list[int]] = []
    before: int | None = None
    for number in run:
        word = words[number]
        own = values.first(word.start, word.end)
        if parts and own == before:
            parts[-1].append(number)
        else:
            parts.append([number])
        before = own
    return parts


def _together(text: str, words: Sequence[Word], one: int, other: int, threshold: float) -> bool:
    between = words[one + 1 : other]
    gap = text[words[one].end : words[other].start]
    if _END.search(gap) or len(between) > _BRIDGE:
        return False
    return all(
        word.unsupported >= threshold * _DOUBT or text[word.start : word.end].lower() in _LITTLE
        for word in between
    )


Verify = Callable[[Sequence[Item]], "Sequence[VerifierOutput]"]

# No record of the data these were chosen on; kept for stable scores.
_SURE = 0.0
"""The log-odds from which a fact would be stated if the text had its value."""
_RISE = 2.0
"""How much they must rise: words do not contradict a fact that was nearly stated before."""
_MOST_WORDS = 6
"""Longer stretches are not values."""
_MOST_TRIED = 6
"""The most places of an item that are tried."""
_MOST_LIKELY = 3
"""The most facts that are tried in one place, where not all fit one pass of the verifier."""
_AROUND = 300
"""Characters on both sides of a place that are read again, where not all of the text is."""
_LONGEST_CLAUSE = 60
"""Letters from one end of a fact to the other up to which the words between them are marked. On the
texts that were read in docs/readings/quintd-dev.tsv, .65 of the letters in such clauses are wrong,
and .05 of those in longer ones, which hold other claims."""
_UNRELATED = -5.0
"""The log-odds of a fact that has nothing to do with the text, in place of reading it: the median
of 480 such facts that were read with the texts of the sample; none had more than -1.7."""


_HEARD = 0.4
"""How much of the verifier's log-odds of a quality is added to the relation reader's. Of nine
weights from 0 to 1.5 the best area under the curve (.858), as the mean over qualities of two sets
of held-out written groups and of composed texts; the reader alone has .831, the mean of both
.835."""
_AGAINST = 0.35
"""How much of the verifier's log-odds is added to the reader's where they are below 0, unless the
value is a quality. Of five weights from 0 to 0.6, with 7 % of right texts flagged, the largest that
finds as many wrong texts of held-out written groups as none (.67); of WebNLG dev's inverted triples
it finds .94 instead of .90, of Rel2Text's dev sentences with the triple turned round .89 instead of
.86. Where the verifier is for a fact, a logistic regression over the three gives it no weight."""
_NOT_NAMED = 1.0
"""How much less the reader's log-odds are worth where the object is not a name. Of 1,031 facts of
250 composed texts, by the reader alone, .61 of those that are not stated are found at a threshold
near this one (.53 with 0.5), and .018 of the stated ones flagged (.013); the open half of
bench/challenges/relations and WebNLG dev hardly change. E2E's figure with 0.5 was known."""
_MOST_TOPICS = 3
"""The most subjects that a text does not name and is read with; bounds the time."""


class Reading(NamedTuple):
    """What the relation reader and the verifier say of a fact that the reader reads."""

    relation: float
    """The relation reader's logit, or its log-odds."""
    verifier: float | None
    """The verifier's log-odds, with the signs of the entities."""
    kind: Literal["name", "value", "quality"]
    """What the fact's object is: a value is a number or a date, a quality has no capital."""

    @classmethod
    def of(cls, triple: Triple, relation: float, verifier: float | None) -> Reading:
        """The reading of a fact."""
        if is_value(triple.object):
            return cls(relation, verifier, "value")
        kind: Literal["name", "quality"] = "name" if _CAPITAL.search(triple.object) else "quality"
        return cls(relation, verifier, kind)

    @property
    def added(self) -> float:
        """What is added to the reader's log-odds: by the kind of object, and by the verifier."""
        said = self.verifier or 0.0
        heard = _HEARD * said if self.kind == "quality" else _AGAINST * min(said, 0.0)
        return heard if self.kind == "name" else heard - _NOT_NAMED


class _Related(NamedTuple):
    """An item without the facts that have nothing to do with its text."""

    item: Item
    facts: tuple[int, ...]
    """The numbers of its facts in the whole item."""
    mentions: tuple[Mention, ...] = ()
    """What the text names of the whole item, if the entities are used."""


class _Relations(NamedTuple):
    """The relation reader's log-odds of each fact, None for facts that it does not read."""

    text: NamedText
    odds: tuple[float | None, ...]


@dataclass(frozen=True)
class VerifierEvidence:
    """Evidence from the verifier's logits, the signs of the entities, and a calibration."""

    verify: Verify
    weighing: Weighing = field(default_factory=Weighing)
    calibration: Calibration | None = None
    """Of `stated`, fitted on the user's labels; groups are predicates."""
    threshold: float = 0.5
    """The probability from which a word counts as unsupported."""
    least: float = 0.5
    """The probability from which a fact counts as stated, so that nothing can contradict it."""
    entities: bool = True
    cues: Cues | None = None
    """Words without which a fact is not stated, where the kind of data is known."""
    read_relations: ReadRelations | None = None
    """The relation reader, for weights that have one; it needs the entities."""
    encode: Encode | None = None
    """The encoder, for phrases of texts about records; it needs the entities."""
    read_records: ReadRecords | None = None
    """The record reader, for weights that have one; it needs the entities."""

    def __call__(self, items: Sequence[Item]) -> list[Evidence]:
        """The evidence on each item."""
        related = [self._related(item) for item in items]
        own = [one.item for one in related]
        signs, asked = self._read(own)
        checked = self.verify(asked)
        relations = self._relations(own, signs)
        topics = self._topics(asked, checked, signs)
        readings = self._readings(items, related)
        rows = zip(items, own, checked, signs, relations, topics, readings, strict=True)
        found = [self._evidence(*row) for row in rows]
        found = self._contradictions(asked, checked, signs, found)
        found = [self._with_clauses(*row) for row in zip(found, relations, strict=True)]
        return [self._of_all(*row) for row in zip(items, related, found, strict=True)]

    def _related(self, item: Item) -> _Related:
        """The item with the facts that have to do with its text, if the entities are used."""
        if not self.entities:
            return _Related(item, tuple(range(len(item.triples))))
        mentions = read_signs(item).mentions
        named = {one.entity for one in mentions}
        facts = related_facts(item.triples, named)
        if item.paths and item.coverage == "selected":
            # What the text does not mention it has left out, which counts for no verdict.
            objects = [n for n in facts if item.triples[n].object in named]
            facts = tuple(objects or facts[:1])
        if len(facts) < len(item.triples):
            return _Related(with_facts(item, facts), facts, mentions)
        return _Related(item, tuple(range(len(item.triples))), mentions)

    def _of_all(self, item: Item, related: _Related, evidence: Evidence) -> Evidence:
        """The evidence with the facts that have nothing to do with the text, which are not read."""
        if related.item is item:
            return evidence
        odds: list[float | None] = [_UNRELATED] * len(item.triples)
        stated = list(self._calibrated(item, odds))
        for number, chance in zip(related.facts, evidence.stated, strict=True):
            stated[number] = chance
        relations: list[float | None] = [None] * len(item.triples if evidence.relations else ())
        for number, chance in zip(related.facts, evidence.relations, strict=False):
            relations[number] = chance
        before, now = geometric_mean(evidence.stated), geometric_mean(stated)
        value = evidence.value
        chosen = item.paths and item.coverage == "selected"  # what it leaves out does not count
        if value is not None and before is not None and now is not None and not chosen:
            value *= now / before
        return replace(
            evidence,
            stated=tuple(stated),
            relations=tuple(relations),
            value=value,
            stretches=tuple(
                one if one.fact is None else replace(one, fact=related.facts[one.fact])
                for one in evidence.stretches
            ),
        )

    def _relations(
        self, items: Sequence[Item], signs: Sequence[Signs | None]
    ) -> list[_Relations | None]:
        """What the words between two names say of their relation, where there is a reader.

        It is not asked about records: their keys are not relations as it has learned them, and on
        the open half of bench/challenges/records it flagged one faithful text in eight.
        """
        weigher = self.weighing.relation
        found: list[_Relations | None] = [None] * len(items)
        if self.read_relations is None or weigher is None:
            return found
        texts = {
            number: NamedText(item.text, item.triples, item.terms, sign.names(item) if sign else ())
            for number, (item, sign) in enumerate(zip(items, signs, strict=True))
            if not item.paths
        }
        read = self.read_relations([*texts.values()])
        for (number, text), logits in zip(texts.items(), read, strict=True):
            odds = tuple(None if one is None else weigher(one) for one in logits)
            found[number] = _Relations(text, odds)
        return found

    def _readings(
        self, items: Sequence[Item], related: Sequence[_Related]
    ) -> list[Sequence[SentenceReading]]:
        """What the record reader says of each text about a record; nothing of other texts."""
        found: list[Sequence[SentenceReading]] = [()] * len(items)
        if self.read_records is None or not self.entities:
            return found
        texts = {
            number: hidden_names(item, one.mentions)
            for number, (item, one) in enumerate(zip(items, related, strict=True))
            if one.item.paths
        }
        read = self.read_records([*texts.values()])
        for number, readings in zip(texts, read, strict=True):
            found[number] = readings
        return found

    def _topics(
        self,
        items: Sequence[Item],
        checked: Sequence[VerifierOutput],
        signs: Sequence[Signs | None],
    ) -> list[Mapping[int, float]]:
        """The log-odds of facts whose subject the text means without naming it, by fact.

        "The capital is Rome." may well be about Italy. Such a text is read once more with the name
        before it. The mean with the first reading separates kept facts from dropped ones better
        than either: AUC .983 against .959 and .968, 1,640 facts of `bench nli_perturbations`.
        Where not all facts fit one pass, only those of the subject are read again: one that is
        not named would otherwise double the time of an item with thousands of facts.
        """
        topics = [
            (number, subject)
            for number, (item, sign) in enumerate(zip(items, signs, strict=True))
            if sign is not None and not item.paths
            for subject in islice(_unnamed(item, sign), _MOST_TOPICS)
        ]
        found: list[dict[int, float]] = [{} for _ in items]
        if not topics:
            return list(found)
        facts = [_facts_of(subject, items[number]) for number, subject in topics]
        named = []
        for (number, subject), own in zip(topics, facts, strict=True):
            item = with_facts(items[number], own) if checked[number].passes > 1 else items[number]
            named.append(replace(item, text=f"{label_of(subject).base}: {item.text}"))
        read = self.verify(named)
        for (number, _), own, check in zip(topics, facts, read, strict=True):
            places = own if checked[number].passes == 1 else range(len(own))
            for fact, place in zip(own, places, strict=True):
                logit, sign = check.stated[place], signs[number]
                if logit is not None and sign is not None:
                    known = [one for one in sign.facts[fact] if one not in UNNAMED_SUBJECT]
                    found[number][fact] = self.weighing.stated(logit, known)
        return list(found)

    def log_odds(self, items: Sequence[Item]) -> list[list[float | None]]:
        """The log-odds of each fact of each item, on which a calibration is fitted."""
        related = [self._related(item) for item in items]
        own = [one.item for one in related]
        signs, asked = self._read(own)
        checked = self.verify(asked)
        topics = self._topics(asked, checked, signs)
        rows = zip(own, checked, signs, self._relations(own, signs), topics, strict=True)
        found: list[list[float | None]] = []
        for item, one, row in zip(items, related, rows, strict=True):
            odds: list[float | None] = [_UNRELATED] * len(item.triples)
            for number, known in zip(one.facts, self.odds(*row), strict=True):
                odds[number] = known
            found.append(odds)
        return found

    def readings(self, items: Sequence[Item]) -> list[list[Reading | None]]:
        """The facts as both models read them, on which the reader's line is fitted.

        None for facts that the reader does not read, and for those with a wrong value.
        """
        if self.read_relations is None:
            return [[None] * len(item.triples) for item in items]
        signs, asked = self._read(items)
        texts = [
            NamedText(item.text, item.triples, item.terms, sign.names(item) if sign else ())
            for item, sign in zip(items, signs, strict=True)
        ]
        found: list[list[Reading | None]] = []
        rows = zip(items, signs, self.verify(asked), self.read_relations(texts), strict=True)
        for item, sign, check, logits in rows:
            own = sign.facts if sign is not None else ((),) * len(item.triples)
            found.append(
                [
                    None
                    if relation is None or WRONG_VALUE in known
                    else Reading.of(
                        triple, relation, None if one is None else self.weighing.stated(one, known)
                    )
                    for triple, relation, one, known in zip(
                        item.triples, logits, check.stated, own, strict=True
                    )
                ]
            )
        return found

    def _read(self, items: Sequence[Item]) -> tuple[list[Signs | None], list[Item]]:
        """The entities' signs, and the items as the verifier is asked about them."""
        if not self.entities:
            return [None] * len(items), list(items)
        signs = [read_signs(item) for item in items]
        asked = [sign.as_text_has_it(item) for item, sign in zip(items, signs, strict=True)]
        return list(signs), asked

    def odds(
        self,
        item: Item,
        check: VerifierOutput,
        signs: Signs | None,
        relations: _Relations | None = None,
        topics: Mapping[int, float] = MappingProxyType({}),
    ) -> list[float | None]:
        """The log-odds of each fact, before a calibration.

        The relation reader decides about the facts that it reads, unless a value is wrong. The
        verifier is heard where it is against a fact: it recognises ends that cannot stand in a
        relation, which the reader does not see. That it is for one says nothing of the relation.
        Of a quality (`moderate`, `by the river`, a yes) it is heard both ways, by `_HEARD`.
        """
        facts = signs.facts if signs is not None else ((),) * len(item.triples)
        if self.cues is not None:
            facts = tuple(
                (*own, WRONG_VALUE) if self.cues.absent(triple, item.text) else own
                for triple, own in zip(item.triples, facts, strict=True)
            )
        read = relations.odds if relations is not None else (None,) * len(facts)
        found: list[float | None] = []
        for fact, (logit, own, known) in enumerate(zip(check.stated, facts, read, strict=True)):
            odds = None if logit is None else self.weighing.stated(logit, own)
            if known is not None and WRONG_VALUE not in own:
                found.append(known + Reading.of(item.triples[fact], known, odds).added)
                continue
            if odds is not None and fact in topics:
                odds = (odds + topics[fact]) / 2
            found.append(odds)
        return found

    def _evidence(
        self,
        whole: Item,
        item: Item,
        check: VerifierOutput,
        signs: Signs | None,
        relations: _Relations | None,
        topics: Mapping[int, float],
        readings: Sequence[SentenceReading],
    ) -> Evidence:
        stated = self._calibrated(item, self.odds(item, check, signs, relations, topics))
        of_words = signs.of_words(check.offsets) if signs else [()] * len(check.offsets)
        known = [
            probability(self.weighing.unsupported(logit, own))
            for logit, own in zip(check.unsupported, of_words, strict=True)
            if logit is not None
        ]
        if len(known) < len(check.unsupported) or not known:
            unread = Stretch(0, len(item.text), "text", None)
            return Evidence(stated, (unread,), None, None)
        words = words_of(item.text, check.offsets, known)
        if item.paths and signs is not None:
            return self._record_evidence(whole, stated, words, readings)
        values = [one.place for one in signs.unexplained] if signs is not None else []
        found = stretches(item.text, words, self.threshold, values)
        found = _with_garbled(item.text, check, found, self.threshold)
        supported = 1 - max((word.unsupported for word in words), default=0.0)
        value = _value(stated, [1 - word.unsupported for word in words])
        return Evidence(stated, tuple(found), supported, value, tuple(words))

    def _record_evidence(
        self,
        item: Item,
        stated: tuple[float | None, ...],
        words: Sequence[Word],
        readings: Sequence[SentenceReading],
    ) -> Evidence:
        """The evidence on a record: its words are judged by the values and names of the data.

        The verifier learned from texts about a few facts. On the open part of
        bench/challenges/records 118 of the 152 findings in faithful texts were its own, and it
        found 16 of 240 faults more. Instead, the encoder looks for phrases that no fact is like.
        """
        signs = read_signs(item)
        found = [
            Stretch(
                one.start,
                one.end,
                "span",
                _WRONG,
                note=one.reason(item.text),
                credible=one.confidence,
            )
            for one in signs.unexplained
        ]
        wrong = SpanIndex(len(item.text), [one.place for one in signs.unexplained])
        spans = _marked(item.text, found)
        model = read_credibility() or Credibility()
        for one in find_additions(item, signs.mentions, self.encode) if self.encode else ():
            chance = model.chance(one.features)
            if model.keeps(chance) and not spans.overlaps(one.start, one.end):
                why = f"{item.text[one.start : one.end]!r} has nothing to do with any fact"
                found.append(
                    Stretch(one.start, one.end, "clause", _WRONG, note=why, credible=chance)
                )
                wrong.mark(one.start, one.end, 1)
        for own in find_contradictions(item, readings):
            chance = model.chance(own.features)
            likely = chance is not None and model.keeps(chance, own.rule)
            if not likely or wrong.overlaps(own.start, own.end):
                continue
            why = own.reason(item)
            found.append(Stretch(own.start, own.end, "clause", _WRONG, note=why, credible=chance))
            wrong.mark(own.start, own.end, 1)
        judged = tuple(
            word._replace(unsupported=_WRONG if wrong.overlaps(word.start, word.end) else _RIGHT)
            for word in words
        )
        supported = 1 - max((word.unsupported for word in judged), default=_RIGHT)
        value = _value(
            (1.0,) if item.coverage == "selected" else stated,
            [1 - word.unsupported for word in judged],
        )
        found.sort(key=lambda one: one.start)
        return Evidence(stated, tuple(found), supported, value, judged)

    def _with_clauses(self, evidence: Evidence, relations: _Relations | None) -> Evidence:
        """The evidence with the words between two names that do not state their relation."""
        if relations is None:
            return evidence
        text = relations.text
        chances = [None if one is None else probability(one) for one in relations.odds]
        added: list[Stretch] = []
        marked = _marked(text.text, evidence.stretches)
        names: dict[str, list[tuple[int, int]]] = {}
        for start, end, entity in text.names:
            names.setdefault(entity, []).append((start, end))
        for number, chance in enumerate(chances):
            if chance is None or 1 - chance < self.threshold:
                continue
            place = _between(text.triples[number], names)
            if place is None or place[1] - place[0] > _LONGEST_CLAUSE:
                continue
            if not marked.overlaps(*place):
                added.append(Stretch(*place, "clause", 1 - chance, 1 - chance, number))
                marked.mark(*place, 1)
        least = min((one for one in chances if one is not None), default=1.0)
        return replace(
            evidence,
            stretches=tuple(sorted([*evidence.stretches, *added], key=lambda one: one.start)),
            supported=None if evidence.supported is None else evidence.supported * least,
            relations=tuple(chances),
        )

    def _calibrated(self, item: Item, odds: Sequence[float | None]) -> tuple[float | None, ...]:
        if self.calibration is None:
            return tuple(None if one is None else probability(one) for one in odds)
        known = {number: one for number, one in enumerate(odds) if one is not None}
        groups = [item.triples[number].predicate for number in known]
        chances = self.calibration.probabilities([*known.values()], groups)
        by_place = dict(zip(known, chances.tolist(), strict=True))
        return tuple(by_place.get(number) for number in range(len(odds)))

    def _contradictions(
        self,
        items: Sequence[Item],
        checked: Sequence[VerifierOutput],
        signs: Sequence[Signs | None],
        found: list[Evidence],
    ) -> list[Evidence]:
        tried: list[tuple[int, int, int]] = []
        changed: list[tuple[Item, int]] = []
        for number, (item, check, sign, evidence) in enumerate(
            zip(items, checked, signs, found, strict=True)
        ):
            wide = None
            if item.paths and sign is not None:
                continue
            if check.passes > 1:
                wide = FactIndex(item, sign.mentions if sign is not None else ())
            for place, fact in _candidates(item, evidence, self.least, wide):
                tried.append((number, place, fact))
                changed.append(_changed(item, evidence.stretches[place], fact, wide))
        if not tried:
            return found
        denied: list[tuple[float, int, int, int]] = []
        read = self.verify([item for item, _ in changed])
        for (number, place, fact), (_, own), check in zip(tried, changed, read, strict=True):
            now, before = check.stated[own], checked[number].stated[fact]
            if now is None or before is None or now < _SURE:
                continue
            # From `_SURE` on, the entities alone were against it.
            if before >= _SURE or now - before >= _RISE:
                denied.append((now, number, place, fact))
        taken: set[tuple[int, str, int]] = set()
        for logit, number, place, fact in sorted(denied, reverse=True):
            both = {(number, "stretch", place), (number, "fact", fact)}
            if both & taken:  # a fact denies one stretch, and a stretch one fact: the likeliest
                continue
            taken |= both
            evidence = found[number]
            parts = list(evidence.stretches)
            parts[place] = replace(parts[place], contradicted=probability(logit), fact=fact)
            found[number] = replace(evidence, stretches=tuple(parts))
        return found


_RIGHT, _WRONG = 0.05, 0.95
"""How likely words of a text about a record are wrong, without and with a finding of the entities:
the share of such texts that are, on the open part of bench/challenges/records."""


def _unnamed(item: Item, signs: Signs) -> Iterator[str]:
    """The subjects that a text may mean without naming them."""
    facts = zip(item.triples, signs.facts, strict=True)
    yield from dict.fromkeys(
        triple.subject for triple, own in facts if not UNNAMED_SUBJECT.isdisjoint(own)
    )


def _facts_of(subject: str, item: Item) -> list[int]:
    return [number for number, triple in enumerate(item.triples) if triple.subject == subject]


def _marked(text: str, parts: Sequence[Stretch]) -> SpanIndex:
    return SpanIndex(len(text), [(one.start, one.end) for one in parts])


def _between(
    triple: Triple, names: Mapping[str, Sequence[tuple[int, int]]]
) -> tuple[int, int] | None:
    """From one end of a fact to the other, where they stand nearest to each other.

    The places of an entity are in order and apart, so only neighbours can be nearest.
    """
    ends, others = names.get(triple.subject, ()), names.get(triple.object, ())
    places = [
        (min(one[0], other[0]), max(one[1], other[1]))
        for one in ends
        for near in [bisect_left(others, one)]
        for other in others[max(0, near - 1) : near + 1]
    ]
    return min(places, key=lambda place: place[1] - place[0], default=None)


def _with_garbled(
    text: str, check: VerifierOutput, found: Sequence[Stretch], threshold: float
) -> list[Stretch]:
    """The stretches, and others whose words are not well formed."""
    slips = words_of(text, check.offsets, [probability(logit) for logit in check.disfluent])
    marked = _marked(text, found)
    apart = [
        replace(one, garbled=True)
        for one in stretches(text, slips, threshold)
        if not marked.overlaps(one.start, one.end)
    ]
    return sorted([*found, *apart], key=lambda one: one.start) if apart else list(found)


def _candidates(
    item: Item, evidence: Evidence, least: float, index: FactIndex | None
) -> list[tuple[int, int]]:
    """Stretches and facts that may be about the same thing: two numbers, or two names.

    With an index, only the facts that could bear on the words around the stretch.
    """
    unstated = {
        fact: _has_digit(_said(item, fact))
        for fact, chance in enumerate(evidence.stated)
        if chance is not None and chance < least
    }

    def pairs() -> Iterator[tuple[int, int]]:
        for place, stretch in enumerate(evidence.stretches):
            words = item.text[stretch.start : stretch.end]
            if len(words.split()) > _MOST_WORDS:
                continue
            facts: Iterable[int] = unstated
            if index is not None:
                facts = islice(
                    filter(unstated.__contains__, index(*_around(item, stretch))), _MOST_LIKELY
                )
            number = _has_digit(words)
            for fact in facts:
                if unstated[fact] == number and is_counterpart(item.triples[fact], words):
                    yield place, fact

    return list(islice(pairs(), _MOST_TRIED))


def _around(item: Item, stretch: Stretch) -> tuple[int, int]:
    """The characters around a stretch, without parts of words."""
    start, end = max(0, stretch.start - _AROUND), min(len(item.text), stretch.end + _AROUND)
    before, after = (
        item.text.find(" ", start, stretch.start),
        item.text.rfind(" ", stretch.end, end),
    )
    return (
        start if start == 0 or before < 0 else before + 1,
        end if end == len(item.text) or after < 0 else after,
    )


def _changed(item: Item, stretch: Stretch, fact: int, index: FactIndex | None) -> tuple[Item, int]:
    """The item with a fact's value in place of a stretch, and the fact's number in it.

    With an index, the words around the stretch with the fact alone.
    """
    said = _said(item, fact)
    if index is None:
        text = item.text[: stretch.start] + said + item.text[stretch.end :]
        return replace(item, text=text), fact
    start, end = _around(item, stretch)
    text = item.text[start : stretch.start] + said + item.text[stretch.end : end]
    return replace(with_facts(item, [fact]), text=text), 0


def _has_digit(words: str) -> bool:
    return any(map(str.isdigit, words))


def _said(item: Item, fact: int) -> str:
    return word_triple(item.triples[fact], item.terms)[2]


def _value(stated: Sequence[float | None], supported: Sequence[float]) -> float | None:
    """The geometric means of stated facts and of supported words, multiplied."""
    facts = geometric_mean(stated)
    words = geometric_mean(supported) if supported else 1.0
    return None if facts is None or words is None else facts * words
