"""Texts that a model may meet and must not stumble over."""

from __future__ import annotations

__all__ = ["HOSTILE"]

HOSTILE = [
    "",
    "the pub " * 300,  # longer than a model reads at once
    "Nothing of it.",
    "Café «酒馆» — \u2028 \ud800 😀",
    " \n\t",
    "\u200b\u0301",  # nothing that can be seen
    ".",
    "[SEP] [CLS] [S] [unused1]",
]
