"""The mixture that the relation reader learns from: group `i` is always the same.

Half of the groups are composed of our own phrases or written by hand; the others come from
WebNLG, Rel2Text, FewRel, Re-DocRED and entailment corpora.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from adequa.data import Item, Mention, Triple
from adequa.metrics.nli.signs import read_signs
from adequa.perturb import (
    FALSE,
    TRUE,
    Document,
    Knowledge,
    LabelledDocument,
    Operator,
    draw,
    read_marks,
)
from adequa.perturb.claims import (
    affirm,
    bound_number,
    count_exactly,
    deny,
    doubt,
    restrict,
    state_opposite,
    stress,
)
from adequa.perturb.documents import words
from adequa.readers import open_source
from adequa.text import is_symmetric, split_sentences
from adequa.training.setup import read_pairs, validate_mixture
from research.recipe.composer import Composer
from research.relations.groups import (
    QUAD,
    Group,
    Name,
    RelationText,
    WrittenGroup,
    draw_unstated,
    fill,
    first_names,
    locate,
    make_quad,
    read_written,
    shift_names,
)
from research.relations.lexicon import Lexicon, Synonyms, inverse_names, read_lexicon, read_synonyms
from research.relations.scenes import SceneMaker
from research.relations.sources import (
    CrowdAnswer,
    Entailment,
    Paragraph,
    ParagraphFact,
    RelationSentence,
    by_relation,
    read_entailments,
    read_paragraphs,
    read_rel2text,
    read_sentences,
    relation_names,
)

SHARES: Mapping[str, float] = {
    "written": 0.45, "made": 0.15, "entailment": 0.02, "rel2text_swap": 0.04,
    "rel2text_several": 0.02, "rel2text_near": 0.05, "rel2text_real": 0.06, "fewrel_swap": 0.06,
    "fewrel_near": 0.02, "paragraph": 0.02, "paragraph_swap": 0.03, "webnlg_facts": 0.06,
    "webnlg_swap": 0.01, "claims": 0.01, "composed": 0.0, "latest": 0.0,
    "webnlg_reworded": 0.0,
}  # fmt: skip
"""How often each kind of group is drawn. More groups written by hand reached the same figures on
held-out data in half the time; the other shares and the probabilities below were set by hand, with
no record of the data they were chosen on."""


LATER_SHARES: Mapping[str, float] = {
    **SHARES, "made": 0.12, "entailment": 0.01, "rel2text_swap": 0.07, "rel2text_real": 0.05,
    "paragraph_swap": 0.02, "webnlg_facts": 0.10,
}  # fmt: skip
"""The shares of the last stages: more of WebNLG's facts and of Rel2Text, whose held-out facts were
flagged too often."""


WIDE_SHARES: Mapping[str, float] = {
    "written": 0.38, "made": 0.08, "entailment": 0.01, "rel2text_swap": 0.09,
    "rel2text_several": 0.02, "rel2text_near": 0.06, "rel2text_real": 0.05, "fewrel_swap": 0.05,
    "fewrel_near": 0.02, "paragraph": 0.02, "paragraph_swap": 0.02, "webnlg_facts": 0.12,
    "webnlg_swap": 0.01, "claims": 0.01, "composed": 0.06,
}  # fmt: skip
"""The shares from stage 7 on: attributes in our own phrases, which had been flagged too often, and
more of the sentences that crowd workers wrote for one fact."""


QUALITY_SHARES: Mapping[str, float] = {
    **WIDE_SHARES, "written": 0.36, "made": 0.06, "rel2text_swap": 0.07, "rel2text_near": 0.05,
    "webnlg_facts": 0.09, "composed": 0.18,
}  # fmt: skip
"""The shares of stage 10, in which the reader learned to read qualities that a text does not
name."""


SINGLE_SHARES: Mapping[str, float] = {
    "latest": 0.20, "written": 0.25, "made": 0.04, "entailment": 0.01, "rel2text_swap": 0.08,
    "rel2text_several": 0.01, "rel2text_near": 0.06, "rel2text_real": 0.08, "fewrel_swap": 0.04,
    "fewrel_near": 0.02, "paragraph": 0.01, "paragraph_swap": 0.02, "webnlg_facts": 0.10,
    "webnlg_swap": 0.01, "claims": 0.01, "composed": 0.06,
}  # fmt: skip
"""The shares of stage 11: single facts as crowd workers write them, and what was found least."""
CROWD_SHARES: Mapping[str, float] = {
    "latest": 0.10, "written": 0.30, "made": 0.04, "entailment": 0.01, "rel2text_swap": 0.13,
    "rel2text_several": 0.02, "rel2text_near": 0.09, "rel2text_real": 0.10, "fewrel_swap": 0.05,
    "fewrel_near": 0.02, "paragraph": 0.01, "paragraph_swap": 0.02, "webnlg_facts": 0.06,
    "webnlg_swap": 0.01, "claims": 0.01, "composed": 0.03,
}  # fmt: skip
"""The shares of stage 12: a third of the groups from sentences of crowd workers, whose exchanged
ends and mistakes were missed most."""
REWORDED_SHARES: Mapping[str, float] = {
    "latest": 0.16, "written": 0.22, "made": 0.04, "entailment": 0.01, "rel2text_swap": 0.07,
    "rel2text_several": 0.01, "rel2text_near": 0.05, "rel2text_real": 0.04, "fewrel_swap": 0.03,
    "fewrel_near": 0.01, "paragraph": 0.01, "paragraph_swap": 0.02, "webnlg_facts": 0.09,
    "webnlg_reworded": 0.12, "webnlg_swap": 0.02, "claims": 0.01, "composed": 0.09,
}  # fmt: skip
"""The shares of stage 13: facts of WebNLG, half of them with other names of their relations, and
attributes."""
CONVERSE_SHARES: Mapping[str, float] = {
    **REWORDED_SHARES, "latest": 0.24, "written": 0.19, "rel2text_swap": 0.08, "webnlg_facts": 0.07,
    "webnlg_reworded": 0.10, "composed": 0.06, "fewrel_swap": 0.04,
}  # fmt: skip
"""The shares of stage 14: converse relations (what came before is followed by what came after), in
which the reader knew one direction only."""
DEEP_SHARES: Mapping[str, float] = {
    "written": 0.34, "latest": 0.0, "made": 0.05, "entailment": 0.02, "rel2text_swap": 0.09,
    "rel2text_several": 0.02, "rel2text_near": 0.07, "rel2text_real": 0.07, "fewrel_swap": 0.05,
    "fewrel_near": 0.03, "paragraph": 0.02, "paragraph_swap": 0.02, "webnlg_facts": 0.08,
    "webnlg_reworded": 0.05, "webnlg_swap": 0.02, "claims": 0.01, "composed": 0.07,
}  # fmt: skip
"""The shares of the reader of twelve layers: all kinds, none of them in excess."""
GROUP_SHARES: Mapping[str, float] = {
    **DEEP_SHARES, "written": 0.42, "made": 0.03, "fewrel_near": 0.02, "webnlg_facts": 0.06,
    "webnlg_reworded": 0.04, "composed": 0.04,
}  # fmt: skip
"""The shares of stage 16: more of the groups written by hand, of which there were half as many
again."""
CLAIM_SHARES: Mapping[str, float] = {
    **GROUP_SHARES, "written": 0.44, "made": 0.02, "rel2text_near": 0.06, "fewrel_swap": 0.04,
    "webnlg_facts": 0.05, "composed": 0.03, "claims": 0.04,
}  # fmt: skip
"""The shares of stage 17: more changed claims, since restrictions ("only", "in part") are among
them."""
LATE_SHARES: Mapping[str, float] = {
    **CLAIM_SHARES, "latest": 0.20, "written": 0.25, "rel2text_swap": 0.08,
}  # fmt: skip
"""The shares of stage 18: a fifth of the groups that were written last."""
CROWD_LATE_SHARES: Mapping[str, float] = {
    **CLAIM_SHARES, "latest": 0.12, "written": 0.28, "rel2text_swap": 0.10, "rel2text_real": 0.09,
    "rel2text_near": 0.07,
}  # fmt: skip
"""The shares of stage 19: single facts of rare relations, of which Rel2Text's test has more than
any other data."""
LAST_SHARES: Mapping[str, float] = {
    kind: share / 1.07
    for kind, share in {**CROWD_LATE_SHARES, "latest": 0.25, "written": 0.22}.items()
}
"""The shares of stage 20: nearly a quarter of the groups that were written last."""
PERMISSIVE_SHARES: Mapping[str, float] = {
    **WIDE_SHARES, "written": 0.46, "made": 0.10, "entailment": 0.02, "rel2text_real": 0.06,
    "fewrel_swap": 0.06, "fewrel_near": 0.03, "paragraph_swap": 0.03, "webnlg_facts": 0.02,
    "webnlg_swap": 0.01, "composed": 0.07,
}  # fmt: skip
"""The shares of a reader that may be used commercially: written groups in place of WebNLG."""
LATEST = 300
"""The groups written last, which the kind `latest` draws from unless a stage says otherwise."""


class Stage(NamedTuple):
    """One stage of the training of the reader; each starts from the one before."""

    steps: int
    seed: int
    last_written: str
    """The last file of written groups there was."""
    shares: Mapping[str, float] = SHARES
    fall: float = 0.0
    grow: int = 0
    """The steps over which added layers take effect."""
    bf16: bool = False
    latest: int = LATEST


STAGES = (
    Stage(
        552,
        11,
        "j",
        {
            "written": 0.25, "made": 0.22, "entailment": 0.03, "rel2text_swap": 0.04,
            "rel2text_several": 0.03, "rel2text_near": 0.06, "rel2text_real": 0.06,
            "fewrel_swap": 0.06, "fewrel_near": 0.03, "paragraph": 0.04, "paragraph_swap": 0.04,
            "webnlg_facts": 0.08, "webnlg_swap": 0.03, "claims": 0.03,
        },
    ),
    Stage(
        827,
        12,
        "m",
        {
            "written": 0.40, "made": 0.17, "entailment": 0.02, "rel2text_swap": 0.04,
            "rel2text_several": 0.02, "rel2text_near": 0.05, "rel2text_real": 0.06,
            "fewrel_swap": 0.06, "fewrel_near": 0.02, "paragraph": 0.03, "paragraph_swap": 0.03,
            "webnlg_facts": 0.06, "webnlg_swap": 0.02, "claims": 0.02,
        },
    ),
    Stage(1150, 13, "o", fall=0.4),
    Stage(
        642,
        14,
        "o",
        {
            **SHARES, "written": 0.40, "made": 0.13, "webnlg_facts": 0.13, "webnlg_swap": 0.02,
            "rel2text_swap": 0.05, "fewrel_swap": 0.05, "claims": 0.02,
        },
    ),
    Stage(605, 15, "r", LATER_SHARES),
    Stage(940, 16, "w", {**LATER_SHARES, "made": 0.10, "rel2text_swap": 0.08, "webnlg_facts": 0.12},
          fall=0.6),
    Stage(600, 17, "w", WIDE_SHARES),
    Stage(115, 18, "z", WIDE_SHARES),
    Stage(950, 19, "zc", WIDE_SHARES, fall=0.6),
    Stage(800, 20, "zc", QUALITY_SHARES, fall=0.7),
    Stage(600, 22, "ze", SINGLE_SHARES, fall=0.8),
    Stage(720, 23, "ze", CROWD_SHARES, fall=0.7),
    Stage(80, 24, "zf", REWORDED_SHARES),
    Stage(360, 25, "zg", CONVERSE_SHARES, fall=0.7),
    Stage(4400, 21, "zg", DEEP_SHARES, fall=0.4, grow=400, bf16=True),
    Stage(1987, 26, "zv", GROUP_SHARES, bf16=True),
    Stage(2900, 27, "zzb", CLAIM_SHARES, fall=0.6, bf16=True),
    Stage(1250, 28, "zzh", LATE_SHARES, fall=0.8, bf16=True, latest=830),
    Stage(1900, 29, "zzj", CROWD_LATE_SHARES, bf16=True, latest=249),
    Stage(1750, 30, "zzn", LAST_SHARES, fall=0.8, bf16=True, latest=1451),
)  # fmt: skip
"""The stages as run. After the second, sixteen wrong texts of m.jsonl were corrected. The fourth
began with the exported weights of the third (`restore`), and was run before relations that are
nouns were written as whose they are. The seventh began with the exported weights of the sixth, and
the eleventh with those of the tenth; the tenth was ended four steps early, to save the time of its
figures. The mean of the weights before and after the eleventh is the reader of six layers. The next
three do not ship (docs/training.md says why): the twelfth and the thirteenth began with that
reader, the fourteenth with the thirteenth; the twelfth was ended two steps early. The fifteenth
began with the exported weights of the reader of six layers, grown to twelve (`grow`), and the
sixteenth with those of the fifteenth. The sixteenth was ended there because new groups had been
written. The eighteenth, which was run on two cores, ships."""
FAULTY: Mapping[str, tuple[Operator, float]] = {
    "deny": (deny, 0.3),
    "doubt": (doubt, 0.3),
    "opposite": (state_opposite, 0.3),
    "bound": (bound_number, 0.1),
    "restrict": (restrict, 0.5),
}
"""Operators on running text that make a fact wrong, and their weights."""
FAITHFUL: Mapping[str, tuple[Operator, float]] = {
    "affirm": (affirm, 0.8),
    "count": (count_exactly, 0.2),
    "stress": (stress, 0.5),
}
"""Operators that add words of the same kinds and make nothing wrong."""
_TRIES = 6
_MOST_TRIPLES = 4
_LONGEST_WINDOW = 650
"""Letters of a paragraph's sentences that are read together."""
_MOST_FILLERS = 4000
_SAME_ORDER = frozenset({"part of", "member of", "follows", "replaces"})
"""Relations that often hold between the same two things, so that none is a near miss of another."""
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|could|does|did|do|may|might|must|should|would|"
    r"cannot|isn't|aren't|wasn't|weren't|didn't|doesn't|don't|can't|won't)\b"
    r"(?: (?:not|never|no longer))?(?: (?:being|been|be) )?(?: \w+ing\b)?",
    re.IGNORECASE,
)


