"""Files of templates: JSON and TSV in and out, and the ones that are shipped."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from adequa.codec.values import kind_of, load_object, reject_constant
from adequa.errors import DataError, UnknownName
from adequa.readers.base import MAX_LINE_BYTES, lines
from adequa.readers.rows import read_table
from adequa.wording.collection import ANY, Row, Templates, collect

__all__ = ["check_path", "read_file", "read_shipped", "shipped", "write_templates"]

_JSON_REMEDY = 'write {"predicate": "<subject> … <object>.", …}'
_TSV_REMEDY = "its first line is: predicate, template, and if need be value, with tabs between"
_TABLES = (".tsv", ".txt")


def shipped() -> tuple[str, ...]:
    """The names of the templates that come along."""
    folder = files("adequa.wording") / "resources"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


def read_shipped(name: str) -> Templates | None:
    """The shipped templates of that name; None for what names a file."""
    if name in shipped():
        with as_file(files("adequa.wording") / "resources" / f"{name}.json") as path:
            return read_file(path)
    path = Path(name)
    if path.suffix or path.name != name or path.exists():
        return None
    raise UnknownName("templates", name, shipped())


def read_file(path: Path) -> Templates:
    """The templates of a file, JSON or TSV by its ending."""
    suffix = path.suffix.lower()
    if suffix != ".json" and suffix not in _TABLES:
        raise DataError(
            f"has an ending ({suffix or 'none'}) that says no form of templates",
            path=path,
            remedy="name it .json or .tsv",
        )
    try:
        found = collect(_from_json(path) if suffix == ".json" else _from_table(path))
    except DataError as error:
        raise error.at(path) from None
    if not found:
        raise DataError("holds no templates", path=path, remedy="is it the right file?")
    return found


def _from_table(path: Path) -> Iterator[Row]:
    table = read_table(path, "\t", quotes=False)
    for column in ("predicate", "template"):
        if column not in table.columns:
            raise DataError(f"has no column {column!r}", line=1, remedy=_TSV_REMEDY)
    for column in table.columns:
        if column not in ("predicate", "template", "value"):
            raise DataError(f"has a column {column!r}", line=1, remedy=_TSV_REMEDY)
    for line, cells in table.rows:
        yield Row(
            cells["predicate"], cells["template"], cells.get("value", "").strip() or ANY, line
        )


def _from_json(path: Path) -> Iterator[Row]:
    text = _read(path)

    def line_of(*names: str) -> int | None:
        """The line of a name, or of the last of several that stand one after the other."""
        at = -1
        for name in names:
            found = text.find(json.dumps(name, ensure_ascii=False), at + 1)
            at = max(at, found)
        return None if at < 0 else text.count("\n", 0, at) + 1

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for name, value in pairs:
            if name in known:
                raise DataError(
                    f"names {name!r} twice", line=line_of(name, name), remedy="keep one"
                )
            known[name] = value
        return known

    def decode(written: str) -> Any:
        try:
            return json.loads(written, object_pairs_hook=once, parse_constant=reject_constant)
        except json.JSONDecodeError as error:
            raise DataError(
                f"is not JSON ({error.msg} at column {error.colno})",
                line=error.lineno,
                remedy=_JSON_REMEDY,
            ) from None

    raw = load_object(text, decode=decode)
    if not isinstance(raw, dict):
        raise DataError(f"is {kind_of(raw)}, not an object", line=1, remedy=_JSON_REMEDY)
    for predicate, given in raw.items():
        values = {ANY: given} if isinstance(given, str) else given
        if not isinstance(values, dict) or not values:
            kind = "empty" if values == {} else kind_of(given)
            raise DataError(
                f"what {predicate!r} has is {kind}", line=line_of(predicate), remedy=_JSON_REMEDY
            )
        for value, string in values.items():
            line = line_of(predicate, *([] if values is not given else [value]))
            if not isinstance(string, str):
                problem = f"the template of {predicate!r} for {value!r} is {kind_of(string)}"
                raise DataError(problem, line=line, remedy="write a sentence in quotes")
            yield Row(predicate, string, value, line)


def _read(path: Path) -> str:
    """The text of a file that is not larger than a line may be."""
    parts: list[str] = []
    size = 0
    for number, line in lines(path, keep_ends=True):
        size += len(line)
        if size > MAX_LINE_BYTES:
            raise DataError(
                f"is larger than {MAX_LINE_BYTES >> 20} MB",
                line=number,
                remedy="is it a file of templates?",
            )
        parts.append(line)
    return "".join(parts)


def write_templates(templates: Templates, path: Path, *, force: bool = False) -> None:
    """Write templates as `read_templates` reads them; the file appears whole or not at all."""
    check_path(path, force=force)
    text = _as_json(templates) if path.suffix.lower() == ".json" else _as_table(templates)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror or error})", path=path, remedy="check the path"
        ) from None
    except UnicodeEncodeError:
        raise DataError(
            "a template has half of a surrogate pair, which no file can hold",
            path=path,
            remedy="repair the encoding of the texts",
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def check_path(path: Path, *, force: bool = False) -> None:
    """Raise where templates could not be written to a path: its ending, or what is there."""
    if path.suffix.lower() not in (".json", *_TABLES):
        raise UnknownName("file ending", path.suffix, (".json", ".tsv"))
    if path.exists() and not force:
        raise DataError("is there already", path=path, remedy="name another file, or say --force")


def _as_json(templates: Templates) -> str:
    raw: dict[str, dict[str, str]] = {}
    for row in templates.rows():
        raw.setdefault(row.predicate, {})[row.value] = row.template
    plain = {name: one[ANY] if one.keys() == {ANY} else one for name, one in raw.items()}
    return json.dumps(plain, ensure_ascii=False, indent=2) + "\n"


def _as_table(templates: Templates) -> str:
    rows = [(row.predicate, row.template, row.value) for row in templates.rows()]
    width = 3 if any(value != ANY for _, _, value in rows) else 2
    cells = [("predicate", "template", "value"), *rows]
    return "".join(
        "\t".join(" ".join(cell.split()) for cell in row[:width]) + "\n" for row in cells
    )
