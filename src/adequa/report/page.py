"""All parts into one file that needs nothing else: template, style, script and data blocks."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from adequa.report.figures import percent, signed, written

__all__ = ["asset", "page"]

SCRIPTS = ("components", "data", "choosing", "tables", "report")
STYLES = ("components", "report")


def asset(name: str) -> str:
    """A file of the package's that pages are made of."""
    return (files("adequa.report") / "assets" / name).read_text(encoding="utf-8")


def page(values: Mapping[str, Any]) -> Iterator[str]:
    """The page in parts, to be written one after the other: data blocks can be large."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters |= {
        "number": written,
        "signed": signed,
        "counted": _counted,
        "item_link": _item_link,
    }
    environment.globals["percent"] = percent
    script = "".join(asset(f"{name}.js") for name in SCRIPTS)
    style = "".join(asset(f"{name}.css") for name in STYLES)
    stream = environment.from_string(asset("report.html")).stream(
        **values,
        script=script,
        style=style,
        policy=_policy(script, style),
    )
    stream.enable_buffering(64)
    yield from stream


def _policy(script: str, style: str) -> str:
    """Only this script and this style may run, and nothing may be fetched from anywhere."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _counted(number: int) -> str:
    return f"{number:,}"


def _item_link(item: str, system: str) -> str:
    """The address of one text within the page."""
    return f"#/item/{quote(system, safe='')}/{quote(item, safe='')}"
