"""Charts as SVG text: heat maps, series, training curves and reliability diagrams.

The same numbers give the same bytes. Written by hand rather than with matplotlib, because the
core install stays small and offline. `Frame` maps values to
pixels and draws the axes of every chart; `save_picture` writes SVG or, with the extra `png`, PNG.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from adequa.errors import SettingError, load_extra
from adequa.files import write_errors
from adequa.tables import one_line, shortened

if TYPE_CHECKING:
    from adequa.stats.reliability import Bin

INK = "#222222"
_GRID, _FAINT = "#dddddd", "#9a9a9a"
# The colours of Okabe and Ito (2008), which people with any colour vision can tell apart; their
# yellow, which is too pale for a thin line, is darkened. Markers and dashes differ as well.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8f8400", "#000000")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")

SUFFIXES = (".svg", ".png")
_ZOOM = 2.0
"""Pixels of a PNG per unit of the SVG, so that it is sharp in print."""
_FAMILIES = ("Arial", "Helvetica", "DejaVu Sans", "Liberation Sans", "Noto Sans", "FreeSans")
"""The sans-serif fonts of Windows, macOS and the Linux distributions."""


def document(
    width: float,
    height: float,
    title: str,
    parts: Iterable[str],
    *,
    size: int = 13,
) -> str:
    """A picture on white with its title above; `size` is the default size of its text."""
    style = f'font-family="sans-serif" font-size="{size}" fill="{INK}"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {style}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        text(width / 2, 28, title, size=16),
    ]
    return "\n".join([*head, *parts, "</svg>"]) + "\n"


def line(x1: float, y1: float, x2: float, y2: float, colour: str = INK) -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def text(x: float, y: float, words: str, anchor: str = "middle", size: int | None = None) -> str:
    """Words on a base line at `y`; `x` is the place of their `anchor`: start, middle or end."""
    large = "" if size is None else f' font-size="{size}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{large}>{escape(words)}</text>'


def _rotated(x: float, y: float, words: str, angle: int, anchor: str = "middle") -> str:
    return f'<g transform="rotate({angle} {x:.1f} {y:.1f})">{text(x, y, words, anchor)}</g>'


def _polyline(points: Iterable[tuple[float, float]], number: int, title: str = "") -> str:
    """The line of series `number`, in its colour and dashes."""
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    inner = f"<title>{escape(title)}</title>" if title else ""
    return f'<polyline points="{drawn}" {_stroke(number)}>{inner}</polyline>'


def _stroke(number: int) -> str:
    dash = _DASHES[number % len(_DASHES)]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{_colour_of(number)}" stroke-width="1.8"{dashes}'


def _dot(x: float, y: float, radius: float, number: int, style: str = "") -> str:
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
    return f'<circle {place} fill="{_colour_of(number)}"{style}/>'


def _colour_of(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


class Frame(NamedTuple):
    """The plot area in pixels, and the values at its edges."""

    left: float
    top: float
    right: float
    bottom: float
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        """The pixel of a value of the horizontal axis."""
        share = (value - self.x_low) / (self.x_high - self.x_low)
        return self.left + (self.right - self.left) * share

    def y(self, value: float) -> float:
        """The pixel of a value of the vertical axis."""
        share = (self.y_high - value) / (self.y_high - self.y_low)
        return self.top + (self.bottom - self.top) * share

    def axes(
        self,
        x_ticks: Iterable[tuple[float, str]],
        y_ticks: Iterable[tuple[float, str]],
        *,
        x_label: str,
        y_label: str = "",
        columns: bool = False,
    ) -> list[str]:
        """The ticks with their labels and a grid; `columns` also draws the vertical grid lines."""
        parts = []
        for value, label in y_ticks:
            y = self.y(value)
            parts.append(line(self.left, y, self.right, y, _GRID))
            parts.append(text(self.left - 8, y + 4, label, "end"))
        parts.append(line(self.left, self.bottom, self.right, self.bottom, _FAINT))
        end, colour = (self.top, _GRID) if columns else (self.bottom + 5, _FAINT)
        for value, label in x_ticks:
            x = self.x(value)
            parts += [line(x, self.bottom, x, end, colour), text(x, self.bottom + 20, label)]
        parts.append(text((self.left + self.right) / 2, self.bottom + 42, x_label, size=13))
        if y_label:
            parts.append(_rotated(24, (self.top + self.bottom) / 2, y_label, -90))
        return parts


# Heat maps, after Figures 4 to 7 of paper 004.

Colour = tuple[int, int, int]

# ColorBrewer's RdBu, whose two ends differ also for people who see no red or no green.
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

    `low` is the lowest value of cells and bar: 0 for shares, which then go from white to blue. A
    cell of None is empty. `crossed` has the (row, column) of cells to cross out as not significant.
    """
    if not rows or not columns:
        raise ValueError("a heat map has at least one row and one column")
    if [len(row) for row in values] != [len(columns)] * len(rows):
        raise ValueError(f"the values are not {len(rows)} rows of {len(columns)}")
    for value in chain.from_iterable(values):
        if value is not None and not low <= value <= 1:
            raise ValueError(f"a cell is from {low:g} to 1 or None, not {value}")
    for r, c in crossed:
        if not (0 <= r < len(rows) and 0 <= c < len(columns)):
            raise ValueError(f"there is no cell ({r}, {c}) to cross out")
    width = max(_LEAST_WIDTH, (digits + 4) * _LETTER + 10)
    slanted = any(len(name) * _LETTER > width - 6 for name in columns)
    longest = max(len(name) for name in columns) * _LETTER
    left = _EDGE + max(len(name) for name in rows) * _LETTER + 10
    top = 48 + (longest * math.sin(_SLANT) + 14 if slanted else 18.0)
    box = (left, top, left + width * len(columns), top + _CELL_HEIGHT * len(rows))
    frame = Frame(*box, x_low=0, x_high=len(columns), y_low=len(rows), y_high=0)
    parts = [text(left - 8, frame.y(r + 0.5) + 4.5, name, "end") for r, name in enumerate(rows)]
    for c, name in enumerate(columns):
        x, y = frame.x(c + 0.5), top - 8
        parts.append(_rotated(x, y, name, -45, anchor="start") if slanted else text(x, y, name))
    for r, row in enumerate(values):
        for c, value in enumerate(row):
            if value is not None:
                shown = f"{value:.{digits}f}"
                shown = shown.removeprefix("-") if float(shown) == 0 else shown
                name = f"{rows[r]}, {columns[c]}: {shown}"
                parts += _cell(frame, r, c, value=value, shown=shown, name=name)
                if (r, c) in crossed:
                    parts.append(_cross(frame, r, c, _ink(_colour(value))))
    foot = max(frame.bottom, top + 3 * _CELL_HEIGHT)
    parts += _colour_bar(frame.right + 18, top, foot, low)
    overhang = max(0.0, longest * math.cos(_SLANT) - _BAR_ROOM) if slanted else 0.0
    whole = max(frame.right + _BAR_ROOM + overhang, len(title) * 9.6 + 2 * _EDGE)
    if crossed:
        parts.append(text(left, foot + 24, "crossed out: not significant", "start", 11))
    return document(whole, foot + (38 if crossed else _EDGE), title, parts)


