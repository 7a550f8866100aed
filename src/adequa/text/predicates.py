"""What all spellings of a predicate have in common."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_PREFIXED = re.compile(r"\w+:[^\s:]*")


def folded(predicate: str) -> str:
    """A predicate as all its spellings have it in common.

    >>> folded("dbo:birthPlace") == folded("Birth_place") == folded("birth place")
    True
    """
    return "".join(sign for sign in local_name(predicate).casefold() if sign.isalnum())


def local_name(predicate: str) -> str:
    """An IRI's or a prefixed name's last part (dbo:spouse, wdt:P26), or the name as it is."""
    bare = predicate.strip().strip("<>")
    if "://" in bare:
        return bare.rstrip("/#").replace("#", "/").rpartition("/")[2]
    return bare.partition(":")[2] if _PREFIXED.fullmatch(bare) else bare


# ---
# Predicates that say the same with subject and object swapped (paper 003, appendix C).
#
# The table has Wikidata's names as the paper lists them, and what DBpedia calls the like.
# ---


def is_symmetric(predicate: str) -> bool:
    """Whether the predicate holds both ways; case, camel case, underscores and IRIs are folded.

    A double name such as `associatedBand/associatedMusicalArtist` is symmetric if both halves are.
    """
    names = [folded(name) for name in local_name(predicate).split("/")]
    return all(name in _names() for name in names)


@cache
def _names() -> frozenset[str]:
    source = files("adequa.text") / "resources" / "symmetric.tsv"
    rows = [line.split("\t") for line in source.read_text(encoding="utf-8").splitlines()[1:]]
    return frozenset(folded(cell) for row in rows for cell in row[:2] if cell)
