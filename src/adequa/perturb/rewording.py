"""The same facts in other words: other names throughout, other ways to write a predicate.

None of it makes a text right or wrong. It keeps the verifier from knowing names and predicates by
heart, and teaches it to read whatever a user's data calls them.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.files import lines
from adequa.metrics.nli.templates import OBJECT, SUBJECT, Template
from adequa.perturb.drafts import Draft
from adequa.perturb.pairs import GraphTextPair, Knowledge, same_label
from adequa.readers.tables import read_table
from adequa.strict_json import load_object
from adequa.text.labels import label_of
from adequa.text.predicates import folded
from research.corpora.derived import CorpusTally

# ---
# WebNLG-WD: items whose DBpedia properties are renamed to Wikidata's by a mapping file.
# ---

_INVERSE = {"": False, "no": False, "false": False, "yes": True, "true": True}


@dataclass(frozen=True, slots=True)
class Property:
    """A property of Wikidata; `inverse`: its subject is DBpedia's object."""

    label: str
    id: str = ""
    inverse: bool = False


@cache
def shipped_properties() -> Mapping[str, Property]:
    """The mapping that comes along: common properties whose meaning is the same in both."""
    with as_file(files("adequa.perturb") / "resources" / "wikidata.tsv") as path:
        return read_properties(path)


def read_properties(path: Path) -> dict[str, Property]:
    """A mapping by folded name from TSV (`dbpedia`, `label`, also `wikidata`, `inverse`) or JSON.

    JSON is `{"birthPlace": "place of birth"}`, or an object in place of the label that has the
    columns of the table: `{"label": "subclass of", "wikidata": "P279", "inverse": true}`.
    """
    properties: dict[str, Property] = {}
    rows = _from_json(path) if path.suffix.lower() == ".json" else _from_table(path)
    for line, name, raw in rows:
        try:
            found = _property(raw)
            if not folded(name):
                _refuse("has no name of a DBpedia property")
            if properties.setdefault(folded(name), found) != found:
                _refuse(f"maps {name!r} a second time, and differently")
        except DataError as error:
            raise error.at(path, line) from None
    return properties


def _refuse(problem: str) -> None:
    raise DataError(problem, remedy="correct the mapping")


def _from_table(path: Path) -> Iterator[tuple[int | None, str, Any]]:
    table = read_table(path, "\t", quotes=False)
    for column in ("dbpedia", "label"):
        if column not in table.columns:
            raise DataError(
                f"has no column {column!r}",
                path=path,
                line=1,
                remedy="its first line is: dbpedia, label, and if need be wikidata, inverse",
            )
    for line, cells in table.rows:
        yield line, cells["dbpedia"], cells


def _from_json(path: Path) -> Iterator[tuple[int | None, str, Any]]:
    try:
        raw = load_object("\n".join(line for _, line in lines(path)))
    except DataError as error:
        raise error.at(path) from None
    if type(raw) is not dict:
        raise DataError("is not an object", path=path, remedy='{"birthPlace": "place of birth"}')
    yield from ((None, name, value) for name, value in raw.items())


def _property(raw: Any) -> Property:
    cells = {"label": raw} if type(raw) is str else raw
    label = cells.get("label") if isinstance(cells, Mapping) else None
    if type(label) is not str or not label.strip():
        raise DataError("has no label of a Wikidata property", remedy="write it, or drop the line")
    inverse = cells.get("inverse", "")
    if type(inverse) is str and inverse.strip().casefold() in _INVERSE:
        inverse = _INVERSE[inverse.strip().casefold()]
    if type(inverse) is not bool:
        raise DataError(f"has {inverse!r:.20} for 'inverse'", remedy="write yes, no or nothing")
    return Property(label.strip(), str(cells.get("wikidata") or "").strip(), inverse)


