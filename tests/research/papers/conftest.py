"""A tiny pair of challenges, laid out like the real data, in our own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ENTRIES = (
    ((("Kestrel_Bay", "country", "Norway"),), "Kestrel Bay is in Norway."),
    ((("Lumen_Air", "hub", "Kestrel_Bay"),), "Lumen Air has its hub at Kestrel Bay."),
    (
        (("Ada_Quill", "employer", "Lumen_Air"), ("Ada_Quill", "birthPlace", "Norway")),
        "Ada Quill works for Lumen Air and was born in Norway.",
    ),
    ((("Orrin_Tower", "floorCount", "12"),), "Orrin Tower has 12 floors."),
)
GOOD = tuple(text for _, text in ENTRIES)
TEXTS_2020 = {
    "RALI": GOOD,
    "FBConvAI": (GOOD[0], GOOD[1], "Ada Quill works for Lumen Air.", GOOD[3]),
    "ORANGE-NLG": (
        "The bay is pretty.",
        "Lumen Air has its hub at Zurich Airport.",
        "Ada Quill works for Lumen Air.",
        "",
    ),
}
TEXTS_2017 = {
    "Melbourne": tuple(text.lower() for text in GOOD),
    "ADAPT": (GOOD[0], "it is big .", "ada quill was born .", "orrin tower ."),
}
CRITERIA = ("Correctness", "DataCoverage", "Relevance", "Fluency", "TextStructure")


def _xml() -> str:
    entries = []
    for number, (triples, text) in enumerate(ENTRIES, 1):
        rows = "".join(f"<mtriple>{' | '.join(triple)}</mtriple>" for triple in triples)
        entries.append(
            f'<entry category="Airport" eid="Id{number}" size="{len(triples)}">'
            f"<modifiedtripleset>{rows}</modifiedtripleset>"
            f'<lex comment="good" lid="Id1">{text}</lex></entry>'
        )
    return f"<benchmark><entries>{''.join(entries)}</entries></benchmark>"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


@pytest.fixture
def challenges(tmp_path: Path) -> Path:
    """Both years: three systems of 2020 and two of 2017, all texts rated."""
    folder = tmp_path / "data"
    for year, texts in ((2020, TEXTS_2020), (2017, TEXTS_2017)):
        _write(folder / f"webnlg{year}" / "test" / "test.xml", _xml())
        for system, lines in texts.items():
            _write(folder / f"webnlg{year}" / "systems" / f"{system}.txt", "\n".join(lines) + "\n")
    ratings, peers = [], []
    for system, values in (
        ("RALI", (90, 95, 92, 10)),  # the last is rated low, and nothing is missing
        ("FBConvAI", (88, 91, 60, 93)),
        ("ORANGE-NLG", (20, 45, 58, 85)),  # the last is rated high, and says nothing
        ("WebNLG-2020-reference", (100, 100, 100, 100)),
    ):
        for number, value in enumerate(values, 1):
            row = {"system": system, "id": number}
            ratings.append(json.dumps(row | dict.fromkeys(CRITERIA, value)))
            released = {"bert-f1": value / 100, "bleurt": value / 200, "meteor": value / 150}
            peers.append(json.dumps(row | released))
    _write(folder / "webnlg2020" / "human" / "averaged.jsonl", "\n".join(ratings) + "\n")
    _write(folder / "webnlg2020" / "human" / "peers.jsonl", "\n".join(peers) + "\n")
    rows = ["id,mr,team,text,bleu,meteor,ter,fluency,grammar,semantics"]
    for team, said, semantics in (
        ("melbourne", TEXTS_2017["Melbourne"], (3, 3, 2.5, 1)),
        ("adapt", TEXTS_2017["ADAPT"], (3, 2, 1.5, 1)),
        ("webnlg", GOOD, (3, 3, 3, 3)),
    ):
        for place, (text, rating) in enumerate(zip(said, semantics, strict=True)):
            graph = "<br>".join(" | ".join(triple) for triple in ENTRIES[place][0])
            score = rating / 3
            scores = f"{score},{score},{9 - rating},2,{rating},{rating}"
            rows.append(f"{len(rows)},{graph},{team},{text},{scores}")
    _write(folder / "webnlg2017" / "human" / "all_data_final_averaged.csv", "\n".join(rows) + "\n")
    return folder
