"""A picture is written whole as SVG or PNG, and anything else is said."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

from adequa.charts import document, save_picture, text
from adequa.errors import DataError, MissingExtra, SettingError

PICTURE = document(100, 60, "ä → <b>", [text(50, 50, "words")])
EMPTY = document(100, 60, "", [])


def test_svg_is_written_as_it_is(tmp_path: Path) -> None:
    save_picture(PICTURE, tmp_path / "a.SVG")
    assert (tmp_path / "a.SVG").read_bytes() == PICTURE.encode()


def test_png_is_rendered_with_its_text(tmp_path: Path) -> None:
    save_picture(PICTURE, tmp_path / "a.png")
    save_picture(EMPTY, tmp_path / "b.png")
    content = (tmp_path / "a.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) == (200, 120)
    assert len(content) > len((tmp_path / "b.png").read_bytes()) + 200  # the letters are there


def test_png_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtra, match=r"adequa\[png\]"):
        save_picture(PICTURE, tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a.jpg", "a", "png"])
def test_other_endings(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingError, match=r"\.svg or \.png"):
        save_picture(PICTURE, tmp_path / name)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        save_picture(PICTURE, tmp_path / "none" / "a.svg")
