"""Figures of a relation reader on held-out data, for a training's log and for choosing.

| figure | meaning |
| --- | --- |
| `names_only` | the text is only two names: the inverted triple scores lower; .5 is right |
| `same`, `two`, `inverted` | the doctor's exchanges within a fact, between facts, and in the data |
| `fewrel`, `fewrel_text`, `fewrel_near` | held-out relations: the triple turned round, the text turned round, another relation |
| `rel2text_swap`, `rel2text_real` | held-out relations: the triple turned round; people's mistakes |
| `claims_…` | operators of `adequa.perturb.claims` on held-out texts |
| `entailment` | held-out premises and hypotheses |
| `written`, `open` | held-out written groups, and a challenge set that may be looked at |

Twins give pair accuracy. `_auc` is the area under the curve, `_at5` and `_at10` the share of wrong
texts that are found when 5 or 10 % of the right ones are blamed. A text counts by its lowest fact.
"""  # noqa: E501

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from adequa.data import Item, Triple
from adequa.metrics.nli.signs import read_signs
from adequa.models import NamedText
from adequa.perturb import (
    TRUE,
    Document,
    Knowledge,
    draw,
    draw_items,
    make_cases,
    named_perturbations,
)
from adequa.readers import open_source
from adequa.stats import area_under_curve
from adequa.text import is_symmetric, label_of
from adequa.text.values import date_of, quantity_of
from adequa.training.setup import read_pairs
from research.relations.groups import RelationText, WrittenGroup, read_written
from research.relations.mixture import FAULTY, split_hypothesis
from research.relations.sources import (
    CrowdAnswer,
    read_entailments,
    read_rel2text,
    read_sentences,
)

Claim = tuple[str, tuple[Triple, ...]]
"""A text and its graph."""
Twins = tuple[Claim, Claim]
"""A right text and graph, and a wrong one."""
Read = Callable[[Sequence[NamedText]], Sequence[Sequence[float | None]]]
"""A relation reader: the logits of facts, None where it says nothing."""
Entail = Callable[[Sequence[RelationText]], Sequence[float]]
"""The same network on premises and hypotheses."""

NOTHING = 20.0
"""The logit of a text with no fact that the reader can read: as right as can be."""
_DOCTOR = ("same", "two", "inverted")
_MOST_TRIPLES = 3


class ChallengeText(NamedTuple):
    """A text of a challenge group: `faithful` or the kind of its fault, and its original."""

    group: str
    kind: str
    original: str
    claim: Claim


@dataclass(frozen=True)
class HeldOut:
    """Held-out cases by the name of their figure."""

    twins: Mapping[str, Sequence[Twins]] = field(default_factory=dict)
    labelled: Mapping[str, Sequence[tuple[Claim, int]]] = field(default_factory=dict)
    entailments: Sequence[RelationText] = ()
    challenges: Mapping[str, Sequence[ChallengeText]] = field(default_factory=dict)

    def claims(self) -> Iterator[Claim]:
        """All texts with their graphs, with repetitions."""
        for pairs in self.twins.values():
            yield from (claim for pair in pairs for claim in pair)
        for rows in self.labelled.values():
            yield from (claim for claim, _ in rows)
        for texts in self.challenges.values():
            yield from (one.claim for one in texts)

    def measure(self, read: Read, entail: Entail | None = None) -> dict[str, float]:
        """All figures of a reader."""
        claims = list(dict.fromkeys(self.claims()))
        logits = read([name_claim(*claim) for claim in claims])
        lowest = {
            claim: min((one for one in own if one is not None), default=NOTHING)
            for claim, own in zip(claims, logits, strict=True)
        }
        figures: dict[str, float] = {}
        for name, pairs in self.twins.items():
            right = np.array([lowest[claim] for claim, _ in pairs])
            wrong = np.array([lowest[claim] for _, claim in pairs])
            if len(pairs):
                figures[name] = float((right > wrong).mean() + 0.5 * (right == wrong).mean())
            if len(pairs) and name in _DOCTOR:
                figures |= _separation(name, right, wrong, 0.05)
        for name, rows in self.labelled.items():
            labels = [label for _, label in rows]
            area = area_under_curve(labels, [lowest[claim] for claim, _ in rows])
            if area is not None:
                figures[f"{name}_auc"] = area
        for name, texts in self.challenges.items():
            figures |= _challenge_figures(name, texts, lowest)
        if entail is not None and self.entailments:
            decided = [logit > 0 for logit in entail(self.entailments)]
            labels = [one.stated[0] == TRUE for one in self.entailments]
            figures["entailment"] = float(np.mean(np.equal(decided, labels)))
        return {name: round(value, 4) for name, value in figures.items()}


