"""What all spellings of a predicate have in common."""

from __future__ import annotations

import re

__all__ = ["folded", "local_name"]

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
