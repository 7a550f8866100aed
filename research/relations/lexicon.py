"""The lexicon of relations: how each is worded, its inverse names, and its near misses.

Wordings are sentences with gaps {s} and {o}, from the training relations of Rel2Text and from the
training texts of WebNLG that state one triple. Two relations are near misses when a sentence
encoder finds their names and descriptions alike and they share no word: "author" and
"illustrator". The most similar ones may mean the same and are left out.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adequa.data import Triple
from adequa.errors import DataError
from adequa.metrics.nli import OBJECT, SUBJECT
from adequa.models import WordPiece
from adequa.perturb import Document
from adequa.perturb.knowledge import phrases_of
from adequa.text import is_symmetric, readable
from research.relations.sources import FEWREL_DEV, by_relation, read_rel2text, relation_names

Vectors = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
"""Unit vectors of texts."""

_LEAST_ALIKE, _MOST_ALIKE = 0.78, 0.90
"""Cosines of near misses by vectors of gte-small; another encoder needs other limits. There is no
record of the data they were chosen on."""
_SKIPPED, _NEAREST = 2, 40
_MOST_WORDINGS = 60
_DESCRIPTION = 80

SYNONYMS = Path(__file__).parent / "data" / "synonyms.txt"

INVERSES: Mapping[str, tuple[str, ...]] = {
    "child": ("parent",),
    "parent": ("child",),
    "father": ("child",),
    "mother": ("child",),
    "follows": ("followed by",),
    "followed by": ("follows", "preceded by"),
    "preceded by": ("followed by", "succeeded by"),
    "succeeded by": ("preceded by",),
    "predecessor": ("successor",),
    "successor": ("predecessor",),
    "replaces": ("replaced by",),
    "replaced by": ("replaces",),
    "part of": ("has part", "contains"),
    "has part": ("part of",),
    "is part of": ("has part",),
    "capital": ("capital of",),
    "capital of": ("capital",),
    "parent organization": ("subsidiary", "has subsidiary"),
    "parent company": ("subsidiary",),
    "subsidiary": ("parent organization", "owned by"),
    "owned by": ("owner of", "owns"),
    "owner": ("owner of", "owns"),
    "owner of": ("owned by",),
    "employer": ("employee",),
    "influenced by": ("influenced",),
    "student": ("student of", "teacher"),
    "student of": ("student", "taught"),
    "doctoral advisor": ("doctoral student",),
    "doctoral student": ("doctoral advisor",),
    "member of": ("has member",),
    "notable work": ("creator",),
    "cast member": ("acted in", "appeared in"),
    "starring": ("starred in",),
    "author": ("wrote", "author of"),
    "writer": ("wrote", "writer of"),
    "director": ("directed", "director of"),
    "producer": ("produced", "producer of"),
    "composer": ("composed", "composer of"),
    "creator": ("created", "creator of"),
    "developer": ("developed",),
    "manufacturer": ("manufactures", "made"),
    "publisher": ("published",),
    "founded by": ("founded", "founder of"),
    "founder": ("founded", "founder of"),
    "architect": ("designed", "architect of"),
    "designer": ("designed",),
    "operator": ("operates",),
    "operating organisation": ("operates",),
    "leader": ("leader of", "leads"),
    "head of government": ("head of government of",),
    "head of state": ("head of state of",),
    "mayor": ("mayor of",),
    "chairperson": ("chairs", "chairperson of"),
    "manager": ("manages", "manager of"),
    "place of birth": ("birthplace of",),
    "birth place": ("birthplace of",),
    "headquarters location": ("headquarters of",),
    "headquarter": ("headquarters of",),
    "contains administrative territorial entity": ("located in",),
    "located in the administrative territorial entity": ("contains",),
    "performer": ("performed",),
    "screenwriter": ("wrote the screenplay of",),
    "lyrics by": ("wrote the lyrics of",),
    "tenant": ("tenant of",),
    "crew member": ("crew member of",),
    "discoverer": ("discovered",),
    "editor": ("edited",),
    "narrator": ("narrated",),
}
"""Names of the same relation with subject and object exchanged."""


@dataclass(frozen=True)
class Relation:
    """A relation by its name in words."""

    name: str
    description: str
    wordings: tuple[str, ...]
    symmetric: bool
    inverse: tuple[str, ...]
    near: tuple[str, ...]
    """Names of near misses, the nearest first."""


Lexicon = Mapping[str, Relation]
_WORD = re.compile(r"[a-z]{3,}")
_COMMON = frozenset(
    {"the", "and", "has", "for", "with", "from", "name", "type", "number", "place", "date"}
)


def inverse_names(name: str) -> tuple[str, ...]:
    """The names of a relation's inverse, where they are known."""
    return INVERSES.get(name.strip().lower(), ())