def name_claim(text: str, triples: tuple[Triple, ...]) -> NamedText:
    """A text and its graph, with the names that the reader is given when it is used."""
    item = Item("", triples, text)
    return NamedText(text, triples, {}, read_signs(item).names(item))


def _separation(name: str, right: Any, wrong: Any, blamed: float) -> dict[str, float]:
    """How well one threshold separates right from wrong texts."""
    area = area_under_curve([1] * len(right) + [0] * len(wrong), [*right, *wrong])
    found = float((np.asarray(wrong) < np.quantile(right, blamed)).mean())
    return {f"{name}_auc": area or 0.0, f"{name}_at{blamed * 100:.0f}": found}


def _challenge_figures(
    name: str, texts: Sequence[ChallengeText], lowest: Mapping[Claim, float]
) -> dict[str, float]:
    right = {
        (one.group, one.original): lowest[one.claim] for one in texts if one.kind == "faithful"
    }
    by_kind: dict[str, list[float]] = defaultdict(list)
    wrong = []
    for one in texts:
        if one.kind != "faithful":
            wrong.append(lowest[one.claim])
            by_kind[one.kind].append(float(wrong[-1] < right[one.group, one.original]))
    if not wrong:
        return {}
    figures = {f"{name}_{kind}": float(np.mean(own)) for kind, own in sorted(by_kind.items())}
    figures[name] = float(np.mean([one for own in by_kind.values() for one in own]))
    return figures | _separation(name, [*right.values()], wrong, 0.1)


# The held-out sets


