"""What every picture is made of: SVG as text, the same bytes for the same numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from adequa.errors import DataError, MissingExtra, SettingError
from adequa.tables import one_line

if TYPE_CHECKING:
    from adequa.stats.reliability import Bin

INK = "#222222"


def document(
    width: float,
    height: float,
    title: str,
    parts: Iterable[str],
    *,
    size: int = 13,
    title_size: int = 16,
    title_y: float = 28,
) -> str:
    """A picture on white with its title above; text is of `size` where it does not say its own."""
    style = f'font-family="sans-serif" font-size="{size}" fill="{INK}"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {style}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        text(width / 2, title_y, title, size=title_size),
    ]
    return "\n".join([*head, *parts, "</svg>"]) + "\n"


def line(x1: float, y1: float, x2: float, y2: float, colour: str = INK) -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def text(x: float, y: float, words: str, anchor: str = "middle", size: int | None = None) -> str:
    """Words on a base line at `y`; `x` is where their `anchor` is: start, middle or end."""
    large = "" if size is None else f' font-size="{size}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{large}>{escape(words)}</text>'


# ---
# A table of correlations as coloured cells, after Figures 4 to 7 of paper 004.
# ---

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


# ---
# A picture into a file: SVG as it is, PNG by rendering it.
# ---

SUFFIXES = (".svg", ".png")
_ZOOM = 2.0
"""A picture's unit is a pixel of the screen; print wants more."""