def _cell(frame: Frame, r: int, c: int, *, value: float, shown: str, name: str) -> list[str]:
    colour = _colour(value)
    box = (
        f'<rect class="cell" x="{frame.x(c):.1f}" y="{frame.y(r):.1f}" '
        f'width="{frame.x(c + 1) - frame.x(c):.1f}" height="{_CELL_HEIGHT:.1f}" '
        f'fill="{_hex(colour)}" stroke="white"><title>{escape(name)}</title></rect>'
    )
    number = text(frame.x(c + 0.5), frame.y(r + 0.5) + 4.5, shown)
    return [box, f'<g fill="{_ink(colour)}">{number}</g>']


def _cross(frame: Frame, r: int, c: int, ink: str) -> str:
    left, right = frame.x(c) + 3, frame.x(c + 1) - 3
    top, bottom = frame.y(r) + 3, frame.y(r + 1) - 3
    strokes = line(left, top, right, bottom, ink) + line(left, bottom, right, top, ink)
    return f'<g class="cross" stroke-opacity="0.55">{strokes}</g>'


def _colour_bar(x: float, top: float, bottom: float, low: float) -> list[str]:
    frame = Frame(x, top, x + _BAR, bottom, 0, 1, low, 1)
    step = (bottom - top) / _BAR_STEPS
    parts: list[str] = []
    for number in range(_BAR_STEPS):
        colour = _hex(_colour(1 - (1 - low) * (number + 0.5) / _BAR_STEPS))
        parts.append(
            f'<rect x="{x:.1f}" y="{top + step * number:.2f}" width="{_BAR:.1f}" '
            f'height="{step + 0.3:.2f}" fill="{colour}"/>'
        )
    edge = x + _BAR
    for tick, y in ((tick, frame.y(tick)) for tick in (1.0, 0.5, 0.0, -0.5, -1.0) if tick >= low):
        parts += [line(edge, y, edge + 4, y), text(edge + 7, y + 4, f"{tick:g}", "start", 11)]
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
    """Dark or light, whichever has the better contrast by the WCAG formula."""
    linear = [
        part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # The contrast with white equals that with black at a luminance of about 0.179: 4.58.
    return _DARK if luminance > 0.179 else _LIGHT


# Series: lines over an ordered axis, such as the mean score of each system by the size of the data.

SeriesPoints = Sequence[tuple[str, float | None]]

_LEFT, _TOP, _PLOT_HEIGHT, _STEP, _INSET = 78.0, 56.0, 380.0, 110.0, 15.0
_ROW = 18.0
_LABEL_LETTER = 7.2
"""The width of a wide letter of a label."""
_LONGEST, _WIDEST = 40, 15
"""The most letters of a name at the end of a line, and of one below the axis."""
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
"""Outlines around (0, 0), and whether they are filled."""


def series_chart(
    lines: Mapping[str, SeriesPoints],
    *,
    title: str,
    x_label: str,
    y_label: str,
    low: float | None = None,
    high: float | None = None,
) -> str:
    """A line chart; None is a gap, and places are in the order of their first occurrence.

    Without `low` and `high` the axis extends a little beyond the values. Each line has its name at
    its end, and a marker of its own.
    """
    values = [value for points in lines.values() for _, value in points if value is not None]
    if not values:
        raise ValueError("a chart needs at least one value")
    if not all(math.isfinite(value) for value in values):
        raise ValueError("a value of a chart is a finite number")
    places = tuple(dict.fromkeys(name for points in lines.values() for name, _ in points))
    frame = _series_frame(len(places), *_ends(values, low, high))
    ticks, digits = _ticks(frame.y_low, frame.y_high)
    shown = {
        name: [(places.index(place), value) for place, value in points if value is not None]
        for name, points in lines.items()
        if any(value is not None for _, value in points)
    }
    parts = frame.axes(
        [(number, shortened(place, _WIDEST)) for number, place in enumerate(places)],
        [(value, f"{value:.{digits}f}") for value in ticks],
        x_label=one_line(x_label),
        y_label=one_line(y_label),
    )
    for number, (name, found) in enumerate(shown.items()):
        parts += _series(frame, number, name, sorted(found))
    parts += _series_names(frame, shown)
    longest = max(min(len(name), _LONGEST) for name in shown)
    width = frame.right + 60 + _LABEL_LETTER * (longest + 6)
    height = max(frame.bottom + 64, _TOP + _ROW * len(shown) + 30)
    return document(width, height, one_line(title), parts, size=12)


def _series_frame(places: int, low: float, high: float) -> Frame:
    width = _STEP * max(1, places - 1) + 2 * _INSET
    # The first and the last place are a little inside of the frame; a single one is in the middle.
    margin = _INSET * (places - 1) / (width - 2 * _INSET) if places > 1 else 1.0
    box = (_LEFT, _TOP, _LEFT + width, _TOP + _PLOT_HEIGHT)
    return Frame(*box, x_low=-margin, x_high=places - 1 + margin, y_low=low, y_high=high)


def _ends(values: Sequence[float], low: float | None, high: float | None) -> tuple[float, float]:
    margin = (max(values) - min(values)) * 0.06 or 0.5
    bottom = min(values) - margin if low is None else min(low, *values)
    top = max(values) + margin if high is None else max(high, *values)
    return (bottom, top) if top > bottom else (bottom - 0.5, top + 0.5)


def _ticks(low: float, high: float) -> tuple[list[float], int]:
    """About six round numbers, and the digits they need."""
    span = high - low
    step: float = 10.0 ** math.floor(math.log10(span / 5))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 7)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return [number * step for number in range(first, last + 1)], digits


