"""A detector against gold mentions, as in the paper's section 4.2, and the same for entities.

A mention is right if the gold has one of the same entity with the same letters in that text, each
gold mention used once (a multiset). Letters and digits are compared, case-folded and without
accents. The lenient figure allows a normalised edit distance of 0.2 between them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from rapidfuzz.distance import Levenshtein

from adequa.data import Item, Mention
from adequa.entities.judgment import JudgmentSettings, find_mentions
from adequa.errors import DataError
from adequa.fields import grouped
from adequa.files import dump_line, replacing, write_errors

LENIENT_DISTANCE = 0.2
"""The paper's (section 4.2)."""


class NamedSpan(NamedTuple):
    """An entity and the words that mention it; `kind` is the gold's type of mention."""

    entity: str
    text: str
    kind: str = ""


def mention_key(string: str) -> str:
    """The letters that are compared.

    >>> mention_key("the São-Paulo's ")
    'thesaopaulos'
    """
    plain = unicodedata.normalize("NFKD", string.casefold())
    return "".join(filter(str.isalnum, plain))


@dataclass
class MentionCounts:
    """Counts of right, found and gold mentions."""

    right_found: int = 0
    found: int = 0
    right_gold: int = 0
    gold: int = 0

    @property
    def precision(self) -> float | None:
        """The share of found mentions that are right; None if nothing was found."""
        return self.right_found / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """The share of gold mentions that were found; None if there are none."""
        return self.right_gold / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """Their harmonic mean."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def add(self, right: int, found: int, gold: int) -> None:
        """Add the counts of one text or entity."""
        self.right_found += right
        self.right_gold += right
        self.found += found
        self.gold += gold

    def figures(self) -> dict[str, float | None]:
        """The figures for JSON."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass
class MentionAgreement:
    """The figures over a corpus."""

    exact: MentionCounts = field(default_factory=MentionCounts)
    lenient: MentionCounts = field(default_factory=MentionCounts)
    entities: MentionCounts = field(default_factory=MentionCounts)
    by_type: dict[str, MentionCounts] = field(default_factory=lambda: defaultdict(MentionCounts))
    texts: int = 0
    not_annotated: int = 0
    """Texts without gold mentions, which count in no other figure."""

    def figures(self) -> dict[str, object]:
        """The JSON output of `adequa mentions`."""
        return {
            "exact": self.exact.figures(),
            "lenient": self.lenient.figures(),
            "entities": self.entities.figures(),
            "by_type": {
                kind: {"recall": counts.recall, "gold": counts.gold}
                for kind, counts in sorted(self.by_type.items())
            },
            "texts": self.texts,
            "not_annotated": self.not_annotated,
            "mentions": {"gold": self.exact.gold, "found": self.exact.found},
        }


def agree(pairs: Iterable[tuple[Sequence[NamedSpan], Sequence[NamedSpan]]]) -> MentionAgreement:
    """The figures over texts, each given as found and gold spans."""
    agreement = MentionAgreement()
    for found, gold in pairs:
        if gold:
            _add(agreement, found, gold)
        else:
            agreement.not_annotated += 1
    return agreement


def _add(
    agreement: MentionAgreement, found: Sequence[NamedSpan], gold: Sequence[NamedSpan]
) -> None:
    agreement.texts += 1
    found_by, gold_by = _by_entity(found), _by_entity(gold)
    agreement.entities.add(len(found_by.keys() & gold_by.keys()), len(found_by), len(gold_by))
    exact = lenient = 0
    for entity, wanted in gold_by.items():
        right = wanted & found_by.get(entity, Counter())
        exact += right.total()
        lenient += right.total() + _near(found_by.get(entity, Counter()) - right, wanted - right)
    sizes = sum(map(Counter.total, found_by.values())), sum(map(Counter.total, gold_by.values()))
    agreement.exact.add(exact, *sizes)
    agreement.lenient.add(lenient, *sizes)
    left = {entity: Counter(keys) for entity, keys in found_by.items()}
    for span in gold:
        counts = agreement.by_type[span.kind or "all"]
        key = mention_key(span.text)
        counts.gold += 1
        if left.get(span.entity, Counter())[key]:
            left[span.entity][key] -= 1
            counts.right_gold += 1


