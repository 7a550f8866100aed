"""Settings of metrics and readers: dataclass fields, written `NAME:key=value,key=value`.

A metric or reader is a frozen dataclass; this module turns text into its fields, and these into
the pairs of a signature.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from adequa.errors import DataError, SettingError, UnknownName

__all__ = [
    "Setting",
    "Spec",
    "build",
    "content_hash",
    "object_hash",
    "plain_settings",
    "setting",
    "settings_of",
    "signature",
]

Built = TypeVar("Built")
Value = TypeVar("Value")
_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed `[ALIAS=]NAME[:key=value,…]`; `\\,` is a comma inside a value."""

    name: str
    settings: Mapping[str, str]
    alias: str | None = None

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Parse the written form; raises SettingError if a pair has no `=`."""
        head, _, tail = text.partition(":")
        alias: str | None = None
        name = head.strip()
        if "=" in head:
            alias, name = (part.strip() for part in head.split("=", 1))
        if not name or alias == "":
            raise SettingError(
                f"{text!r} has no name; write NAME, NAME:key=value or ALIAS=NAME:key=value"
            )
        settings: dict[str, str] = {}
        for pair in _split_pairs(tail):
            key, equals, value = pair.partition("=")
            key = key.strip()
            if not equals or not key:
                raise SettingError(
                    f"{pair!r} in {text!r} is not key=value; write a comma inside a value '\\,'"
                )
            if key in settings:
                raise SettingError(f"{key!r} is set twice in {text!r}; keep one")
            settings[key] = value
        return cls(name, settings, alias)

    @property
    def label(self) -> str:
        """The key of the scores: the alias, or else the name."""
        return self.alias or self.name


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of a metric or reader, for `--help`, `adequa metrics` and the docs."""

    name: str
    type: str
    default: str
    doc: str


def setting(
    default: Value,
    doc: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    changes_score: bool = True,
) -> Value:
    """A field of a metric or reader with its default, `doc` for its users, and its limits.

    One that cannot change a score (a timeout) is not in the signature.
    """
    limits = {"at_least": at_least, "at_most": at_most, "changes_score": changes_score}
    return dataclasses.field(default=default, metadata={"doc": doc, **limits})


def _split_pairs(text: str) -> list[str]:
    pairs = re.findall(r"(?:\\.|[^,\\]|\\\Z)+", text, re.DOTALL)
    return [pair.replace("\\,", ",") for pair in pairs if pair.strip()]


def build(kind: str, target: type[Built], settings: Mapping[str, Any]) -> Built:
    """Make a `target` from settings; strings are converted to the field's type, others are kept."""
    hints = typing.get_type_hints(target)
    known = {field.name for field in fields(target) if field.init}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in settings.items():
        if name not in known:
            raise UnknownName(f"setting of {kind}", name, known)
        values[name] = _convert(kind, name, value, hints[name]) if isinstance(value, str) else value
    required = {
        field.name
        for field in fields(target)  # type: ignore[arg-type]
        if field.init and field.default is MISSING and field.default_factory is MISSING
    }
    absent = sorted(required - values.keys())
    if absent:
        noun = "setting" if len(absent) == 1 else "settings"
        example = ",".join(f"{name}=…" for name in absent)
        raise SettingError(f"{kind} needs the {noun} {' and '.join(absent)}: {kind}:{example}")
    return target(**values)


def _convert(kind: str, name: str, text: str, hint: Any) -> Any:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        options = [option for option in typing.get_args(hint) if option is not type(None)]
        if len(options) < len(typing.get_args(hint)) and text.lower() in ("", "none"):
            return None
        return _convert(kind, name, text, options[0])
    if origin is typing.Literal:
        choices = typing.get_args(hint)
        for choice in choices:
            if str(choice) == text:
                return choice
        listed = ", ".join(map(str, choices))
        raise SettingError(f"{kind}:{name} is one of {listed}, not {text!r}")
    if origin is tuple:
        return tuple(
            _convert(kind, name, part, typing.get_args(hint)[0]) for part in _split_parts(text)
        )
    if hint is bool:
        if text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        raise SettingError(f"{kind}:{name} is true or false, not {text!r}")
    if hint in (int, float):
        try:
            number = hint(text)
        except ValueError:
            noun = "a whole number" if hint is int else "a number"
            raise SettingError(f"{kind}:{name} is {noun}, not {text!r}") from None
        if number != number or number in (float("inf"), float("-inf")):
            raise SettingError(f"{kind}:{name} is a finite number, not {text!r}")
        return number
    if hint is Path:
        return Path(text)
    if hint is str:
        return text[1:] if _MARKED.fullmatch(text) else text
    raise SettingError(f"{kind}:{name} cannot be written as text; set it from Python")


