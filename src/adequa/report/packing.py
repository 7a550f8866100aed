"""Values into the text of a data block of the page: JSON or numbers, deflated, in base64."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Chunks", "pack", "pack_numbers", "script_json", "unpack"]

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
