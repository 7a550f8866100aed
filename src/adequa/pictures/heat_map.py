"""A table of correlations as coloured cells, after Figures 4 to 7 of paper 004."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from html import escape
from itertools import pairwise

from adequa.svg import document, line, text

__all__ = ["heat_map"]

Colour = tuple[int, int, int]

# From ColorBrewer's RdBu: who sees no red or no green still tells the two ends apart.
_SCALE: tuple[tuple[float, Colour], ...] = (
    (-1.0, (178, 24, 43)),
    (-0.5, (244, 165, 130)),
    (0.0, (247, 247, 247)),
    (0.5, (146, 197, 222)),
    (1.0, (33, 102, 172)),
)
_DARK, _LIGHT = "#000000", "#ffffff"
_CELL_HEIGHT, _LETTER, _EDGE = 34.0, 7.6, 20.0
_LEAST_WIDTH = 58.0
_BAR, _BAR_STEPS, _BAR_ROOM = 14.0, 40, 78.0
_SLANT = math.radians(45)


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    title: str,
    crossed: Collection[tuple[int, int]] = (),
    digits: int = 2,
    low: float = -1.0,
) -> str:
    """Cells from -1 (red) over 0 (white) to 1 (blue) with their numbers, and a colour bar.

    `low` is where cells and bar begin: 0 for shares, which are then from white to blue.
    A cell of None stays empty, so a triangle is drawn by passing None; `crossed` are the places
    (row, column) of cells that are crossed out, as what is not significant is.
    """
    _check(rows, columns, values, crossed, low)
    cell = max(_LEAST_WIDTH, (digits + 4) * _LETTER + 10)
    slanted = any(len(name) * _LETTER > cell - 6 for name in columns)
    longest = max(len(name) for name in columns) * _LETTER
    head = longest * math.sin(_SLANT) + 14 if slanted else 18.0
    left = _EDGE + max(len(name) for name in rows) * _LETTER + 10
    top = 48 + head
    right, bottom = left + cell * len(columns), top + _CELL_HEIGHT * len(rows)
    overhang = max(0.0, longest * math.cos(_SLANT) - _BAR_ROOM) if slanted else 0.0
    parts = [
        text(left - 8, top + _CELL_HEIGHT * (r + 0.5) + 4.5, rows[r], "end")
        for r in range(len(rows))
    ]
    for c, name in enumerate(columns):
        parts.append(_heading(left + cell * (c + 0.5), top - 8, name, slanted))
    for r, row in enumerate(values):
        for c, value in enumerate(row):
            if value is not None:
                x, y = left + cell * c, top + _CELL_HEIGHT * r
                name = f"{rows[r]}, {columns[c]}"
                parts += _cell(x, y, cell, value, digits, name, (r, c) in crossed)
    parts += _bar(right + 18, top, max(bottom - top, 3 * _CELL_HEIGHT), low)
    foot = max(bottom, top + 3 * _CELL_HEIGHT)
    width = max(right + _BAR_ROOM + overhang, len(title) * 9.6 + 2 * _EDGE)
    if crossed:
        parts.append(text(left, foot + 24, "crossed out: not significant", "start", 11))
    return document(width, foot + (38 if crossed else _EDGE), title, parts)


def _check(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    crossed: Collection[tuple[int, int]],
    low: float,
) -> None:
    if not rows or not columns:
        raise ValueError("a heat map has at least one row and one column")
    if len(values) != len(rows) or any(len(row) != len(columns) for row in values):
        raise ValueError(f"the values are not {len(rows)} rows of {len(columns)}")
    for row in values:
        for value in row:
            if value is not None and not low <= value <= 1:
                raise ValueError(f"a cell is from {low:g} to 1 or None, not {value}")
    for r, c in crossed:
        if not (0 <= r < len(rows) and 0 <= c < len(columns)):
            raise ValueError(f"there is no cell ({r}, {c}) to cross out")


def _heading(x: float, y: float, name: str, slanted: bool) -> str:
    if not slanted:
        return text(x, y, name)
    return f'<g transform="rotate(-45 {x:.1f} {y:.1f})">{text(x, y, name, "start")}</g>'


def _cell(
    x: float, y: float, width: float, value: float, digits: int, name: str, crossed: bool
) -> list[str]:
    colour = _colour(value)
    ink = _ink(colour)
    right, bottom = x + width, y + _CELL_HEIGHT
    shown = f"{value:.{digits}f}"
    shown = shown.removeprefix("-") if float(shown) == 0 else shown
    box = (
        f'<rect class="cell" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{_CELL_HEIGHT:.1f}" fill="{_hex(colour)}" stroke="white">'
        f"<title>{escape(name)}: {shown}</title></rect>"
    )
    parts = [box]
    if crossed:
        strokes = line(x + 3, y + 3, right - 3, bottom - 3, ink) + line(
            x + 3, bottom - 3, right - 3, y + 3, ink
        )
        parts.append(f'<g class="cross" stroke-opacity="0.55">{strokes}</g>')
    parts.append(f'<g fill="{ink}">{text((x + right) / 2, (y + bottom) / 2 + 4.5, shown)}</g>')
    return parts


def _bar(x: float, top: float, height: float, low: float) -> list[str]:
    step = height / _BAR_STEPS
    parts = []
    for number in range(_BAR_STEPS):
        colour = _hex(_colour(1 - (1 - low) * (number + 0.5) / _BAR_STEPS))
        parts.append(
            f'<rect x="{x:.1f}" y="{top + step * number:.2f}" width="{_BAR:.1f}" '
            f'height="{step + 0.3:.2f}" fill="{colour}"/>'
        )
    for tick in (1.0, 0.5, 0.0, -0.5, -1.0):
        if tick < low:
            break
        y = top + height * (1 - tick) / (1 - low)
        parts.append(line(x + _BAR, y, x + _BAR + 4, y))
        parts.append(text(x + _BAR + 7, y + 4, f"{tick:g}", "start", 11))
    return parts


def _colour(value: float) -> Colour:
    for (low, first), (high, second) in pairwise(_SCALE):
        if value <= high:
            share = (value - low) / (high - low)
            red, green, blue = (
                round(one + share * (other - one)) for one, other in zip(first, second, strict=True)
            )
            return red, green, blue
    raise ValueError(f"{value} is not from -1 to 1")


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)


def _ink(colour: Colour) -> str:
    """Dark or light, whichever the Web Content Accessibility Guidelines' contrast prefers."""
    linear = [
        part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Against white and against black the contrast is equal at about 0.179, and 4.58 there.
    return _DARK if luminance > 0.179 else _LIGHT
