"""The ESA paper told again, on a tiny corpus of our own and on the real one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from adequa.errors import DataError, SettingError, UnknownName
from adequa.text.languages import find_language
from research.papers.esa.data import read_corpus
from research.papers.esa.reproduction import (
    reproduce_esa,
)
from research.papers.esa.worksheet import (
    COLUMNS,
    SAMPLE_COLUMNS,
    flag_sample,
    summarise_worksheet,
)
from research.papers.section import Reproduction

from ....rel_server import rel_server


def rendered(reproduction: Reproduction) -> dict[str, str]:
    return {
        name: content if isinstance(content, str) else content()
        for name, content in reproduction.files.items()
    }


def _years(reproduction: Reproduction) -> Any:
    return reproduction.as_object()["years"]


def test_table_1(challenges: Path) -> None:
    section = _years(reproduce_esa(challenges, [2020]))["2020"]["table1"]
    rows = {(row["system"], row["whose"]): row for row in section["rows"]}
    assert [rows[name, "ours"]["≥1"] for name in ("RALI", "FBConvAI", "ORANGE-NLG")] == [0, 1, 4]
    worst = rows["ORANGE-NLG", "ours"]
    assert [worst[name] for name in ("1", "2", "3", "4", "5+")] == [2, 2, 0, 0, 0]
    assert worst["ESI^1 %"] == 100
    # Nothing found in two texts, one of two entities in the next, two of three in the last.
    assert worst["ESA_C"] == pytest.approx((0 + 1 / 2 + 2 / 3 + 0) / 4)
    assert worst["ESA_C\\2"] == 0
    assert rows["RALI", "ours"]["ESA_C\\1"] is None
    assert rows["RALI", "ours"]["BLEU rank"] == 1
    assert rows["RALI", "paper"]["≥1"] == 51
    assert section["values"]["spearman_esi"] == pytest.approx(1)


def test_correlations_and_their_subsets(challenges: Path) -> None:
    section = _years(reproduce_esa(challenges, [2020]))["2020"]["correlations"]
    rows = {
        (row["coefficient"], row["subset"], row["with"], row["measure"]): row
        for row in section["rows"]
    }
    found = rows["pearson", "all", "Correctness", "esa"]
    assert found["texts"] == 12
    assert found["paper"] == 0.46
    assert -1 < found["value"] < 1
    assert rows["pearson", ">=1", "Correctness", "esa"]["texts"] == 5
    assert rows["pearson", ">=1", "Correctness", "esa"]["paper_table"] == 3
    assert rows["kendall", "all", "BERT-score F1", "esa_strict"]["value"] is not None
    empty = rows["kendall", "all", "BERT-score P", "esa"]
    assert empty["value"] is None
    why = "of BERT-score, the released scores have F1 only; give a metric"
    assert empty["reason"].startswith(why)
    assert any("of the 178 rated entries" in note for note in section["notes"])


def test_2017_has_the_human_references_among_its_texts(challenges: Path) -> None:
    reproduction = reproduce_esa(challenges, [2017])
    section = _years(reproduction)["2017"]["correlations"]
    texts = {
        row["subset"]: row["texts"]
        for row in section["rows"]
        if (row["coefficient"], row["with"], row["measure"]) == ("pearson", "Semantics", "esa")
    }
    assert texts == {"all": 12, ">=1": 3, ">=2": 2, "systems": 8}
    assert any("almost certainly Kendall" in note for note in section["notes"])
    assert "Tables 9, 2, 12, 2017: Pearson" in reproduction.text()


def test_a_text_that_looks_foreign_is_scored(challenges: Path) -> None:
    path = challenges / "webnlg2017" / "systems" / "ADAPT.txt"
    foreign = "die stadt liegt an der elbe und ist die hauptstadt des landes ."
    assert find_language(foreign) == "de"
    _, *others = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([foreign, *others]) + "\n", encoding="utf-8")
    rows = _years(reproduce_esa(challenges, [2017]))["2017"]["table1"]["rows"]
    assert [row["system"] for row in rows if row["whose"] == "ours"] == ["Melbourne", "ADAPT"]


def test_cases(challenges: Path) -> None:
    years = _years(reproduce_esa(challenges))
    assert years["2020"]["disagreements"]["values"] == {
        "rated_high": 1,
        "paper_rated_high": 4,
        "rated_low": 1,
        "paper_rated_low": 20,
    }
    cases = [(row["system"], row["id"]) for row in years["2020"]["disagreements"]["rows"]]
    assert cases == [("ORANGE-NLG", "Id4"), ("RALI", "Id4")]
    assert [(row["system"], row["id"]) for row in years["2017"]["disagreements"]["rows"]] == [
        ("ADAPT", "Id2"),
        ("Melbourne", "Id4"),
    ]
    rows = {row["id"]: row for row in years["2020"]["figure2"]["rows"]}
    assert (rows["Id3"]["undetected"], rows["Id3"]["others"]) == ("Norway", 1)
    assert [row["BLEU"] for row in rows.values()] == sorted(
        (row["BLEU"] for row in rows.values()), reverse=True
    )
    assert all(row["ESA_I"] < 0.8 for row in rows.values())


def test_unexplained_names(challenges: Path) -> None:
    section = _years(reproduce_esa(challenges, [2020]))["2020"]["table4"]
    rows = {row["system"]: row for row in section["rows"]}
    assert (rows["ORANGE-NLG"]["texts"], rows["ORANGE-NLG"]["dist"]) == (1, 1)
    assert rows["RALI"]["any"] == 0
    assert rows["ORANGE-NLG"]["paper's after check"] == 288


def test_what_is_absent_is_said_with_its_path(challenges: Path) -> None:
    (challenges / "webnlg2020" / "human" / "averaged.jsonl").unlink()
    shutil.rmtree(challenges / "webnlg2017" / "test")
    reproduction = reproduce_esa(challenges)
    text = reproduction.text()
    for missing in (
        f"n/a: outputs of TGen: {challenges / 'webnlg2020' / 'systems' / 'TGen.txt'} is missing",
        f"n/a: human ratings: {challenges / 'webnlg2020' / 'human' / 'averaged.jsonl'}",
        f"n/a: everything of 2017: {challenges / 'webnlg2017' / 'test'} has no XML file",
        "n/a: no rated texts",
    ):
        assert missing in text
    years = _years(reproduction)
    assert years["2017"].keys() == {"absent"}
    assert years["2020"]["table1"]["rows"]


def test_no_peers(challenges: Path) -> None:
    (challenges / "webnlg2020" / "human" / "peers.jsonl").unlink()
    year = _years(reproduce_esa(challenges, [2020]))["2020"]
    assert any("peers.jsonl is missing" in one for one in year["absent"])
    assert any("n/a: BLEURT" in note for note in year["correlations"]["notes"])


def test_wrong_use(tmp_path: Path, challenges: Path) -> None:
    with pytest.raises(DataError, match="is not a folder"):
        reproduce_esa(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"nothing to score: everything of 2020: .*no XML file"):
        reproduce_esa(tmp_path / "empty")
    with pytest.raises(SettingError, match="detector"):
        reproduce_esa(challenges, detection={"detector": "magic"})
    with pytest.raises(SettingError, match="2019"):
        read_corpus(challenges, 2019)
    ratings = challenges / "webnlg2017" / "human" / "all_data_final_averaged.csv"
    ratings.write_text(ratings.read_text(encoding="utf-8").replace("ter,", "rate,"), "utf-8")
    with pytest.raises(DataError, match="bleu, meteor or ter"):
        reproduce_esa(challenges, [2017])


def test_the_same_again_and_the_papers_detector(challenges: Path) -> None:
    first, second = reproduce_esa(challenges, seed=3), reproduce_esa(challenges, seed=3)
    assert first.as_object() == second.as_object()
    assert rendered(first) == rendered(second)
    other = reproduce_esa(challenges, [2020], detection={"detector": "paper"})
    assert "detector:paper" in other.signature


def test_the_papers_detector_with_its_dictionary_linker_and_coreference(
    challenges: Path, tmp_path: Path
) -> None:
    names = tmp_path / "names.tsv"
    names.write_text("Kestrel_Bay\tThe bay\n", encoding="utf-8")

    def undetected(**added: Any) -> int:
        detection = {"detector": "paper", **added}
        rows = _years(reproduce_esa(challenges, [2020], detection=detection))["2020"]["table1"]
        found = {(row["system"], row["whose"]): row for row in rows["rows"]}["ORANGE-NLG", "ours"]
        return sum(number * found[str(number)] for number in range(1, 5)) + 5 * found["5+"]

    alone = undetected()
    assert undetected(aliases=names) == alone - 1
    with rel_server({"pretty": "Norway", "Zurich Airport": "Zürich Airport"}) as server:
        assert undetected(linker=server.url) == alone - 1
        everything = {"aliases": names, "linker": server.url, "coreference": "adequa"}
        assert undetected(**everything) == alone - 2
    wrong = tmp_path / "wrong.tsv"
    wrong.write_text("Elsewhere\tNowhere\n", encoding="utf-8")
    with pytest.raises(SettingError, match="has no alias for any of the"):
        undetected(aliases=wrong)


def test_worksheets(challenges: Path, tmp_path: Path) -> None:
    reproduction = reproduce_esa(challenges, [2020], sample=2)
    written = reproduction.write(tmp_path / "out")
    assert [path.name for path in written] == [
        "worksheet-undetected.tsv",
        "worksheet-unexplained.tsv",
        "figure3-2020.svg",
    ]
    header, *rows = [line.split("\t") for line in written[0].read_text("utf-8").splitlines()]
    assert tuple(header) == COLUMNS
    assert [row[0] for row in rows].count("FBConvAI") == 1
    assert len({row[1] for row in rows if row[0] == "ORANGE-NLG"}) == 2
    assert all(row[5] == row[6] == "" for row in rows)
    flags = [line.split("\t") for line in written[1].read_text("utf-8").splitlines()[1:]]
    for row in flags:
        assert row[8][int(row[3]) : int(row[4])] == row[2]
    assert flags
    # Once more is fine; a filled one is kept.
    reproduction.write(tmp_path / "out")
    written[0].write_text(
        written[0].read_text("utf-8").replace("\t\t\t\t", "\t\t\tright\t"), "utf-8"
    )
    with pytest.raises(DataError, match="may have been filled"):
        reproduction.write(tmp_path / "out")


def test_a_filled_worksheet(tmp_path: Path) -> None:
    path = tmp_path / "filled.tsv"
    lines = ["system\tid\tflagged\tstart\tend\tjudgment\tnote"]
    for system, identifier, judgment in (
        ("RALI", "Id1", "wrong"),
        ("RALI", "Id1", "right"),
        ("RALI", "Id2", " Right "),
        ("RALI", "Id3", "unclear"),
        ("bt5", "Id9", ""),
    ):
        lines.append(f"{system}\t{identifier}\tOslo\t\t\t{judgment}\t")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rally, other, together = summarise_worksheet(path).tables[0].json_rows()
    assert [rally[name] for name in ("right", "wrong", "unclear", "not judged")] == [2, 1, 1, 0]
    assert rally["% wrong"] == pytest.approx(100 / 3)
    assert (rally["texts"], rally["% of texts with a wrong flag"]) == (2, 50)
    assert rally["paper's % wrong"] == 100
    assert (other["not judged"], other["% wrong"]) == (1, None)
    assert together["% wrong"] == pytest.approx(100 / 3)
    path.write_text("\n".join([*lines, "bt5\tId9\tOslo\t\t\tmaybe\t"]), encoding="utf-8")
    with pytest.raises(DataError, match=r"filled\.tsv:7: the judgment is 'maybe'"):
        summarise_worksheet(path)
    path.write_text("a\tb\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no column 'system'"):
        summarise_worksheet(path)


def test_the_sample_of_flags_is_random_by_its_seed(challenges: Path) -> None:
    items = read_corpus(challenges, 2020).items
    every = flag_sample(items, 100, seed=0).splitlines()
    few = flag_sample(items, 1, seed=0).splitlines()
    assert few[0].split("\t") == list(SAMPLE_COLUMNS)
    assert {row.split("\t")[0] for row in every[1:]} == {row.split("\t")[0] for row in few[1:]}
    assert set(few) < set(every)
    assert any(flag_sample(items, 1, seed=seed).splitlines() != few for seed in range(1, 5))


def test_the_share_of_wrong_flags_counts_systems_by_their_flags(tmp_path: Path) -> None:
    path = tmp_path / "filled.tsv"
    lines = ["\t".join(SAMPLE_COLUMNS)]
    for system, flags, judgment in (
        ("RALI", 10, "wrong"),
        ("RALI", 10, "right"),
        ("bt5", 90, "right"),
        ("bt5", 90, "right"),
        ("TGen", 500, "unclear"),
    ):
        lines.append(f"{system}\tId1\tOslo\t{flags}\t{judgment}\t")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    values = {key: value for key, (_, value) in summarise_worksheet(path).values.items()}
    assert values["wrong_by_system"] == 25
    assert values["wrong_of_all"] == pytest.approx(5)  # a half of 10 of 100
    # By hand: .8 * .5 * .5 / 2 = .1 for 10 flags, 88/90 * 1/4 * 3/4 / 2 = .09167 for 90.
    error = (0.1**2 * 0.1 + 0.9**2 * 0.0916667) ** 0.5
    assert values["wrong_of_all_low"] == 0
    assert values["wrong_of_all_high"] == pytest.approx(5 + 196 * error, rel=1e-4)
    path.write_text(f"{lines[0]}\nbt5\tId1\tOslo\tmany\tright\t\n", encoding="utf-8")
    with pytest.raises(DataError, match="the number of flags is 'many'"):
        summarise_worksheet(path)


def _thin(source: Path, target: Path, end: str) -> None:
    """Every third entry or line of a file, to be quick; the first has the head of the XML."""
    target.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text(encoding="utf-8")
    closing = "</entries></benchmark>" if end == "</entry>" else ""
    pieces = text.split(end)[:-1] if closing else text.removesuffix(end).split(end)
    target.write_text(
        "".join(piece + end for piece in pieces[::3]) + closing, encoding="utf-8", newline="\n"
    )


@pytest.mark.data
def test_on_the_real_data(data_dir: Path, tmp_path: Path) -> None:
    chosen = {
        2020: ("RALI", "TGen", "NILC"),
        2017: ("Tilburg-SMT", "ADAPT", "UIT-VNU-HCM"),
    }
    for year, systems in chosen.items():
        source, target = data_dir / f"webnlg{year}", tmp_path / f"webnlg{year}"
        _thin(next((source / "test").glob("*.xml")), target / "test" / "test.xml", "</entry>")
        for system in systems:
            _thin(source / "systems" / f"{system}.txt", target / "systems" / f"{system}.txt", "\n")
        (target / "human").symlink_to(source / "human")
    years = _years(reproduce_esa(tmp_path))
    for year, systems in chosen.items():
        found = years[str(year)]
        assert found["table1"]["values"]["spearman_esi"] == 1
        rows = [row for row in found["table1"]["rows"] if row["whose"] == "ours"]
        assert [row["system"] for row in rows] == list(systems)
        assert found["table1"]["values"]["spearman_bleu_rank"] == 1
    semantics = [
        row
        for row in years["2017"]["correlations"]["rows"]
        if (row["coefficient"], row["subset"], row["with"]) == ("pearson", "systems", "Semantics")
    ]
    assert all(row["texts"] > 150 for row in semantics)
    assert all(row["value"] > 0.5 for row in semantics)
    coverage = next(
        row
        for row in years["2020"]["correlations"]["rows"]
        if (row["coefficient"], row["subset"], row["with"]) == ("pearson", "all", "DataCoverage")
    )
    assert coverage["texts"] > 60
    assert coverage["value"] > 0.35


def test_where_the_rows_of_the_correlation_tables_come_from(
    challenges: Path, tmp_path: Path
) -> None:
    def rows(**given: Any) -> dict[str, dict[str, Any]]:
        section = _years(reproduce_esa(challenges, [2020], **given))["2020"]["correlations"]
        return {row["with"]: row for row in section["rows"]}

    def origins() -> dict[str, list[Any]]:
        (section,) = (
            one for one in reproduce_esa(challenges, [2020]).sections if one.key == "correlations"
        )
        (table,) = (one for one in section.tables if one.title.startswith("Where the values"))
        return {str(name): cells for name, *cells in table.rows}

    released = rows()
    assert released["METEOR"]["from"] == "released: human/peers.jsonl, meteor"
    assert released["BERT-score F1"]["from"] == "released: human/peers.jsonl, bert-f1"
    assert released["BLEU"]["from"].startswith("our own, bleu|")
    assert released["Correctness"]["from"] == "the ratings"
    empty = released["BERT-score P"]
    assert empty["from"] is None
    assert "evaluate:module=bertscore,key=precision" in empty["reason"]
    assert origins()["BERT-score P"] == ["n/a: of BERT-score, the released scores have F1 only", 0]
    assert origins()["BERT-score F1"] == ["released: human/peers.jsonl, bert-f1", 12]
    scores = tmp_path / "scores.jsonl"
    peers = challenges / "webnlg2020" / "human" / "peers.jsonl"
    scores.write_text(peers.read_text("utf-8").replace("bert-f1", "bert-p"), "utf-8")
    metric = f"precomputed:file={scores},key=bert-p"
    added = rows(given={"BERT-score P": metric})
    assert added["BERT-score P"]["from"].startswith("given: precomputed|")
    assert added["BERT-score P"]["value"] == pytest.approx(added["BERT-score F1"]["value"])
    with pytest.raises(UnknownName, match="row of the correlation tables"):
        rows(given={"Correctness": metric})
    peers.unlink()
    assert origins()["BERT-score F1"] == ["n/a: the released scores have no BERT-score", 0]


def test_footnote_5_and_undetected_entities_by_type(challenges: Path) -> None:
    year = _years(reproduce_esa(challenges, [2020]))["2020"]
    rows = {row["system"]: row for row in year["footnote5"]["rows"]}
    assert rows["RALI"]["paper's distinct"] == 9
    assert rows["RALI"]["undetected"] == 0
    worst = rows["ORANGE-NLG"]
    # The bay is missing twice, as is the country; the two ends of the last graph once each.
    assert (worst["undetected"], worst["distinct"]) == (6, 4)
    assert "Kestrel_Bay 2×" in worst["most often"]
    types = {row["type"]: row for row in year["types"]["rows"]}
    assert sum(row["entities"] for row in types.values()) == 3 * 9
    assert types["number"]["undetected"] == types["number"]["distinct undetected"] == 1
    assert sum(row["undetected"] for row in types.values()) == 7


def test_figure_4_by_kind(challenges: Path) -> None:
    section = _years(reproduce_esa(challenges, [2020]))["2020"]["figure4"]
    counts = {row["system"]: row for row in section["rows"] if "names" in row}
    assert counts["ORANGE-NLG"]["names"] == counts["all"]["names"] == 1
    kind = next(name for name in ("add", "repl", "inac") if counts["all"][name])
    examples = [row for row in section["rows"] if "hallucinated" in row]
    assert [(row["kind"], row["hallucinated"]) for row in examples] == [(kind, "Zurich Airport")]
    assert any("not by reading" in note for note in section["notes"])
