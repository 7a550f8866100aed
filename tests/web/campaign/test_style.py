"""Static files: contrast in light and dark, in the wheel, no external resources."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import adequa.web.campaign
from adequa.web.campaign.site import PAGES

ROOM = Path(adequa.web.campaign.__file__).parent
CSS = PAGES.files["campaign.css"].decode()


def colours(dark: bool) -> dict[str, str]:
    light, _, rest = CSS.partition("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    return found | dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", rest)) if dark else found


def contrast(one: str, other: str) -> float:
    """As WCAG 2 counts it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


WORDS = [
    *[
        (ink, ground)
        for ink in ("ink", "muted", "accent", "danger")
        for ground in ("card", "ground")
    ],
    *[("ink", soft) for soft in ("accent-soft", "danger-soft")],
    *[("ink", f"mark-{number}") for number in range(6)],
    ("accent", "accent-soft"),
    ("accent", "danger-soft"),
    ("accent-ink", "accent"),
    ("card", "danger"),
    ("muted", "danger-soft"),
]
SHAPES = [
    *[(shape, ground) for shape in ("edge", "focus", "accent") for ground in ("card", "ground")],
    *[(f"line-{number}", "card") for number in range(6)],
    ("accent", "line"),
]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast_is_that_of_wcag_aa(dark: bool) -> None:
    known = colours(dark)
    for pairs, least in ((WORDS, 4.5), (SHAPES, 3.0)):
        for one, other in pairs:
            assert contrast(known[one], known[other]) >= least, (one, other)


def test_no_external_and_no_inline_resources() -> None:
    for path in (*(ROOM / "templates").iterdir(), *(ROOM / "static").iterdir()):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", text), path.name
        if path.suffix == ".html":
            assert "style=" not in text
            assert "<style" not in text
            assert not re.search(r"<script(?! src=)", text)
            assert not re.search(r"\son[a-z]+=", text)
            assert "|safe" not in text


def test_the_wheel_holds_them() -> None:
    module: Any = pytest.importorskip(
        "hatchling.builders.wheel", reason="hatchling is not installed"
    )
    root = Path(__file__).resolve().parents[3]
    builder = module.WheelBuilder(str(root))
    held = {Path(one.distribution_path).as_posix() for one in builder.recurse_included_files()}
    templates = {f"templates/{path.name}" for path in (ROOM / "templates").iterdir()}
    for name in {*templates, *(f"static/{name}" for name in PAGES.static)}:
        assert f"adequa/web/campaign/{name}" in held
    assert "adequa/web/static/icon.svg" in held
    assert {path.name for path in (ROOM / "static").iterdir()} == set(PAGES.static)
