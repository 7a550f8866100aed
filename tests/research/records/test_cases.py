"""Written records as cases: wrong, true and changed sentences, small graphs, batches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adequa.models.records import RecordReader
from adequa.models.runtime import WordTable
from adequa.models.shipped import DEFAULT, weights
from adequa.models.wordpiece import WordPiece
from research.records.cases import Batches, Case, CaseMaker, Row, Source, read_sources
from research.records.written import read_written
from research.relations.sources import Entailment

from .tiny import write


@pytest.fixture(scope="module")
def reader() -> RecordReader:
    folder = weights(DEFAULT)
    tokens = WordPiece.read(folder.path("vocabulary.txt"))
    return RecordReader(tokens, WordTable.read(folder.path("words.npz")), lambda *_: [])


def shown(row: Row, reader: RecordReader) -> str:
    words = {number: word for word, number in reader.reader.ids.items()}
    return " ".join(words[number] for number in row.ids).replace(" ##", "")


def test_a_wrong_sentence_is_learned_beside_its_twin(tmp_path: Path, reader: RecordReader) -> None:
    edit = {"of": 0, "old": "no sauna", "new": "a sauna", "kind": "polarity", "path": "/sauna"}
    (one,) = read_written(write(tmp_path / "a.jsonl", wrong=[edit]))
    (case,) = CaseMaker(reader).wrong_cases(one)
    sentence = "[CLS] [unused19] has {} sauna . [SEP] [unused19] ' s sauna is {} [SEP]"
    assert [(shown(row, reader), row.wrong, row.stated) for row in case.rows[:4]] == [
        (sentence.format("a", "no"), True, False),
        (sentence.format("no", "no"), False, True),
        (sentence.format("no", "yes"), True, False),
        (sentence.format("a", "yes"), False, True),
    ]
    assert [row.words for row in case.rows[:4]] == [
        (3, 4, 5),
        (),
        (3, 4, 5),
        (),
    ]
    assert case.worse[:4] == ((0, 1), (2, 3), (0, 3), (2, 1))


def test_true_sentences_are_learned_with_the_facts_most_like_them(
    tmp_path: Path, reader: RecordReader
) -> None:
    (one,) = read_written(write(tmp_path / "a.jsonl"))
    cases = CaseMaker(reader).true_cases(one)
    rows = [row for case in cases for row in case.rows]
    assert not any(row.wrong or row.words for row in rows)
    assert {shown(row, reader).partition(" [SEP]")[0] for row in rows} == {
        "[CLS] [unused19] has no sauna .",
        "[CLS] [unused21] has no sauna .",
        "[CLS] [unused19] looks onto the lake , and a night costs [unused38] .",
        "[CLS] [unused21] looks onto the lake , and a night costs [unused38] .",
        "[CLS] [unused21] looks onto the lake , and a night costs [unused20] .",
        "[CLS] there is no sauna at [unused19] .",
        "[CLS] there is no sauna at [unused21] .",
        "[CLS] you will find no sauna at [unused19] .",
        "[CLS] you will find no sauna at [unused21] .",
    }


def test_numbers_names_and_owners_of_faithful_sentences_are_changed(
    tmp_path: Path, reader: RecordReader
) -> None:
    record = {
        "event": "Spring run",
        "runners": [{"name": "Ann", "rank": 14}, {"name": "Bea", "rank": 27}],
        "judge": "Mr Cole",
        "guest": "Mrs Dahl",
    }
    faithful = ["Ann had rank 14.", "The judge was Mr Cole."]
    (one,) = read_written(
        write(tmp_path / "a.jsonl", record=record, faithful=faithful, wrong=[], same=[])
    )
    cases = CaseMaker(reader).changed_cases(one)
    made = {shown(case.rows[0], reader) for case in cases}
    assert all(case.rows[0].wrong and not case.rows[1].wrong for case in cases)
    assert all(case.rows[1].stated and case.worse == ((0, 1),) for case in cases)
    owner = "[CLS] [unused19] had rank [unused38] . [SEP] runners [unused19] ' s rank is 27 [SEP]"
    judge = "[CLS] the judge was [unused21] . [SEP] it ' s judge is mr cole [SEP]"
    assert {owner, judge} <= made
    field = "[CLS] [unused19] had rank [unused38] . [SEP] runners [unused19] ' s rank is 14 [SEP]"
    assert field in made  # the number of another row
    (number,) = made - {owner, judge, field}
    assert re.fullmatch(
        r"\[CLS\] \[unused19\] had rank (?!14 )\d+ . \[SEP\] .*'s rank is 14 \[SEP\]",
        number.replace("' s", "'s"),
    )


@pytest.mark.parametrize(
    "edit",
    [
        {"kind": "polarity", "path": None},
        {"kind": "polarity", "path": "/pool"},
        {"kind": "wrong_comparison", "path": "/sauna"},
    ],
)
def test_a_fault_that_no_single_fact_contradicts_is_no_case(
    tmp_path: Path, reader: RecordReader, edit: dict[str, str]
) -> None:
    raw = {"of": 0, "old": "no sauna", "new": "a sauna", **edit}
    (one,) = read_written(write(tmp_path / "a.jsonl", wrong=[raw]))
    assert CaseMaker(reader).wrong_cases(one) == []


def test_groups_of_the_relation_reader(reader: RecordReader) -> None:
    group = {
        "triples": [["Ann", "employer", "Acme"], ["Ann", "age", "40"]],
        "faithful": ["Ann works for Acme.", "Acme employs Ann."],
        "wrong": [
            {"text": "Ann never works for Acme.", "of": 0, "facts": [0], "kind": "negation"},
            {"text": "Ann knows Acme.", "of": 0, "facts": [0], "kind": "not_said"},
        ],
    }
    *others, last = CaseMaker(reader).relation_cases(group)
    assert [(row.wrong, row.stated) for row in last.rows] == [
        (True, False),
        (False, True),
        (False, True),
    ]
    assert "never" in shown(last.rows[2], reader)
    assert "age" in shown(last.rows[2], reader)
    assert last.worse == ((0, 1), (0, 2))
    assert len(others) == 2


def test_all_sources_have_their_share(
    tmp_path: Path, reader: RecordReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, graphs = tmp_path / "data", tmp_path / "graphs"
    for one in (folder, graphs):
        one.mkdir()
    write(folder / "a.jsonl")
    monkeypatch.setattr("research.records.cases.DATA", folder)
    monkeypatch.setattr("research.records.cases.WRITTEN", graphs)
    (tmp_path / "entailment").mkdir()
    for name in ("snli_dev", "sick_dev"):
        (tmp_path / "entailment" / f"{name}.csv").write_text(
            "premise,hypothesis,label\nA cat sleeps.,A cat is awake.,contradiction\n"
            "A cat sleeps.,An animal sleeps.,entailment\n",
            encoding="utf-8",
        )
    sources = read_sources(reader, 0.3, seed=1, entailment=0.1, together=0.5, data=tmp_path)
    assert [(one.share, one.items) for one in sources] == [
        (pytest.approx(0.126), 1),
        (pytest.approx(0.123), 1),
        (pytest.approx(0.051), 1),
        (pytest.approx(0.075), 1),
        (pytest.approx(0.126), 1),
        (pytest.approx(0.063), 1),
        (pytest.approx(0.036), 1),
        (0.3, 0),
        (0.1, 2),
    ]
    again = read_sources(reader, 0.3, seed=1, entailment=0.1, together=0.5, data=tmp_path)
    assert again == sources
    alone = read_sources(reader, 0.3, seed=1, entailment=0.1, data=tmp_path)
    assert [len(one.cases) for one in alone[3:7]] == [0, 0, 0, 0]


def test_sentences_with_several_facts(reader: RecordReader, tmp_path: Path) -> None:
    edits = [
        {"of": 0, "old": "has no sauna", "new": "has a sauna", "kind": "polarity",
         "path": "/sauna"},
        {"of": 0, "old": "costs 90", "new": "costs 90 after a long fight", "kind": "added",
         "span": "after a long fight"},
        {"of": 0, "old": "costs 90", "new": "costs less than Ask", "kind": "wrong_comparison"},
    ]  # fmt: skip
    (one,) = read_written(write(tmp_path / "a.jsonl", wrong=edits))
    maker = CaseMaker(reader)
    true = [row for case in maker.together_cases(one) for row in case.rows]
    assert len(true) == 4  # two sentences, one, and an edited one
    assert all(not row.wrong and not row.words and row.stated is None for row in true)
    polarity, added, compared = maker.wrong_together_cases(one)
    assert [row.wrong for row in compared.rows] == [True, False]
    assert [row.wrong for row in polarity.rows] == [True, False, True, False]
    assert polarity.worse == ((0, 1), (2, 3), (0, 3), (2, 1))
    wrong, right = added.rows
    assert shown(wrong, reader).count("fight") == 1
    assert "fight" not in shown(right, reader)
    words = [maker.reader.reader.numbers("fight")[0] == wrong.ids[at] for at in wrong.words or ()]
    assert any(words)
    (few,) = maker.few_facts_cases(one)  # only the first names what it violates
    assert [row.wrong for row in few.rows] == [True, False, True, False]
    assert all("sauna" in shown(row, reader).split(" [SEP] ")[1] for row in few.rows)
    made = maker.added_cases(one, ["painted red by hand"])
    assert all("painted red" in shown(case.rows[0], reader).replace(" ##", "") for case in made)
    assert all(case.worse == ((0, 1),) for case in made)
    assert made


def test_entailment_pairs_of_one_premise_are_a_case(reader: RecordReader) -> None:
    labels = {"It is awake.": "contradiction", "It rests.": "entailment", "It is old.": "neutral"}
    pairs = [Entailment("A cat sleeps.", one, label, "snli") for one, label in labels.items()]
    (case,) = CaseMaker(reader).entailment_cases(pairs)
    read = {shown(row, reader): (row.wrong, row.stated) for row in case.rows}
    assert read == {
        "[CLS] a cat sleeps . [SEP] it is awake . [SEP]": (True, False),
        "[CLS] a cat sleeps . [SEP] it rests . [SEP]": (False, True),
        "[CLS] a cat sleeps . [SEP] it is old . [SEP]": (False, False),
    }
    ((wrong, stated),) = case.worse
    assert case.rows[wrong].wrong
    assert case.rows[stated].stated


def test_batches_follow_from_the_seed_and_keep_their_size() -> None:
    def case(length: int) -> Case:
        row = Row((1,) * length, 1, wrong=False)
        return Case((row, row), ((0, 1),))

    source = Source("a", 1.0, 3, [case(length) for length in (10, 20, 30)])
    batches = Batches([source], seed=3, pool=40, size=100, stacks=2)
    steps = batches.steps(0)
    assert steps == Batches([source], seed=3, pool=40, size=100, stacks=2).steps(0)
    assert steps != batches.steps(1)
    for step in steps:
        assert len(step) == 2
        for stack in step:
            longest = max(len(row.ids) for one in stack for row in one.rows)
            assert len(stack) == 1 or longest * sum(len(one.rows) for one in stack) <= 100
