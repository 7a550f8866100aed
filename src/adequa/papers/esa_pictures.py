"""The rank picture (Figure 3 of the ESA paper) as SVG, ours with the paper's places behind it."""

from __future__ import annotations

from collections.abc import Mapping

from adequa.papers.esa_systems import Ranks
from adequa.svg import INK, document, line, text

__all__ = ["rank_picture"]

SIZE, MARGIN = 720, 70
_OURS, _THEIRS, _FAINT = "#1f5fa8", "#b0563b", "#c8c8c8"


def rank_picture(ours: Ranks, theirs: Ranks, names: Mapping[str, str], title: str) -> str:
    """A dot a system: further right is more adequate, further up has more BLEU.

    `names` are the labels by system. A ring is the place the paper's table gives the system.
    """
    count = len(ours.esi)
    parts, dots = _axes(count), []
    for system, place in ours.esi.items():
        x, y = _position(place, count), SIZE - _position(ours.bleu[system], count)
        there = _position(theirs.esi[system], count)
        over = SIZE - _position(theirs.bleu[system], count)
        parts.append(
            line(x, y, there, over, _FAINT)
            + f'<circle class="paper" cx="{there:.1f}" cy="{over:.1f}" r="5" fill="none" '
            f'stroke="{_THEIRS}"/>'
        )
        # At the right edge a label goes to the left of its dot.
        right = x > SIZE * 0.75
        dots.append(
            f'<circle class="ours" cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{_OURS}"/>'
            + text(
                x + (-9 if right else 9), y - 7, names[system], anchor="end" if right else "start"
            )
        )
    return document(SIZE, SIZE, title, [*parts, *dots, *_legend()], title_size=17)


def _position(rank: int, count: int) -> float:
    """From left to right, the best rank last."""
    step = (SIZE - 2 * MARGIN) / count
    return MARGIN + (count - rank + 0.5) * step


def _axes(count: int) -> list[str]:
    """They cross between the halves; of an odd number of systems the better half is smaller."""
    half = count // 2
    x = (_position(half, count) + _position(half + 1, count)) / 2
    y = SIZE - x
    low, high = MARGIN, SIZE - MARGIN
    return [
        f'<line x1="{low}" y1="{y:.1f}" x2="{high}" y2="{y:.1f}" stroke="{INK}"/>',
        f'<line x1="{x:.1f}" y1="{low}" x2="{x:.1f}" y2="{high}" stroke="{INK}"/>',
        text(high, y - 8, "more adequate (ESI¹ rank) →", anchor="end"),
        text(x + 8, low - 6, "↑ higher BLEU rank", anchor="start"),
    ]


def _legend() -> list[str]:
    y = SIZE - 26
    return [
        f'<circle cx="{MARGIN}" cy="{y - 4}" r="5" fill="{_OURS}"/>',
        text(MARGIN + 12, y, "adequa", anchor="start"),
        f'<circle cx="{MARGIN + 90}" cy="{y - 4}" r="5" fill="none" stroke="{_THEIRS}"/>',
        text(MARGIN + 102, y, "the paper's Table 1", anchor="start"),
    ]