def _by_entity(spans: Sequence[NamedSpan]) -> Mapping[str, Counter[str]]:
    own = grouped(spans, lambda span: span.entity)
    return {one: Counter(mention_key(span.text) for span in some) for one, some in own.items()}


def _near(found: Counter[str], gold: Counter[str]) -> int:
    """The number of pairs within the lenient distance, the nearest first."""
    pairs = sorted(
        (distance, mine, theirs)
        for mine in found
        for theirs in gold
        if (distance := Levenshtein.normalized_distance(mine, theirs)) <= LENIENT_DISTANCE
    )
    right = 0
    for _, mine, theirs in pairs:
        both = min(found[mine], gold[theirs])
        right += both
        found[mine] -= both
        gold[theirs] -= both
    return right


Detect: TypeAlias = Callable[[Item], Sequence[Mention]]

_EXAMPLES = 3
_NEAR = 0.6
"""Mentions of one entity within this distance differ in their boundaries only. It sorts the list of
disagreements and affects no figure."""
_WORD = re.compile(r"'s\b|[^\W_]+")


class Prediction(NamedTuple):
    """The mentions that a detector found in one item's text."""

    item: Item
    mentions: tuple[Mention, ...]

    @property
    def spans(self) -> list[NamedSpan]:
        """The mentions as their words."""
        text = self.item.text
        return [NamedSpan(one.entity, text[one.start : one.end]) for one in self.mentions]


class MentionEvaluation(NamedTuple):
    """The figures, and one prediction per text in the order of the items."""

    agreement: MentionAgreement
    predictions: list[Prediction]


class Disagreement(NamedTuple):
    """A kind of difference between detector and gold, its frequency and examples."""

    kind: str
    times: int
    examples: tuple[str, ...]


def mention_detector(
    detector: Literal["adequa", "paper"] = "adequa",
    mode: Literal["mentions", "adequacy"] = "mentions",
    threshold: float | None = None,
    *,
    aliases: Path | None = None,
    linker: str | None = None,
    coreference: Literal["none", "stanza", "adequa"] = "none",
) -> Detect:
    """A detector by name; with threshold None, the detector's default is used.

    The paper's detector has no modes. `aliases`, `linker` and `coreference` are the settings of
    `esa`: Algorithm 1 with all three is the whole detector of the paper's section 4.1.
    """
    settings = JudgmentSettings(
        detector=detector,
        mode=mode if detector == "adequa" else "adequacy",
        threshold=threshold,
        aliases=aliases,
        linker=linker,
        coreference=coreference,
    )
    settings.require_resources()
    return lambda item: find_mentions(item, settings)


def gold_spans(item: Item) -> list[NamedSpan]:
    """The annotated mentions of an item, including those without a place in the text."""
    try:
        return [
            NamedSpan(one["entity"] or "", one["text"], one["type"] or "")
            for one in item.meta["mentions"]
        ]
    except (KeyError, TypeError):
        remedy = "give the enriched WebNLG corpus, or items made of it by adequa convert"
        raise DataError(f"the item {item.id!r} has no gold mentions", remedy=remedy) from None


def evaluate_mentions(
    items: Iterable[Item], detect: Detect, progress: Callable[[int], None] = lambda _done: None
) -> MentionEvaluation:
    """Compare a detector with gold mentions; `progress` gets the number of texts done."""
    predictions: list[Prediction] = []

    def pairs() -> Iterator[tuple[list[NamedSpan], list[NamedSpan]]]:
        for item in items:
            gold = gold_spans(item)  # first, so that a corpus without gold is reported at once
            prediction = Prediction(item, tuple(detect(item)))
            predictions.append(prediction)
            yield prediction.spans, gold
            progress(len(predictions))

    agreement = agree(pairs())
    if not agreement.exact.gold:
        remedy = "give the enriched WebNLG corpus, with its <references>"
        raise DataError("there are no gold mentions to compare with", remedy=remedy)
    return MentionEvaluation(agreement, predictions)


