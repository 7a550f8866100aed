"""A text and its data as a page shows them: facts by subject, a graph, and words to mark.

The graph is a tree drawn from left to right, each arrow on a line of its own, so that labels never
overlap; a thing that occurs again is in a dashed box. The style sheet has the colours.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from adequa.data import Item
from adequa.text import readable

_HIDDEN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\x80-\x9f\ud800-\udfff\ufffe\uffff]")
_JOINER, _SELECTORS = "\u200d", "\ufe00\ufe0e\ufe0f"
# Pixels, measured for the style sheet's font at its default size.
_CHARACTER, _LINE, _PAD, _ROW_GAP = 7.6, 18.0, 8.0, 14.0
_MOST_CHARACTERS = 26
_MOST_LINES = 4
_SHORTEST_ARROW = 60.0
_TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
    'orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>'
)


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact in words; `index` is its place in the data."""

    index: int
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing and its facts."""

    name: str
    rows: tuple[FactRow, ...]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A word or a gap between two, with its Python offsets in the text."""

    start: int
    end: int
    text: str
    is_word: bool


def shown(text: str) -> str:
    """The text, of the same length, with a placeholder for characters a page cannot hold."""
    return _HIDDEN.sub("\ufffd", text)


def facts_by_subject(item: Item) -> list[Subject]:
    """The facts in words, under their subjects, in the order of the data."""
    found: dict[str, tuple[str, list[FactRow]]] = {}
    for index, triple in enumerate(item.triples):
        subject, predicate, value = (shown(part) for part in readable(triple, item.terms))
        _, rows = found.setdefault(triple.subject, (subject, []))
        rows.append(FactRow(index, predicate, value))
    return [Subject(name, tuple(rows)) for name, rows in found.values()]


def pieces(text: str) -> list[TextPiece]:
    """The text divided into words and gaps; a page counts from each piece's own offset.

    A page cannot count from the start of the text: browsers count UTF-16 units and fold line ends.
    A piece never begins with a combining mark, nor inside a flag or a joined emoji.

    >>> [piece.text for piece in pieces("Zoë’s ½ 東京.") if piece.is_word]
    ['Zoë’s', '½', '東', '京', '.']
    """
    made: list[TextPiece] = []
    for start, end in _clusters(text):
        cluster = text[start:end]
        # A word continues with a letter; scripts without spaces are divided by character.
        if made and _is_letter(made[-1].text[0]) and _is_letter(cluster[0]):
            last = made.pop()
            made.append(TextPiece(last.start, end, last.text + shown(cluster), last.is_word))
        else:
            made.append(TextPiece(start, end, shown(cluster), not cluster.isspace()))
    return _with_inner_marks(made)


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Characters with their combining marks, close to Unicode's grapheme clusters."""
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not _belongs(text, start, index):
            yield start, index
            start = index


def _belongs(text: str, start: int, index: int) -> bool:
    here, before = text[index], text[index - 1]
    if before.isspace():
        return here.isspace()
    if here.isspace():
        return False
    if unicodedata.category(here)[0] == "M" or here == _JOINER or here in _SELECTORS:
        return True
    if _is_flag(here) and _is_flag(before):
        return (index - start) % 2 == 1
    return before == _JOINER or "\U0001f3fb" <= here <= "\U0001f3ff"


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _is_letter(character: str) -> bool:
    # Other letters (Lo) of Arabic, Hebrew or the scripts of India do form words.
    return character.isalnum() and not (
        "\u2e80" <= character <= "\ua4cf"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
        or "\u0e00" <= character <= "\u0eff"
    )


def _with_inner_marks(made: list[TextPiece]) -> list[TextPiece]:
    """Join words around an apostrophe, a hyphen or a decimal point into one piece."""
    joined: list[TextPiece] = []
    for piece in made:
        if len(joined) > 1 and joined[-1].text in ("'", "’", "-", ".", ",", "·"):
            around = _base(joined[-2].text), piece.text[0]
            joins = str.isdigit if joined[-1].text in (".", ",") else _is_letter
            if all(_is_letter(one) and joins(one) for one in around):
                mark, word = joined.pop(), joined.pop()
                piece = TextPiece(word.start, piece.end, word.text + mark.text + piece.text, True)
        joined.append(piece)
    return joined


def _base(word: str) -> str:
    """The last character that is not a combining mark."""
    return next((one for one in reversed(word) if unicodedata.category(one)[0] != "M"), word[0])


