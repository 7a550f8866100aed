"""Model cards: what a model was made of and by whom it may be used, as a page and as fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adequa.training.exporting.checkpoint import Checkpoint

__all__ = ["card_fields", "render_card"]

_USE = {
    "encoder": "Turns a graph or a text into a vector; the product of two vectors says how much "
    "they say the same.",
    "verifier": "Reads a text and a graph together: which triples the text states, which of its "
    "words the graph does not support, which are not fluent, and whether the graph supports the "
    "whole text.",
}
_SECTIONS = ("base", "licence", "data", "recipe", "seed", "commit", "figures", "limits")
_UNSAID = "not stated"


def card_fields(checkpoint: Checkpoint, precision: str, kept: tuple[str, ...]) -> dict[str, Any]:
    """The card as data: what training said, and how it was exported."""
    said = {name: checkpoint.training.get(name, _UNSAID) for name in _SECTIONS}
    more = {name: value for name, value in checkpoint.training.items() if name not in said}
    return {
        "kind": checkpoint.kind,
        "use": _USE[checkpoint.kind],
        "layers": checkpoint.layers,
        "hidden": checkpoint.hidden,
        "precision": precision,
        "kept": list(kept),
        **said,
        **more,
    }


def render_card(version: str, fields: Mapping[str, Any]) -> str:
    """The card as a page of Markdown.

    >>> print(render_card("v1", {"kind": "encoder", "use": "Compares.", "seed": 7}))
    # encoder v1
    <BLANKLINE>
    Compares.
    <BLANKLINE>
    ## Seed
    <BLANKLINE>
    7
    <BLANKLINE>
    """
    lines = [f"# {fields['kind']} {version}", "", str(fields["use"]), ""]
    small = {
        name: fields[name] for name in ("layers", "hidden", "precision", "kept") if fields.get(name)
    }
    if small:
        lines += ["## Form", "", *_lines(small), ""]
    for name, value in fields.items():
        if name not in ("kind", "use", *small, "kept"):
            lines += [f"## {_title(name)}", "", *_lines(value), ""]
    return "\n".join(lines)


def _title(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _lines(value: Any, depth: int = 0) -> list[str]:
    """Any JSON as lists within lists; an object in a list is one line."""
    margin = "  " * depth
    if isinstance(value, Mapping):
        pairs = [(f"{margin}- {name}:", inner) for name, inner in value.items()]
    elif isinstance(value, list) and value:
        pairs = [(f"{margin}-", inner) for inner in value]
    else:
        return [f"{margin}{_plain(value)}"]
    lines: list[str] = []
    for head, inner in pairs:
        if head.endswith("-") and isinstance(inner, Mapping) and inner:
            said = "; ".join(f"{name}: {_plain(one)}" for name, one in inner.items())
            lines.append(f"{head} {said}")
        elif isinstance(inner, (Mapping, list)) and inner:
            lines += [head, *_lines(inner, depth + 1)]
        else:
            lines.append(f"{head} {_plain(inner)}")
    return lines


def _plain(value: Any) -> str:
    if value is None or value in ([], {}):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else " ".join(str(value).split())
