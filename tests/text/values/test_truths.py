from __future__ import annotations

import pytest

from adequa.text.languages import LANGUAGES
from adequa.text.values import (
    ValueFact,
    claim_of,
    find_contradictions,
    find_polarity,
    is_readable,
    truth_of,
)


@pytest.mark.parametrize(
    ("key", "value", "truth"),
    [
        ("waterproof", "yes", True),
        ("waterproof", "FALSE", False),
        ("petsAllowed", "N", False),
        ("is_open", "1", True),
        ("organic", "0", False),
        ("children", "1", None),
        ("injuries", "0", None),
        ("flag", "N", None),
        ("colour", "red", None),
    ],
)
def test_truth_values(key: str, value: str, truth: bool | None) -> None:
    assert truth_of(key, value) is truth


# key, value, a text that agrees, a text that contradicts.
CASES = [
    ("waterproof", "yes", "It is waterproof.", "Note that it is not waterproof."),
    ("waterproof", "no", "It isn't waterproof.", "It is waterproof."),
    ("petsAllowed", "yes", "Pets are allowed.", "Pets are not allowed."),
    ("petsAllowed", "N", "No pets are allowed.", "Pets are allowed here."),
    ("towbar", "no", "It comes without a towbar.", "It has a towbar."),
    ("hasParking", "true", "It offers parking.", "There is no parking."),
    ("contains_lactose", "true", "It contains lactose.", "It is free of lactose."),
    ("contains_lactose", "true", "It contains lactose.", "It is lactose-free."),
    ("chainFree", "true", "The sale is chain-free.", "The sale is not chain-free."),
    ("paid", "false", "The invoice is unpaid.", "The invoice has been paid."),
    ("overdraftUsed", "false", "The overdraft was not used.", "The overdraft was used."),
    ("dataLoss", "false", "No data was lost.", "Data was lost."),
    ("cutlery", "N", "The order came without cutlery.", "The order came with cutlery."),
    ("chatbot", "DISABLED", "The chatbot was disabled.", "The chatbot was enabled."),
    ("alarm", "off", "The alarm is switched off.", "The alarm is switched on."),
    ("dts", "true", "It has DTS.", "DTS is left out."),
    ("refundable", "0", "It is non-refundable.", "It is refundable."),
    ("appeal_active", "true", "An appeal is active.", "There is no appeal."),
    (
        "acceptsContactless",
        "Y",
        "Contactless payment is accepted.",
        "It does not accept contactless.",
    ),
]


@pytest.mark.parametrize(("key", "value", "right", "wrong"), CASES)
def test_agreement_and_contradiction(key: str, value: str, right: str, wrong: str) -> None:
    fact = ValueFact(key, value)
    claim = claim_of(key, value)
    assert claim is not None
    assert [one.affirmed for one in find_polarity(right, claim)] == [claim.holds]
    assert find_contradictions([fact], right) == []
    (found,) = find_contradictions([fact], wrong)
    assert wrong[found.start : found.end] in wrong


def test_the_place_of_a_contradiction_has_the_negation() -> None:
    text = "It is red. Note that it is not waterproof."
    (found,) = find_contradictions([ValueFact("waterproof", "yes")], text)
    assert text[found.start : found.end] == "not waterproof"


def test_a_quality_that_differs_between_objects_needs_the_name() -> None:
    facts = [
        ValueFact("name", "Pizza Diavola", group="/0"),
        ValueFact("spicy", "true", group="/0"),
        ValueFact("name", "Gnocchi", group="/1"),
        ValueFact("spicy", "false", group="/1"),
    ]
    assert find_contradictions(facts, "The Gnocchi are not spicy.") == []
    (found,) = find_contradictions(facts, "The Gnocchi are spicy.")
    assert found.fact == 3
    assert find_contradictions(facts, "Some of it is spicy.") == []


def test_ones_and_noughts_are_numbers_where_a_field_has_others() -> None:
    facts = [ValueFact("reserved", "0"), ValueFact("reserved", "60")]
    assert find_contradictions(facts, "Sixty are reserved.") == []