def _series(frame: Frame, number: int, name: str, points: Sequence[tuple[int, float]]) -> list[str]:
    """A line with its markers, interrupted where values are missing."""
    pieces: list[list[tuple[float, float]]] = []
    previous = -2
    for place, value in points:
        if place != previous + 1:
            pieces.append([])
        pieces[-1].append((frame.x(place), frame.y(value)))
        previous = place
    parts = [f"<g><title>{escape(one_line(name))}</title>"]
    for piece in pieces:
        if len(piece) > 1:
            parts.append(_polyline(piece, number))
        parts += [_marker(number, x, y) for x, y in piece]
    return [*parts, "</g>"]


def _marker(number: int, x: float, y: float) -> str:
    outline, filled = _MARKERS[number % len(_MARKERS)]
    colour = _colour_of(number)
    fill = colour if filled else "white" if outline.endswith("z") else "none"
    return (
        f'<path d="{outline}" transform="translate({x:.1f} {y:.1f})" fill="{fill}" '
        f'stroke="{colour}" stroke-width="1.6"/>'
    )


def _series_names(frame: Frame, lines: Mapping[str, Sequence[tuple[int, float]]]) -> list[str]:
    """The name of each line next to its end, without overlaps, with a thin line to the end."""
    ends = []
    for number, (name, points) in enumerate(lines.items()):
        place, value = max(points, key=lambda point: point[0])
        ends.append((frame.y(value), number, name, frame.x(place), value))
    ends.sort()
    parts, start = [], frame.right + 6
    heights = _apart([one[0] for one in ends])
    for y, (end, number, name, x, value) in zip(heights, ends, strict=True):
        label = f"{shortened(name, _LONGEST)} {value:.2f}"
        parts += [line(x + 8, end, start, end, _GRID), line(start, end, start + 16, y, _FAINT)]
        parts += [_marker(number, start + 24, y), text(start + 34, y + 4, label, "start")]
    return parts


