"""The kinds of pictures paper 003 has, as SVG: histograms, violins, bars, scatters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from adequa.charts import INK, document, line, text

WIDTH, MARGIN, LABELS = 760, 50, 250
_COLOURS = ("#1f5fa8", "#b0563b", "#3f7d4e", "#7a5aa6", "#8a7326", "#4b8a92")
_FAINT = "#d4d4d4"
_BINS = 40

Points = Sequence[tuple[float, float]]


class Bar(NamedTuple):
    """A row of a bar chart, with an interval if there is one."""

    name: str
    value: float
    interval: tuple[float, float] | None = None


class _Scale(NamedTuple):
    """A stretch of values on a stretch of the picture."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        return self.start + (value - self.low) / span * (self.end - self.start)

    def ticks(self) -> list[float]:
        """About five round numbers."""
        span = self.high - self.low
        step = 10 ** math.floor(math.log10(span / 4))
        step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 6)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def histograms(series: Mapping[str, Sequence[float]], title: str, axis: str) -> str:
    """A histogram a series, below one another over one axis; each is as high as its peak."""
    scale = _scale(series.values(), LABELS, WIDTH - MARGIN)
    height, parts = 70, []
    bottom = 60 + height * len(series)
    parts += _ticks_below(scale, 60, bottom, axis)
    for number, (name, values) in enumerate(series.items()):
        base = 60 + height * (number + 1) - 8
        counts, edges = np.histogram(values, _BINS, (scale.low, scale.high))
        for count, left, right in zip(counts, edges, edges[1:], strict=False):
            tall = (height - 16) * count / max(1, counts.max())
            if count:
                x, wide = scale(left), scale(right) - scale(left)
                parts.append(
                    f'<rect x="{x:.1f}" y="{base - tall:.1f}" width="{wide:.1f}" '
                    f'height="{tall:.1f}" fill="{_colour(number)}"/>'
                )
        parts.append(text(LABELS - 12, base - 4, f"{name} ({len(values):,})", "end"))
    return document(WIDTH, bottom + 50, title, parts)


def violins(series: Mapping[str, Sequence[float]], title: str, axis: str) -> str:
    """A lying violin a series, its median as a line, and zero marked."""
    scale = _scale(series.values(), LABELS, WIDTH - MARGIN, (0.0,))
    height, parts = 80, []
    bottom = 60 + height * len(series)
    parts += _ticks_below(scale, 60, bottom, axis)
    zero = scale(0)
    parts.append(f'<line x1="{zero:.1f}" y1="60" x2="{zero:.1f}" y2="{bottom}" stroke="{INK}"/>')
    for number, (name, values) in enumerate(series.items()):
        middle = 60 + height * (number + 0.5)
        counts, edges = np.histogram(values, _BINS, (scale.low, scale.high))
        smooth = np.convolve(counts, [0.25, 0.5, 0.25], "same")
        wide = (height / 2 - 8) * smooth / max(smooth.max(), 1e-12)
        centres = (edges[1:] + edges[:-1]) / 2
        upper = [(scale(x), middle - y) for x, y in zip(centres, wide, strict=True)]
        lower = [(scale(x), middle + y) for x, y in zip(centres, wide, strict=True)][::-1]
        outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in upper + lower)
        half = scale(float(np.median(values)))
        parts += [
            f'<polygon points="{outline}" fill="{_colour(number)}" fill-opacity="0.75"/>',
            f'<rect x="{half - 1:.1f}" y="{middle - 12:.1f}" width="2" height="24"/>',
            text(LABELS - 12, middle - 4, name, "end"),
            text(LABELS - 12, middle + 14, f"{_share(values):.1%} not above 0", "end"),
        ]
    return document(WIDTH, bottom + 50, title, parts)


def bars(panels: Mapping[str, Sequence[Bar]], title: str) -> str:
    """Panels below one another, a bar a row with its value, and its interval as a thin line."""
    values = [0.0, *(end for panel in panels.values() for bar in panel for end in _ends(bar))]
    scale = _scale([values], LABELS + 70, WIDTH - MARGIN)
    y, parts = 60.0, []
    for number, (panel, rows) in enumerate(panels.items()):
        parts.append(text(MARGIN, y + 4, panel, "start", 15))
        y += 22
        parts += _ticks_below(scale, y - 12, y + 20 * len(rows), "")
        for bar in rows:
            start, end = sorted((scale(0), scale(bar.value)))
            parts += [
                text(LABELS + 8, y + 4, _shortened(bar.name), "end"),
                text(LABELS + 16, y + 4, f"{bar.value:.2f}", "start"),
                (
                    f'<rect class="bar" x="{start:.1f}" y="{y - 7:.1f}" width="{end - start:.1f}" '
                    f'height="14" fill="{_colour(number)}"/>'
                ),
            ]
            if bar.interval is not None:
                low, high = (scale(end) for end in bar.interval)
                parts.append(line(low, y, high, y))
            y += 20
        y += 44
    return document(WIDTH, y, title, parts)


def scatter(panels: Mapping[str, Points], title: str, axis: str) -> str:
    """Panels side by side, a dot a pair, over one kind of horizontal axis."""
    size = (WIDTH - MARGIN) / max(1, len(panels)) - 60
    everywhere = [[x for x, _ in points] for points in panels.values()]
    parts: list[str] = []
    for number, (name, points) in enumerate(panels.items()):
        left = MARGIN + number * (size + 60)
        across = _scale(everywhere, left, left + size)
        up = _scale([[y for _, y in points]], 80 + size, 80)
        parts += _ticks_below(across, 80, 80 + size, axis)
        parts += _ticks_beside(up, left, left + size)
        parts.append(text(left + size / 2, 68, name, "middle", 15))
        parts += [
            f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="2.2" fill="{_colour(number)}" '
            'fill-opacity="0.45"/>'
            for x, y in points
        ]
    return document(WIDTH, 130 + size, title, parts)


def _ends(bar: Bar) -> tuple[float, ...]:
    return (bar.value, *(bar.interval or ()))


def _share(values: Sequence[float]) -> float:
    return sum(value <= 0 for value in values) / len(values)


def _shortened(name: str, most: int = 36) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def _scale(
    groups: Iterable[Iterable[float]], start: float, end: float, also: Sequence[float] = ()
) -> _Scale:
    """A scale that all values are on, and which is never a point."""
    values = [*also, *(value for group in groups for value in group)] or [0.0]
    low, high = min(values), max(values)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    return _Scale(low, high, start, end)


def _ticks_below(scale: _Scale, top: float, bottom: float, axis: str) -> list[str]:
    parts = []
    for value in scale.ticks():
        x = scale(value)
        parts.append(line(x, top, x, bottom, _FAINT))
        parts.append(text(x, bottom + 16, f"{value:g}", size=11))
    middle = (scale.start + scale.end) / 2
    return [*parts, *([text(middle, bottom + 36, axis)] if axis else [])]


def _ticks_beside(scale: _Scale, left: float, right: float) -> list[str]:
    parts = []
    for value in scale.ticks():
        y = scale(value)
        parts.append(line(left, y, right, y, _FAINT))
        parts.append(text(left - 6, y + 4, f"{value:g}", "end", 11))
    return parts