def split_hypothesis(hypothesis: str, *, split: bool = True) -> Triple:
    """A hypothesis as a triple: parted at its first verb, or all of it as the subject.

    >>> split_hypothesis("Two dogs are not running in a park.")
    Triple(subject='Two dogs', predicate='are not running', object='in a park')
    """
    whole = hypothesis.rstrip(" .")
    verb = _VERB.search(whole) if split else None
    if verb is None or not whole[: verb.start()].strip() or not whole[verb.end() :].strip():
        return Triple(whole, "", "")
    return Triple(whole[: verb.start()].strip(), verb[0].strip(), whole[verb.end() :].strip())


def write_name(relation: str, chance: random.Random) -> str:
    """The name of a relation in words, and sometimes in snake case or camel case."""
    first, *rest = relation.split()
    lot = chance.random()
    if not rest or lot >= 0.2:
        return relation
    return "_".join([first, *rest]) if lot < 0.12 else first + "".join(map(str.capitalize, rest))


class Window(NamedTuple):
    """One to three sentences of a paragraph, the entities they name, and the facts they state."""

    paragraph: Paragraph
    text: str
    places: Mapping[int, list[Name]]
    facts: list[ParagraphFact]

    def name(self, entity: int) -> str:
        """The name of an entity."""
        return self.paragraph.entities[entity].name

    def kind(self, entity: int) -> str:
        """The type of an entity."""
        return self.paragraph.entities[entity].kind

    def triple(self, head: int, relation: str, tail: int) -> Triple:
        """A triple of two entities by their names."""
        return Triple(self.name(head), relation, self.name(tail))

    @property
    def names(self) -> tuple[Name, ...]:
        """All names, in order."""
        return first_names(name for own in self.places.values() for name in own)

    @property
    def known(self) -> set[tuple[int, str, int]]:
        """All facts of the paragraph, whether or not these sentences state them."""
        return {(one.head, one.relation, one.tail) for one in self.paragraph.facts}


