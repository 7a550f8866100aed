"""Tiny corpora in the formats of the research data, and a tiny BERT with the words of a reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adequa.data import Item, Triple
from adequa.models.relations import PLACEHOLDERS
from adequa.perturb import Document, read_documents
from research.relations.groups import read_written
from research.relations.lexicon import Relation
from research.relations.mixture import Mixture
from research.relations.phrases import read_phrases
from research.relations.scenes import SceneMaker
from research.relations.sources import (
    read_entailments,
    read_paragraphs,
    read_rel2text,
    read_sentences,
)

ANN = Triple("Acme", "founder", "Ann_Lee")
BO = Triple("Acme", "leader", "Bo_Ray")
COMPANY = Item("1", (ANN, BO), "Ann Lee founded Acme, and Bo Ray leads Acme.")
TOWN = Item("2", (Triple("Vexla", "river", "Kelda"),), "The river Kelda crosses Vexla.")
SIZE = Item("3", (Triple("Vexla", "population", "4310"),), "Vexla has 4,310 people.")

FIELDS = ("head", "relation", "tail", "response", "response_delex", "state", "flags", "rel_desc")
ANSWERS = (
    ("Emma", "author", "Jane", "Jane wrote Emma.", "[TAIL] wrote [HEAD].", "ok", "", "who did it"),
    ("Ulys", "author", "Jim", "Jim wrote Ulys.", "[TAIL] wrote [HEAD].", "ok", "", "who wrote it"),
    ("Odes", "author", "Kit", "Odes is by Kit.", "[HEAD] is by [TAIL].", "ok", "", "who wrote it"),
    ("Emma", "author", "Jane", "Emma wrote Jane.", "[HEAD] wrote [TAIL].", "corrupted", "", ""),
    ("Emma", "author", "Jane", "Jane!", "[TAIL]!", "ok", "typo", ""),
    ("Elbe", "mouth", "Sea", "Elbe flows into Sea.", "[HEAD] flows into [TAIL].", "ok", "", ""),
    ("Elbe", "mouth", "Sea", "The Sea reaches it.", "The [TAIL] reaches it.", "corrupted", "", ""),
    ("Fork", "use", "Meal", "A Fork is for a Meal.", "A [HEAD] is for a [TAIL].", "ok", "", ""),
)  # fmt: skip


def write_data(folder: Path) -> Path:
    """Write the corpora of a training into a folder."""
    relations = folder / "relations"
    relations.mkdir(parents=True)
    for split, names in {
        "train": ["author", "use"],
        "dev": ["mouth", "use"],
        "test": ["use"],
    }.items():
        data = [{"in": f"<head> x <rel> {name} <tail> y"} for name in names]
        write_json(relations / f"rel2text_{split}.json", {"data": data})
    lines = ["\t".join(FIELDS), *("\t".join(one) for one in ANSWERS)]
    (relations / "rel2text_raw.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = {"P6": ["leader", "who leads"], "P177": ["crosses", ""], "P112": ["founded by", ""]}
    write_json(relations / "fewrel_pid2name.json", names)
    write_json(
        relations / "fewrel_val_wiki.json",
        {
            "P6": [sentence("Bo Ray leads Acme now .", [3], [0, 1])],
            "P177": [sentence("The Long Bridge spans the Kelda .", [1, 2], [5])],
        },
    )
    write_json(relations / "fewrel_val_nyt.json", {"P6": [sentence("Cy leads Dorn .", [2], [0])]})
    write_json(relations / "redocred_dev.json", [PARAGRAPH])
    write_json(relations / "redocred_test.json", [])
    (folder / "entailment").mkdir()
    rows = [
        f'"A dog {n} runs.","A dog is running.",{"entailment" if n % 2 else "other"}'
        for n in range(50)
    ]
    text = "\n".join(["premise,hypothesis,label", *rows])
    (folder / "entailment" / "snli.csv").write_text(text + "\n", encoding="utf-8")
    premise = '"1jpg0 Two cats. 1jpg1 They sleep."'
    text = f'premise,hypothesis,label\n{premise},"Cats sleep.",entailment\n'
    (folder / "entailment" / "mpe.csv").write_text(text, encoding="utf-8")
    return folder


def sentence(text: str, head: list[int], tail: list[int]) -> dict[str, object]:
    return {"tokens": text.split(), "h": ["h", "Q1", [head]], "t": ["t", "Q2", [tail]]}


def mention(sentence: int, start: int, end: int, kind: str) -> dict[str, object]:
    return {"sent_id": sentence, "pos": [start, end], "type": kind}


PARAGRAPH = {
    "sents": [["Bo", "Ray", "leads", "Acme", "."], ["Cy", "Dun", "leads", "Dorn", "."]],
    "vertexSet": [
        [mention(0, 0, 2, "PER")],
        [mention(0, 3, 4, "ORG")],
        [mention(1, 0, 2, "PER")],
        [mention(1, 3, 4, "ORG")],
    ],
    "labels": [
        {"h": 1, "t": 0, "r": "P6", "evidence": [0]},
        {"h": 3, "t": 2, "r": "P6", "evidence": [1]},
        {"h": 1, "t": 0, "r": "P177", "evidence": [0]},
    ],
}


def write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def relation(name: str, *near: str) -> Relation:
    return Relation(name, "", (f"{{s}} has the {name} {{o}}.",), False, (), near)


LEXICON = {
    name: relation(name, *near)
    for name, *near in (
        ("author", "editor", "critic"),
        ("editor", "author"),
        ("critic", "author"),
        ("leader", "founded by"),
        ("founded by", "leader"),
    )
}


def documents() -> list[Document]:
    return list(read_documents([COMPANY, TOWN, SIZE]))


def mixture(data: Path) -> Mixture:
    """A mixture of tiny corpora, a few phrases and a few written groups."""
    folder = data / "relations"
    return Mixture(
        documents=documents(),
        answers=read_rel2text(folder, "train"),
        sentences=read_sentences(folder, dev=False),
        paragraphs=read_paragraphs(folder),
        entailments=read_entailments(data / "entailment", dev=False),
        written=read_written(dev=False)[:5],
        lexicon=LEXICON,
        names=["leader", "founded by", "critic"],
        scenes=SceneMaker(read_phrases()[:150]),
    )


def write_base(folder: Path, *, lacking: str = "") -> Path:
    """Save a random BERT with the words that a relation reader needs."""
    torch = pytest.importorskip("torch", reason="the extra train is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
    pytest.importorskip("accelerate", reason="the extra train is not installed")
    from research.relations.torch_training import ROLES, SURNAMES

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused1]", "[unused2]", "[unused3]"]
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,;'’&-"
    pieces = [*letters, *(f"##{one}" for one in letters)]
    words = [*special, *PLACEHOLDERS, *SURNAMES, *ROLES, *pieces, "leads", "founded", "not", "by"]
    words = [word for word in words if word != lacking]
    torch.manual_seed(5)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=300,
        initializer_range=0.1,
    )
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return folder