class Synonyms(NamedTuple):
    """Other names of a relation, and names of its inverse."""

    names: tuple[str, ...]
    inverses: tuple[str, ...]


def read_synonyms(path: Path = SYNONYMS) -> dict[str, Synonyms]:
    """The other names of relations that were written by hand."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            relation, _, rest = line.partition(": ")
            own, _, inverse = rest.partition(" ~ ")
            found[relation] = Synonyms(
                *(tuple(filter(None, map(str.strip, part.split(";")))) for part in (own, inverse))
            )
    return found


def near_names(names: Sequence[str], vectors: Vectors) -> dict[str, tuple[str, ...]]:
    """For each name those that are alike in meaning without being known to mean the same."""
    alike = vectors @ vectors.T
    stems = [_stems(name) for name in names]
    found = {}
    for number, name in enumerate(names):
        near = [
            names[other]
            for other in np.argsort(-alike[number], kind="stable")
            if _LEAST_ALIKE < alike[number, other] < _MOST_ALIKE
            and not stems[number] & stems[other]
            and not is_symmetric(names[other])
        ]
        found[name] = tuple(near[_SKIPPED : _SKIPPED + _NEAREST])
    return found


def _stems(name: str) -> frozenset[str]:
    return frozenset(word[:5] for word in _WORD.findall(name.lower()) if word not in _COMMON)


def build_lexicon(folder: Path, documents: Sequence[Document], embed: Embed) -> dict[str, Relation]:
    """The lexicon of all relations that may be trained on.

    `folder` has Rel2Text and FewRel; `documents` are training texts with their graphs.
    """
    wordings: dict[str, dict[str, None]] = {}
    described: dict[str, str] = {}
    for name, answers in by_relation(read_rel2text(folder, "train")).items():
        right = (one.wording for one in answers if one.right and one.wording)
        wordings.setdefault(name, {}).update(dict.fromkeys(right))
        described[name] = answers[0].description
    for number, name in relation_names(folder).items():
        if number not in FEWREL_DEV:
            wordings.setdefault(name, {})
    for predicate, templates in phrases_of(documents).items():
        name = readable(Triple("", predicate, ""))[1]
        own = (one.string.replace(SUBJECT, "{s}").replace(OBJECT, "{o}") for one in templates)
        wordings.setdefault(name, {}).update(dict.fromkeys([*own][:_MOST_WORDINGS]))
    names = sorted(wordings)
    meanings = [
        f"{name}: {described[name][:_DESCRIPTION]}" if described.get(name) else name
        for name in names
    ]
    near = near_names(names, embed(meanings))
    return {
        name: Relation(
            name=name,
            description=described.get(name, ""),
            wordings=tuple(wordings[name]),
            symmetric=is_symmetric(name),
            inverse=inverse_names(name),
            near=near[name],
        )
        for name in names
    }


def open_encoder(folder: Path) -> Embed:
    """The sentence encoder of a folder with vocab.txt and onnx/model.onnx, such as gte-small."""
    onnxruntime = importlib.import_module("onnxruntime")

    tokens = WordPiece.read(folder / "vocab.txt")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"), options)

    def embed(texts: Sequence[str]) -> Vectors:
        rows = []
        for text in texts:
            ids = np.array([tokens.encode_text(text)], dtype=np.int64)
            inputs = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            states = session.run(None, inputs)[0][0]
            mean = states.mean(axis=0)
            rows.append(mean / np.linalg.norm(mean))
        return np.stack(rows)

    return embed


def write_lexicon(path: Path, lexicon: Lexicon) -> None:
    """Write a lexicon as JSON, one object per relation."""
    raw = [asdict(one) for one in lexicon.values()]
    path.write_text(json.dumps(raw, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_lexicon(path: Path) -> dict[str, Relation]:
    """The lexicon of a file."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return {one["name"]: _relation(one) for one in raw}
    except (OSError, LookupError, TypeError, ValueError) as error:
        raise DataError(
            f"is not a lexicon ({error!r})",
            path=path,
            remedy="write it with python -m research.relations lexicon",
        ) from None


def _relation(raw: Mapping[str, Any]) -> Relation:
    lists = {name: tuple(raw[name]) for name in ("wordings", "inverse", "near")}
    return Relation(
        name=raw["name"],
        description=raw["description"],
        symmetric=raw["symmetric"],
        **lists,
    )