@dataclass(frozen=True)
class Mixture:
    """All corpora, and the groups that are drawn from them."""

    documents: Sequence[Document]
    answers: Sequence[CrowdAnswer]
    sentences: Sequence[RelationSentence]
    paragraphs: Sequence[Paragraph]
    entailments: Sequence[Entailment]
    written: Sequence[WrittenGroup]
    lexicon: Lexicon
    names: Sequence[str]
    """Names of relations that running text may be asked about."""
    scenes: SceneMaker
    seed: int = 0
    shares: Mapping[str, float] = field(default_factory=lambda: SHARES)
    latest: int = LATEST
    """How many of the groups written last the kind `latest` draws from."""

    def group(self, number: int) -> Group:
        """The group of a number."""
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311
        while True:
            kind = chance.choices(list(self.shares), list(self.shares.values()))[0]
            for _ in range(_TRIES):
                made = self.makers[kind](chance)
                if made is not None:
                    return made

    @cached_property
    def makers(self) -> Mapping[str, Callable[[random.Random], Group | None]]:
        """By kind: a function that draws a group, or None where the draw does not allow one."""
        return {
            "written": lambda chance: chance.choice(self.written).draw(chance),
            "latest": lambda chance: chance.choice(self.written[-self.latest :]).draw(chance),
            "made": self.scenes.make,
            "entailment": self._entailment,
            "rel2text_swap": self._rel2text_swap,
            "rel2text_several": self._rel2text_several,
            "rel2text_near": self._rel2text_near,
            "rel2text_real": self._rel2text_real,
            "fewrel_swap": self._fewrel_swap,
            "fewrel_near": self._fewrel_near,
            "paragraph": self._paragraph,
            "paragraph_swap": self._paragraph_swap,
            "webnlg_facts": self._webnlg_facts,
            "webnlg_reworded": self._webnlg_reworded,
            "webnlg_swap": self._webnlg_swap,
            "claims": self._claims,
            "composed": self._composed,
        }

    def _near(self, relation: str) -> Sequence[str]:
        return self.lexicon[relation].near if relation in self.lexicon else ()

    # Premise and hypothesis

    def _entailment(self, chance: random.Random) -> Group:
        one = chance.choice(self.entailments)
        fact = split_hypothesis(one.hypothesis, split=chance.random() < 0.7)
        text = RelationText(one.premise, (fact,), (TRUE if one.entailed else FALSE,))
        return Group(f"entailment_{one.corpus}", (text,), hidden=False)

    # Sentences for one triple, by crowd workers

    @cached_property
    def _right(self) -> list[CrowdAnswer]:
        return [one for one in self.answers if one.right and one.wording and _has_ends(one)]

    @cached_property
    def _wrong(self) -> list[CrowdAnswer]:
        return [one for one in self.answers if not one.right and _has_ends(one)]

    @cached_property
    def _of(self) -> dict[str, list[CrowdAnswer]]:
        return by_relation(self._right)

    def _ends(self, answer: CrowdAnswer, chance: random.Random) -> tuple[str, str]:
        """The two names of an answer, or others: of its relation, or of any."""
        lot = chance.random()
        if lot < 0.4:
            return answer.head, answer.tail
        if lot < 0.6:
            other = chance.choice(self._of[answer.relation])
            straight = chance.random() < 0.7
            return (other.head, other.tail) if straight else (other.tail, other.head)
        one, two = chance.choice(self._right), chance.choice(self._right)
        head = chance.choice((answer.head, one.head, one.tail))
        return head, chance.choice((answer.tail, two.head, two.tail))

    def _rel2text_swap(self, chance: random.Random) -> Group | None:
        """Head and tail of a sentence exchanged."""
        answer = chance.choice(self._right)
        head, tail = self._ends(answer, chance)
        if is_symmetric(answer.relation) or head.lower() == tail.lower():
            return None
        text, names = fill(answer.wording, {"s": head, "o": tail})
        fact = _either_way(head, answer.relation, tail, chance, inverted=0.4)
        called = {head: head, tail: tail}
        return make_quad("rel2text_swap", text, names, [fact], called, [True])

    def _rel2text_several(self, chance: random.Random) -> Group | None:
        """Two or three sentences of one relation or of near ones, with names exchanged."""
        first = chance.choice(self._right)
        others: Sequence[CrowdAnswer] = self._of[first.relation]
        if len(others) <= 2 or chance.random() >= 0.7:
            near = (name for name in self._near(first.relation)[:12] if name in self._of)
            others = [one for name in near for one in self._of[name]]
        if not others:
            return None
        text, triples = "", []
        names: tuple[Name, ...] = ()
        for one in [first, *chance.choices(others, k=chance.choice((1, 1, 2)))]:
            said, places = fill(one.wording, {"s": one.head, "o": one.tail})
            start = len(text) + bool(text)
            text += " " * bool(text) + (said if said.endswith((".", "!")) else f"{said}.")
            names += shift_names(places, start)
            triples.append(Triple(one.head, write_name(one.relation, chance), one.tail))
        ends = [end.lower() for one in triples for end in (one.subject, one.object)]
        if len({*ends}) != len(ends):
            return None
        left, right = chance.sample(triples, 2)
        objects, subjects = (left.object, right.object), (left.subject, right.subject)
        across = (left.subject, right.object)
        pair = chance.choices([objects, subjects, across], (0.51, 0.34, 0.15))[0]
        return make_quad("rel2text_several", text, names, triples, {end: end for end in pair})

    def _rel2text_near(self, chance: random.Random) -> Group | None:
        """Two relations between the same names: each sentence states its own."""
        answer = chance.choice(self._right)
        near = [
            name
            for name in self._near(answer.relation)
            if name in self.lexicon and self.lexicon[name].wordings
        ]
        if not near:
            return None
        other = chance.choice(near[:15] if chance.random() < 0.6 else near)
        head, tail = self._ends(answer, chance)
        if head.lower() == tail.lower():
            return None
        wordings = (answer.wording, chance.choice(self.lexicon[other].wordings))
        facts = [Triple(head, write_name(name, chance), tail) for name in (answer.relation, other)]
        texts = []
        for number, wording in enumerate(wordings):
            text, names = fill(wording, {"s": head, "o": tail})
            texts += [
                RelationText(text, (fact,), (TRUE if side == number else FALSE,), names)
                for side, fact in enumerate(facts)
            ]
        above = tuple(((one, 0), (two, 0)) for one, two in QUAD)
        return Group("rel2text_near", tuple(texts), above)

    def _rel2text_real(self, chance: random.Random) -> Group:
        """A person's mistake, beside a right sentence for the same relation."""
        wrong = chance.choice(self._wrong)
        texts = [RelationText(wrong.text, (wrong.triple,), (FALSE,))]
        right = self._of.get(wrong.relation, [])
        if not right:
            return Group("rel2text_real", tuple(texts))
        same = [one for one in right if (one.head, one.tail) == (wrong.head, wrong.tail)]
        one = chance.choice(same or right)
        texts.append(RelationText(one.text, (one.triple,), (TRUE,)))
        return Group("rel2text_real", tuple(texts), (((1, 0), (0, 0)),))

    # Running text

    def _fewrel_swap(self, chance: random.Random) -> Group | None:
        """Head and tail of a sentence of running text exchanged."""
        one = chance.choice(self.sentences)
        head, tail = one.ends
        repeated = one.text.count(head) > 1 or one.text.count(tail) > 1
        if is_symmetric(one.relation) or head.lower() == tail.lower() or repeated:
            return None
        names = ((*one.head, head), (*one.tail, tail))
        fact = _either_way(head, one.relation, tail, chance, inverted=0.3)
        called = {head: head, tail: tail}
        return make_quad("fewrel_swap", one.text, names, [fact], called, [True])

    def _fewrel_near(self, chance: random.Random) -> Group | None:
        """A sentence with its own relation and with another between the same names."""
        one = chance.choice(self.sentences)
        head, tail = one.ends
        near = self._near(one.relation)
        use_near = near and chance.random() < 0.7
        other = chance.choice(near[:20] if use_near else self.names)
        if other in {one.relation, *inverse_names(one.relation)}:
            return None
        if {other, one.relation} <= _SAME_ORDER:
            return None
        names = first_names([(*one.head, head), (*one.tail, tail)])
        texts = (
            RelationText(one.text, (Triple(head, one.relation, tail),), (TRUE,), names),
            RelationText(one.text, (Triple(head, other, tail),), (FALSE,), names),
        )
        return Group("fewrel_near", texts, (((0, 0), (1, 0)),))

    def _window(self, chance: random.Random) -> Window | None:
        """A window of a paragraph that states a fact between two names in it."""
        paragraph = chance.choice(self.paragraphs)
        size = chance.choice((1, 2, 2, 3))
        first = chance.randrange(max(1, len(paragraph.sentences) - size + 1))
        starts: dict[int, int] = {}
        text = ""
        for number, sentence in enumerate(paragraph.sentences[first : first + size], first):
            starts[number] = len(text) + bool(text)
            text = f"{text} {sentence}" if text else sentence
        if len(text) > _LONGEST_WINDOW:
            return None
        places: dict[int, list[Name]] = defaultdict(list)
        for entity, one in enumerate(paragraph.entities):
            for number, start, end in one.places:
                if number in starts:
                    shift = starts[number]
                    places[entity].append((start + shift, end + shift, one.name))
        facts = [
            one
            for one in paragraph.facts
            if one.head in places
            and one.tail in places
            and one.evidence
            and {*one.evidence} <= starts.keys()
        ]
        return Window(paragraph, text, places, facts) if facts else None

    def _paragraph(self, chance: random.Random) -> Group | None:
        """Facts that a window states, the same turned round, and other relations of their ends."""
        window = self._window(chance)
        if window is None:
            return None
        known = window.known
        labels: dict[Triple, int] = {}
        count = min(len(window.facts), chance.choice((1, 2, 3)))
        for head, name, tail, _ in chance.sample(window.facts, count):
            labels[window.triple(head, name, tail)] = TRUE
            lot = chance.random()
            if lot < 0.4 and (tail, name, head) not in known and not is_symmetric(name):
                labels.setdefault(window.triple(tail, name, head), FALSE)
            elif lot < 0.9:
                near = self._near(name)[:25]
                other = chance.choice(window.paragraph.facts).relation
                if near and chance.random() < 0.5:
                    other = chance.choice(near)
                same = other in {name, *inverse_names(name)}
                if not same and (head, other, tail) not in known:
                    labels.setdefault(window.triple(head, other, tail), FALSE)
        # A relation of the window to another entity of the same type.
        head, name, tail, _ = chance.choice(window.facts)
        related = {(one, two) for one, _, two in known}
        strangers = [
            one
            for one in window.places
            if window.kind(one) == window.kind(tail)
            and one not in (head, tail)
            and (head, one) not in related
        ]
        if strangers:
            labels.setdefault(window.triple(head, name, chance.choice(strangers)), FALSE)
        triples = chance.sample(list(labels), len(labels))
        stated = tuple(labels[triple] for triple in triples)
        return Group(
            "paragraph", (RelationText(window.text, tuple(triples), stated, window.names),)
        )

    def _paragraph_swap(self, chance: random.Random) -> Group | None:
        """Two entities of one type exchanged in a window and in a fact that it states."""
        window = self._window(chance)
        if window is None:
            return None
        known = window.known
        for head, name, tail, _ in chance.sample(window.facts, len(window.facts)):
            own, fixed = chance.choice(((head, tail), (tail, head)))
            others = [
                one
                for one in window.places
                if one not in (head, tail)
                and window.kind(one) == window.kind(own)
                and ((one, name, tail) if own == head else (head, name, one)) not in known
            ]
            one_way = (tail, name, head) not in known and not is_symmetric(name)
            if one_way and chance.random() < 0.35:
                others = [fixed]
            if not others:
                continue
            one, other = window.name(own), window.name(chance.choice(others))
            if one == other or words(one) & words(other):
                continue
            fact = window.triple(head, name, tail)
            called = {one: one, other: other}
            return make_quad("paragraph_swap", window.text, window.names, [fact], called)
        return None

    # WebNLG and DART

    @cached_property
    def _small(self) -> list[Document]:
        return [one for one in self.documents if len(one.triples) <= _MOST_TRIPLES]

    @cached_property
    def _knowledge(self) -> Knowledge:
        return Knowledge.of(self.documents)

    def _webnlg_swap(self, chance: random.Random) -> Group | None:
        two_facts = chance.random() < 0.55
        document = chance.choice(self._small)
        return exchange_entities(document, self._knowledge, chance, two_facts=two_facts)

    def _webnlg_facts(self, chance: random.Random) -> Group:
        """A text with the facts that it states, and with some that it does not."""
        document = chance.choice(self.documents)
        labelled = LabelledDocument.of(document)
        text = RelationText.of(labelled)
        turnable = {
            fact
            for fact, one in enumerate(text.triples)
            if not is_symmetric(one.predicate) and not re.search(r"\d", one.object)
        }
        return _with_unstated("webnlg_facts", text, turnable, chance)

    def _webnlg_reworded(self, chance: random.Random) -> Group | None:
        """The same with other names of relations, some of them names of the inverse.

        A text then has relations that no other has in these words, as most texts of users have.
        """
        document = chance.choice(self.documents)
        text = RelationText.of(LabelledDocument.of(document))
        triples, turnable = [], set()
        for fact, one in enumerate(text.triples):
            known = self._synonyms.get(one.predicate)
            value = re.search(r"\d", one.object) is not None
            if known is not None and chance.random() < 0.8:
                if known.inverses and not value and chance.random() < 0.45:
                    name = write_name(chance.choice(known.inverses), chance)
                    one = Triple(one.object, name, one.subject)
                else:
                    one = one._replace(predicate=write_name(chance.choice(known.names), chance))
            if not value and not is_symmetric(text.triples[fact].predicate):
                turnable.add(fact)
            triples.append(one)
        if tuple(triples) == text.triples:
            return None
        return _with_unstated(
            "webnlg_reworded", text._replace(triples=tuple(triples)), turnable, chance
        )

    @cached_property
    def _synonyms(self) -> Mapping[str, Synonyms]:
        return read_synonyms()

    # Attributes, in our own phrases

    @cached_property
    def _composer(self) -> Composer:
        return Composer(self._knowledge)

    def _composed(self, chance: random.Random) -> Group | None:
        """A text about the attributes of a thing, with its names as the reader is given them."""
        composed = self._composer.compose(chance)
        thing = composed.triples[0].subject  # the composer writes one name in two ways
        triples = tuple(one._replace(subject=thing) for one in composed.triples)
        item = Item("", triples, composed.text)
        names = read_signs(item).names(item)
        text = RelationText(item.text, item.triples, tuple(composed.stated), names)
        return _with_unstated("composed", text, (), chance)

    def _claims(self, chance: random.Random) -> Group | None:
        """A text, and the same with a claim changed, for the worse or not."""
        source = chance.random()
        if source < 0.35:
            document = chance.choice(self._small)
        elif source < 0.6:
            document = _document(chance.choice(self._right))
        else:
            group = chance.choice(self.written)
            document = _named_document(group.label(chance.choice(group.faithful)))
        table = FAULTY if chance.random() < 0.65 else FAITHFUL
        kind = chance.choices(list(table), [weight for _, weight in table.values()])[0]
        change = draw(table[kind][0], document, self._knowledge, chance)
        if change is None:
            return None
        before, after = LabelledDocument.of(document), LabelledDocument.of(document)
        after.apply(change)
        texts = (RelationText.of(before), RelationText.of(after))
        above = tuple(
            ((0, fact), (1, fact)) for fact, label in enumerate(texts[1].stated) if label == FALSE
        )
        return Group(f"claims_{kind}", texts, above)


