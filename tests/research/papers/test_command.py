"""`adequa paper`, as a user calls it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from research.papers.nli.setups import SetupScoring
from research.papers.section import Reproduction

from ...rel_server import rel_server
from ...tiny_weights import write_weights

Run = Callable[..., tuple[int, str, str]]

ENTRY = """<benchmark><entries><entry category="Airport" eid="Id1" size="1"><modifiedtripleset>
<mtriple>Kestrel_Bay | country | Norway</mtriple></modifiedtripleset>
<lex lid="Id1">Kestrel Bay is in Norway.</lex></entry></entries></benchmark>
"""


@pytest.fixture
def esa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run) -> Run:
    monkeypatch.chdir(tmp_path)
    for part, text in (
        ("test/test.xml", ENTRY),
        ("systems/RALI.txt", "Kestrel Bay is in Norway.\n"),
        ("systems/bt5.txt", "Kestrel Bay is pretty.\n"),
    ):
        path = tmp_path / "data" / "webnlg2020" / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return partial(command, "paper")


def test_tables_pictures_and_worksheets(esa: Run, tmp_path: Path) -> None:
    code, said, progress = esa("esa", "--data", "data", "--out", "out")
    assert code == 0
    assert "Table 1, 2020" in said
    assert "n/a: everything of 2017" in said
    assert "written to out/worksheet-undetected.tsv" in progress.replace("\\", "/")
    assert "scoring 2020: 2 of 2" in progress
    sheet = tmp_path / "out" / "worksheet-undetected.tsv"
    filled = sheet.read_text(encoding="utf-8").replace("Norway\t\t\t\t", "Norway\t\t\tright\t")
    sheet.write_text(filled, encoding="utf-8")
    code, said, _ = esa("esa", "--worksheet", str(sheet), "--json")
    assert code == 0
    assert json.loads(said)["rows"][0]["right"] == 1
    assert "bt5" in esa("esa", "--worksheet", str(sheet))[1]


def test_a_sample_of_flags_from_draw_to_summary(esa: Run, tmp_path: Path) -> None:
    draw = ("esa", "--data", "data", "--worksheet", "flags.tsv")
    code, said, progress = esa(*draw, "--flags", "1")
    assert (code, said) == (0, "")
    assert "written to flags.tsv" in progress
    sheet = tmp_path / "flags.tsv"
    header, *rows = sheet.read_text(encoding="utf-8").splitlines()
    assert header == "system\tid\tentity\tflags\tjudgment\tnote"
    assert rows == ["bt5\tId1\tNorway\t1\t\t"]
    code, said, _ = esa(*draw, "--show")
    assert (code, said.splitlines()[0]) == (0, "bt5 Id1: Norway")
    assert "text: Kestrel Bay is pretty." in said
    # What a person filled in is kept.
    code, _, complaint = esa(*draw)
    assert (code, "may have been filled in" in complaint) == (2, True)
    sheet.write_text(f"{header}\nbt5\tId1\tNorway\t1\twrong\t\n", encoding="utf-8")
    values = json.loads(esa("esa", "--worksheet", "flags.tsv", "--json")[1])["values"]
    assert (values["wrong_by_system"], values["wrong_of_all"]) == (100, 100)


def test_json_is_one_object(esa: Run) -> None:
    code, said, progress = esa("esa", "--data", "data", "--year", "2020", "--json", "--quiet")
    assert (code, progress) == (0, "")
    found = json.loads(said)
    assert list(found["years"]) == ["2020"]
    assert found["written"] == []
    assert found["years"]["2020"]["figure2"]["rows"][0]["text"] == "Kestrel Bay is pretty."


def test_esa_wrong_use(esa: Run) -> None:
    assert esa("esa")[0] == 2
    assert esa("esa", "--data", "data", "--show")[0] == 2
    assert esa("esa", "--worksheet", "x.tsv", "--show")[0] == 2
    code, said, complaint = esa("esa", "--data", "data", "--year", "2019")
    assert (code, said) == (2, "")
    assert complaint.startswith("adequa: unknown year '2019'")
    code, _, complaint = esa("esa", "--data", "nowhere")
    assert (code, complaint.strip()) == (
        2,
        "adequa: nowhere: is not a folder; name the folder with webnlg2020 and webnlg2017",
    )


def test_a_study_needs_a_folder_and_a_known_name(esa: Run) -> None:
    study = ("joint", "--data", "data", "--study")
    code, _, complaint = esa(*study, "negatives")
    assert (code, "--study needs --rows DIR" in complaint) == (2, True)
    code, _, complaint = esa(*study, "magic", "--rows", "rows")
    assert (code, "unknown study 'magic'" in complaint) == (2, True)
    code, _, complaint = esa(*study, "negatives", "--rows", "rows", "--row", "dart")
    assert (code, "unknown row 'dart'" in complaint) == (2, True)
    # Nothing is measured without a model.
    code, said, _ = esa(*study, "baselines", "--rows", "rows")
    assert (code, "all-mpnet-base-v2" in said) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("joint --row both", "--row has no effect without a study; add --study NAME"),
        ("joint --steps 50", "--steps has no effect without a study"),
        ("joint --rating-steps 9", "--rating-steps has no effect without a study"),
        ("joint --base x", "--base has no effect without a study"),
        ("joint --threads 1", "--threads has no effect without a study"),
        ("joint --rows rows --only table1", "--rows has no effect with --only"),
        ("joint --study loss --rows rows --only table1", "--only has no effect with --study"),
        ("joint --study loss --rows rows --sample 1000", "--sample has no effect with --study"),
        ("joint --study loss --rows rows --rating-steps 9", "add --study ratings"),
        ("joint --study loss --rows rows --weights a=v3", "add --study baselines"),
        ("all --only human --only esa --model m", "--model has no effect without nli; add --only"),
        ("all --only nli --detector paper", "--detector has no effect without esa or correlations"),
        ("all --only nli --aliases x.tsv", "--aliases has no effect without esa or correlations"),
        ("all --only nli --linker http://x", "--linker has no effect without esa"),
        ("all --only human --coreference adequa", "--coreference has no effect without esa"),
        ("all --only esa --sample 3", "--sample has no effect without nli or joint or human"),
        ("all --only esa --rows rows", "--rows has no effect without joint"),
        ("esa --flags 12", "--flags has no effect unless a worksheet is drawn; give --data DIR"),
        ("esa --flags 12 --worksheet x.tsv --show", "--flags has no effect"),
    ],
)
def test_an_option_without_effect_is_an_error(esa: Run, arguments: str, message: str) -> None:
    code, said, complaint = esa(*arguments.split(), "--data", "data")
    assert (code, said) == (2, "")
    assert message in " ".join(complaint.replace("│", " ").split())


def test_a_summary_of_a_worksheet_draws_no_flags(esa: Run) -> None:
    code, _, complaint = esa("esa", "--worksheet", "x.tsv", "--flags", "3")
    assert (code, "--flags has no effect" in complaint) == (2, True)


def test_all_papers_on_one_page(esa: Run, tmp_path: Path) -> None:
    code, said, progress = esa("all", "--data", "data", "--only", "esa", "--keep", "parts")
    assert (code, said) == (0, "")
    assert "written to papers.html" in progress
    page = (tmp_path / "papers.html").read_text(encoding="utf-8")
    assert "Table 1, 2020" in page
    assert 'alt="figure3-2020.svg"' in page
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["esa.html"]
    code, _, complaint = esa("all", "--data", "data", "--only", "bleu")
    assert (code, "unknown paper 'bleu'" in complaint) == (2, True)
    assert esa("all", "--data", "nowhere")[0] == 2


def test_a_page_of_a_sample_says_so(
    esa: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, object] = {}

    def record(name: str) -> Any:
        def reproduce(*given: object, **options: object) -> Reproduction:
            asked[name] = options.get("pool" if name == "joint" else "sample")
            return Reproduction([])

        return reproduce

    monkeypatch.setattr("research.papers.nli.reproduction.reproduce_nli", record("nli"))
    monkeypatch.setattr("research.papers.joint.reproduction.reproduce_joint", record("joint"))
    monkeypatch.setattr("research.papers.human.reproduction.reproduce_human", record("human"))
    only = ("--only", "nli", "--only", "joint", "--only", "human")
    assert esa("all", "--data", "data", *only, "--sample", "3")[0] == 0
    assert asked == {"nli": 3, "joint": 3, "human": 3}
    page = (tmp_path / "papers.html").read_text(encoding="utf-8")
    assert "adequa paper nli --data DIR --sample 3" in page
    assert "adequa paper joint --data DIR --pool 3" in page
    assert "adequa paper human --data DIR --sample 3" in page
    assert esa("all", "--data", "data", *only)[0] == 0
    assert asked == {"nli": None, "joint": None, "human": None}


def test_the_page_has_the_models_and_the_detector_that_are_given(
    esa: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, object] = {}

    def nli(data: Path, datasets: object, scoring: SetupScoring, **options: object) -> Any:
        asked["nli"] = list(scoring.models)
        return Reproduction([])

    def correlations(data: Path, *, detection: dict[str, object], **options: object) -> Any:
        asked["correlations"] = detection["detector"]
        return Reproduction([])

    monkeypatch.setattr("research.papers.nli.reproduction.reproduce_nli", nli)
    monkeypatch.setattr(
        "research.papers.correlations.reproduction.reproduce_correlations", correlations
    )
    given = ("--model", "small", "--model", "a b", "--detector", "paper", "--quiet")
    only = ("--only", "nli", "--only", "correlations", "--only", "esa")
    assert esa("all", "--data", "data", *only, *given)[0] == 0
    assert asked == {"nli": ["small", "a b"], "correlations": "paper"}
    page = (tmp_path / "papers.html").read_text(encoding="utf-8")
    assert "adequa paper nli --data DIR --model small --model &#x27;a b&#x27;</code>" in page
    assert "adequa paper correlations --data DIR --detector paper</code>" in page
    assert "adequa paper esa --data DIR --detector paper</code>" in page
    assert "detector:paper" in page
    assert esa("all", "--data", "data", *only)[0] == 0
    assert asked == {"nli": [], "correlations": "adequa"}
    page = (tmp_path / "papers.html").read_text(encoding="utf-8")
    assert "adequa paper nli --data DIR</code>" in page
    assert "detector:adequa" in page


def test_the_page_has_the_whole_detector_of_the_paper(esa: Run, tmp_path: Path) -> None:
    (tmp_path / "my names.tsv").write_text("Norway\tpretty\n", encoding="utf-8")
    only = ("all", "--data", "data", "--only", "esa", "--detector", "paper")
    with rel_server({}) as server:
        added = ("--aliases", "my names.tsv", "--linker", server.url, "--coreference", "adequa")
        code, _, complaint = esa(*only, *added)
        assert code == 0, complaint
        assert server.texts
        quoted = f"--aliases &#x27;my names.tsv&#x27; --linker {server.url} --coreference adequa"
    page = (tmp_path / "papers.html").read_text(encoding="utf-8")
    assert f"adequa paper esa --data DIR --detector paper {quoted}</code>" in page
    assert "coreference:adequa" in page
    # A dictionary of other entities would change nothing, which is not missing data.
    (tmp_path / "my names.tsv").write_text("Elsewhere\tNowhere\n", encoding="utf-8")
    code, _, complaint = esa(*only, "--aliases", "my names.tsv")
    assert (code, "has no alias for any of the 2 entities" in complaint) == (2, True)


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run) -> Run:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data" / "webnlg2017"
    triples = [("Kestrel_Bay", "Norway"), ("Orrin_Tower", "Chile"), ("Lumen_Air", "Peru")]
    entries = "".join(
        f'<entry category="Airport" eid="Id{number}" size="1"><modifiedtripleset><mtriple>{one} | '
        f'country | {other}</mtriple></modifiedtripleset><lex lid="Id1">{one} is in {other}.</lex>'
        "</entry>"
        for number, (one, other) in enumerate(triples, 1)
    )
    rows = ["id,mr,team,text,category,type,bleu,meteor,ter,triplesize,fluency,grammar,semantics"]
    texts: dict[str, list[str]] = {"melbourne": [], "adapt": []}
    for number, (one, other) in enumerate(triples):
        texts["melbourne"].append(f"{one} is in {other} .")
        texts["adapt"].append("it is pretty ." if number else f"{one} is there .")
    for place, (team, said) in enumerate(texts.items()):
        for number, text in enumerate(said):
            graph = " | ".join((triples[number][0], "country", triples[number][1]))
            score = (3 - place - number / 4) / 3
            rows.append(
                f"{len(rows)},{graph},{team},{text},Airport,seen,{score},{score / 2},{99 - score},"
                f"{number + 1}triple,{1 + number},{2 + place / 2},{3 - place - number / 2}"
            )
    for part, content in (
        ("test/test.xml", f"<benchmark><entries>{entries}</entries></benchmark>"),
        ("systems/Melbourne.txt", "\n".join(texts["melbourne"]) + "\n"),
        ("systems/ADAPT.txt", "\n".join(texts["adapt"]) + "\n"),
        ("human/all_data_final_averaged.csv", "\n".join(rows) + "\n"),
    ):
        path = folder / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return partial(command, "paper")


def test_correlations(people: Run, tmp_path: Path) -> None:
    code, said, progress = people(
        "correlations", "--data", "data", "--year", "2017", "--pictures", "pictures"
    )
    assert code == 0, progress
    assert "WebNLG 2017: the paper's cells next to ours" in said
    assert "Table 9, 2017: Pearson, all texts, 6 texts (paper 2,230)" in said
    assert (tmp_path / "pictures" / "table09.svg").is_file()
    assert "scoring 2017: 6 of 6" in progress
    code, said, progress = people(
        "correlations", "--data", "data", "--year", "2017", "--json", "--quiet"
    )
    assert (code, progress) == (0, "")
    assert len(json.loads(said)["years"]["2017"]["table9"]["rows"]) == 21


def test_human(people: Run, tmp_path: Path) -> None:
    code, said, complaint = people(
        "human", "--data", "data", "--only", "tables2_3", "--only", "figures1_3", "-o", "pictures"
    )
    assert code == 0, complaint
    assert "Tables 2 and 3, semantics (the paper's heading: Grammar)" in said
    assert (tmp_path / "pictures" / "figure1.svg").is_file()
    code, said, _ = people("human", "--data", "data", "--only", "sample", "--json", "--quiet")
    assert code == 0
    assert json.loads(said)["sample"]["values"]["entries"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["correlations"], "--data"),
        (["correlations", "--data", "nowhere"], "nowhere: is not a folder"),
        (["correlations", "--data", "data", "--year", "2019"], "unknown year '2019'"),
        (["correlations", "--data", "data", "--detector", "magic"], "detector"),
        (["correlations", "--data", "data", "--year", "2020"], "has no rated texts"),
        (["human", "--data", "nowhere"], "nowhere: is not a folder"),
        (["human", "--data", "data/webnlg2017"], "all_data_final_averaged.csv: is missing"),
        (["human", "--data", "data", "--only", "table9"], "unknown section 'table9'"),
    ],
)
def test_people_wrong_use(people: Run, arguments: list[str], message: str) -> None:
    code, said, complaint = people(*arguments)
    assert (code, said) == (2, "")
    assert message in complaint
    assert "Traceback" not in complaint


JOINT_ENTRY = """<benchmark><entries><entry category="Airport" eid="Id1" size="1">
<modifiedtripleset><mtriple>Aarhus | country | the_pub</mtriple></modifiedtripleset>
<lex lid="Id1">Aarhus is in the pub.</lex></entry></entries></benchmark>
"""


@pytest.fixture
def joint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run) -> Run:
    monkeypatch.chdir(tmp_path)
    for part in ("test/test.xml", "train/1triples/Airport.xml"):
        path = tmp_path / "data" / "webnlg2020" / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(JOINT_ENTRY, encoding="utf-8")
    return partial(command, "paper", "joint")


def test_tables_and_pictures(joint: Run, tmp_path: Path) -> None:
    write_weights(tmp_path / "tiny")
    code, said, progress = joint("--data", "data", "--weights", "tiny=tiny", "--out", "out")
    assert code == 0
    assert "tiny: weights:test|" in said
    assert "Table 1: corpora" in said
    assert "Figure 1: graphs find their texts" in said
    assert "n/a: WebNLG dev" in said
    assert "n/a: no rated texts" in said
    assert "written to out/figure5.svg" in progress.replace("\\", "/")
    assert "tiny, WebNLG-DB: 6 of 6" in progress
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("figure1.svg", "figure2.svg", "figure5.svg")
    }


def test_json_of_one_section_and_a_further_corpus(joint: Run, tmp_path: Path) -> None:
    item = {"id": "1", "triples": [["A", "b", "C"]], "text": "It is."}
    (tmp_path / "more.jsonl").write_text(json.dumps(item) + "\n", encoding="utf-8")
    write_weights(tmp_path / "tiny")
    code, said, progress = joint(
        *("--data", "data", "--weights", "tiny=tiny", "--only", "table1"),
        *("--corpus", "KELM=more.jsonl", "--json", "--quiet"),
    )
    assert (code, progress) == (0, "")
    found = json.loads(said)
    assert list(found) == ["weights", "table1", "absent", "written"]
    rows = {(row["corpus"], row["whose"]): row for row in found["table1"]["rows"]}
    assert rows["KELM", "ours"]["pairs"] == 1


def test_joint_wrong_use(joint: Run, tmp_path: Path) -> None:
    write_weights(tmp_path / "tiny")
    assert joint()[0] == 2
    for wrong in ("tiny", "=tiny", "tiny=", "a/b=tiny"):
        code, _, complaint = joint("--data", "data", "--weights", wrong)
        assert code == 2
        assert "is not NAME=WHERE" in complaint
    twice = ("--weights", "one=tiny", "--weights", "one=tiny")
    assert "twice" in joint("--data", "data", *twice)[2]
    code, said, complaint = joint("--data", "data", "--weights", "one=nowhere")
    assert (code, said) == (2, "")
    assert complaint.startswith("adequa: unknown weights (and no folder of that name) 'nowhere'")
    code, _, complaint = joint("--data", "data", "--weights", "t=tiny", "--only", "figure9")
    assert code == 2
    assert complaint.startswith("adequa: unknown section 'figure9'")
