"""KELM and TeKGen: JSON lines with triples of Wikidata and a sentence.

Agarwal, Ge, Shakeri and Al-Rfou (2021), "Knowledge Graph Based Synthetic Corpus Generation for
Knowledge-Enhanced Language Model Pre-training", NAACL.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.files import kind_of, lines, load_object
from adequa.readers import PlacedItem, Reader, place_items


@dataclass(frozen=True)
class _SentenceReader(Reader, ABC):
    """The common reader; an id is the name of the file without its ending, and the line."""

    sentence: ClassVar[str]
    """The key of the text."""
    human: ClassVar[bool]
    """Whether people wrote the text."""

    qualified: Literal["join", "drop"] = field(
        default="join",
        metadata={
            "doc": "a triple with a qualifier has four parts: join the middle ones as predicate, "
            "as paper 003 did, or drop it"
        },
    )
    incomplete: Literal["error", "skip"] = field(
        default="error", metadata={"doc": "what to do with a line without valid triples or text"}
    )

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; a line without remaining triples is skipped."""
        filled = (row for row in lines(path) if row[1] and not row[1].isspace())
        return place_items(
            path,
            filled,
            lambda number, line: self._item(_load(line), f"{path.stem}/{number}", bare=bare),
        )

    def _item(self, raw: dict[str, Any], identifier: str, *, bare: bool) -> Item | None:
        try:
            triples, qualified = self._triples(raw)
            text = self._text(raw, bare=bare)
        except DataError as error:
            if self.incomplete == "skip":
                return None
            remedy = f"correct it, or skip such lines: {self.name}:incomplete=skip"
            raise DataError(error.problem, remedy=remedy) from None
        if not triples:
            return None
        meta = {
            name: value for name, value in raw.items() if name not in ("triples", self.sentence)
        }
        if qualified:
            if "qualified" in meta:
                raise DataError("has a key 'qualified', which adequa uses", remedy="rename it")
            meta["qualified"] = qualified
        if not bare:
            return Item(identifier, triples, text, meta=meta)
        if self.human:
            return Item(identifier, triples, "", references=(text,) if text else (), meta=meta)
        return Item(identifier, triples, "", meta={**meta, self.sentence: text} if text else meta)

    def _text(self, raw: dict[str, Any], *, bare: bool) -> str:
        text = raw.get(self.sentence)
        if type(text) is str:
            return text
        if text is None and bare:
            return ""
        found = f"is {kind_of(text)}, not a string" if self.sentence in raw else "is missing"
        raise DataError(f"{self.sentence!r} {found}")

    def _triples(self, raw: dict[str, Any]) -> tuple[tuple[Triple, ...], list[list[str]]]:
        """The triples by the setting `qualified`, and those with a qualifier as written."""
        listed = raw.get("triples")
        if type(listed) is not list or not listed:
            found = "empty" if listed == [] else f"{kind_of(listed)}, not a list"
            raise DataError(f"'triples' is {found}" if "triples" in raw else "has no 'triples'")
        triples: list[Triple] = []
        qualified: list[list[str]] = []
        for position, parts in enumerate(listed, 1):
            if type(parts) is not list or len(parts) < 3:
                raise DataError(f"triple {position} does not have three or more parts")
            if not all(type(part) is str and part for part in parts):
                raise DataError(f"triple {position} has a part that is empty or not a string")
            if len(parts) > 3:
                qualified.append(parts)
                if self.qualified == "drop":
                    continue
            triples.append(Triple(parts[0], " ".join(parts[1:-1]), parts[-1]))
        return tuple(triples), qualified


def _load(line: str) -> dict[str, Any]:
    as_text = not line.lstrip().startswith("{") and "\t" in line
    raw = {} if as_text else load_object(line)
    if as_text or (type(raw) is dict and "triples" not in raw and "candidate" in raw):
        raise DataError(
            "is in the format of the first release, which joins all triples in one string",
            remedy="use the release of 2021, which lists them",
        )
    if type(raw) is not dict:
        raise DataError(f"is {kind_of(raw)}, not an object", remedy='write {"triples": …}')
    return raw


@dataclass(frozen=True)
class KelmReader(_SentenceReader):
    """Reads the KELM corpus, whose sentences were generated from the triples."""

    name: ClassVar[str] = "kelm"
    doc: ClassVar[str] = "KELM: triples of Wikidata, and a sentence generated from them"
    sentence: ClassVar[str] = "gen_sentence"
    human: ClassVar[bool] = False


@dataclass(frozen=True)
class TekgenReader(_SentenceReader):
    """Reads TeKGen, whose sentences are from Wikipedia; its files end in .tsv but hold JSON."""

    name: ClassVar[str] = "tekgen"
    doc: ClassVar[str] = "TeKGen: sentences of Wikipedia, and triples of Wikidata found in them"
    sentence: ClassVar[str] = "sentence"
    human: ClassVar[bool] = True
