"""Lines over an ordered axis: a mean score by the size of the data, one line a system."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from adequa.svg import document, line, text
from adequa.tables import one_line

__all__ = ["series_chart"]

Points = Sequence[tuple[str, float | None]]

_LEFT, _TOP, _PLOT_HEIGHT, _STEP = 78.0, 56.0, 380.0, 110.0
_ROW = 18.0
_LETTER = 7.2
"""How wide a letter of a label may be."""
_LONGEST, _WIDEST = 40, 15
"""Letters of a name at the end of a line, and of one below the axis."""
_GRID, _FAINT = "#dddddd", "#9a9a9a"
# The colours of Okabe and Ito, which people with any colour vision tell apart; their yellow, which
# is too pale for a thin line, is darkened. The markers tell the lines apart without any colour.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8f8400", "#000000")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_MARKERS: tuple[tuple[str, bool], ...] = (
    ("M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", True),
    ("M-4,-4h8v8h-8z", True),
    ("M0,-5l5,9h-10z", True),
    ("M0,-5.5l5,5.5l-5,5.5l-5,-5.5z", True),
    ("M0,5l5,-9h-10z", True),
    ("M-4,-4l8,8M-4,4l8,-8", False),
    ("M-5,0h10M0,-5v10", False),
    ("M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", False),
    ("M-4,-4h8v8h-8z", False),
    ("M0,-5l5,9h-10z", False),
    ("M0,-5.5l5,5.5l-5,5.5l-5,-5.5z", False),
    ("M-5,0h10M0,-5v10M-4,-4l8,8M-4,4l8,-8", False),
)
"""Outlines around 0, 0, and whether they are filled."""


class _Frame(NamedTuple):
    """Where the plot stands, and what its axes run over."""

    names: tuple[str, ...]
    low: float
    high: float

    @property
    def right(self) -> float:
        return _LEFT + max(_STEP, _STEP * (len(self.names) - 1)) + 30

    def x(self, name: str) -> float:
        if len(self.names) == 1:
            return (_LEFT + self.right) / 2
        share = self.names.index(name) / (len(self.names) - 1)
        return _LEFT + 15 + share * (self.right - _LEFT - 30)

    def y(self, value: float) -> float:
        return _TOP + _PLOT_HEIGHT * (self.high - value) / (self.high - self.low)


def series_chart(
    lines: Mapping[str, Points],
    *,
    title: str,
    x_label: str,
    y_label: str,
    low: float | None = None,
    high: float | None = None,
) -> str:
    """A line chart as SVG; None is a gap, and places stand in the order of their first mention.

    Without `low` and `high` the axis runs a little beyond the values. Each line has its name at its
    end, and its own marker besides its colour.
    """
    values = [value for points in lines.values() for _, value in points if value is not None]
    if not values:
        raise ValueError("a chart needs at least one value")
    if not all(math.isfinite(value) for value in values):
        raise ValueError("a value of a chart is a finite number")
    frame = _Frame(
        tuple(dict.fromkeys(name for points in lines.values() for name, _ in points)),
        *_ends(values, low, high),
    )
    shown = {name: points for name, points in lines.items() if _drawn(points)}
    parts = [*_axes(frame, x_label, y_label)]
    for number, (name, points) in enumerate(shown.items()):
        parts += _line(frame, number, name, points)
    parts += _names(frame, shown)
    longest = max(min(len(name), _LONGEST) for name in shown)
    width = frame.right + 60 + _LETTER * (longest + 6)
    height = max(_TOP + _PLOT_HEIGHT + 64, _TOP + _ROW * len(shown) + 30)
    return document(width, height, one_line(title), parts, size=12)


def _drawn(points: Points) -> list[tuple[str, float]]:
    return [(name, value) for name, value in points if value is not None]


def _ends(values: Sequence[float], low: float | None, high: float | None) -> tuple[float, float]:
    margin = (max(values) - min(values)) * 0.06 or 0.5
    bottom = min(values) - margin if low is None else min(low, *values)
    top = max(values) + margin if high is None else max(high, *values)
    return (bottom, top) if top > bottom else (bottom - 0.5, top + 0.5)


def _axes(frame: _Frame, x_label: str, y_label: str) -> list[str]:
    bottom = _TOP + _PLOT_HEIGHT
    parts = []
    ticks, digits = _ticks(frame.low, frame.high)
    for value in ticks:
        parts.append(line(_LEFT, frame.y(value), frame.right, frame.y(value), _GRID))
        parts.append(text(_LEFT - 8, frame.y(value) + 4, f"{value:.{digits}f}", "end"))
    parts.append(line(_LEFT, bottom, frame.right, bottom, _FAINT))
    for name in frame.names:
        parts.append(line(frame.x(name), bottom, frame.x(name), bottom + 5, _FAINT))
        parts.append(text(frame.x(name), bottom + 20, _shortened(name, _WIDEST)))
    parts.append(text((_LEFT + frame.right) / 2, bottom + 46, one_line(x_label), size=13))
    middle = _TOP + _PLOT_HEIGHT / 2
    words = text(24, middle, one_line(y_label), size=13)
    return [*parts, f'<g transform="rotate(-90 24 {middle:.1f})">{words}</g>']


def _ticks(low: float, high: float) -> tuple[list[float], int]:
    """About six round numbers, and how many digits they need."""
    span = high - low
    step: float = 10.0 ** math.floor(math.log10(span / 5))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 7)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return [number * step for number in range(first, last + 1)], digits


def _line(frame: _Frame, number: int, name: str, points: Points) -> list[str]:
    """A line with its markers, in pieces where values are missing."""
    colour = _COLOURS[number % len(_COLOURS)]
    known = dict(points)
    pieces: list[list[tuple[float, float]]] = [[]]
    for place in frame.names:
        value = known.get(place)
        if value is None:
            pieces.append([])
        else:
            pieces[-1].append((frame.x(place), frame.y(value)))
    parts = [f"<g><title>{escape(one_line(name))}</title>"]
    for piece in pieces:
        if len(piece) > 1:
            drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in piece)
            parts.append(
                f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.8"'
                f"{_dash(number)}/>"
            )
        parts += [_marker(number, x, y) for x, y in piece]
    return [*parts, "</g>"]


def _dash(number: int) -> str:
    dash = _DASHES[number % len(_DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _marker(number: int, x: float, y: float) -> str:
    outline, filled = _MARKERS[number % len(_MARKERS)]
    colour = _COLOURS[number % len(_COLOURS)]
    fill = colour if filled else "white" if outline.endswith("z") else "none"
    return (
        f'<path d="{outline}" transform="translate({x:.1f} {y:.1f})" fill="{fill}" '
        f'stroke="{colour}" stroke-width="1.6"/>'
    )


def _names(frame: _Frame, lines: Mapping[str, Points]) -> list[str]:
    """Every line's name beside its end, none over another, with a thin line that leads there."""
    ends = []
    for number, (name, points) in enumerate(lines.items()):
        place, value = max(_drawn(points), key=lambda point: frame.names.index(point[0]))
        ends.append((frame.y(value), number, name, frame.x(place), value))
    ends.sort()
    wanted = _apart([end[0] for end in ends])
    parts = []
    for y, (end, number, name, x, value) in zip(wanted, ends, strict=True):
        start = frame.right + 6
        parts.append(line(x + 8, end, start, end, _GRID))
        parts.append(line(start, end, start + 16, y, _FAINT))
        parts.append(_marker(number, start + 24, y))
        label = f"{_shortened(name, _LONGEST)} {value:.2f}"
        parts.append(text(start + 34, y + 4, label, "start"))
    return parts


def _apart(heights: Sequence[float]) -> list[float]:
    """The sorted heights, moved as little as it takes to stand a row apart and below the top.

    >>> _apart([100.0, 104.0, 300.0])
    [93.0, 111.0, 300.0]
    """
    blocks: list[list[float]] = []  # the middle of each block, and how many rows it has
    for height in heights:
        blocks.append([height, 1])
        while len(blocks) > 1 and _top(blocks[-1]) < _top(blocks[-2]) + _ROW * blocks[-2][1]:
            middle, rows = blocks.pop()
            other, above = blocks.pop()
            rows_in_all = rows + above
            blocks.append([(middle * rows + other * above) / rows_in_all, rows_in_all])
    placed: list[float] = []
    for block in blocks:
        first = max(_top(block), placed[-1] + _ROW if placed else _TOP - 8)
        placed += [first + _ROW * row for row in range(int(block[1]))]
    return placed


def _top(block: Sequence[float]) -> float:
    return block[0] - _ROW * (block[1] - 1) / 2


def _shortened(name: str, most: int) -> str:
    plain = one_line(name)
    return plain if len(plain) <= most else plain[: most - 1] + "…"
