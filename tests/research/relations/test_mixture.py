"""The mixture: every kind of group, its labels, and that group `i` is always the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from adequa.data import Triple
from adequa.perturb import FALSE, TRUE, Knowledge
from research.relations.groups import Group
from research.relations.mixture import (
    SHARES,
    Mixture,
    exchange_entities,
    read_mixture,
    split_hypothesis,
    write_name,
)

from .tiny import documents, mixture, write_data


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Mixture:
    return mixture(write_data(tmp_path_factory.mktemp("relations") / "data"))


def drawn(tiny: Mixture, kind: str, count: int = 60) -> list[Group]:
    made = (tiny.makers[kind](random.Random(seed)) for seed in range(count))
    return [group for group in made if group is not None]


def test_every_kind_has_a_share(tiny: Mixture) -> None:
    assert SHARES.keys() == tiny.makers.keys()


@pytest.mark.parametrize("kind", SHARES)
def test_groups_of_every_kind_have_consistent_labels(tiny: Mixture, kind: str) -> None:
    groups = drawn(tiny, kind)
    assert groups
    for group in groups:
        for text in group.texts:
            assert len(text.triples) == len(text.stated)
            assert all(0 <= start < end <= len(text.text) for start, end, _ in text.names)
        for (one, fact), (other, same) in group.above:
            assert group.texts[one].stated[fact] == TRUE
            assert group.texts[other].stated[same] == FALSE


def test_a_group_depends_on_its_number_and_the_seed_alone(tiny: Mixture) -> None:
    assert [tiny.group(number) for number in range(12)] == [
        tiny.group(number) for number in range(12)
    ]
    assert len({tiny.group(number).texts for number in range(12)}) > 6


def test_a_premise_is_read_without_placeholders(tiny: Mixture) -> None:
    assert not any(group.hidden for group in drawn(tiny, "entailment"))


def test_near_sentences_state_their_own_relation(tiny: Mixture) -> None:
    for group in drawn(tiny, "rel2text_near"):
        assert [text.stated for text in group.texts] == [(TRUE,), (FALSE,), (FALSE,), (TRUE,)]


def test_a_mistake_stands_beside_a_right_sentence(tiny: Mixture) -> None:
    group = drawn(tiny, "rel2text_real")[0]
    assert group.texts[0].text == "Emma wrote Jane."
    assert group.texts[1].text == "Jane wrote Emma."


def test_facts_of_a_window_are_stated_and_their_inverses_are_not(tiny: Mixture) -> None:
    known = {("Acme", "Bo Ray"), ("Dorn", "Cy Dun")}
    for group in drawn(tiny, "paragraph"):
        (text,) = group.texts
        for triple, stated in zip(text.triples, text.stated, strict=True):
            right = triple.predicate == "leader" and (triple.subject, triple.object) in known
            assert stated == (TRUE if right else FALSE)


def test_changed_claims_are_faulty_or_faithful(tiny: Mixture) -> None:
    groups = drawn(tiny, "claims", 200)
    kinds = {group.kind for group in groups}
    assert kinds >= {
        f"claims_{kind}"
        for kind in ("deny", "doubt", "bound", "restrict", "affirm", "count", "stress")
    }
    for group in groups:
        before, after = group.texts
        assert before.text != after.text
        faithful = group.kind in {"claims_affirm", "claims_count", "claims_stress"}
        assert (FALSE in after.stated) != faithful
        assert bool(group.above) != faithful


def test_names_of_two_facts_or_of_one_are_exchanged() -> None:
    (company, *_) = documents()
    knowledge, chance = Knowledge.of([company]), random.Random(0)
    group = exchange_entities(company, knowledge, chance, two_facts=True)
    assert group is not None
    assert group.texts[2].text == "Bo Ray founded Acme, and Ann Lee leads Acme."
    group = exchange_entities(company, knowledge, chance, two_facts=False)
    assert group is not None
    assert group.texts[2].text in {
        "Acme founded Ann Lee, and Bo Ray leads Ann Lee.",
        "Ann Lee founded Bo Ray, and Acme leads Bo Ray.",
    }


def test_a_hypothesis_is_parted_at_its_verb() -> None:
    assert split_hypothesis("Ann is tall.") == Triple("Ann", "is", "tall")
    assert split_hypothesis("Ann is tall.", split=False) == Triple("Ann is tall", "", "")
    assert split_hypothesis("Two dogs run") == Triple("Two dogs run", "", "")


def test_names_of_relations_are_written_in_several_styles() -> None:
    found = {write_name("place of birth", random.Random(seed)) for seed in range(60)}
    assert found == {"place of birth", "place_of_birth", "placeOfBirth"}
    assert {write_name("author", random.Random(seed)) for seed in range(20)} == {"author"}


@pytest.mark.data
def test_the_real_corpora_make_a_mixture(data_dir: Path, monkeypatch, tmp_path: Path) -> None:
    from research.relations import mixture as module
    from research.relations.lexicon import write_lexicon

    from .tiny import LEXICON

    write_lexicon(tmp_path / "lexicon.json", LEXICON)
    # Locating the names of 36,000 texts takes most of a minute.
    monkeypatch.setattr(module, "read_training_documents", lambda data, permissive: documents())
    real = read_mixture(data_dir, tmp_path / "lexicon.json")
    assert len({real.group(number).kind for number in range(200)}) > 15