def _with_unstated(
    kind: str, text: RelationText, turnable: Collection[int], chance: random.Random
) -> Group:
    """A text with its facts, and with some that it does not state."""
    unstated = draw_unstated(text, turnable, chance)
    above = tuple(
        ((0, fact), (number, fact))
        for number, (fact, _) in enumerate(unstated, 1)
        if text.stated[fact] == TRUE
    )
    return Group(kind, (text, *(one for _, one in unstated)), above)


def _has_ends(answer: CrowdAnswer) -> bool:
    return bool(answer.head.strip() and answer.tail.strip()) and answer.head != answer.tail


def _either_way(
    head: str, relation: str, tail: str, chance: random.Random, *, inverted: float
) -> Triple:
    """A fact by the name of its relation or, with the probability `inverted`, of the inverse."""
    inverse = inverse_names(relation)
    if inverse and chance.random() < inverted:
        return Triple(tail, chance.choice(inverse), head)
    return Triple(head, write_name(relation, chance), tail)


def _document(answer: CrowdAnswer) -> Document:
    """An answer as a document with its two names."""
    text, names = fill(answer.wording, {"s": answer.head, "o": answer.tail})
    return _named_document(RelationText(text, (answer.triple,), (TRUE,), names))


def _named_document(text: RelationText) -> Document:
    """A text that states all of its facts, as a document with its names."""
    mentions = tuple(Mention(entity, start, end, "name") for start, end, entity in locate(text))
    item = Item("", text.triples, text.text)
    return Document(item, mentions, tuple(split_sentences(text.text)))