def read_held_out(data: Path, *, count: int = 150, challenge: Path | None = None) -> HeldOut:
    """The same cases for every model; at most about `count` of a kind.

    `challenge` is a file of groups that may be looked at while a model is developed, such as
    bench/challenges/relations/open.jsonl; never give a sealed half.
    """
    chance = random.Random("held out")  # noqa: S311
    items = list(open_source(data / "webnlg2020" / "dev"))
    twins = {
        **doctor_twins(items, count),
        "names_only": names_only(draw_items(items, len(items), 0))[:count],
        **_fewrel(data / "relations", chance, count),
    }
    answers = read_rel2text(data / "relations", "dev")
    right = [
        one
        for one in answers
        if one.right and one.head != one.tail and not is_symmetric(one.relation)
    ]
    wrong = [one for one in answers if not one.right]
    twins["rel2text_swap"] = [
        (_claim(one), (one.text, (_turned(one.triple),))) for one in _some(right, chance, count)
    ]
    real = [*_some(right, chance, count), *_some(wrong, chance, count)]
    entailments = read_entailments(data / "entailment", dev=True)
    challenges = {"written": written_texts(_some(read_written(dev=True), chance, count))}
    if challenge is not None:
        challenges["open"] = read_challenge(challenge)
    return HeldOut(
        twins={**twins, **claim_twins(read_pairs(items), chance, count // 3)},
        labelled={"rel2text_real": [(_claim(one), int(one.right)) for one in real]},
        entailments=[
            RelationText(one.premise, (split_hypothesis(one.hypothesis),), (int(one.entailed),))
            for one in _some(entailments, chance, 2 * count)
        ],
        challenges=challenges,
    )


def crowd_figures(
    score: Callable[[Sequence[Item]], Sequence[float | None]], answers: Sequence[CrowdAnswer]
) -> dict[str, float]:
    """How a score judges crowd workers' sentences: exchanged arguments, and people's mistakes.

    `exchanged` is the share of right sentences that score higher with their triple than with the
    triple turned round, a tie counting half; `mistakes` the area under the curve of right answers
    against wrong ones. A text without a score counts as 0.
    """
    right = [
        one
        for one in answers
        if one.right and one.head != one.tail and not is_symmetric(one.relation)
    ]
    wrong = [one for one in answers if not one.right]
    claims = [(one.text, one.triple) for one in (*right, *wrong)]
    claims += [(one.text, _turned(one.triple)) for one in right]
    items = [Item(str(number), (triple,), text) for number, (text, triple) in enumerate(claims)]
    values = np.array([value or 0.0 for value in score(items)])
    straight, turned = values[: len(right)], values[len(right) + len(wrong) :]
    labels = [1] * len(right) + [0] * len(wrong)
    area = area_under_curve(labels, values[: len(labels)].tolist())
    exchanged = float((straight > turned).mean() + 0.5 * (straight == turned).mean())
    return {
        "sentences": len(right),
        "exchanged": round(exchanged, 4),
        "wrong answers": len(wrong),
        "mistakes": round(area or 0.0, 4),
    }


def _some(pool: Sequence[Any], chance: random.Random, count: int) -> list[Any]:
    return chance.sample(pool, min(len(pool), count))


def _claim(answer: CrowdAnswer) -> Claim:
    return answer.text, (answer.triple,)


def _turned(triple: Triple) -> Triple:
    return Triple(triple.object, triple.predicate, triple.subject)


def doctor_twins(items: Sequence[Item], count: int) -> dict[str, list[Twins]]:
    """Names exchanged in the text, within a fact or between facts, and inverted triples."""
    small = [item for item in items if len(item.triples) <= _MOST_TRIPLES]
    perturbations = named_perturbations(["swap-entities", "invert-triple"])
    found: dict[str, list[Twins]] = {name: [] for name in _DOCTOR}
    for made in make_cases(small, perturbations, count=len(small), seed=0):
        for case in made.cases:
            name = "inverted"
            if made.perturbation.name == "swap-entities":
                ends = [{one.subject, one.object} for one in case.original.triples]
                name = "same" if case.change.entities in ends else "two"
            right, wrong = case.original, case.changed
            found[name].append(((right.text, right.triples), (wrong.text, wrong.triples)))
    return {name: own[:count] for name, own in found.items()}


def names_only(items: Iterable[Item]) -> list[Twins]:
    """A text of two names and nothing else, with a triple and its inverse."""
    chance = random.Random("names only")  # noqa: S311
    found: list[Twins] = []
    for item in items:
        triple = item.triples[0]
        value = label_of(triple.object).string
        is_value = quantity_of(value) is not None or date_of(value) is not None
        if len(item.triples) > 1 or is_symmetric(triple.predicate) or is_value:
            continue
        names = [label_of(triple.subject).base, label_of(triple.object).base]
        chance.shuffle(names)
        text = f"{', '.join(names)}."
        found.append(((text, (triple,)), (text, (_turned(triple),))))
    return found


def _fewrel(folder: Path, chance: random.Random, count: int) -> dict[str, list[Twins]]:
    """Sentences of held-out relations: triple or text turned round, and another relation."""
    found: dict[str, list[Twins]] = {"fewrel": [], "fewrel_text": [], "fewrel_near": []}
    sentences = read_sentences(folder, dev=True)
    relations = sorted({one.relation for one in sentences})
    for one in _some(sentences, chance, 2 * count):
        head, tail = one.ends
        if head == tail:
            continue
        triple = Triple(head, one.relation, tail)
        right = (one.text, (triple,))
        found["fewrel"].append((right, (one.text, (_turned(triple),))))
        (start, end, first), (begin, stop, last) = sorted([(*one.head, tail), (*one.tail, head)])
        text = one.text[:start] + first + one.text[end:begin] + last + one.text[stop:]
        found["fewrel_text"].append((right, (text, (triple,))))
        other = chance.choice([name for name in relations if name != one.relation])
        found["fewrel_near"].append((right, (one.text, (Triple(head, other, tail),))))
    return found


def claim_twins(
    documents: Sequence[Document], chance: random.Random, count: int
) -> dict[str, list[Twins]]:
    """Held-out texts with a claim denied, doubted, turned or bounded."""
    knowledge = Knowledge.of(documents)
    found: dict[str, list[Twins]] = {f"claims_{kind}": [] for kind in FAULTY}
    for document in chance.sample(documents, len(documents)):
        if len(document.triples) > _MOST_TRIPLES:
            continue
        if all(len(own) >= count for own in found.values()):
            break
        kind = chance.choice(list(FAULTY))
        change = draw(FAULTY[kind][0], document, knowledge, chance)
        if change is not None and len(found[f"claims_{kind}"]) < count:
            changed = change.apply(document.item)
            right = (document.text, document.triples)
            found[f"claims_{kind}"].append((right, (changed.text, changed.triples)))
    return found


def written_texts(groups: Iterable[WrittenGroup]) -> list[ChallengeText]:
    """The texts of written groups."""
    found = []
    for number, group in enumerate(groups):
        found += [
            ChallengeText(str(number), "faithful", str(place), (text, group.triples))
            for place, text in enumerate(group.faithful)
        ]
        found += [
            ChallengeText(str(number), one.kind, str(one.original), (one.text, group.triples))
            for one in group.wrong
        ]
    return found


def read_challenge(path: Path) -> list[ChallengeText]:
    """The texts of a challenge file of `bench`: faithful ones by style, wrong ones by kind."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        raw = json.loads(line)
        triples = tuple(Triple(*map(str, one)) for one in raw["triples"])
        rows = [("faithful", one["style"], one["text"]) for one in raw["faithful"]]
        rows += [(one["kind"], one["of"], one["text"]) for one in raw["wrong"]]
        found += [
            ChallengeText(str(number), kind, str(original), (text, triples))
            for kind, original, text in rows
        ]
    return found
