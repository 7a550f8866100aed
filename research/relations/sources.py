"""The corpora as plain records: Rel2Text, FewRel, Re-DocRED, and premises with hypotheses.

Held out for `figures`: the relations of Rel2Text's dev and test files in whichever file they stand,
the relations `FEWREL_DEV` of FewRel and Re-DocRED, and every fortieth entailment pair.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from adequa.data import Triple
from adequa.text import Span

FEWREL_DEV = frozenset({"P177", "P25", "P749", "P50", "P463", "P108"})
"""crosses, mother, parent organization, author, member of, employer."""
_ENTAILMENT_DEV, _ENTAILMENT_FIRST = 40, 7
OPEN_ENTAILMENT = ("mnli", "mpe", "snli")
"""The entailment corpora that may be used commercially, by the beginnings of their file names: SICK
may not be, and RTE does not state a licence."""
_DATES = {
    "P580": "start time",
    "P582": "end time",
    "P571": "inception",
    "P576": "dissolved, abolished or demolished date",
    "P577": "publication date",
    "P569": "date of birth",
    "P570": "date of death",
    "P585": "point in time",
}
"""Properties of Re-DocRED that FewRel's table of names lacks."""


class CrowdAnswer(NamedTuple):
    """A crowd worker's sentence for a triple, and whether it was judged to state it."""

    text: str
    head: str
    relation: str
    tail: str
    wording: str
    """The sentence with {s} and {o} for the two names, or "" where they were not found."""
    right: bool
    description: str

    @property
    def triple(self) -> Triple:
        """The triple that the worker was given."""
        return Triple(self.head, self.relation, self.tail)


class RelationSentence(NamedTuple):
    """A sentence of running text that states a fact, with the places of both names."""

    text: str
    relation: str
    head: Span
    tail: Span

    @property
    def ends(self) -> tuple[str, str]:
        """The two names as the sentence has them."""
        return self.text[slice(*self.head)], self.text[slice(*self.tail)]


class ParagraphEntity(NamedTuple):
    """An entity of a paragraph: its type, its longest name, and its places."""

    kind: str
    name: str
    places: tuple[tuple[int, int, int], ...]
    """The sentence, and start and end in that sentence."""


class ParagraphFact(NamedTuple):
    """A fact between two entities of a paragraph, and the sentences that state it."""

    head: int
    relation: str
    tail: int
    evidence: tuple[int, ...]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of running text with its entities and all facts between them."""

    sentences: tuple[str, ...]
    entities: tuple[ParagraphEntity, ...]
    facts: tuple[ParagraphFact, ...]


class Entailment(NamedTuple):
    """A premise, a hypothesis, and the label of the pair as its corpus has it."""

    premise: str
    hypothesis: str
    label: str
    corpus: str

    @property
    def entailed(self) -> bool:
        """Whether the premise entails the hypothesis."""
        return self.label == "entailment"


# Rel2Text

_RELATION = re.compile(r"<rel>(.*?)<tail>")


def rel2text_relations(folder: Path, split: str) -> frozenset[str]:
    """The relations of a split, in lower case."""
    raw = json.loads((folder / f"rel2text_{split}.json").read_text(encoding="utf-8"))
    found = (_RELATION.search(one["in"]) for one in raw["data"])
    return frozenset(match[1].strip().lower() for match in found if match)


def read_rel2text(folder: Path, split: str) -> list[CrowdAnswer]:
    """The answers to the relations of a split, right (`ok`) and wrong (`corrupted`).

    A relation that a later split also has belongs to that split alone. `test` is for measuring.
    """
    later = {"train": ("dev", "test"), "dev": ("test",), "test": ()}[split]
    own = rel2text_relations(folder, split).difference(
        *(rel2text_relations(folder, other) for other in later)
    )
    found = []
    with (folder / "rel2text_raw.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["relation"].strip().lower() not in own:
                continue
            if row["state"] == "corrupted" or (row["state"] == "ok" and not row["flags"]):
                found.append(_answer(row))
    return found


def _answer(row: dict[str, str]) -> CrowdAnswer:
    wording = row["response_delex"].replace("[HEAD]", "{s}").replace("[TAIL]", "{o}")
    located = wording.count("{s}") == wording.count("{o}") == 1
    return CrowdAnswer(
        text=row["response"].strip(),
        head=row["head"],
        relation=row["relation"],
        tail=row["tail"],
        wording=wording.strip() if located else "",
        right=row["state"] == "ok",
        description=row["rel_desc"] or "",
    )


def by_relation(answers: Iterable[CrowdAnswer]) -> dict[str, list[CrowdAnswer]]:
    """The answers of each relation, in the order of the names."""
    found: dict[str, list[CrowdAnswer]] = {}
    for one in answers:
        found.setdefault(one.relation, []).append(one)
    return dict(sorted(found.items()))


# FewRel and Re-DocRED


def relation_names(folder: Path) -> dict[str, str]:
    """The English names of Wikidata's properties, by their numbers."""
    raw = json.loads((folder / "fewrel_pid2name.json").read_text(encoding="utf-8"))
    return {**{number: name for number, (name, *_) in raw.items()}, **_DATES}


