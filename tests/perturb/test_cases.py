"""Cases whatever the items: always a change, always marked, the same for a seed in any order."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.errors import UnknownName
from adequa.perturb import PERTURBATIONS, Change, draw_items, make_cases, named_perturbations

from .towns import TOWNS, VEXLA

NAMES = ("Vexla", "Bruma", "Dorn", "Ostrik", "Runa Teel", "Sif Ander", "Quill Press", "the Kelda")
VALUES = ("4310", "12.5", '"1990-05-03"', "1990", "265.0 (kelvins)")
SAID = ("4,310", "12.5", "May 3, 1990", "1990", "265 kelvins")
SHAPES = (
    "The {predicate} of {subject} is {object}.",
    "{subject} was given {object} as its {predicate}.",
    "It is {object}.",
    "{object} is the {predicate} of {subject}, which is old.",
)


@st.composite
def towns(draw: st.DrawFn) -> Item:
    """An item whose text says its facts, more or less."""
    triples, text = [], []
    for _ in range(draw(st.integers(0, 4))):
        subject = draw(st.sampled_from(NAMES))
        predicate = draw(st.sampled_from(("mayor", "harbour", "spouse", "population", "founded")))
        if draw(st.booleans()):
            place = draw(st.integers(0, len(VALUES) - 1))
            value, said = VALUES[place], SAID[place]
        else:
            said = draw(st.sampled_from(NAMES))
            value = said.removeprefix("the ").replace(" ", "_")
        triples.append(Triple(subject.removeprefix("the ").replace(" ", "_"), predicate, value))
        shape = draw(st.sampled_from(SHAPES))
        text.append(shape.format(subject=subject, predicate=predicate, object=said))
    end = draw(st.sampled_from(("", " ", " Nothing more.", "\n\nÄ 1990-13-01", " 🦆")))
    category = draw(st.sampled_from((None, "City")))
    return Item("Id0", tuple(triples), " ".join(text) + end, category=category)


corpora = st.lists(towns(), min_size=1, max_size=6).map(
    lambda found: [replace(item, id=f"Id{place}") for place, item in enumerate(found)]
)


@given(corpora, st.integers(0, 5))
@settings(max_examples=60)
def test_a_case_differs_and_its_spans_are_where_it_differs(items: list[Item], seed: int) -> None:
    for made in make_cases(items, named_perturbations(), count=3, seed=seed):
        assert made.allowed <= made.items == len(items)
        for case in made.cases:
            old, new = case.original, case.changed
            assert old in items
            assert new != old
            assert new.key == old.key
            assert new.references == old.references
            if made.perturbation.side == "data":
                assert new.text == old.text
                assert new.triples != old.triples
                assert case.change.before == case.change.after
            else:
                assert new.triples == old.triples
                assert _without(old.text, case.change.before) == _without(
                    new.text, case.change.after
                )
            for text, spans in ((old.text, case.change.before), (new.text, case.change.after)):
                assert all(0 <= start < end <= len(text) for start, end in spans)
            assert case.change.after or case.change.facts or case.change.entities


def _without(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    """What is left beside the spans, whatever the spaces."""
    kept, place = [], 0
    for start, end in sorted(spans):
        kept.append(text[place:start])
        place = end
    return "".join("".join([*kept, text[place:]]).split())


@given(corpora, st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_order_of_the_items_changes_nothing(items: list[Item], order: random.Random) -> None:
    shuffled = order.sample(items, len(items))
    every = named_perturbations()
    assert make_cases(items, every, count=2, seed=1) == make_cases(shuffled, every, count=2, seed=1)
    assert draw_items(items, 3, 1) == draw_items(shuffled, 3, 1)


def test_a_seed_is_a_choice() -> None:
    items = [replace(one, id=f"{one.id}-{number}") for number in range(20) for one in TOWNS]
    every = named_perturbations(["swap-entities"])
    drawn = {
        tuple(case.changed.text for case in make_cases(items, every, count=9, seed=seed)[0].cases)
        for seed in range(4)
    }
    assert len(drawn) == 4
    assert make_cases(items, every, count=9, seed=3) == make_cases(items, every, count=9, seed=3)


def test_there_are_as_many_as_wanted_and_the_rest_is_counted() -> None:
    items = [replace(VEXLA, id=f"Id{number}") for number in range(7)]
    (made,) = make_cases(items, named_perturbations(["negate"]), count=5, seed=0)
    assert (len(made.cases), made.allowed, made.items) == (5, 7, 7)
    assert len({case.original.key for case in made.cases}) == 5
    assert len(draw_items(items, 3, seed=0)) == 3


def test_names_of_perturbations() -> None:
    assert [one.name for one in named_perturbations()] == list(PERTURBATIONS)
    assert [one.name for one in named_perturbations(["negate", "drop-triple"])] == [
        "drop-triple",
        "negate",
    ]
    with pytest.raises(UnknownName, match="did you mean 'negate'"):
        named_perturbations(["negation"])


@pytest.mark.parametrize(
    "item",
    [
        Item("a", (), ""),
        Item("a", (), "A text about nothing. Another is 12 long."),
        Item("a", VEXLA.triples, ""),
        Item("a", VEXLA.triples, " \n\t"),
        Item("a", (Triple("", "", ""),), "is not. was? are 12."),
        Item("a", (Triple("Vexla", "size", "9" * 5000),), f"Vexla is {'9' * 5000} big."),
        Item("a", VEXLA.triples, "\x00\u2028\u202e Vexla was 4310.\n" * 3),
        Item("a", VEXLA.triples, VEXLA.text * 5000),
    ],
    ids=["nothing", "no data", "no text", "blank", "empty names", "digits", "controls", "huge"],
)
def test_hostile_items_are_left_alone_or_changed_but_never_fail(item: Item) -> None:
    for made in make_cases([item, *TOWNS], named_perturbations(), count=9, seed=0):
        assert all(case.changed != case.original for case in made.cases)


@pytest.mark.parametrize("count", [400, 100_000])
def test_a_graph_of_thousands_does_not_take_forever(count: int) -> None:
    triples = tuple(Triple("Vexla", f"p{number}", f"Town_{number}") for number in range(count))
    text = " ".join(f"Town {number} is near Vexla." for number in range(100))
    start = time.perf_counter()
    made = make_cases([Item("a", triples, text)], named_perturbations(), count=9, seed=0)
    assert time.perf_counter() - start < 30
    assert any(one.cases for one in made) == (count == 400)


@pytest.mark.data
def test_on_the_dev_split_every_perturbation_finds_its_cases(data_dir) -> None:
    from adequa.readers import open_source

    items = draw_items(open_source(data_dir / "webnlg2020" / "dev"), 120, seed=0)
    for made in make_cases(items, named_perturbations(), count=20, seed=0):
        assert len(made.cases) >= 10, made.perturbation.name


def test_facts_of_a_record_keep_their_pointers() -> None:
    facts = (Triple("Vexla", "mayor", "Ada Reid"), Triple("Vexla", "river", "Ostrik"))
    item = Item(
        *("1", facts, "Ada Reid is the mayor of Vexla on the Ostrik."),
        record={"town": "Vexla", "mayor": "Ada Reid", "river": "Ostrik"},
        paths=("/mayor", "/river"),
        coverage="selected",
    )
    changes = (
        (facts[1:], ("/river",)),
        ((Triple("Ada Reid", "mayor", "Vexla"), facts[1]), ("/mayor", "/river")),
        ((*facts, Triple("Vexla", "area", "12")), ("/mayor", "/river", "/area")),
    )
    for triples, paths in changes:
        changed = Change("another graph", triples=triples).apply(item)
        assert (changed.triples, changed.paths, changed.record) == (triples, paths, None)