def exchange_entities(
    document: Document, knowledge: Knowledge, chance: random.Random, *, two_facts: bool
) -> Group | None:
    """Two names of a text exchanged wherever they stand: ends of one fact, or of two facts.

    Of two facts, names that could stand in each other's place are preferred.
    """
    text, triples = document.text, document.triples
    names = sorted((*span, name) for name, spans in document.places.items() for span in spans)
    if list(first_names(names)) != names:
        return None
    called = {
        entity: text[slice(*spans[0])]
        for entity, spans in document.places.items()
        if all(words(text[slice(*span)]) & words(entity) for span in spans)
        and text.count(text[slice(*spans[0])]) == len(spans)
    }
    within = {frozenset((one.subject, one.object)) for one in triples}
    entities = list(called)
    pairs = [
        (one, other)
        for number, one in enumerate(entities)
        for other in entities[number + 1 :]
        if not words(one) & words(other) and (frozenset((one, other)) in within) != two_facts
    ]
    alike = [pair for pair in pairs if two_facts and _are_alike(triples, pair, knowledge)]
    if not pairs:
        return None
    one, other = chance.choice(alike if alike and chance.random() < 0.6 else pairs)
    kind = "webnlg_swap2" if two_facts else "webnlg_swap"
    return make_quad(kind, text, names, triples, {one: called[one], other: called[other]})


