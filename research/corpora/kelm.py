"""KELM and TeKGen: triples of Wikidata and a sentence, an object a line (Agarwal et al. 2021)."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.files import kind_of, lines, load_object
from adequa.readers import PlacedItem, Reader


@dataclass(frozen=True)
class _SentenceReader(Reader, ABC):
    """What both have in common; an id is the file's name without its ending, and the line."""

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
        default="error", metadata={"doc": "what to do with a line whose triples or text are amiss"}
    )

    def read(self, path: Path, *, bare: bool = False) -> Iterator[PlacedItem]:
        """Stream the items; a line of which no triple is left is passed over."""
        for number, line in lines(path):
            if not line or line.isspace():
                continue
            try:
                raw = _load(line)
                item = self._item(raw, f"{path.stem}/{number}", bare=bare)
            except DataError as error:
                raise error.at(path, number) from None
            if item is not None:
                yield PlacedItem(item, path, number)

    def _item(self, raw: dict[str, Any], identifier: str, *, bare: bool) -> Item | None:
        try:
            triples, qualified = self._triples(raw)
            text = self._text(raw, bare=bare)
        except DataError as error:
            if self.incomplete == "skip":
                return None
            remedy = f"correct it, or pass such lines over: {self.name}:incomplete=skip"
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
        found = f"is {kind_of(text)}, not a string" if self.sentence in raw else "is not there"
        raise DataError(f"{self.sentence!r} {found}")

    def _triples(self, raw: dict[str, Any]) -> tuple[tuple[Triple, ...], list[list[str]]]:
        """The triples as they are wanted, and those with a qualifier as they were."""
        listed = raw.get("triples")
        if type(listed) is not list or not listed:
            found = "empty" if listed == [] else f"{kind_of(listed)}, not a list"
            raise DataError(f"'triples' is {found}" if "triples" in raw else "has no 'triples'")
        triples: list[Triple] = []
        qualified: list[list[str]] = []
        for position, parts in enumerate(listed, 1):
            if type(parts) is not list or len(parts) < 3:
                raise DataError(f"triple {position} has not three parts or more")
            if not all(type(part) is str and part for part in parts):
                raise DataError(f"triple {position} has a part that is empty or no string")
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
            "is the first release, in which one string runs all triples together",
            remedy="take the release of 2021, which lists them",
        )
    if type(raw) is not dict:
        raise DataError(f"is {kind_of(raw)}, not an object", remedy='write {"triples": …}')
    return raw


@dataclass(frozen=True)
class KelmReader(_SentenceReader):
    """Reads the KELM corpus, whose sentences a model wrote from the triples."""

    name: ClassVar[str] = "kelm"
    doc: ClassVar[str] = "KELM: triples of Wikidata, and a sentence a model made of them"
    sentence: ClassVar[str] = "gen_sentence"
    human: ClassVar[bool] = False


@dataclass(frozen=True)
class TekgenReader(_SentenceReader):
    """Reads TeKGen, whose sentences are Wikipedia's; its files are named .tsv and hold JSON."""

    name: ClassVar[str] = "tekgen"
    doc: ClassVar[str] = "TeKGen: sentences of Wikipedia, and triples of Wikidata found in them"
    sentence: ClassVar[str] = "sentence"
    human: ClassVar[bool] = True