def save_picture(svg: str, path: Path) -> None:
    """Write a picture; `.svg` or `.png` decides how, and PNG needs the extra `png`.

    The folder must be there; a file of that name is replaced.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise SettingError(f"a picture is .svg or .png, not {path.name!r}; name it so")
    content = svg.encode("utf-8") if suffix == ".svg" else _rendered(svg)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})",
            path=path,
            remedy="name a file in a folder that exists and may be written to",
        ) from None


def _rendered(svg: str) -> bytes:
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MissingExtra("png", "resvg-py") from None
    return bytes(svg_to_bytes(svg_string=svg, zoom=_ZOOM))


# ---
# Lines over an ordered axis: a mean score by the size of the data, one line a system.
# ---

SeriesPoints = Sequence[tuple[str, float | None]]

_LEFT, _TOP, _PLOT_HEIGHT, _STEP = 78.0, 56.0, 380.0, 110.0
_ROW = 18.0
_SERIES_LETTER = 7.2
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
    lines: Mapping[str, SeriesPoints],
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
    width = frame.right + 60 + _SERIES_LETTER * (longest + 6)
    height = max(_TOP + _PLOT_HEIGHT + 64, _TOP + _ROW * len(shown) + 30)
    return document(width, height, one_line(title), parts, size=12)


def _drawn(points: SeriesPoints) -> list[tuple[str, float]]:
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


def _line(frame: _Frame, number: int, name: str, points: SeriesPoints) -> list[str]:
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


def _names(frame: _Frame, lines: Mapping[str, SeriesPoints]) -> list[str]:
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


# ---
# Pictures of a training and of a calibration, as SVG.
# ---

WIDTH, MARGIN, PANEL, LEGEND = 780, 60, 250, 190
_CURVE_ROW = 17
_CURVE_FAINT, _CURVE_GRID = "#8a8a8a", "#dddddd"
# The colours of Okabe and Ito, which people with any colour vision tell apart.
_CURVE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_CURVE_DASHES = ("", "6 3", "2 3")
_NO_CURVES = {"step", "epoch", "learning_rate", "grad_norm", "total_flos"}
_DEV = "dev_"
CurvePoints = list[tuple[float, float]]


class _CurveFrame(NamedTuple):
    """Where a panel stands and what its axes run over."""

    top: float
    last: float
    low: float
    high: float

    def x(self, value: float) -> float:
        return MARGIN + (WIDTH - MARGIN - LEGEND) * value / self.last

    def y(self, value: float) -> float:
        return self.top + PANEL * (self.high - value) / (self.high - self.low)


def curves_picture(log: Sequence[Mapping[str, float]], title: str) -> str:
    """The losses above, the figures on held-out data below, both over the steps.

    `log` is what the trainer wrote: a line has a step, and losses or figures that begin `dev_`.
    """
    losses, figures = _curves(log)
    last = max(
        [1.0, *(point[0] for points in (*losses.values(), *figures.values()) for point in points)]
    )
    panels = [("loss", losses)] if losses else []
    if figures:
        panels.append(("held-out data", figures))
    parts = []
    top = 60.0
    for name, curves in panels:
        values = [value for points in curves.values() for _, value in points]
        high = max([*values, 1.0]) if name != "loss" else _round_up(max(values))
        parts += _panel(_CurveFrame(top, last, min([0.0, *values]), high), name, curves)
        top += max(PANEL, _CURVE_ROW * len(curves)) + 70
    return _picture(WIDTH, top + 10, title, parts)


def _curves(
    log: Sequence[Mapping[str, float]],
) -> tuple[dict[str, CurvePoints], dict[str, CurvePoints]]:
    losses: dict[str, CurvePoints] = {}
    figures: dict[str, CurvePoints] = {}
    for entry in log:
        if "train_runtime" in entry:  # the summary at the end
            continue
        for name, value in entry.items():
            if name in _NO_CURVES or not math.isfinite(float(value)):
                continue
            held_out = name.startswith(_DEV)
            curves = figures if held_out else losses
            point = (float(entry["step"]), float(value))
            curves.setdefault(name.removeprefix(_DEV) if held_out else name, []).append(point)
    return losses, figures


def _panel(frame: _CurveFrame, name: str, curves: Mapping[str, CurvePoints]) -> list[str]:
    right, bottom = WIDTH - LEGEND, frame.top + PANEL
    parts = [text(MARGIN, frame.top - 10, name, anchor="start", size=14)]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        value = frame.low + share * (frame.high - frame.low)
        y = frame.y(value)
        parts.append(line(MARGIN, y, right, y, _CURVE_GRID))
        parts.append(text(MARGIN - 8, y + 4, f"{value:.3g}", anchor="end"))
        step = share * frame.last
        parts.append(text(frame.x(step), bottom + 18, f"{step:.0f}"))
    parts.append(text((MARGIN + right) / 2, bottom + 36, "steps"))
    for number, (label, points) in enumerate(curves.items()):
        colour = _CURVE_COLOURS[number % len(_CURVE_COLOURS)]
        dash = _CURVE_DASHES[number // len(_CURVE_COLOURS) % len(_CURVE_DASHES)]
        drawn = " ".join(f"{frame.x(step):.1f},{frame.y(value):.1f}" for step, value in points)
        style = f'stroke="{colour}" stroke-width="1.8" fill="none"'
        style += f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(
            f'<polyline points="{drawn}" {style}><title>{escape(label)}</title></polyline>'
        )
        if len(points) == 1:
            x, y = frame.x(points[0][0]), frame.y(points[0][1])
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        y = frame.top + 8 + _CURVE_ROW * number
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(
            f'<line x1="{right + 12}" y1="{y:.1f}" x2="{right + 34}" y2="{y:.1f}" '
            f'stroke="{colour}" stroke-width="1.8"{dashed}/>'
        )
        shown = f"{label} {points[-1][1]:.3f}"
        parts.append(text(right + 40, y + 4, shown, anchor="start", size=11))
    return parts


def reliability_picture(
    before: Sequence[Bin], after: Sequence[Bin], title: str, said: str = ""
) -> str:
    """What was claimed against what was true; on the diagonal a probability is what it says.

    The area of a dot grows with the number of cases in its bin.
    """
    side, left, top = 420.0, 70.0, 70.0

    def x(value: float) -> float:
        return left + side * value

    def y(value: float) -> float:
        return top + side * (1 - value)

    parts = [text(left + side / 2, 46, said, size=12)] if said else []
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        parts.append(line(x(share), y(0), x(share), y(1), _CURVE_GRID))
        parts.append(line(x(0), y(share), x(1), y(share), _CURVE_GRID))
        parts.append(text(x(share), y(0) + 18, f"{share:.1f}"))
        parts.append(text(x(0) - 8, y(share) + 4, f"{share:.1f}", anchor="end"))
    parts.append(line(x(0), y(0), x(1), y(1), _CURVE_FAINT))
    parts.append(text(left + side / 2, y(0) + 40, "probability that is claimed"))
    middle = top + side / 2
    parts.append(
        f'<g transform="rotate(-90 24 {middle:.1f})">{text(24, middle, "share that is true")}</g>'
    )
    for number, (name, bins) in enumerate((("before", before), ("calibrated", after))):
        colour = _CURVE_COLOURS[1 - number]
        filled = [one for one in bins if one.count]
        most = max((one.count for one in filled), default=1)
        drawn = " ".join(f"{x(one.claimed):.1f},{y(one.true):.1f}" for one in filled)
        parts.append(f'<polyline points="{drawn}" stroke="{colour}" fill="none"/>')
        for one in filled:
            radius = 2.5 + 7 * math.sqrt(one.count / most)
            parts.append(
                f'<circle class="{name}" cx="{x(one.claimed):.1f}" cy="{y(one.true):.1f}" '
                f'r="{radius:.1f}" fill="{colour}" fill-opacity="0.6"/>'
            )
        parts.append(
            f'<circle cx="{x(0.06):.1f}" cy="{y(0.95) + 20 * number:.1f}" r="5" fill="{colour}"/>'
            + text(x(0.09), y(0.95) + 4 + 20 * number, name, anchor="start")
        )
    return _picture(left + side + 40, top + side + 60, title, parts)


def _round_up(value: float) -> float:
    """A little more than the value, with one or two digits."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    return float(math.ceil(value / unit * 2) / 2 * unit)


def _picture(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return document(width, height, title, parts, size=12, title_y=26)
