"""Pictures of a training and of a calibration, as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from adequa.svg import document, line, text
from adequa.training.reliability import Bin

__all__ = ["curves_picture", "reliability_picture"]

WIDTH, MARGIN, PANEL, LEGEND = 780, 60, 250, 190
_ROW = 17
_FAINT, _GRID = "#8a8a8a", "#dddddd"
# The colours of Okabe and Ito, which people with any colour vision tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_DASHES = ("", "6 3", "2 3")
_NO_CURVES = {"step", "epoch", "learning_rate", "grad_norm", "total_flos"}
_DEV = "dev_"
Points = list[tuple[float, float]]


class _Frame(NamedTuple):
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
        parts += _panel(_Frame(top, last, min([0.0, *values]), high), name, curves)
        top += max(PANEL, _ROW * len(curves)) + 70
    return _picture(WIDTH, top + 10, title, parts)


def _curves(log: Sequence[Mapping[str, float]]) -> tuple[dict[str, Points], dict[str, Points]]:
    losses: dict[str, Points] = {}
    figures: dict[str, Points] = {}
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


def _panel(frame: _Frame, name: str, curves: Mapping[str, Points]) -> list[str]:
    right, bottom = WIDTH - LEGEND, frame.top + PANEL
    parts = [text(MARGIN, frame.top - 10, name, anchor="start", size=14)]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        value = frame.low + share * (frame.high - frame.low)
        y = frame.y(value)
        parts.append(line(MARGIN, y, right, y, _GRID))
        parts.append(text(MARGIN - 8, y + 4, f"{value:.3g}", anchor="end"))
        step = share * frame.last
        parts.append(text(frame.x(step), bottom + 18, f"{step:.0f}"))
    parts.append(text((MARGIN + right) / 2, bottom + 36, "steps"))
    for number, (label, points) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
        drawn = " ".join(f"{frame.x(step):.1f},{frame.y(value):.1f}" for step, value in points)
        style = f'stroke="{colour}" stroke-width="1.8" fill="none"'
        style += f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(
            f'<polyline points="{drawn}" {style}><title>{escape(label)}</title></polyline>'
        )
        if len(points) == 1:
            x, y = frame.x(points[0][0]), frame.y(points[0][1])
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        y = frame.top + 8 + _ROW * number
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
        parts.append(line(x(share), y(0), x(share), y(1), _GRID))
        parts.append(line(x(0), y(share), x(1), y(share), _GRID))
        parts.append(text(x(share), y(0) + 18, f"{share:.1f}"))
        parts.append(text(x(0) - 8, y(share) + 4, f"{share:.1f}", anchor="end"))
    parts.append(line(x(0), y(0), x(1), y(1), _FAINT))
    parts.append(text(left + side / 2, y(0) + 40, "probability that is claimed"))
    middle = top + side / 2
    parts.append(
        f'<g transform="rotate(-90 24 {middle:.1f})">{text(24, middle, "share that is true")}</g>'
    )
    for number, (name, bins) in enumerate((("before", before), ("calibrated", after))):
        colour = _COLOURS[1 - number]
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
