"""Fields, significance groups, means and ranks of an analysis."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.data import Item, Rating, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.fields import NO_VALUE, natural_order
from adequa.human.analysis import Analysis, AnalysisSettings, analyse, analysis_to_object
from adequa.human.analysis.study import TESTS, Fields, entries, significance_groups
from adequa.human.judgments import gather
from adequa.stats import CORRECTIONS, adjust, rank_sum, signed_rank
from research.papers.human.printed import HUMAN

FACT = Triple("Bex", "country", "Vaudland")


def with_fields(text: str, system: str = "T5", **meta: object) -> Rating:
    return Rating(text, system, "ann", "fluency", 1.0, meta=meta)


def item(text: str, system: str = "T5", size: int = 1, **meta: object) -> Item:
    return Item(text, (FACT,) * size, "Bex.", system=system, category="City", meta=meta)


def test_a_field_of_the_ratings() -> None:
    ratings = [with_fields("a", type="seen"), with_fields("b", type="unseen"), with_fields("c")]
    parts = Fields.of(ratings).split(ratings, "type")
    assert {name: [one.id for one in some] for name, some in parts.items()} == {
        "seen": ["a"],
        "unseen": ["b"],
        NO_VALUE: ["c"],
    }


def test_the_names_of_2017_are_understood() -> None:
    one = with_fields("a", type="seen", triplesize="2triple")
    fields = Fields.of([one])
    assert fields.value(one, "seen") == "seen"
    assert fields.value(one, "size") == "2triple"


def test_fields_of_the_items() -> None:
    one, other = with_fields("a"), with_fields("b", system="GPT")
    fields = Fields.of([one, other], [item("a", size=2, seen=False, shape="chain"), item("b")])
    assert fields.value(one, "size") == "2"
    assert fields.value(one, "seen") == "unseen"
    assert fields.value(one, "category") == "City"
    assert fields.value(one, "meta.shape") == fields.value(one, "shape") == "chain"
    assert fields.value(one, "lang") is None
    assert fields.value(other, "size") == "1", "another system's item of the same input"
    assert {"category", "size", "meta.shape"} <= set(fields.known)


def test_a_reference_has_the_fields_of_its_entry() -> None:
    one = with_fields("Id1", system="reference")
    assert Fields.of([one], [item("Id1/Id2", "reference", 3)]).value(one, "size") == "3"


def test_fields_common_to_an_input_hold_for_ratings_without_them() -> None:
    full = [
        with_fields("a", type="seen", team="x"),
        with_fields("a", system="B", type="seen", team="y"),
    ]
    bare = with_fields("a", system="C")
    fields = Fields.of([*full, bare])
    assert fields.value(bare, "type") == "seen"
    assert fields.value(bare, "team") is None


def test_numbers_stand_in_their_order() -> None:
    ratings = [with_fields(str(n), size=n) for n in (10, 2, 1)]
    assert list(Fields.of(ratings).split(ratings, "size")) == ["1", "2", "10"]
    mixed = ["x", "(none)", "2", "10", "", "²"]
    assert sorted(mixed, key=natural_order) == ["", "2", "10", "x", "²", "(none)"]


def test_the_input_pairs_references_with_systems() -> None:
    texts = [
        with_fields("Id1"),
        with_fields("Id1/Id2", "reference"),
        with_fields("Id9/Id1", "reference"),
    ]
    assert entries(texts) == {
        ("T5", "Id1"): "Id1",
        ("reference", "Id1/Id2"): "Id1",
        ("reference", "Id9/Id1"): "Id9/Id1",
    }


def test_an_unknown_field_is_an_error_that_lists_the_known_ones() -> None:
    ratings = [with_fields("a", type="seen")]
    with pytest.raises(SettingError, match=r"no rated text has a 'kind'; there are: type; with i"):
        Fields.of(ratings).split(ratings, "kind")


def test_too_many_values_are_refused() -> None:
    ratings = [with_fields(str(number), words=str(number)) for number in range(201)]
    with pytest.raises(SettingError, match="201 values"):
        Fields.of(ratings).split(ratings, "words")


def test_items_that_nobody_rated_are_refused() -> None:
    with pytest.raises(DataError, match="a rating has id 'a', an item 'z'"):
        Fields.of([with_fields("a")], [item("z")])


TEXTS = 12
values = st.integers(1, 3).map(float)
systems = st.dictionaries(
    st.sampled_from("ABCDE"),
    st.lists(values, min_size=TEXTS, max_size=TEXTS).map(
        lambda found: {f"Id{number}": value for number, value in enumerate(found)}
    ),
    min_size=2,
)


@given(systems, st.sampled_from(sorted(TESTS)), st.sampled_from(sorted(CORRECTIONS)))
def test_two_systems_share_a_letter_unless_the_test_tells_them_apart(
    samples: dict[str, dict[str, float]], test: str, correction: str
) -> None:
    found = significance_groups(samples, test=test, correction=correction)
    plain = rank_sum if test == "rank-sum" else signed_rank
    pairs = list(combinations(found.order, 2))
    tests = [plain([*samples[one].values()], [*samples[other].values()]) for one, other in pairs]
    corrected = adjust([None if one is None else one.p for one in tests], correction)
    for (one, other), p in zip(pairs, corrected, strict=True):
        shares = bool(set(found.letters[one]) & set(found.letters[other]))
        assert shares == (p is None or p >= 0.05) == (frozenset((one, other)) in found.alike)


@given(systems, st.sampled_from(sorted(TESTS)), st.randoms(), st.integers(-9, 9))
def test_neither_the_order_of_rows_nor_a_constant_changes_a_group(
    samples: dict[str, dict[str, float]], test: str, random: Random, constant: int
) -> None:
    found = significance_groups(samples, test=test)
    moved = {}
    for name in random.sample(sorted(samples), len(samples)):
        rows = [(text, value + constant) for text, value in samples[name].items()]
        random.shuffle(rows)
        moved[name] = dict(rows)
    again = significance_groups(moved, test=test)
    assert again.letters == found.letters
    assert again.order == found.order
    assert [one.p for one in again.differences] == [one.p for one in found.differences]


def test_the_signed_rank_test_pairs_by_text() -> None:
    first = {f"Id{number}": float(number) for number in range(12)}
    second = {text: value - 0.1 * (1 + value) for text, value in first.items()}
    backwards = dict(reversed(second.items()))
    found = significance_groups({"A": first, "B": backwards}, test="signed-rank")
    assert found.letters == {"A": "a", "B": "b"}
    assert significance_groups({"A": first, "B": backwards}).letters == {"A": "a", "B": "a"}
    without_one = {text: value for text, value in second.items() if text != "Id3"}
    pair = significance_groups({"A": first, "B": without_one}, test="signed-rank").differences[0]
    assert pair.values == 11


def test_texts_that_no_two_systems_share_tell_nothing() -> None:
    found = significance_groups({"A": {"Id1": 3.0}, "B": {"Id2": 1.0}}, test="signed-rank")
    assert found.letters == {"A": "a", "B": "a"}
    assert found.differences[0].p is None


def test_equal_means_are_ordered_by_name_and_one_system_is_a_group() -> None:
    assert significance_groups({"B": [1, 3], "A": [2, 2]}).order == ("A", "B")
    assert significance_groups({"A": [1]}).letters == {"A": "a"}


def test_constant_values_share_a_letter() -> None:
    found = significance_groups({"A": [2, 2, 2], "B": [2, 2, 2]}, correction="holm")
    assert found.letters == {"A": "a", "B": "a"}


def test_what_cannot_be_grouped_is_refused() -> None:
    with pytest.raises(DataError, match="no system"):
        significance_groups({})
    with pytest.raises(DataError, match="'B' has no values"):
        significance_groups({"A": [1], "B": []})
    with pytest.raises(DataError, match="not a finite number"):
        significance_groups({"A": [1], "B": [float("nan")]})
    with pytest.raises(DataError, match="cannot be paired"):
        significance_groups({"A": [1, 2], "B": [1]}, test="signed-rank")
    with pytest.raises(UnknownName, match="did you mean 'rank-sum'"):
        significance_groups({"A": [1]}, test="ranksum")
    with pytest.raises(UnknownName, match="correction"):
        significance_groups({"A": [1]}, correction="tukey")
    with pytest.raises(SettingError, match="alpha"):
        significance_groups({"A": [1]}, alpha=5)


FEW = AnalysisSettings(n=60)


def rating(
    text: str, system: str, rater: str, value: float, criterion: str = "fluency", **meta: object
) -> Rating:
    return Rating(text, system, rater, criterion, value, meta=meta)


def made(texts: int = 12, raters: str = "abc") -> list[Rating]:
    """Three systems: good and fair are near, bad is far below; every text judged by all raters."""
    random = Random(1)
    return [
        rating(
            f"Id{number}",
            system,
            rater,
            min(3, max(1, middle + random.choice((-1, 0, 0, 1)))),
            kind="odd" if number % 2 else "even",
        )
        for system, middle in (("good", 3), ("fair", 3), ("bad", 1))
        for number in range(texts)
        for rater in raters
    ]


def means(analysis: Analysis) -> dict[str, float]:
    return {score.system: score.mean for score in analysis.overall.scores}


def test_judgments_of_a_text_are_averaged_first() -> None:
    ratings = [
        rating("a", "T5", "ann", 1),
        rating("a", "T5", "bob", 1),
        rating("b", "T5", "ann", 3),
    ]
    assert means(analyse(ratings)) == {"T5": 2}
    assert means(analyse(ratings, settings=AnalysisSettings(data="single"))) == {
        "T5": pytest.approx(5 / 3)
    }
    score = analyse(ratings).overall.scores[0]
    assert (score.texts, score.judgments, score.median) == (2, 3, 2)


def test_groups_and_ranks() -> None:
    found = analyse(made(), settings=FEW)
    assert found.overall.groups["fluency"].letters["bad"] == "b"
    ranks = {score.system: (score.rank, score.ranks) for score in found.overall.scores}
    assert ranks["bad"] == (3, (3, 3))
    assert {ranks["good"][0], ranks["fair"][0]} == {1, 2}
    for score in found.overall.scores:
        assert score.interval is not None
        assert score.interval[0] <= score.mean <= score.interval[1]


def test_equal_systems_share_all_ranks() -> None:
    ratings = [
        rating(str(number), system, "ann", number % 3) for system in "AB" for number in range(6)
    ]
    found = analyse(ratings, settings=FEW).overall.scores
    assert [(score.rank, score.ranks) for score in found] == [(1, (1, 2)), (1, (1, 2))]


def test_inputs_are_drawn_for_all_systems_together() -> None:
    # B is always a little below A: whichever inputs are drawn, A is first.
    ratings = [
        rating(str(number), system, "ann", number - less)
        for system, less in (("A", 0.0), ("B", 0.1))
        for number in range(20)
    ]
    found = analyse(ratings, settings=FEW)
    assert [score.ranks for score in found.overall.scores] == [(1, 1), (2, 2)]
    paired = analyse(ratings, settings=AnalysisSettings(test="signed-rank", n=60))
    assert found.overall.groups["fluency"].letters == {"A": "a", "B": "a"}
    assert paired.overall.groups["fluency"].letters == {"A": "a", "B": "b"}


def test_parts_have_means_and_groups_of_their_own() -> None:
    ratings = made()
    found = analyse(ratings, by=["kind"], settings=FEW)
    assert [part.name for part in found.by["kind"]] == ["even", "odd"]
    for part in found.by["kind"]:
        for score in part.scores:
            own = [
                one.value
                for one in ratings
                if one.system == score.system and one.meta["kind"] == part.name
            ]
            assert score.mean == pytest.approx(fmean(own))


@settings(max_examples=15)
@given(st.randoms(), st.sampled_from(["averaged", "single"]), st.booleans())
def test_the_order_of_the_ratings_changes_nothing(random: Random, data: str, z: bool) -> None:
    ratings = made(6)
    how = AnalysisSettings(data=data, z=z, n=20)
    expected = analysis_to_object(analyse(ratings, by=["kind"], settings=how))
    random.shuffle(ratings)
    assert analysis_to_object(analyse(ratings, by=["kind"], settings=how)) == expected


@settings(max_examples=15)
@given(st.integers(-20, 20), st.sampled_from(["rank-sum", "signed-rank"]))
def test_a_constant_changes_no_group(constant: int, test: str) -> None:
    how = AnalysisSettings(test=test, n=20)
    before = analyse(made(8), settings=how).overall
    moved = [
        Rating(one.id, one.system, one.rater, one.criterion, one.value + constant)
        for one in made(8)
    ]
    after = analyse(moved, settings=how).overall
    assert after.groups["fluency"].letters == before.groups["fluency"].letters
    assert [score.ranks for score in after.scores] == [score.ranks for score in before.scores]


def test_what_nobody_was_shown_has_the_lowest_score() -> None:
    ratings = [*made(2), rating("Id2", "bad", "", 1, not_shown="empty")]
    found = analyse(ratings, settings=FEW)
    bad = next(score for score in found.overall.scores if score.system == "bad")
    assert (bad.texts, bad.judgments, bad.not_shown) == (3, 6, 1)
    assert any("fair 1, good 1" in note for note in found.notes)


def test_empty_texts_are_scored_when_asked() -> None:
    ratings = [rating("a", "A", "ann", 3), rating("b", "A", "ann", 3), rating("a", "B", "ann", 3)]
    items = [
        Item("a", (Triple("s", "p", "o"),), "Text.", system="B"),
        Item("b", (Triple("s", "p", "o"),), "  ", system="B"),
        Item("c", (Triple("s", "p", "o"),), "", system="B"),
    ]
    assert "B 1" in analyse(ratings, items=items).notes[0]
    found = analyse(ratings, items=items, lowest=1)
    assert means(found) == {"A": 3, "B": 2}
    assert found.notes[0] == "ratings of empty texts, not shown to anybody, set to 1: 1"
    with pytest.raises(SettingError, match="name the items with items="):
        analyse(ratings, lowest=1)
    with pytest.raises(SettingError, match="is not the lowest"):
        analyse([*ratings, rating("b", "B", "ann", 0)], items=items, lowest=1)


def test_z_takes_out_how_strict_a_rater_is() -> None:
    ratings = [
        rating(str(number), system, rater, (number + good) % 3 + strict)
        for rater, strict in (("ann", 0), ("bob", 50))
        for system, good in (("A", 0), ("B", 1))
        for number in range(6)
        if (number % 2 == 0) == (rater == "ann") or rater == "ann"
    ]
    assert abs(sum(means(analyse(ratings, settings=AnalysisSettings(z=True))).values())) < 1
    with pytest.raises(SettingError, match="z=True"):
        analyse([rating("a", "A", "", 1)], settings=AnalysisSettings(z=True))


def test_z_of_what_nobody_was_shown_is_that_of_the_lowest_answers() -> None:
    ratings = [rating(str(n), "A", "ann", n) for n in (1, 2, 3)]
    found = analyse(
        [*ratings, rating("1", "B", "", 1, not_shown="empty")], settings=AnalysisSettings(z=True)
    )
    assert means(found) == {"A": 0, "B": -1}


def test_less_may_be_better() -> None:
    ratings = [
        rating(str(n), system, "ann", level + n % 2)
        for system, level in (("A", 0), ("B", 10))
        for n in range(20)
    ]
    found = analyse(ratings, settings=AnalysisSettings(lower_is_better=("fluency",)))
    assert [(one.system, one.rank, one.ranks) for one in found.overall.scores] == [
        ("A", 1, (1, 1)),
        ("B", 2, (2, 2)),
    ]
    assert found.overall.groups["fluency"].letters == {"A": "a", "B": "b"}
    with pytest.raises(UnknownName, match="errors"):
        analyse(ratings, settings=AnalysisSettings(lower_is_better=("errors",)))


def test_control_items_are_left_out() -> None:
    ratings = [rating("a", "A", "ann", 3), rating("k", "A", "ann", 1, control=1)]
    found = analyse(ratings)
    assert means(found) == {"A": 3}
    assert "ratings of control items, left out: 1" in found.notes
    with pytest.raises(DataError, match="control items"):
        analyse(ratings[1:])


def test_a_single_system_is_noted() -> None:
    found = analyse([rating("a", "A", "ann", 3)])
    assert found.notes == ("there is only one system, A: nothing to compare",)
    assert found.overall.scores[0].interval is None


def test_constant_values_cannot_be_tested() -> None:
    found = analyse([rating(str(n), system, "ann", 2) for system in "AB" for n in range(5)])
    assert found.overall.groups["fluency"].letters == {"A": "a", "B": "a"}
    assert "not defined for 1 pair" in found.notes[0]


def test_doubles() -> None:
    ratings = made(4)
    with pytest.raises(DataError, match="give each file once"):
        analyse([*ratings, *ratings])
    assert "all counted: 1" in analyse([*ratings, ratings[0]]).notes[0]
    with pytest.raises(DataError, match="names no rater"):
        analyse([*ratings, rating("Id0", "good", "", 2)])


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (AnalysisSettings(test="t-test"), "unknown test"),
        (AnalysisSettings(data="mean"), "unknown kind of data"),
        (AnalysisSettings(correction="tukey"), "unknown correction"),
        (AnalysisSettings(alpha=1.5), "alpha"),
        (AnalysisSettings(n=0), "resamples"),
        (AnalysisSettings(seed=-1), "seed"),
        (AnalysisSettings(test="signed-rank", data="single"), "pairs texts"),
    ],
)
def test_settings_are_checked(how: AnalysisSettings, words: str) -> None:
    with pytest.raises((SettingError, UnknownName), match=words):
        analyse(made(2), settings=how)


def test_what_cannot_be_analysed_is_refused() -> None:
    with pytest.raises(DataError, match="no ratings"):
        analyse([])
    with pytest.raises(UnknownName, match="did you mean 'fluency'"):
        analyse(made(2), criteria=["fluencey"])
    with pytest.raises(SettingError, match="these are averages"):
        analyse([rating("a", "A", "", 1)], settings=AnalysisSettings(data="single"))


@pytest.mark.data
def test_the_90_means_of_paper_004(data_dir: Path) -> None:
    file = data_dir / "webnlg2017" / "human" / "all_data_final_averaged.csv"
    found = analyse(gather([file]), by=["type"], settings=FEW)
    parts = {None: found.overall, **{part.name: part for part in found.by["type"]}}
    equal = 0
    for (criterion, part), rows in HUMAN.items():
        for score in parts[part].of(criterion):
            equal += abs(score.mean - rows[score.system].mean) <= 0.005 + 1e-9
    assert equal == 90
    assert found.overall.groups["grammar"].letters["Tilburg-NMT"] == "c"


@pytest.mark.data
def test_single_judgments_of_2017_have_the_same_averages(data_dir: Path) -> None:
    folder = data_dir / "webnlg2017" / "human"
    averages = analyse(gather([folder / "all_data_final_averaged.csv"]), settings=FEW)
    singles = analyse(gather([folder / "all_data_final_scores_anonymised.csv"]), settings=FEW)
    for criterion in averages.criteria:
        before = {one.system: one.mean for one in averages.overall.of(criterion)}
        after = {one.system: one.mean for one in singles.overall.of(criterion)}
        assert after == pytest.approx(before)
        unseen = {one.system: one.not_shown for one in singles.overall.of(criterion)}
        assert (unseen["UIT-VNU-HCM"], unseen["Tilburg-Pipeline"], sum(unseen.values())) == (
            168,
            25,
            193,
        )


@pytest.mark.data
def test_empty_texts_of_2017_stay_last_when_raters_are_standardised(data_dir: Path) -> None:
    file = data_dir / "webnlg2017" / "human" / "all_data_final_scores_anonymised.csv"
    found = analyse(gather([file]), settings=AnalysisSettings(z=True, n=60))
    for criterion in found.criteria:
        assert found.overall.of(criterion)[-1].system == "UIT-VNU-HCM"