def test_what_is_denied_counts_as_said_where_the_data_is_a_record() -> None:
    facts = [ValueFact("overtime", "false")]
    text = "They won 4-3 after overtime."
    assert not find_contradictions(facts, text)
    assert find_contradictions(facts, text, bare=True)
    assert not find_contradictions(facts, "They won without overtime.", bare=True)
    assert not find_contradictions(facts, "Overtime would follow a draw.", bare=True)


@pytest.mark.parametrize(
    ("code", "key", "text", "affirmed"),
    [
        ("de", "familyFriendly", "Es ist nicht familienfreundlich.", False),
        ("de", "familyFriendly", "Familien sind willkommen, Hunde nicht.", True),
        ("de", "rainExpected", "Es bleibt trocken.", False),
        ("fr", "snowExpected", "Ils n'ont pas de neige à attendre.", False),
        ("it", "fog", "Vento a 36 km/h, senza nebbia.", False),
        ("nl", "thunderstorm", "Het dorp moet onweer verwachten.", True),
        ("cs", "snowExpected", "Obyvatelé nemusí čekat sněžení.", False),
        ("ru", "snowExpected", "Снега сегодня ждать не стоит.", False),
        ("ru", "familyFriendly", "Подходит для семей.", True),
    ],
)
def test_yes_and_no_in_other_languages(code: str, key: str, text: str, affirmed: bool) -> None:
    claim = claim_of(key, "yes")
    assert claim is not None
    (found,) = find_polarity(text, claim, LANGUAGES[code])
    assert found.affirmed is affirmed


def test_qualities_without_words_are_not_readable() -> None:
    known, unknown = claim_of("rainExpected", "no"), claim_of("zorbing", "no")
    assert known is not None
    assert unknown is not None
    assert is_readable(known, LANGUAGES["cs"])
    assert not is_readable(unknown, LANGUAGES["cs"])


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("freezable", "true", "It should not be frozen."),
        ("smoker", "false", "She is a patient who smokes."),
        ("visa_sponsorship", "false", "Visas are sponsored."),
        ("elevator", "false", "There is a lift."),
        ("runoff", "true", "No run-off was needed."),
        ("lens_shift", "false", "The lens can be shifted."),
        ("card_slot", "false", "It comes with a slot for a memory card."),
        ("capsizes", "0", "One boat capsized during the trip."),
        ("battery.present", "false", "There is a battery."),
        ("cafe_open", "true", "Its café was closed."),
        ("autopay", "ENABLED", "Autopay is switched off."),
    ],
)
def test_a_yes_or_no_in_another_form_of_words(key: str, value: str, text: str) -> None:
    assert find_contradictions([ValueFact(key, value, None, "")], text, bare=True)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("freezable", "true", "It can be frozen."),
        ("smoker", "false", "She does not smoke."),
        ("postmortem_done", "false", "A post-mortem is still outstanding."),
        ("capsizes", "0", "No boat capsized."),
        ("battery.present", "false", "There is no battery."),
        ("cafe_open", "true", "Its café was open."),
        ("cafe_open", "false", "Its café was closed."),
        ("autopay", "ENABLED", "Autopay is switched on."),
    ],
)
def test_a_yes_or_no_that_agrees(key: str, value: str, text: str) -> None:
    assert not find_contradictions([ValueFact(key, value, None, "")], text, bare=True)


def test_what_is_said_of_some_rows_contradicts_none_of_them() -> None:
    facts = [
        ValueFact("parts.name", "oats", group="/parts/0"),
        ValueFact("parts.organic", "true", group="/parts/0"),
        ValueFact("parts.name", "honey", group="/parts/1"),
        ValueFact("parts.organic", "false", group="/parts/1"),
    ]
    assert not find_contradictions(facts, "One of the parts is organic; the honey is not.")
    assert find_contradictions(facts, "The honey is organic.")
