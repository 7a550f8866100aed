"""What the verifier learns from written groups, beside the composed texts.

A wrong text of a group is a minimal edit of a faithful one: the facts that it no longer states are
known, and the words that differ have no support. Of the other words of an edited sentence that is
not known.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from adequa.perturb import FALSE, TRUE, LabelledDocument, LabelledSpan
from adequa.text import Span, split_sentences
from research.recipe.composer import Composer
from research.relations.groups import WrittenGroup, read_written

WRITTEN = 0.5
"""The share of composed cases that are written groups."""
_FAITHFUL = 0.4
"""The share of these that are faithful texts; more texts of a group are wrong than faithful."""
_WORD = re.compile(r"\w+|[^\w\s]")


def changed_words(old: str, new: str) -> list[Span]:
    """The places of words in a text that its original does not have there.

    >>> changed_words("It was not sold.", "It was never sold to Ada.")
    [(7, 12), (18, 24)]
    """
    words = list(_WORD.finditer(new))
    known = _WORD.findall(old)
    matcher = SequenceMatcher(None, known, [one[0] for one in words], autojunk=False)
    return [
        (words[first].start(), words[last - 1].end())
        for kind, _, _, first, last in matcher.get_opcodes()
        if kind in ("replace", "insert") and last > first
    ]


def label_wrong(group: WrittenGroup, number: int) -> LabelledDocument:
    """A wrong text of a group with its labels of facts and words."""
    wrong = group.wrong[number]
    changed = changed_words(group.faithful[wrong.original], wrong.text)
    unclear = [
        (start, end)
        for start, end in split_sentences(wrong.text)
        if any(one < end and start < two for one, two in changed) or not changed
    ]
    return LabelledDocument(
        wrong.text,
        list(group.triples),
        [FALSE if fact in wrong.facts else TRUE for fact in range(len(group.triples))],
        spans=[],
        unsupported=list(_spans(changed)),
        unclear=list(_spans(unclear)),
        supported=FALSE,
    )


def _spans(places: Sequence[Span]) -> Iterator[LabelledSpan]:
    return (LabelledSpan(start, end) for start, end in places)


class WrittenComposer(Composer):
    """Composes texts of our own phrases, and draws texts of written groups."""

    @cached_property
    def groups(self) -> list[WrittenGroup]:
        """The groups that are not held out."""
        return read_written(dev=False)

    def compose(self, chance: random.Random) -> LabelledDocument:
        """A text and a graph, with their labels."""
        if chance.random() >= WRITTEN:
            return super().compose(chance)
        group = chance.choice(self.groups)
        if chance.random() >= _FAITHFUL:
            return label_wrong(group, chance.randrange(len(group.wrong)))
        triples = list(group.triples)
        return LabelledDocument(
            chance.choice(group.faithful), triples, [TRUE] * len(triples), spans=[]
        )