@dataclass(slots=True, eq=False)
class _Node:
    """A box; `predicate` labels the arrow that leads to it, "" for a root."""

    lines: list[str]
    predicate: str
    repeated: bool
    children: list[_Node]
    x: float = 0.0
    y: float = 0.0
    room: float = 0.0
    """The height of its subtree."""

    @property
    def width(self) -> float:
        return max(_width(line) for line in self.lines) * _CHARACTER + 2 * _PAD

    @property
    def height(self) -> float:
        return len(self.lines) * _LINE + _PAD


def drawing(subjects: list[Subject], title: str) -> str:
    """An SVG of the facts with escaped labels; one per page, because its marker has an id."""
    roots = _trees(subjects)
    columns, level = [], roots
    while level:
        columns.append(level)
        level = [child for node in level for child in node.children]
    x = 1.0
    for depth, column in enumerate(columns):
        label = max(_width(node.predicate) for node in column) * _CHARACTER * 0.96
        arrow = 0.0 if depth == 0 else max(_SHORTEST_ARROW, label + 44)
        for node in column:
            node.x = x + arrow
        x = column[0].x + max(node.width for node in column)
    bottom = 8.0  # room for the label of the first arrow
    for root in roots:
        bottom = _place(root, bottom) + _ROW_GAP
    parts = []
    for root in roots:
        for node in _in_order(root):
            parts += [_arrow(node, child) for child in node.children]
            parts.append(_box(node, is_root=node is root))
    width, height = x + 1, bottom - _ROW_GAP + 1
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg class="graph" {size} role="img" aria-label="{escape(title)}">{_TIP}'
    return "\n".join([head, *parts, "</svg>"])


def _trees(subjects: list[Subject]) -> list[_Node]:
    by_name = {subject.name: subject for subject in subjects}
    objects = {row.object for subject in subjects for row in subject.rows}
    drawn: set[str] = set()

    def grow(root: str) -> _Node:
        drawn.add(root)
        tree = _Node(_wrapped(root), "", False, [])
        waiting = [(tree, root)]
        while waiting:
            parent, name = waiting.pop()
            for row in by_name[name].rows:
                again = row.object in drawn
                child = _Node(_wrapped(row.object), row.predicate, again, [])
                parent.children.append(child)
                if row.object in by_name and not again:
                    drawn.add(row.object)
                    waiting.append((child, row.object))
        return tree

    first = [name for name in by_name if name not in objects]
    # A cycle has no root: a subject that is in no tree yet begins another one.
    return [grow(name) for name in (*first, *by_name) if name not in drawn]


def _place(root: _Node, top: float) -> float:
    """Place the children beside their parent without overlap; returns the bottom."""
    order = _in_order(root)
    for node in reversed(order):
        below = sum(child.room + _ROW_GAP for child in node.children) - _ROW_GAP
        node.room = max(node.height, below)
    root.y = top + root.room / 2
    for node in order:
        below = sum(child.room + _ROW_GAP for child in node.children) - _ROW_GAP
        start = node.y - below / 2
        for child in node.children:
            child.y = start + child.room / 2
            start += child.room + _ROW_GAP
    return top + root.room


def _in_order(root: _Node) -> list[_Node]:
    """Each node before its children; not recursive, as a chain may be a thousand facts long."""
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += reversed(node.children)
    return order


def _arrow(node: _Node, child: _Node) -> str:
    x1, x2 = node.x + node.width, child.x
    bend = x1 + 36 if x2 - x1 > 72 else (x1 + x2) / 2
    middle = (bend + x2) / 2
    path = f"M{x1:.1f} {node.y:.1f}C{bend:.1f} {node.y:.1f} {x1:.1f} {child.y:.1f} {bend:.1f} "
    return (
        f'<path class="arrow" d="{path}{child.y:.1f}H{x2 - 1:.1f}" marker-end="url(#tip)"/>'
        f'<text class="predicate" x="{middle - 6:.1f}" y="{child.y - 6:.1f}" '
        f'text-anchor="middle">{escape(child.predicate)}</text>'
    )


def _box(node: _Node, *, is_root: bool) -> str:
    kind = "again" if node.repeated else "root" if is_root else "thing"
    top = node.y - node.height / 2
    words = "".join(
        f'<text x="{node.x + node.width / 2:.1f}" y="{top + (row + 0.95) * _LINE:.1f}" '
        f'text-anchor="middle">{escape(line)}</text>'
        for row, line in enumerate(node.lines)
    )
    return (
        f'<rect class="{kind}" x="{node.x:.1f}" y="{top:.1f}" width="{node.width:.1f}" '
        f'height="{node.height:.1f}" rx="6"/>{words}'
    )


def _wrapped(name: str) -> list[str]:
    lines = textwrap.wrap(name, _MOST_CHARACTERS) or ["—"]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1] + " …"]
    return lines


def _width(text: str) -> int:
    """The width in columns; wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)
