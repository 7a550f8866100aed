"""All parts into one file that needs nothing else: template, style, script and data blocks."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from adequa.report.figures import percent, signed, written

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


# ---
# Values into the text of a data block of the page: JSON or numbers, deflated, in base64.
# ---

LEVEL = 9


def pack(value: Any) -> str:
    """A JSON value as the page's script unpacks it: base64 of raw deflate of UTF-8.

    >>> unpack(pack({"text": "</script>"}))
    {'text': '</script>'}
    """
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _deflated(written.encode("utf-8"))


def pack_numbers(values: npt.ArrayLike, kind: str) -> str:
    """Numbers as a typed array of the browser reads them; `kind` is u1, u2, u4, i4 or f4."""
    return _deflated(np.asarray(values, dtype=f"<{kind}").tobytes())


def _deflated(raw: bytes) -> str:
    # Raw: the browser's "deflate-raw"; nothing in a header would differ between two machines.
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(deflate.compress(raw) + deflate.flush()).decode("ascii")


def unpack(packed: str) -> Any:
    """What was packed, for whoever reads a report without a browser."""
    return json.loads(zlib.decompress(base64.b64decode(packed), -zlib.MAX_WBITS))


def script_json(value: Any) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element.

    >>> script_json("</script>")
    '"\\\\u003c/script>"'
    """
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


class Chunks:
    """Records packed a few at a time, so that one can be had without unpacking all."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._open: list[Any] = []
        self._packed: list[str] = []

    def add(self, record: Any) -> None:
        """The next record."""
        self._open.append(record)
        if len(self._open) == self._size:
            self._close()

    def finish(self) -> tuple[str, ...]:
        """All chunks; record n is in chunk n // size."""
        if self._open:
            self._close()
        return tuple(self._packed)

    def _close(self) -> None:
        self._packed.append(pack(self._open))
        self._open = []