def _apart(heights: Sequence[float]) -> list[float]:
    """The sorted heights, moved as little as needed to be a row apart and below the top.

    >>> _apart([100.0, 104.0, 300.0])
    [93.0, 111.0, 300.0]
    """
    blocks: list[list[float]] = []  # the middle of each block, and its number of rows
    for height in heights:
        blocks.append([height, 1])
        while len(blocks) > 1 and _first_row(blocks[-1]) < _first_row(blocks[-2]) + (
            _ROW * blocks[-2][1]
        ):
            middle, rows = blocks.pop()
            other, above = blocks.pop()
            total = rows + above
            blocks.append([(middle * rows + other * above) / total, total])
    placed: list[float] = []
    for block in blocks:
        first = max(_first_row(block), placed[-1] + _ROW if placed else _TOP - 8)
        placed += [first + _ROW * row for row in range(int(block[1]))]
    return placed


def _first_row(block: Sequence[float]) -> float:
    return block[0] - _ROW * (block[1] - 1) / 2


# Training curves: losses and figures on held-out data over the steps.

_WIDTH, _MARGIN, _PANEL, _LEGEND = 780.0, 60.0, 250.0, 190.0
_LEGEND_ROW = 17.0
_NOT_CURVES = {"step", "epoch", "learning_rate", "grad_norm", "total_flos"}
_DEV = "dev_"
CurvePoints = list[tuple[float, float]]


def curves_picture(log: Sequence[Mapping[str, float]], title: str) -> str:
    """The losses above, the figures on held-out data below, both over the steps.

    `log` is the log of the trainer: an entry has a step, and losses or figures that begin `dev_`.
    """
    losses, figures = _curves(log)
    last = max(
        [1.0, *(point[0] for points in (*losses.values(), *figures.values()) for point in points)]
    )
    parts: list[str] = []
    top = 60.0
    for name, curves in (("loss", losses), ("held-out data", figures)):
        if not curves:
            continue
        values = [value for points in curves.values() for _, value in points]
        high = _round_up(max(values)) if name == "loss" else max([*values, 1.0])
        box = (_MARGIN, top, _WIDTH - _LEGEND, top + _PANEL)
        frame = Frame(*box, x_low=0, x_high=last, y_low=min([0.0, *values]), y_high=high)
        parts += _panel(frame, name, curves)
        top += max(_PANEL, _LEGEND_ROW * len(curves)) + 70
    return document(_WIDTH, top + 10, title, parts, size=12)


def _curves(
    log: Sequence[Mapping[str, float]],
) -> tuple[dict[str, CurvePoints], dict[str, CurvePoints]]:
    losses: dict[str, CurvePoints] = {}
    figures: dict[str, CurvePoints] = {}
    for entry in log:
        if "train_runtime" in entry:  # the summary at the end
            continue
        for name, value in entry.items():
            if name not in _NOT_CURVES and math.isfinite(float(value)):
                curves = figures if name.startswith(_DEV) else losses
                point = (float(entry["step"]), float(value))
                curves.setdefault(name.removeprefix(_DEV), []).append(point)
    return losses, figures


