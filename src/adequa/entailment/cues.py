"""Words without which a fact cannot be stated, for predicates whose words are known.

A model that reads words sometimes finds a fact in a text that has none of its words, above all a
yes or no. Where a kind of data has a small and known vocabulary, that can be ruled out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files

from adequa.data import Triple
from adequa.settings import object_hash
from adequa.wording.collection import fold_predicate

__all__ = ["Cues", "shipped_cues"]


@dataclass(frozen=True)
class Cues:
    """The words of some predicates, or how they begin; predicates are spelt in any way."""

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Twelve digits that change with the words."""
        return object_hash({name: [*words] for name, words in sorted(self.words.items())})

    @cached_property
    def _patterns(self) -> Mapping[str, re.Pattern[str]]:
        return {
            fold_predicate(name): re.compile(
                "|".join(rf"(?<!\w){re.escape(word)}" for word in words), re.IGNORECASE
            )
            for name, words in self.words.items()
        }

    def absent(self, triple: Triple, text: str) -> bool:
        """Whether the predicate has words of which the text has none.

        >>> Cues({"area": ("river", "city")}).absent(Triple("Inn", "area", "riverside"), "A pub.")
        True
        """
        pattern = self._patterns.get(fold_predicate(triple.predicate))
        return pattern is not None and pattern.search(text) is None


@lru_cache(maxsize=4)
def shipped_cues(templates: str | None) -> Cues | None:
    """The words that come along with templates of this name, if any."""
    if templates is None or not templates.isidentifier():
        return None
    place = files("adequa.entailment") / "resources" / f"{templates}.json"
    if not place.is_file():
        return None
    read = json.loads(place.read_text(encoding="utf-8"))
    return Cues({name: tuple(words) for name, words in read.items()})
