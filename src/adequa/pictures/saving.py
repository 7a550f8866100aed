"""A picture into a file: SVG as it is, PNG by rendering it."""

from __future__ import annotations

from pathlib import Path

from adequa.errors import DataError, MissingExtra, SettingError

__all__ = ["SUFFIXES", "save_picture"]

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
