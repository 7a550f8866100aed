"""The names a file gives its terms, and which statements do no more than that."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import partial
from typing import Any, NamedTuple

from adequa.readers.rdf_tokens import split_literal

__all__ = ["LABEL_PREDICATES", "Label", "Labels"]

_PURE = (
    "<http://www.w3.org/2000/01/rdf-schema#label>",
    "<http://www.w3.org/2004/02/skos/core#prefLabel>",
)
_NAMES = (
    "<http://xmlns.com/foaf/0.1/name>",
    "<http://schema.org/name>",
    "<https://schema.org/name>",
    "<http://purl.org/dc/terms/title>",
    "<http://purl.org/dc/elements/1.1/title>",
)
_RANK = {predicate: rank for rank, predicate in enumerate((*_PURE, *_NAMES))}

LABEL_PREDICATES = frozenset(_RANK)
"""Predicates whose literals may name their subject."""

_PURE_LABELS = frozenset(_PURE)
"""Those whose literals do nothing else."""


class Label(NamedTuple):
    """A name, its language, and the predicate that gives it."""

    text: str
    lang: str | None
    predicate: str


# Label(…) is a Python function; this is the C function it calls.
_label = partial(tuple.__new__, Label)


class Labels:
    """One chosen label a term: a pure label before a name, the wanted language before others."""

    def __init__(self, lang: str) -> None:
        self._lang = lang.lower()
        self._chosen: dict[str, Label] = {}
        self._several: dict[str, list[Label]] = {}

    def add(self, subject: str, predicate: str, text: str, suffix: str) -> bool:
        """Take notice of a label; False where it has no visible character, and so names nothing."""
        if not text or text.isspace():
            return False
        label = _label((text, suffix[1:].lower() if suffix[:1] == "@" else None, predicate))
        first = self._chosen.setdefault(subject, label)
        if first is not label:
            labels = self._several.setdefault(subject, [first])
            labels.append(label)
            # The order of the file decides among equals.
            self._chosen[subject] = min(labels, key=self._preference)
        return True

    def _preference(self, label: Label) -> tuple[bool, int, int]:
        if label.lang == self._lang:
            language = 0
        elif label.lang is not None and label.lang.startswith(f"{self._lang}-"):
            language = 1
        else:
            language = 2 if label.lang is None else 3
        return label.predicate not in _PURE_LABELS, language, _RANK[label.predicate]

    def clear(self) -> None:
        """Forget all labels."""
        self._chosen.clear()
        self._several.clear()

    def tokens(self) -> Set[str]:
        """The terms that have a label."""
        return self._chosen.keys()

    def get(self, token: str) -> Label | None:
        """The chosen label of a term, if it has one."""
        return self._chosen.get(token)

    def is_label(self, subject: str, predicate: str, value: str) -> bool:
        """Whether a statement, in tokens, only names its subject, and so is no fact about it."""
        if predicate not in LABEL_PREDICATES or value[0] != '"':
            return False
        chosen = self._chosen.get(subject)
        return chosen is not None and (
            predicate in _PURE_LABELS
            or predicate == chosen.predicate
            or split_literal(value)[0] == chosen.text
        )

    def not_chosen(self, strings: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
        """The other labels of an item's terms, by string: other languages, for instance."""
        if not self._several:
            return {}
        return {
            string: others
            for token, string in strings.items()
            if token in self._several and (others := self._others(token))
        }

    def _others(self, token: str) -> list[dict[str, Any]]:
        chosen = self._chosen[token]
        predicates = {*_PURE_LABELS, chosen.predicate}
        others = dict.fromkeys(
            (label.text, label.lang)
            for label in self._several[token]
            if label.predicate in predicates
        )
        others.pop((chosen.text, chosen.lang), None)
        return [{"label": text, "lang": lang} for text, lang in others]