def _are_alike(triples: Sequence[Triple], pair: tuple[str, str], knowledge: Knowledge) -> bool:
    """Whether either of two entities could stand where the other does."""
    for one, other in (pair, pair[::-1]):
        for triple in triples:
            for subject, end in ((True, triple.subject), (False, triple.object)):
                pool = knowledge.fillers.get((triple.predicate, subject), ())
                if end == one and other in pool[:_MOST_FILLERS]:
                    return True
            if triple.object == one and re.search(r"\d", one) and re.search(r"\d", other):
                return True
    return False


def read_open_items(data: Path, *, dev: bool = False) -> list[Item]:
    """Right texts with their data that may be used commercially, or those held out.

    The faithful texts of written groups, right answers of Rel2Text, and DART's tables, of which
    none is held out.
    """
    split = "dev" if dev else "train"
    graphs = [
        *((one.triples, one.faithful) for one in read_written(dev=dev)),
        *(
            ((one.triple,), (one.text,))
            for one in read_rel2text(data / "relations", split)
            if one.right and _has_ends(one)
        ),
    ]
    items = [
        Item(f"{number}/{place}", triples, text, system="reference")
        for number, (triples, texts) in enumerate(graphs, 1)
        for place, text in enumerate(texts, 1)
    ]
    return items if dev else [*items, *open_source(data / "dart" / "tables.jsonl")]


