"""Predicates compared whatever their spelling, and those that hold in both directions.

The table of symmetric predicates (paper 003, appendix C) has Wikidata's names as the paper lists
them, and DBpedia's names for the same relations.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_PREFIXED = re.compile(r"\w+:[^\s:]*")


def folded(predicate: str) -> str:
    """A predicate reduced to what all its spellings share.

    >>> folded("dbo:birthPlace") == folded("Birth_place") == folded("birth place")
    True
    """
    return "".join(sign for sign in local_name(predicate).casefold() if sign.isalnum())


def local_name(predicate: str) -> str:
    """The last part of an IRI or a prefixed name (dbo:spouse, wdt:P26), or the name itself."""
    bare = predicate.strip().strip("<>")
    if "://" in bare:
        return bare.rstrip("/#").replace("#", "/").rpartition("/")[2]
    return bare.partition(":")[2] if _PREFIXED.fullmatch(bare) else bare


def is_symmetric(predicate: str) -> bool:
    """Whether the predicate holds in both directions, however it is spelt.

    A double name such as `associatedBand/associatedMusicalArtist` is symmetric if both halves are.
    """
    names = [folded(name) for name in local_name(predicate).split("/")]
    return all(name in _symmetric() for name in names)


@cache
def _symmetric() -> frozenset[str]:
    source = files("adequa.text") / "resources" / "symmetric.tsv"
    rows = [line.split("\t") for line in source.read_text(encoding="utf-8").splitlines()[1:]]
    return frozenset(folded(cell) for row in rows for cell in row[:2] if cell)
