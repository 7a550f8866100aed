"""Which text is next: the rules one by one, and their effect on simulated raters."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.human.campaign.assignment import Layout, choose, neediest
from adequa.human.campaign.model import NothingLeft, Page, SampledText
from adequa.human.campaign.store import CampaignStore

from .conftest import sample


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


NEEDED, LIMIT, RETURN_AFTER, SEED = 2, 4, 100, 5
TASKS = 2


class Oracle:
    """The rules on plain lists: `free` judgments a text, who holds what, and who answered what."""

    def __init__(self, texts) -> None:
        self.texts = texts
        self.free = [NEEDED if text.is_shown else 0 for text in texts]
        self.held: dict[int, tuple[int, float]] = {}
        self.answers: dict[tuple[int, int], int] = {}
        self.set_aside: set[tuple[int, int]] = set()
        self.visited: set[tuple[int, int]] = set()
        self.task: dict[int, str | None] = {}
        self.excluded: set[int] = set()
        self.now = 0.0

    def had(self, rater: int) -> set[int]:
        answered = {text for one, text in (*self.answers, *self.set_aside) if one == rater}
        return answered | ({self.held[rater][0]} if rater in self.held else set())

    def in_task(self, rater: int, task: str) -> int:
        return sum(self.texts[text].task == task for text in self.had(rater))

    def left(self, rater: int, task: str) -> list[int]:
        if self.in_task(rater, task) >= min(LIMIT, self.shown(task)):
            return []
        open_ = [text for text, count in enumerate(self.free) if count]
        return [
            text for text in open_ if self.texts[text].task == task and text not in self.had(rater)
        ]

    def shown(self, task: str) -> int:
        return sum(text.is_shown and text.task == task for text in self.texts)

    def return_stale(self) -> None:
        for rater, (text, seen) in list(self.held.items()):
            if seen < self.now - RETURN_AFTER:
                del self.held[rater]
                self.free[text] += 1

    def allowed(self, rater: int, *, another: bool) -> set[int]:
        """The texts the rules leave to choose from, before the cell and chance decide."""
        task = self.task[rater]
        candidates = self.left(rater, task) if task else []
        if not candidates and (task is None or another):
            share = {}
            for one in dict.fromkeys(text.task for text in self.texts):
                if one != task and self.left(rater, one):
                    of_task = [n for n, text in enumerate(self.texts) if text.task == one]
                    share[one] = sum(self.free[n] for n in of_task) / self.shown(one)
            if share:
                best = max(share, key=lambda one: share[one])
                candidates = self.left(rater, best)
        had = Counter(self.texts[text].item.system for text in self.had(rater))
        least = min((had[self.texts[text].item.system] for text in candidates), default=0)
        rarest = {text for text in candidates if had[self.texts[text].item.system] == least}
        seen = {self.texts[text].item.id for text in self.had(rater)}
        return {text for text in rarest if self.texts[text].item.id not in seen} or rarest

    def answer(self, rater: int, text: int, value: int) -> str:
        if rater in self.excluded:
            return "gone"
        if (rater, text) in self.answers:
            if self.answers[rater, text] == value:
                return "already"
        elif rater in self.held and self.held[rater][0] == text:
            del self.held[rater]
        elif (rater, text) in self.visited and self.free[text]:
            task = self.texts[text].task
            if self.in_task(rater, task) >= min(LIMIT, self.shown(task)):
                return "gone"
            self.free[text] -= 1
        else:
            return "gone"
        self.answers[rater, text] = value
        return "stored"

    def exclude(self, rater: int) -> None:
        self.excluded.add(rater)
        if rater in self.held:
            self.free[self.held.pop(rater)[0]] += 1
        for one, text in [key for key in self.answers if key[0] == rater]:
            del self.answers[one, text]
            self.set_aside.add((one, text))
            self.free[text] += 1

    def check(self) -> None:
        for number, text in enumerate(self.texts):
            given = sum(one == number for _, one in self.answers)
            holding = sum(one == number for one, _ in self.held.values())
            assert self.free[number] + given + holding == (NEEDED if text.is_shown else 0)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_people_do_the_rules_hold(make_campaign, seed):
    chance = random.Random(seed)
    texts = sample(5, 3, tasks=TASKS)
    oracle = Oracle(texts)
    fields = {"raters_per_text": NEEDED, "texts_per_rater": LIMIT, "return_after": RETURN_AFTER}
    folder = make_campaign(texts, seed=SEED, **fields)
    store = CampaignStore.open(folder, clock=lambda: oracle.now)
    positions = {text.item.key: number for number, text in enumerate(texts)}
    slots: dict[tuple[int, int], int] = {}
    for rater in store.add_raters(5):
        oracle.task[rater.number] = None

    def next_page(rater: int) -> None:
        another = chance.random() < 0.5
        found = store.next_page(rater, another_task=another)
        if rater in oracle.excluded:
            assert isinstance(found, NothingLeft)
            assert found.reason == "excluded"
            return
        if rater in oracle.held:
            assert isinstance(found, Page)
            text = oracle.held[rater][0]
            assert positions[found.text.item.key] == text
            oracle.task[rater] = texts[text].task
        else:
            oracle.return_stale()
            allowed = oracle.allowed(rater, another=another)
            if isinstance(found, NothingLeft):
                assert not allowed
                task = oracle.task[rater]
                finished = task and oracle.in_task(rater, task) >= min(LIMIT, oracle.shown(task))
                assert (found.reason == "finished task") == bool(finished)
                others = {text.task for text in texts} - {task}
                assert found.more == any(oracle.left(rater, one) for one in others)
                return
            text = positions[found.text.item.key]
            assert text in allowed
            oracle.free[text] -= 1
            oracle.task[rater] = texts[text].task
        oracle.held[rater] = text, oracle.now
        oracle.visited.add((rater, text))
        slots[rater, text] = found.slot
        assert found.progress.total_done == len(oracle.had(rater)) - 1

    def answer(rater: int) -> None:
        mine = [text for one, text in slots if one == rater]
        if not mine:
            return
        text, value = chance.choice(mine), chance.choice([1, 2])
        outcome = store.answer(rater, slots[rater, text], {"sense": value}, 1.0)
        assert outcome == oracle.answer(rater, text, value)

    def draft(rater: int) -> None:
        if rater in oracle.held and rater not in oracle.excluded:
            text = oracle.held[rater][0]
            assert store.save_draft(rater, slots[rater, text], {}, 1.0)
            oracle.held[rater] = text, oracle.now

    def wait(_rater: int) -> None:
        oracle.now += chance.choice([1, 20, 101])

    def exclude(rater: int) -> None:
        if len(oracle.task) < 12:
            store.start_round(exclude=[f"r{rater:03d}"])
            oracle.exclude(rater)
            oracle.task[store.add_raters(1)[0].number] = None

    steps = [next_page] * 10 + [answer] * 10 + [draft] * 2 + [wait] * 3 + [exclude]
    for _ in range(160):
        chance.choice(steps)(chance.choice(list(oracle.task)))
        oracle.check()
    kept = {
        (int(one.rater[1:]), positions[one.system, one.id]): int(one.value)
        for one in store.ratings()
        if one.rater
    }
    assert kept == oracle.answers
    total = store.overview().total
    assert (total.answered, total.held) == (len(oracle.answers), len(oracle.held))
    assert total.open == sum(oracle.free)
    store.close()


def test_the_systems_of_a_rater_stay_balanced_among_others(make_campaign):
    store = CampaignStore.open(make_campaign(sample(9, 3), raters_per_text=2, texts_per_rater=9))
    raters = store.add_raters(5)
    for _ in range(9):
        for rater in raters:
            page = store.next_page(rater.number)
            assert isinstance(page, Page)
            store.answer(rater.number, page.slot, {"sense": 1}, 1.0)
    shares = Counter((one.rater, one.system) for one in store.ratings() if one.rater)
    assert set(shares.values()) == {3}
    store.close()


def test_the_store_chooses_as_the_pure_function_does(make_campaign):
    texts = sample(6, 2, cells=3)
    store = CampaignStore.open(make_campaign(texts, seed=SEED))
    (rater,) = store.add_raters(1)
    layout = Layout.of(texts, 3)
    slots = {number: 3 for number, text in enumerate(texts) if text.is_shown}
    had: set[int] = set()
    while isinstance(page := store.next_page(rater.number), Page):
        expected = choose(layout, slots, had, seed=SEED, rater=rater.number)
        assert expected is not None
        assert page.text == texts[expected]
        had.add(expected)
        slots[expected] -= 1
        store.answer(rater.number, page.slot, {"sense": 1}, 1.0)
    assert len(had) == 11
    store.close()
