"""What every picture is made of: SVG as text, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["INK", "document", "line", "text"]

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
