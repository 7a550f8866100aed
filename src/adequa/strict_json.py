"""Strict JSON for every file and request: no NaN, no lone surrogates, bounded nesting."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from adequa.errors import DataError


def reject_constant(name: str) -> NoReturn:
    """For `parse_constant` of a decoder: NaN and Infinity are not JSON."""
    raise DataError(f"{name} is not a JSON number", remedy="write null or leave the field out")


_decode = json.JSONDecoder(parse_constant=reject_constant).decode
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def load_object(line: str, *, decode: Callable[[str], Any] = _decode) -> Any:
    """Parse one JSON value, strictly: no NaN, no lone surrogates, bounded nesting."""
    try:
        value = decode(line)
    except json.JSONDecodeError as error:
        if line.startswith("\ufeff"):
            raise DataError(
                "begins with a byte order mark", remedy="remove it; were two files joined here?"
            ) from None
        raise DataError(
            f"is not JSON ({error.msg} at column {error.colno})", remedy="write one object per line"
        ) from None
    except RecursionError:
        raise DataError("is nested too deeply", remedy="flatten the object") from None
    except ValueError:
        raise DataError(
            "has a number that cannot be read (too many digits)", remedy="write it as a string"
        ) from None
    if "\\ud" in line or "\\uD" in line:
        # Lone surrogates can be parsed but not written; reject them now, not at the end of a run.
        try:
            _encode(value).encode()
        except UnicodeEncodeError:
            raise DataError(
                "has half of a surrogate pair (\\ud800–\\udfff)",
                remedy="repair the text's encoding",
            ) from None
    return value


def dump_line(value: Mapping[str, Any]) -> str:
    """One line of JSON, newline included; NaN is a ValueError."""
    return _encode(value) + "\n"


def kind_of(value: Any) -> str:
    """The type of a JSON value, for a message."""
    names = {
        dict: "an object",
        list: "a list",
        str: "a string",
        bool: "true or false",
        type(None): "null",
    }
    return names.get(type(value), "a number")
