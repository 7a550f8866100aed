"""The pool of texts and the sample drawn from it."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.human.judgments import Key
from adequa.human.sampling import (
    Sample,
    choose_score,
    draw_sample,
    level_names,
    matching,
    pool_texts,
    render_sample,
    with_references,
)
from adequa.metrics import resolve
from adequa.readers import open_source
from adequa.readers.tables import write_items
from adequa.run import score_run

ITEMS = [
    Item(f"Id{number}", (Triple("Alba", "port", "Oban"),), "Alba sails.", system, "Ship", "en", one)
    for number, one in enumerate([("Alba sails to Oban.",), ()])
    for system in ("B", "A")
]


@pytest.fixture
def runs(tmp_path):
    """Two runs of the same texts, and what changes the scores of the second."""
    write_items(ITEMS, tmp_path / "items.jsonl")
    source = open_source(tmp_path / "items.jsonl")
    for name, metric in (("one", "chrf"), ("two", "bleu")):
        score_run(source, resolve([metric]), tmp_path / name)

    def second(value):
        path = tmp_path / "two" / "scores.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            row["scores"] = {"chrf": value, "bleu": 1.0}
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        manifest = tmp_path / "two" / "manifest.json"
        written = json.loads(manifest.read_text())
        written["metrics"]["chrf"] = written["metrics"]["bleu"]
        written.pop("files", None)  # as in an earlier version, which did not describe its files
        manifest.write_text(json.dumps(written))
        return pool_texts([tmp_path / "one", tmp_path / "two"])

    return second


def test_a_text_of_two_runs_is_one_text_with_the_scores_of_both(runs):
    pool = runs(None)
    assert len(pool.items) == len(ITEMS)
    assert list(pool.scores) == ["chrf", "bleu"]
    chrf = pool.scores["chrf"]
    assert chrf["A", "Id0"] is not None
    assert chrf["A", "Id1"] is None  # without a reference there is no chrf
    # What the second could score counts where the first could not.
    with pytest.raises(DataError, match="another chrf than in"):
        runs(99.0)


def test_a_score_that_is_not_a_number_is_refused(runs):
    with pytest.raises(DataError, match="'chrf' that is not a number"):
        runs("high")


def test_an_empty_pool_is_an_error_and_the_default_score_needs_no_reference(runs):
    with pytest.raises(SettingError, match="nothing to draw from"):
        pool_texts([])
    pool = runs(None)
    assert choose_score(pool, None) == "chrf"
    assert choose_score(pool, "bleu") == "bleu"
    more = replace(pool, scores={**pool.scores, "esa": {}, "nli": {}})
    assert choose_score(more, None) == "nli"


def test_the_first_reference_joins_whatever_the_order():
    joined = with_references(ITEMS)[len(ITEMS) :]
    assert joined == with_references(ITEMS[::-1])[len(ITEMS) :]
    assert [(one.key, one.text) for one in joined] == [
        (("reference", "Id0"), "Alba sails to Oban.")
    ]


def item(number: int, system: str, category: str | None = "Ship", size: int = 1) -> Item:
    triples = tuple(Triple("Alba", f"port{place}", "Oban") for place in range(size))
    return Item(f"Id{number}", triples, f"{system} says {number}.", system, category)


Corpus = tuple[list[Item], dict[Key, float | None]]


@st.composite
def corpora(draw_: st.DrawFn) -> Corpus:
    """Inputs of a few cells, with texts of one to three systems and scores with many ties."""
    systems = ["A", "B", "C"][: draw_(st.integers(1, 3))]
    kinds = draw_(
        st.lists(
            st.tuples(st.sampled_from(["Ship", "Pier"]), st.integers(1, 3)), min_size=2, max_size=40
        )
    )
    items, scores = [], {}
    for number, (category, size) in enumerate(kinds):
        for system in systems:
            items.append(item(number, system, category, size))
            scores[system, f"Id{number}"] = draw_(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    scores[systems[0], "Id0"] = 7.0  # never all the same
    return items, scores


def means(corpus: Corpus) -> dict[str, float]:
    """The oracle of what the levels are cut by."""
    items, scores = corpus
    values: dict[str, list[float]] = {}
    for one in items:
        values.setdefault(one.id, []).append(scores[one.key] or 0.0)
    return {name: math.fsum(found) / len(found) for name, found in values.items()}


@given(corpora(), st.integers(1, 4), st.integers(1, 3), st.integers(0, 9))
def test_every_cell_gives_what_it_can(corpus, levels, per_cell, seed):
    items, scores = corpus
    sample = draw_sample(items, scores, levels=level_names(levels), per_cell=per_cell, seed=seed)
    systems = {one.system for one in items}
    there = Counter((one.category, str(len(one.triples))) for one in items)
    for cell in sample.cells:
        assert cell.inputs == there[cell.values] / len(systems)
        assert cell.wanted == levels * per_cell
        assert cell.drawn == min(cell.inputs, cell.wanted)
        assert cell.is_short == (cell.inputs < cell.wanted)
    # No input twice, and each with the text of every system.
    assert len({one.id for one in sample.inputs}) == len(sample.inputs)
    for one in sample.inputs:
        assert [text.system for text in one.texts] == sorted(systems)
        assert {text.id for text in one.texts} == {one.id}
        assert one.cell["size"] == str(len(one.texts[0].triples))
    of_level = Counter(tuple(one.cell.values()) for one in sample.inputs)
    assert max(of_level.values()) <= (per_cell if levels > 1 else levels * per_cell)


@given(corpora(), st.integers(0, 9))
def test_levels_do_not_overlap(corpus, seed):
    sample = draw_sample(*corpus, seed=seed, per_cell=50)
    expected = means(corpus)
    order = {"low": 0, "medium": 1, "high": 2}
    for one in sample.inputs:
        assert one.score == expected[one.id]
        for other in sample.inputs:
            same_cell = all(one.cell[name] == other.cell[name] for name in ("category", "size"))
            if same_cell and order[one.cell["score"]] < order[other.cell["score"]]:
                assert expected[one.id] <= expected[other.id]
    sizes = Counter((one.cell["category"], one.cell["size"]) for one in sample.inputs)
    levels = Counter(tuple(one.cell.values()) for one in sample.inputs)
    for cell, count in sizes.items():
        parts = [levels[(*cell, level)] for level in order]
        assert sum(parts) == count
        assert max(parts) - min(parts) <= 1


@given(corpora(), st.randoms(use_true_random=False), st.integers(1, 60))
def test_any_order_gives_the_same_sample(corpus, chance, most):
    items, scores = corpus
    shuffled, pairs = list(items), list(scores.items())
    chance.shuffle(shuffled)
    chance.shuffle(pairs)
    assert draw_sample(shuffled, dict(pairs), seed=3, most=most) == draw_sample(
        items, scores, seed=3, most=most
    )


@given(corpora(), st.integers(1, 60))
def test_with_a_most_cells_are_served_in_turn(corpus, most):
    whole, part = draw_sample(*corpus, per_cell=2), draw_sample(*corpus, per_cell=2, most=most)
    assert len(part.inputs) == min(most, len(whole.inputs))
    assert part.over == len(whole.inputs) - len(part.inputs)
    assert {one.id for one in part.inputs} <= {one.id for one in whole.inputs}
    least = (
        min(cell.drawn for cell in part.cells if cell.drawn < min(cell.inputs, cell.wanted))
        if (part.over)
        else math.inf
    )
    assert all(cell.drawn <= least + 1 for cell in part.cells)


def plain(count: int = 60, systems: str = "AB") -> Corpus:
    items = [item(number, system) for number in range(count) for system in systems]
    return items, {one.key: int(one.id[2:]) / 100 for one in items}


def test_a_seed_changes_the_draw_and_every_input_can_be_drawn():
    corpus = plain(12)
    samples = [draw_sample(*corpus, seed=seed) for seed in range(200)]
    assert samples[0] == draw_sample(*corpus, seed=0)
    drawn = Counter(one.id for sample in samples for one in sample.inputs)
    assert len(drawn) == 12
    # 600 draws over 12 inputs: 50 each, with a standard deviation of about 6.
    assert 25 < min(drawn.values()) < max(drawn.values()) < 75


def ids(sample: Sample) -> list[str]:
    return [one.id for one in sample.inputs]


@pytest.mark.parametrize(
    ("count", "levels"),
    [
        (1, ["medium"]),
        (2, ["low", "high"]),
        (3, ["low", "medium", "high"]),
        (4, ["low", "medium", "medium", "high"]),
        (5, ["low", "low", "medium", "high", "high"]),
    ],
)
def test_thirds_of_few(count, levels):
    sample = draw_sample(*plain(count), per_cell=9)
    ranked = sorted(sample.inputs, key=lambda one: one.score)
    assert [one.cell["score"] for one in ranked] == levels


def test_an_input_that_a_system_lacks_is_left_out_and_counted():
    items, scores = plain(9)
    items = [one for one in items if one.key not in {("A", "Id3"), ("A", "Id4"), ("B", "Id5")}]
    sample = draw_sample(items, scores, per_cell=9)
    assert sample.left_out.incomplete == 3
    assert sample.left_out.lacking == {"A": 2, "B": 1}
    assert set(ids(sample)) == {f"Id{number}" for number in (0, 1, 2, 6, 7, 8)}


def test_other_data_under_the_same_id_is_left_out_and_counted():
    items, scores = plain(9)
    items[0] = item(0, "A", size=2)
    items[2] = item(1, "A", "Pier")
    sample = draw_sample(items, scores, per_cell=9)
    assert sample.left_out.different == 2
    assert len(sample.inputs) == 7
    # What does not matter for the cells may differ.
    assert draw_sample(items, scores, by=(), per_cell=9).left_out.different == 1


def test_missing_scores_do_not_enter_a_mean():
    items, scores = plain(9)
    scores |= {("A", "Id0"): None, ("A", "Id1"): None, ("B", "Id1"): None, ("A", "Id2"): 0.5}
    sample = draw_sample(items, scores, per_cell=9)
    found = {one.id: one.score for one in sample.inputs}
    assert found["Id0"] == 0.0
    assert found["Id2"] == pytest.approx(0.26)
    assert sample.left_out.not_scorable == 1
    assert sample.partly_scored == 1
    # A system without scores, such as human references, changes no level.
    more = draw_sample([*items, *(item(number, "Z") for number in range(9))], scores, per_cell=9)
    assert [(one.id, one.cell) for one in more.inputs] == [
        (one.id, one.cell) for one in sample.inputs
    ]
    assert more.partly_scored == 1


def test_one_system_and_one_level_need_no_scores():
    items, _ = plain(20, "A")
    sample = draw_sample(items, levels=level_names(1), per_cell=4)
    assert len(sample.inputs) == 4
    assert sample.inputs[0].cell == {"category": "Ship", "size": "1"}
    assert sample.inputs[0].score is None


def test_equal_scores_at_a_border_are_reported():
    items, scores = plain(6)
    assert not draw_sample(items, scores).cells[0].blurred
    scores = {key: min(value or 0.0, 0.03) for key, value in scores.items()}
    sample = draw_sample(items, scores)
    assert sample.cells[0].blurred
    assert "In 1 of 1 cells" in render_sample(sample, [], [], score="esa")


def test_combinations_without_an_input_are_cells_too():
    items = [item(number, "A", *kind) for number, kind in enumerate([("Ship", 1), ("Pier", 2)])]
    sample = draw_sample(items, levels=("all",))
    assert [(cell.values, cell.inputs) for cell in sample.cells] == [
        (("Pier", "1"), 0),
        (("Pier", "2"), 1),
        (("Ship", "1"), 1),
        (("Ship", "2"), 0),
    ]
    assert "2 cells have no input: category Pier, size 1; category Ship, size 2" in render_sample(
        sample, [], [], score=None
    )


def broken(scores: Mapping[Key, float | None], value: float) -> dict[Key, float | None]:
    return {**scores, ("A", "Id1"): value}


@pytest.mark.parametrize(
    ("change", "error", "problem"),
    [
        ({"by": ("colour",)}, UnknownName, "unknown field 'colour'"),
        ({"by": ("size", "size")}, SettingError, "named twice"),
        ({"by": ("category", "meta.shape")}, DataError, "no input has a meta.shape"),
        ({"levels": ()}, SettingError, "levels"),
        ({"levels": ("low", "low")}, SettingError, "different names"),
        ({"per_cell": 0}, SettingError, "at least 1"),
        ({"most": 0}, SettingError, "at least 1"),
        ({"scores": None}, SettingError, "adequa score"),
        ({"scores": {}}, DataError, "no input has a score"),
        ({"scores": broken(plain()[1], math.nan)}, DataError, "score nan"),
        ({"scores": dict.fromkeys(plain()[1], 0.5)}, DataError, "every input is 0.5"),
        ({"items": []}, DataError, "no texts"),
        ({"items": [item(1, "A")] * 2}, DataError, "twice"),
        ({"items": [item(1, "A"), item(2, "B")]}, DataError, "A lacks 1, B lacks 1"),
        ({"items": [item(1, "A"), item(1, "B", size=2)]}, DataError, "the same data"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(change, error, problem):
    items, scores = plain()
    arguments = {"items": items, "scores": scores} | change
    with pytest.raises(error, match=problem):
        draw_sample(**arguments)


def test_without_a_category_the_remedy_is_another_field():
    items = [item(number, "A", None) for number in range(3)]
    with pytest.raises(DataError, match=r"no input has a category; leave category out of by=…$"):
        draw_sample(items, levels=("all",))


def test_too_many_cells_are_refused():
    items = [
        Item(f"Id{n}", (), "x", "A", str(n), meta={"key": n, "seen": True}) for n in range(101)
    ]
    with pytest.raises(SettingError, match="10,201 cells"):
        draw_sample(items, levels=("all",), by=("category", "meta.key"))


@pytest.mark.data
def test_the_sample_of_paper_004(data_dir: Path) -> None:
    """225 wanted, 223 drawn: one category has a single input of five triples."""
    folder = data_dir / "webnlg2017"
    texts = {path.stem: path for path in sorted((folder / "systems").glob("*.txt"))}
    corpus = list(open_source(folder / "test" / "testdata_with_lex.xml", texts=texts))
    items = matching(corpus, ["size=1..5"])
    # A cheap score in the place of METEOR: which inputs are drawn differs, how many does not.
    scores = {one.key: len(one.text) / max(1, len(one.references[0])) for one in items}
    sample = draw_sample(items, scores)
    assert len(texts) == 9
    assert (len(sample.cells), len(sample.inputs)) == (15 * 5, 223)
    assert sum(cell.wanted for cell in sample.cells) == 225
    short = [cell for cell in sample.cells if cell.is_short]
    assert [(cell.values, cell.inputs) for cell in short] == [(("ComicsCharacter", "5"), 1)]
    assert "* category ComicsCharacter, size 5: 3 wanted, 1 input available" in render_sample(
        sample, [], [], score="length"
    )
    # The challenge's own sample has as many inputs in every cell, and they are not ours.
    numbers = (folder / "human" / "sample-ids.txt").read_text(encoding="utf-8").split()
    by_id = {one.id: one for one in items}
    theirs = Counter(
        (str(by_id[f"Id{number}"].category), str(len(by_id[f"Id{number}"].triples)))
        for number in numbers
    )
    assert theirs == {cell.values: cell.drawn for cell in sample.cells}
    assert set(ids(sample)) != {f"Id{number}" for number in numbers}
    random.Random(0).shuffle(items)
    assert draw_sample(items, scores) == sample
