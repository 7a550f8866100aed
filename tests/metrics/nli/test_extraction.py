"""Templates from texts of one fact."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from adequa.data import Item, Term, Triple
from adequa.metrics.nli.extraction import examples, extract, review
from adequa.metrics.nli.templates import Templates

NAMES = ("Ada Bell", "Bruno Lenz", "Carla Voss", "Dario Finn", "Edda Kron", "Fritz Maur")
TOWNS = ("Bexford", "Kestrel Bay", "Lumenau", "Old Varn", "Port Quill", "Sandmere")


def item(text: str, *triples: tuple[str, str, str], **meta: object) -> Item:
    return Item(text, tuple(Triple(*triple) for triple in triples), text, meta=meta)


def said(predicate: str, *sentences: str) -> list[Item]:
    """A fact a sentence, in which `S` and `O` are names."""
    return [
        item(
            re.sub(r"\bO\b", town, re.sub(r"\bS\b", name, sentence)),
            (name.replace(" ", "_"), predicate, town.replace(" ", "_")),
        )
        for sentence, name, town in zip(sentences, NAMES, TOWNS, strict=False)
    ]


def template(items: list[Item], predicate: str) -> str | None:
    found = {one.predicate: one.template.string for one in extract(items).found}
    return found.get(predicate)


def test_the_best_wins_not_the_first() -> None:
    items = said(
        "birthPlace",
        "It is O that is the town S came from.",
        "S was born in O.",
        "S was born in O.",
        "S, a singer, was born in O.",
        "O is where S was born.",
    )
    (found,) = extract(items).found
    assert found.template.string == "<subject> was born in <object>."
    assert (found.support, found.facts) == (2, 5)
    assert found.share == pytest.approx(1 / 3)


def test_the_order_of_the_texts_does_not_matter() -> None:
    items = said("home", "S lives in O.", "S lives at O.", "O is home of S.", "S is at home in O.")
    chosen = extract(items)
    for seed in range(5):
        assert extract(random.Random(seed).sample(items, len(items))).found == chosen.found


def test_what_the_subject_is_votes_and_is_left_out() -> None:
    items = said(
        "birthPlace",
        "The singer S was born in O.",
        "The singer S was born in O.",
        "The singer S was born in O.",
        "S was born in O.",
    )
    assert template(items, "birthPlace") == "<subject> was born in <object>."


def test_a_fact_has_one_vote_however_many_texts_it_has() -> None:
    often = [item("Bexford has Ada Bell in it.", ("Ada_Bell", "home", "Bexford"))] * 9
    items = often + said("home", "-", "S lives in O.", "S lives in O.")[1:]
    assert template(items, "home") == "<subject> lives in <object>."


@pytest.mark.parametrize(
    "sentence",
    [
        "S was born in O, and he moved to Rome.",
        "S was born in O. It is a town.",
        "S, a friend of Bruno, was born in O.",
        "S was born in O in 1815.",
        "She was born in O.",
        "S was born there.",
        "S was not born in O.",
        "S, O.",
        "S (born in O).",
        "",
    ],
)
def test_sentences_that_are_not_templates(sentence: str) -> None:
    found = extract(said("birthPlace", sentence))
    assert found.found == ()
    assert list(found.missing) == ["birthPlace"]


def test_words_of_the_predicate_may_be_names_and_figures() -> None:
    items = said("1st_runway_NASA_code", "The 1st runway NASA code of S is O.")
    wanted = "The 1st runway NASA code of <subject> is <object>."
    assert template(items, "1st_runway_NASA_code") == wanted


def test_texts_of_several_facts_serve_none() -> None:
    both = item("Ada lives in Bex.", ("Ada", "home", "Bex"), ("Ada", "town", "Bex"))
    extraction = extract([both])
    assert extraction.found == ()
    assert extraction.missing == dict.fromkeys(("home", "town"), "no text says this fact alone")
    assert len(extraction.templates) == 0


def test_the_article_stays_where_names_have_it() -> None:
    mixed = said("country", "S is from the O.", "S is from O.", "S is from O.")
    assert template(mixed, "country") == "<subject> is from <object>."
    always = said("ship", "S sailed on the O.", "S sailed on the O.", "S sailed on the O.")
    assert template(always, "ship") == "<subject> sailed on the <object>."


def test_a_unit_belongs_to_the_value() -> None:
    texts = ("The Dam is 3.9 metres high.", "The Weir is 4.5 m high.")
    items = [
        item(texts[0], ("Dam", "height", '"3.9"(metres)')),
        item(texts[1], ("Weir", "height", "4.5 (metres)")),
    ]
    (found,) = extract(items).found
    assert found.template.string == "The <subject> is <object> high."
    assert found.support == 2
    assert extract(items).templates.sentence(items[0].triples[0]) == texts[0]


def test_another_name_makes_no_template() -> None:
    items = [item("Ada Bell is Italian.", ("Ada_Bell", "country", "Italy"))]
    assert extract(items).missing == {
        "country": "no text names both ends, each once, as the data does"
    }


def test_marked_mentions_are_used_where_there_are_some() -> None:
    text = "The Zorb's home is Q."
    mentions = [
        {"entity": "Zorb", "text": "The Zorb's", "start": 0, "end": 10},
        {"entity": "Q", "text": "Q", "start": 19, "end": 20},
    ]
    items = [item(text, ("Zorb", "home", "Q"), mentions=mentions)]
    assert template(items, "home") == "The <subject>'s home is <object>."


def test_progress_hears_every_item() -> None:
    heard: list[int] = []
    extract(said("home", "S lives in O.", "S lives in O."), heard.append)
    assert heard == [1, 2]


@pytest.mark.data
def test_webnlg_gives_templates_to_nearly_all_predicates(data_dir: Path) -> None:
    from adequa.readers import open_source

    extraction = extract(open_source(data_dir / "webnlg2020" / "train" / "1triples"))
    found = {one.predicate: one.template.string for one in extraction.found}
    assert len(found) >= 345
    assert len(found) + len(extraction.missing) == 357
    assert found["birthPlace"] == "<subject> was born in <object>."
    assert found["capital"] == "<object> is the capital of <subject>."
    assert found["creator"] == "<subject> was created by <object>."
    assert len(extraction.templates) == len(found)


# Whether templates read well, and what they say of some data


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("<subject> is in <object>.", None),
        ("<subject> is in in <object>.", "says 'in' twice"),
        ("<subject> is in <object>", "has no full stop"),
        ("the home of <subject> is <object>.", "begins with a small letter"),
        ("<subject> is in <object> .", "has a stray sign or space"),
        ("<subject> is Alpha <object>.", None),
        ("<subject> alpha is <object>!", None),
        ("Is <subject> in <object>?", None),
    ],
)
def test_what_reads_badly(template: str, problem: str | None) -> None:
    (example,) = review(Templates.of({"p": template})).examples
    assert example.problem == problem


def test_the_first_bad_fact_is_shown_and_names_may_repeat() -> None:
    known = Templates.of(
        {"home": "<subject> lives in in-town <object>.", "near": "<subject> is near <object>."}
    )
    facts = [("Ada", "near", "Baden_Baden"), ("Ada", "home", "Bex"), ("In_near", "near", "Bex")]
    items = [Item(str(n), (Triple(*fact),), "") for n, fact in enumerate(facts)]
    checked = review(known, items)
    assert [one.sentence for one in checked.examples] == [
        "Ada lives in in-town Bex.",
        "Ada is near Baden Baden.",
    ]
    assert checked.problems == []
    assert (checked.facts, checked.said, checked.missing, checked.unused) == (3, 3, {}, [])


def test_a_fact_that_reads_badly_is_found() -> None:
    known = Templates.of({"near": "Near is <subject> <object>."})
    items = [
        Item(str(n), (Triple(name, "near", "Bex"),), "") for n, name in enumerate(["Ada", "Is"])
    ]
    (example,) = review(known, items).problems
    assert (example.sentence, example.problem) == ("Near is Is Bex.", "says 'is' twice")


def test_coverage() -> None:
    known = Templates.of(
        {
            "home": {"Bex": "<subject> is in Bex."},
            "near": "<subject> is near <object>.",
            "*": "<subject>, <predicate>: <object>.",
        }
    )
    triples = [Triple("Ada", "home", "Bex"), Triple("Ada", "home", "Rom"), Triple("Ada", "P9", "Q")]
    terms = {"P9": Term(label="Near")}
    checked = review(known, [Item("1", tuple(triples), "", terms=terms)])
    assert (checked.facts, checked.said, checked.missing) == (3, 2, {"home": 1})
    assert [row.predicate for row in checked.unused] == ["*"]
    assert review(known).unused == []


def test_examples_are_filled_with_values_or_made_up_names() -> None:
    known = Templates.of(
        {"open": {"no": "<subject> is not open: <object>.", "*": "<subject> opens <object>."}}
    )
    sentences = [one.sentence for one in examples(known)]
    assert sentences == ["Alpha is not open: no.", "Alpha opens Beta."]
