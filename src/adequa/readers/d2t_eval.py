"""Records with several systems' texts about them, as D2T-Eval has them (Kasner et al. 2025).

A folder with two files of JSON lines:

    records.jsonl   {"id": …, "domain": …, "record": {…}}
    texts.jsonl     {"id": …, "system": …, "domain": …, "text": …, "annotators": [[span, …], …]}

A text belongs to the record with its id. `annotators` has the spans that each person marked, for
`adequa spans`; the texts can be scored without it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from adequa.data import Item
from adequa.errors import DataError, SettingError
from adequa.files import errors_at, kind_of, lines, load_object, reject_constant
from adequa.readers.base import PlacedItem, Reader
from adequa.readers.records import decode_record, read_record
from adequa.settings import setting

RECORDS, TEXTS = "records.jsonl", "texts.jsonl"

_plain = json.JSONDecoder(parse_constant=reject_constant).decode


class _Line(NamedTuple):
    number: int
    value: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.value["id"])

    @property
    def system(self) -> str:
        return str(self.value.get("system", ""))


@dataclass(frozen=True)
class D2tEvalReader(Reader):
    """Reads each text with the record that has its id; the domain is the category.

    Records are held in memory. What people marked is kept in `meta`.
    """

    name: ClassVar[str] = "d2t-eval"
    doc: ClassVar[str] = "a folder with records.jsonl, and with texts.jsonl about them"
    takes_folders: ClassVar[bool] = True

    domain: str | None = setting(None, "only the texts of this domain")
    sample: int | None = setting(
        None, "only that many texts, chosen by a hash of system and id: always the same"
    )

    def __post_init__(self) -> None:
        if self.sample is not None and self.sample < 1:
            raise SettingError(f"{self.name}: sample is {self.sample}; choose at least 1 text")

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """One item per text, in file order; with `bare`, one item per record."""
        beside = _files(path)
        found = _lines(beside[RECORDS], needs=("id", "record"), decode=decode_record)
        records = {line.id: line for line in found}
        if bare:
            for line in self._chosen(list(records.values())):
                with errors_at(beside[RECORDS], line.number):
                    item = _item(line, line.value, "")
                yield PlacedItem(item, beside[RECORDS], line.number)
            return
        texts = list(_lines(beside[TEXTS], needs=("id", "text"), decode=_plain))
        for line in self._chosen(texts):
            with errors_at(beside[TEXTS], line.number):
                if line.id not in records:
                    problem = f"no record of {RECORDS} has the id {line.id!r}"
                    raise DataError(problem, remedy="add the record, or remove the text")
                item = _item(line, records[line.id].value, line.value["text"])
            yield PlacedItem(item, beside[TEXTS], line.number)

    def companions(self, path: Path) -> list[Path]:
        """The other file of the two."""
        return list(_files(path).values())

    def _chosen(self, every: list[_Line]) -> list[_Line]:
        chosen = [line for line in every if self.domain in (None, line.value.get("domain"))]
        if self.domain is not None and not chosen:
            known = sorted({str(line.value.get("domain")) for line in every})
            raise SettingError(f"there is no domain {self.domain!r}; there are {', '.join(known)}")
        if self.sample is None or self.sample >= len(chosen):
            return chosen
        last = sorted(map(_digest, chosen))[self.sample - 1]
        return [line for line in chosen if _digest(line) <= last]


def _digest(line: _Line) -> str:
    return hashlib.sha256(f"{line.system}\t{line.id}".encode()).hexdigest()


def _files(path: Path) -> dict[str, Path]:
    """The two files, of which `path` is one, or the folder."""
    folder = path if path.is_dir() else path.parent
    files = {name: folder / name for name in (RECORDS, TEXTS)}
    if path.is_file():
        files[RECORDS if path.name == RECORDS else TEXTS] = path
    return files


def _lines(path: Path, *, needs: tuple[str, ...], decode: Callable[[str], Any]) -> Iterator[_Line]:
    for number, line in lines(path):
        if line and not line.isspace():
            with errors_at(path, number):
                yield _Line(number, _checked(load_object(line, decode=decode), needs))


def _checked(value: Any, needs: tuple[str, ...]) -> Mapping[str, Any]:
    if type(value) is not dict:
        raise DataError(f"is {kind_of(value)}, not an object", remedy='write {"id": …}')
    for name in needs:
        if name not in value:
            raise DataError(f"has no {name!r}", remedy=f"write {', '.join(needs)}")
    for name in ("id", "system", "domain", "text"):
        if name in value and type(value[name]) is not str:
            raise DataError(f"{name!r} is {kind_of(value[name])}, not a string")
    return value


def _item(line: _Line, record: Mapping[str, Any], text: str) -> Item:
    item = read_record(record["record"], text, id=line.id).item
    known = ("id", "system", "domain", "text", "record")
    meta = {name: value for name, value in line.value.items() if name not in known}
    return replace(item, system=line.system, category=line.value.get("domain"), meta=meta)