def read_training_documents(data: Path, *, permissive: bool = False) -> list[Document]:
    """The training texts of WebNLG and DART, with mentions that people marked where they did.

    With `permissive`, those that may be used commercially instead.
    """
    if permissive:
        return read_pairs(read_open_items(data))
    items = [
        *open_source(data / "webnlg2020" / "train"),
        *open_source(data / "dart" / "tables.jsonl"),
    ]
    marked = {item.text: read_marks(item) for item in open_source(data / "enriched" / "train")}
    return read_pairs(items, marked=marked)


def read_mixture(
    data: Path,
    lexicon: Path,
    *,
    seed: int = 0,
    shares: Mapping[str, float] = SHARES,
    last_written: str | None = None,
    latest: int | None = None,
    permissive: bool = False,
) -> Mixture:
    """The mixture of all that may be trained on; reading and locating names takes a minute.

    With `permissive`, of what may be used commercially: the kinds that are named after WebNLG then
    draw from the texts of `read_open_items`.
    """
    validate_mixture("share", shares, [*SHARES])
    known = read_lexicon(lexicon)
    folder = data / "relations"
    return Mixture(
        documents=read_training_documents(data, permissive=permissive),
        answers=read_rel2text(folder, "train"),
        sentences=read_sentences(folder, dev=False),
        paragraphs=read_paragraphs(folder),
        entailments=read_entailments(data / "entailment", dev=False, permissive=permissive),
        written=read_written(dev=False, last=last_written),
        lexicon=known,
        names=[name for name in relation_names(folder).values() if name in known],
        scenes=SceneMaker(),
        seed=seed,
        shares=shares,
        latest=latest or LATEST,
    )