def read_sentences(folder: Path, *, dev: bool) -> list[RelationSentence]:
    """FewRel's sentences of the held-out relations, or of the others."""
    names = relation_names(folder)
    found = []
    for file in ("fewrel_val_wiki.json", "fewrel_val_nyt.json"):
        raw = json.loads((folder / file).read_text(encoding="utf-8"))
        for number, sentences in raw.items():
            if (number in FEWREL_DEV) != dev:
                continue
            for one in sentences:
                heads, tails = one["h"][2], one["t"][2]
                if len(heads) == len(tails) == 1:
                    text, places = join_tokens(one["tokens"])
                    head, tail = (
                        (places[own[0]][0], places[own[-1]][1]) for own in (heads[0], tails[0])
                    )
                    found.append(RelationSentence(text, names[number], head, tail))
    return found


def read_paragraphs(folder: Path) -> list[Paragraph]:
    """Re-DocRED's paragraphs, without facts of the held-out relations."""
    names = relation_names(folder)
    return [
        _paragraph(raw, names)
        for file in ("redocred_dev.json", "redocred_test.json")
        for raw in json.loads((folder / file).read_text(encoding="utf-8"))
    ]


def _paragraph(raw: dict[str, Any], names: dict[str, str]) -> Paragraph:
    joined = [join_tokens(tokens) for tokens in raw["sents"]]
    entities = []
    for mentions in raw["vertexSet"]:
        places = []
        for one in mentions:
            tokens, (first, end) = joined[one["sent_id"]][1], one["pos"]
            places.append((one["sent_id"], tokens[first][0], tokens[end - 1][1]))
        written = [joined[number][0][start:end] for number, start, end in places]
        kind = mentions[0]["type"]
        entities.append(ParagraphEntity(kind, max(written, key=len), tuple(places)))
    facts = tuple(
        ParagraphFact(one["h"], names[one["r"]], one["t"], tuple(one["evidence"]))
        for one in raw["labels"]
        if one["r"] in names and one["r"] not in FEWREL_DEV and one["h"] != one["t"]
    )
    return Paragraph(tuple(text for text, _ in joined), tuple(entities), facts)


_CLOSING = frozenset(",.;:!?)]}%'’”") | {"'s", "n't", "''", "’s"}
_OPENING = frozenset("([{$“") | {"``"}
_DASHES = frozenset("-–")


def join_tokens(tokens: Sequence[str]) -> tuple[str, list[Span]]:
    """Tokens as a string with natural spaces, and the place of each token.

    >>> join_tokens(["Ann", "'s", "dog", "(", "old", ")", "-", "eared", "."])[0]
    "Ann's dog (old)-eared."
    """
    text, places = "", []
    glued = True
    for token in tokens:
        if not glued and token not in _CLOSING and token not in _DASHES:
            text += " "
        places.append((len(text), len(text) + len(token)))
        text += token
        glued = token in _OPENING or token in _DASHES
    return text, places


# Entailment

_PICTURE = re.compile(r"\s*\d+jpg\d+")
"""Between the sentences of a premise of MPE, which describe one picture."""


def read_entailments(folder: Path, *, dev: bool, permissive: bool = False) -> list[Entailment]:
    """All pairs of premise and hypothesis, or those that are held out.

    With `permissive`, only those of corpora that may be used commercially.
    """
    found = []
    for path in sorted(folder.glob("*.csv")):
        if permissive and not path.name.startswith(OPEN_ENTAILMENT):
            continue
        with path.open(encoding="utf-8", newline="") as stream:
            for number, row in enumerate(csv.DictReader(stream)):
                if (number % _ENTAILMENT_DEV == _ENTAILMENT_FIRST) != dev:
                    continue
                premise, hypothesis = row["premise"].strip(), row["hypothesis"].strip()
                if "mpe" in path.name:
                    parts = (part.strip(" .") for part in _PICTURE.split(premise))
                    premise = ". ".join(part for part in parts if part) + "."
                if premise and hypothesis:
                    found.append(Entailment(premise, hypothesis, row["label"], path.stem))
    return found