def to_wikidata(
    items: Iterable[Item],
    properties: Mapping[str, Property] | None = None,
    tally: CorpusTally | None = None,
) -> Iterator[Item]:
    """The items all of whose predicates are mapped, renamed; `meta.dbpedia` has their triples.

    `tally` counts the others by the first predicate that is not mapped.
    """
    properties = shipped_properties() if properties is None else properties
    tally = CorpusTally() if tally is None else tally
    for item in items:
        known = [properties.get(folded(triple.predicate)) for triple in item.triples]
        if None in known:
            tally.left_out[item.triples[known.index(None)].predicate] += 1
            continue
        tally.kept += 1
        triples = tuple(
            Triple(triple.object, one.label, triple.subject)
            if one.inverse
            else Triple(triple.subject, one.label, triple.object)
            for triple, one in zip(item.triples, known, strict=True)
            if one is not None
        )
        original = [list(triple) for triple in item.triples]
        yield replace(item, triples=triples, meta={**item.meta, "dbpedia": original})


Phrases = Mapping[str, Sequence[Template]]
_LONGEST = 70
"""Letters of a sentence, without its names, that still says one fact."""
_SHORTEST = 4
_ENDS = re.compile(f"({SUBJECT}|{OBJECT})")


def rename(draft: Draft, knowledge: Knowledge, chance: random.Random) -> bool:
    """One entity gets another's name, in the text and in the graph."""
    for triple in chance.sample(draft.triples, len(draft.triples)):
        subject = chance.random() < 0.5
        old = triple.subject if subject else triple.object
        new = knowledge.another(triple.predicate, subject=subject, instead=old, chance=chance)
        places = draft.of(old)
        label = label_of(old).base
        if (
            new is None
            or not places
            or any(draft.text[one.start : one.end] != label for one in places)
            or any(same_label(new, one) for one in draft.entities())
            or draft.text.count(label) != len(places)
        ):
            continue
        word = label_of(new).base
        for place in sorted(places, key=lambda one: -one.start):
            written = draft.write(place.start, place.end, word)
            written.entity = new
            draft.spans.append(written)
        draft.triples = [_renamed(one, old, new) for one in draft.triples]
        draft.said = tuple(frozenset(_renamed(one, old, new) for one in two) for two in draft.said)
        return True
    return False


def _renamed(triple: Triple, old: str, new: str) -> Triple:
    subject, predicate, value = triple
    return Triple(new if subject == old else subject, predicate, new if value == old else value)


def phrases_of(pairs: Iterable[GraphTextPair]) -> dict[str, list[Template]]:
    """Sentences that say one triple, by predicate, with places for its two ends."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for pair in pairs:
        if len(pair.triples) != 1 or len(pair.spans) != 2:
            continue
        (triple,) = pair.triples
        (one, start, end), (other, begin, stop) = pair.spans
        if {one, other} != {triple.subject, triple.object} or end > begin or one == other:
            continue
        text = pair.text
        first, last = (SUBJECT, OBJECT) if one == triple.subject else (OBJECT, SUBJECT)
        words = f"{text[:start]}{first}{text[end:begin]}{last}{text[stop:]}"
        if len(words) <= _LONGEST + len(SUBJECT) + len(OBJECT) and words.count("<") == 2:
            found[triple.predicate][words] = None
    return {name: [Template(words) for words in known] for name, known in found.items()}


def middles_of(phrases: Phrases) -> dict[tuple[str, bool], list[str]]:
    """The words between the ends of a predicate, by predicate and by whether the subject leads."""
    found: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for predicate, templates in phrases.items():
        for template in templates:
            before, first, between, _, after = _ENDS.split(template.string)
            if before in {"", "The "} and after in {"", "."} and len(between) > _SHORTEST:
                found[predicate, first == SUBJECT].append(between)
    return dict(found)


def reword(draft: Draft, phrases: Phrases, chance: random.Random) -> None:
    """Predicates as Wikidata calls them, or as sentences put them; no two triples become one."""
    wikidata = chance.random() < 0.5
    properties = shipped_properties()
    for number, triple in enumerate(draft.triples):
        known = properties.get(folded(triple.predicate)) if wikidata else None
        new = triple
        if known is not None and not known.inverse:
            new = triple._replace(predicate=known.label)
        elif triple.predicate in phrases and chance.random() < 0.6:
            template = chance.choice(phrases[triple.predicate])
            ends = (label_of(end).base for end in (triple.subject, triple.object))
            new = Triple(*template.parts(*ends))
        if new not in draft.triples:
            draft.triples[number] = new