def settings_of(target: type) -> Iterator[Setting]:
    """The fields of a metric or reader, with the `doc` of their field metadata."""
    hints = typing.get_type_hints(target)
    for field in fields(target):
        if field.init:
            hint = hints[field.name]
            default = "required" if field.default is MISSING else _plain(field.default, hint)
            yield Setting(
                field.name, _type_name(hints[field.name]), default, field.metadata.get("doc", "")
            )


def _type_name(hint: Any) -> str:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        names = (_type_name(option) for option in typing.get_args(hint))
        return " or ".join(name for name in names if name != "NoneType")
    if origin is typing.Literal:
        return "|".join(map(str, typing.get_args(hint)))
    if origin is tuple:
        return f"{_type_name(typing.get_args(hint)[0])}+…"
    return {str: "text", int: "integer", float: "number", bool: "true|false", Path: "path"}.get(
        hint, getattr(hint, "__name__", str(hint))
    )


_WORD = re.compile(r"\\*(none|true|false)", re.IGNORECASE)
_MARKED = re.compile(r"\\+(none|true|false)", re.IGNORECASE)
"""A string that looks like a value of another type has one backslash more in writing."""


def _plain(value: object, hint: Any = None) -> str:
    """A value in writing, as `_convert` reads it; two values of a field are never written alike.

    `hint` is the type of the field: strings to choose from cannot be taken for anything else.
    """
    if typing.get_origin(hint) is typing.Literal:
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        if value == ("",):
            return "\\"  # an empty text is the empty tuple
        parts = (_plain(part).replace("\\", "\\\\").replace("+", "\\+") for part in value)
        return "+".join(parts)
    if isinstance(value, str):
        return "\\" + value if _WORD.fullmatch(value) else value
    return "none" if value is None else str(value)


def _split_parts(text: str) -> list[str]:
    """The parts of a tuple in writing, separated by `+`; `\\+` is a plus inside a part."""
    if text == "\\":
        return [""]
    parts = [""] if text else []
    for sign in re.findall(r"\\[+\\]|[^+]|[+]", text):
        if sign == "+":
            parts.append("")
        else:
            parts[-1] += sign[-1]
    return parts


def plain_settings(built: Any) -> dict[str, str]:
    """The settings of a metric or reader as text that `build` accepts."""
    hints = typing.get_type_hints(type(built))
    return {
        field.name: _plain(getattr(built, field.name), hints[field.name])
        for field in fields(built)
        if field.init
    }


def signature(
    name: str, pairs: Mapping[str, object], version: str, hints: Mapping[str, Any] | None = None
) -> str:
    """`NAME|key:value|…|version:x`, with `:` and `|` in a value percent-encoded.

    Different settings have different signatures: scores are cached by them. `hints` has the types
    of settings.

    >>> signature("chrf", {"word_order": 2, "lowercase": False}, "1.0")
    'chrf|word_order:2|lowercase:false|version:1.0'
    """
    parts = [_encode(name)]
    for key, value in pairs.items():
        hint = None if hints is None else hints.get(key)
        shown = content_hash(value) if isinstance(value, Path) else _plain(value, hint)
        parts.append(f"{_encode(key)}:{_encode(shown)}")
    return "|".join([*parts, f"version:{_encode(version)}"])


def _encode(text: str) -> str:
    for plain, code in (("%", "%25"), (":", "%3A"), ("|", "%7C"), ("\n", "%0A"), ("\r", "%0D")):
        text = text.replace(plain, code)
    return text


def object_hash(value: Any) -> str:
    """The first 12 digits of the sha256 of a JSON value."""
    written = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(written.encode(errors="replace")).hexdigest()[:12]


def file_hash(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as stream:
        digest = hashlib.sha256()
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def content_hash(path: Path) -> str:
    """The first 12 digits of the sha256 of a file, or of all files of a folder by relative name."""
    digest = hashlib.sha256()
    try:
        if not path.is_dir():
            return file_hash(path)[:12]
        for file in sorted(path.rglob("*")):
            if file.is_file():
                # The hash of each file, so that no content can pass for another file's name.
                name = file.relative_to(path).as_posix()
                digest.update(f"{name}\0{file_hash(file)}\0".encode(errors="surrogateescape"))
    except OSError as error:
        remedy = "check the path and its permissions"
        raise DataError.of_file(error, path, remedy=remedy) from None
    return digest.hexdigest()[:12]