def _panel(frame: Frame, name: str, curves: Mapping[str, CurvePoints]) -> list[str]:
    shares = (0.0, 0.25, 0.5, 0.75, 1.0)
    heights = [frame.y_low + share * (frame.y_high - frame.y_low) for share in shares]
    parts = [
        text(frame.left, frame.top - 10, name, anchor="start", size=14),
        *frame.axes(
            [(share * frame.x_high, f"{share * frame.x_high:.0f}") for share in shares],
            [(value, f"{value:.3g}") for value in heights],
            x_label="steps",
        ),
    ]
    for number, (label, points) in enumerate(curves.items()):
        places = [(frame.x(step), frame.y(value)) for step, value in points]
        parts.append(_polyline(places, number, label))
        if len(places) == 1:
            parts.append(_dot(*places[0], 3, number))
        x, y = frame.right + 12, frame.top + 8 + _LEGEND_ROW * number
        parts.append(f'<path d="M{x:.1f},{y:.1f}h22" {_stroke(number)}/>')
        shown = f"{label} {points[-1][1]:.3f}"
        parts.append(text(x + 28, y + 4, shown, anchor="start", size=11))
    return parts


def _round_up(value: float) -> float:
    """A little more than the value, with one or two digits."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    return float(math.ceil(value / unit * 2) / 2 * unit)


# Reliability diagrams: claimed probabilities against the share that is true.


def reliability_picture(series: Mapping[str, Sequence[Bin]], title: str, subtitle: str = "") -> str:
    """Claimed probabilities against shares of truth; a calibrated model is on the diagonal.

    The area of a dot grows with the number of cases in its bin.
    """
    frame = Frame(70, 70, 490, 490, 0, 1, 0, 1)
    ticks = [(share, f"{share:.1f}") for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)]
    parts = [text((frame.left + frame.right) / 2, 46, subtitle, size=12)] if subtitle else []
    parts += frame.axes(
        ticks, ticks, x_label="claimed probability", y_label="share that is true", columns=True
    )
    parts.append(line(frame.x(0), frame.y(0), frame.x(1), frame.y(1), _FAINT))
    for row, (name, bins) in enumerate(series.items()):
        number = len(series) - 1 - row
        filled = [one for one in bins if one.count]
        most = max((one.count for one in filled), default=1)
        places = [(frame.x(one.claimed), frame.y(one.true)) for one in filled]
        parts.append(_polyline(places, number))
        for one, (x, y) in zip(filled, places, strict=True):
            radius = 2.5 + 7 * math.sqrt(one.count / most)
            parts.append(_dot(x, y, radius, number, f' class="{name}" fill-opacity="0.6"'))
        x, y = frame.x(0.06), frame.y(0.95) + 20 * row
        parts += [_dot(x, y, 5, number), text(frame.x(0.09), y + 4, name, anchor="start")]
    return document(frame.right + 40, frame.bottom + 60, title, parts, size=12)


def save_picture(svg: str, path: Path) -> None:
    """Write a picture as `.svg` or `.png`, by the ending of the path.

    PNG needs the extra `png` and a font. The folder must exist; an existing file is replaced.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise SettingError(f"a picture is .svg or .png, not {path.name!r}; name it so")
    content = svg.encode("utf-8") if suffix == ".svg" else _rendered(svg)
    with write_errors(path, remedy="name a file in an existing folder with write permission"):
        path.write_bytes(content)


def _rendered(svg: str) -> bytes:
    svg_to_bytes = load_extra("png", "resvg_py", "resvg-py").svg_to_bytes
    family = sans_serif()
    if family is None:
        raise MissingFont
    return bytes(svg_to_bytes(svg_string=svg, zoom=_ZOOM, sans_serif_family=family))


class MissingFont(SettingError):
    """There is no known font on the machine, so a PNG would lack its letters."""

    def __init__(self) -> None:
        super().__init__(
            f"a PNG needs a font for its text: {', '.join(_FAMILIES)}; install one "
            "(Debian: apt install fonts-dejavu-core), or write .svg"
        )


@cache
def sans_serif() -> str | None:
    """The first font family that resvg finds.

    resvg takes `sans-serif` to be Arial, and leaves out all text, without an error, where there is
    no such font. So a letter is rendered with each family until one shows.
    """
    from resvg_py import svg_to_bytes

    empty, letter = (document(20, 20, "", [part]) for part in ("", text(10, 15, "M")))
    blank = svg_to_bytes(svg_string=empty)
    for family in _FAMILIES:
        if svg_to_bytes(svg_string=letter, sans_serif_family=family) != blank:
            return family
    return None