def write_predictions(predictions: Iterable[Prediction], path: Path) -> None:
    """Write one line per text; the file appears whole or not at all."""
    with write_errors(path), replacing(path) as stream:
        for prediction in predictions:
            stream.write(_line(prediction))


def _line(prediction: Prediction) -> bytes:
    mentions = [
        {"entity": span.entity, "text": span.text, "start": one.start, "end": one.end}
        for span, one in zip(prediction.spans, prediction.mentions, strict=True)
    ]
    try:
        return dump_line({"id": prediction.item.id, "mentions": mentions}).encode()
    except UnicodeEncodeError:
        named = f"the item {prediction.item.id!r}"
        problem = f"{named} has half of a surrogate pair, which no file can hold"
        raise DataError(problem, remedy="repair the text's encoding") from None


def find_disagreements(predictions: Iterable[Prediction], most: int) -> list[Disagreement]:
    """The most frequent differences between found and gold mentions, with examples.

    *missed*: gold that was not found; *extra*: found but not gold; *boundary*: found with other
    words than the gold.
    """
    counts: Counter[str] = Counter()
    examples: dict[str, list[str]] = defaultdict(list)
    for prediction in predictions:
        for kind, example in _differences(prediction):
            counts[kind] += 1
            if len(examples[kind]) < _EXAMPLES:
                examples[kind].append(f"{prediction.item.id}: {example}")
    return [
        Disagreement(kind, times, tuple(examples[kind]))
        for kind, times in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    ]


def _differences(prediction: Prediction) -> Iterator[tuple[str, str]]:
    found = [
        span._replace(kind=mention.method)
        for span, mention in zip(prediction.spans, prediction.mentions, strict=True)
    ]
    gold = gold_spans(prediction.item)
    missed, extra = _without(gold, found), _without(found, gold)
    for span in missed:
        nearest = _nearest(span, extra)
        if nearest is None:
            role = _role(span.entity, prediction.item)
            yield f"missed: {span.kind or 'mention'}, {role}", f"{span.entity} as {span.text!r}"
        else:
            extra.remove(nearest)
            example = f"{span.entity} as {nearest.text!r} for {span.text!r}"
            yield f"boundary: {_boundary(span, nearest)}", example
    for span in extra:
        yield f"extra: {span.kind}", f"{span.entity} as {span.text!r}"


def _without(spans: Sequence[NamedSpan], others: Sequence[NamedSpan]) -> list[NamedSpan]:
    """The spans without a partner among the others, each of which is used once."""
    left = Counter((other.entity, mention_key(other.text)) for other in others)
    alone = []
    for span in spans:
        key = (span.entity, mention_key(span.text))
        if left[key]:
            left[key] -= 1
        else:
            alone.append(span)
    return alone


def _nearest(span: NamedSpan, others: Sequence[NamedSpan]) -> NamedSpan | None:
    key = mention_key(span.text)
    distances = []
    for other in others:
        if other.entity == span.entity:
            words = mention_key(other.text)
            distance = Levenshtein.normalized_distance(key, words)
            if distance <= _NEAR or (words and words in key) or (key and key in words):
                distances.append((distance, other))
    return min(distances)[1] if distances else None


def _boundary(gold: NamedSpan, found: NamedSpan) -> str:
    wanted, have = _words(gold.text), _words(found.text)
    name = _words(gold.entity)
    parts = []
    for verb, words in (("lacks", wanted - have), ("adds", have - wanted)):
        shown = sorted({"words of the name" if word in name else word for word in words})
        if shown:
            parts.append(f"{verb} {' '.join(shown) if len(shown) < 3 else 'several words'}")
    return ", ".join(parts) or "other spelling"


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.replace("_", " ").casefold()))


def _role(entity: str, item: Item) -> str:
    for triple in item.triples:
        if triple.object == entity:
            return f"object of {triple.predicate}"
    return "subject" if any(triple.subject == entity for triple in item.triples) else "not in data"
