"""Which text is next: the rules one by one, and together."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.human.campaign.assignment import Layout, choose, neediest
from adequa.human.campaign.model import SampledText


def text(
    number: str, system: str, task: str = "a", cell: str = "x", words: str = "Oban."
) -> SampledText:
    item = Item(number, (Triple("Alba", "port", "Oban"),), words, system)
    return SampledText(item, task, {"cell": cell})


def first(texts: list[SampledText], had: set[int] = frozenset(), **open_slots: int) -> int | None:  # type: ignore[assignment]
    layout = Layout.of(texts, 3)
    slots = {number: open_slots.get(f"t{number}", 3) for number in range(len(texts))}
    return choose(layout, slots, had, seed=1, rater=1)


def test_the_system_had_least_goes_first():
    texts = [text("1", "A"), text("2", "A"), text("3", "B"), text("4", "A")]
    assert first(texts, {0}) == 2


def test_then_an_input_that_was_not_seen_and_only_else_the_same_input_again():
    texts = [text("1", "A"), text("1", "B"), text("2", "B")]
    assert first(texts, {0}) == 2
    assert first(texts, {0, 2}) == 1


def test_then_the_cell_that_is_filled_least():
    texts = [text("1", "A", cell="x"), text("2", "A", cell="y"), text("3", "A", cell="y")]
    assert first(texts, t0=2) in (1, 2)
    assert first(texts, t1=1, t2=2) == 0


def test_then_chance_which_is_the_raters_own_and_the_seeds():
    layout = Layout.of([text(str(number), "A") for number in range(50)], 1)
    slots = dict.fromkeys(range(50), 1)
    backwards = dict(reversed(slots.items()))
    firsts = [choose(layout, slots, (), seed=0, rater=rater) for rater in range(20)]
    assert len(set(firsts)) > 10
    assert firsts == [choose(layout, backwards, (), seed=0, rater=rater) for rater in range(20)]
    assert firsts != [choose(layout, slots, (), seed=1, rater=rater) for rater in range(20)]


def test_nothing_is_left_once_all_was_had_or_is_being_taken():
    layout = Layout.of([text("1", "A"), text("2", "A")], 1)
    assert choose(layout, {0: 1, 1: 1}, {0}, seed=0, rater=1, without={1}) is None
    assert choose(layout, {}, (), seed=0, rater=1) is None


def test_the_neediest_task_is_that_with_the_largest_share_open_and_a_text_for_the_rater():
    texts = [
        text("1", "A", "a"),
        text("2", "A", "b"),
        text("3", "A", "b"),
        text("4", "A", "c", words=" "),
    ]
    layout = Layout.of(texts, 2)
    assert neediest(layout, {0: 2, 1: 2, 2: 2}, ()) == ["a", "b"]
    assert neediest(layout, {0: 1, 1: 2, 2: 1}, ()) == ["b", "a"]
    assert neediest(layout, {0: 1, 1: 2, 2: 1}, {1, 2}) == ["a"]
    assert neediest(layout, {}, ()) == []


@given(st.integers(1, 4), st.integers(2, 8), st.integers(0, 2**16), st.integers(1, 9))
def test_alone_a_rater_has_the_systems_in_equal_shares(systems, inputs, seed, rater):
    texts = [text(str(one), f"S{system}") for one in range(inputs) for system in range(systems)]
    layout = Layout.of(texts, 1)
    slots, had = dict.fromkeys(range(len(texts)), 1), set()
    for step in range(len(texts)):
        chosen = choose(layout, slots, had, seed=seed, rater=rater)
        assert chosen is not None
        had.add(chosen)
        del slots[chosen]
        shares = Counter(layout.systems[one] for one in had)
        counts = [shares[f"S{system}"] for system in range(systems)]
        assert max(counts) - min(counts) <= 1
        assert sum(counts) == step + 1
