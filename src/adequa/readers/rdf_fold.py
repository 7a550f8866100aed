"""Blank nodes folded into paths, so that a fact is about something a text can name.

`:pub :address [ :city "Cambridge" ]` says nothing of the node in the brackets that a reader would
miss: it becomes one fact with the predicate `address.city`. A list becomes one fact a member.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from adequa.readers.rdf_labels import Labels

__all__ = ["Row", "fold"]

Row = tuple[str, str, str]
"""The tokens of a subject, a predicate (or a path of several) and an object."""

_MAX_PARTS = 16
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_LIST_STEPS = frozenset({f"<{_RDF}first>", f"<{_RDF}rest>"})
_REST, _NIL = f"<{_RDF}rest>", f"<{_RDF}nil>"


def fold(rows: Iterable[Row], labels: Labels) -> list[Row]:
    """The rows with each blank node that is the object of one row replaced by what it says.

    A node that is named, empty, shared or deeper than any path should be stays, and so does one of
    a circle. A path is written `<p>/<q>`, as SPARQL has it.
    """
    rows = list(rows)
    uses = Counter(value for _, _, value in rows if value[0] == "_")
    if not uses:
        return rows
    inner: dict[str, list[Row]] = {}
    outer = []
    for row in rows:
        subject = row[0]
        if uses.get(subject) == 1 and labels.get(subject) is None:
            inner.setdefault(subject, []).append(row)
        else:
            outer.append(row)
    folded: list[Row] = []
    _unfold(outer, inner, folded)
    while inner:  # circles of blank nodes, which no other node leads into
        _unfold(inner.pop(next(iter(inner))), inner, folded)
    return list(dict.fromkeys(folded))  # a list may have a member twice


def _unfold(rows: list[Row], inner: dict[str, list[Row]], folded: list[Row]) -> None:
    waiting = rows[::-1]  # a stack, for nesting may be deeper than Python's own
    while waiting:
        subject, path, value = waiting.pop()
        nested = inner.pop(value, None)
        if nested is None:
            folded.append((subject, path, value))
        elif path.count(">/<") + 1 >= _MAX_PARTS:
            folded.append((subject, path, value))
            waiting.extend(reversed(nested))
        else:
            nested.sort(key=lambda row: row[1] == _REST)  # a list begins with its first member
            waiting.extend(
                (subject, path if step in _LIST_STEPS else f"{path}/{step}", end)
                for _, step, end in reversed(nested)
                if not (step == _REST and end == _NIL)
            )
