"""Predicates that say the same with subject and object swapped (paper 003, appendix C).

The table has Wikidata's names as the paper lists them, and what DBpedia calls the like.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from adequa.wording.folding import folded, local_name

__all__ = ["is_symmetric"]


def is_symmetric(predicate: str) -> bool:
    """Whether the predicate holds both ways; case, camel case, underscores and IRIs are folded.

    A double name such as `associatedBand/associatedMusicalArtist` is symmetric if both halves are.
    """
    names = [folded(name) for name in local_name(predicate).split("/")]
    return all(name in _names() for name in names)


@cache
def _names() -> frozenset[str]:
    source = files("adequa.training") / "resources" / "symmetric.tsv"
    rows = [line.split("\t") for line in source.read_text(encoding="utf-8").splitlines()[1:]]
    return frozenset(folded(cell) for row in rows for cell in row[:2] if cell)
