"""Words find their place in a text that is spaced otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.readers import enriched as placing
from adequa.readers.enriched import Reference, letters, place


def spans(text: str, template: str, *pairs: tuple[str, str]) -> list[str | None]:
    references = [
        Reference(tag, str(number), surface) for number, (tag, surface) in enumerate(pairs, 1)
    ]
    return [
        None if span is None else text[slice(*span)] for span in place(text, template, references)
    ]


@pytest.mark.parametrize(
    ("text", "template", "pairs", "wanted"),
    [
        (
            "Vexla Airport serves Vexla,Norn.",
            "AGENT-1 serves PATIENT-1 .",
            [("AGENT-1", "Vexla Airport"), ("PATIENT-1", "Vexla , Norn")],
            ["Vexla Airport", "Vexla,Norn"],
        ),
        (
            "He left. Later he, a poet, died.",
            "AGENT-1 left . Later AGENT-1 , a poet , died .",
            [("AGENT-1", "He"), ("AGENT-1", "he")],
            ["He", "he"],
        ),
        (
            "Norn's king rules the U.S.",
            "AGENT-1 king rules PATIENT-1",
            [("AGENT-1", "Norn 's"), ("PATIENT-1", "the U.S.")],
            ["Norn's", "the U.S."],
        ),
        (
            'Zoë is nicknamed "Zo" (a pun).',
            "AGENT-1 is nicknamed PATIENT-1 ( BRIDGE-1 ) .",
            [("AGENT-1", "Zoë"), ("PATIENT-1", "`` Zo ''"), ("BRIDGE-1", "( a pun )")],
            ["Zoë", '"Zo"', "(a pun)"],
        ),
        # A letter that folds into two.
        ("Große Straße!", "AGENT-1 AGENT-2", [("AGENT-1", "GROSSE")], ["Große"]),
        # The text has words the template lacks.
        (
            "The city has a runway, and it is in Norn.",
            "AGENT-1 is in PATIENT-1 .",
            [("AGENT-1", "it"), ("PATIENT-1", "Norn")],
            ["it", "Norn"],
        ),
        # A tag sticks to a word; another has a typing error.
        (
            "Norn, number 7, is wet.",
            "AGENT-1, number,PATIENT-q) is BRIDGE-1",
            [("AGENT-1", "Norn"), ("PATIENT-q", "7"), ("BRIDGE-1", "wet")],
            ["Norn", "7", "wet"],
        ),
        # Not inside another word, and not where it could be either of two.
        ("The architect left.", "AGENT-1 left", [("AGENT-1", "it")], [None]),
        ("it or it", "", [("AGENT-1", "it")], [None]),
        ("A text.", "AGENT-1 is a text .", [("AGENT-1", "Another thing")], [None]),
        # Without a template the words must stand there once, and be free.
        ("A text.", "", [("AGENT-1", "text")], ["text"]),
        ("West Norn", "AGENT-1", [("AGENT-1", "West Norn"), ("X", "Norn")], ["West Norn", None]),
        ("A text.", "AGENT-1 .", [("AGENT-1", "…")], [None]),
        ("A text.", "AGENT-1 .", [("AGENT-1", "")], [None]),
        ("", "AGENT-1 .", [("AGENT-1", "text")], [None]),
        ("A text.", "AGENT-1 text .", [], []),
    ],
)
def test_words_are_placed(
    text: str, template: str, pairs: list[tuple[str, str]], wanted: list[str | None]
) -> None:
    assert spans(text, template, *pairs) == wanted


def test_a_tag_is_not_the_beginning_of_another() -> None:
    pairs = [("PATIENT-1", "one"), ("PATIENT-10", "ten")]
    assert spans("ten and one", "PATIENT-10 and PATIENT-1", *pairs) == ["one", "ten"]


def test_numbers_tell_which_of_equal_tags_is_annotated() -> None:
    references = [Reference("AGENT-1", "2", "Norn")]
    assert place("Norn is Norn.", "AGENT-1 is AGENT-1 .", references) == [(8, 12)]


def test_a_text_no_one_annotated_is_not_aligned() -> None:
    text = "word " * placing.MAX_LENGTH
    assert place(text, text, [Reference("AGENT-1", "1", "word")]) == [None]


names = st.lists(st.text("abcéßΣ '.1İ", min_size=1, max_size=8), min_size=1, max_size=6)


@given(names, names, st.text(max_size=40))
def test_a_span_holds_the_letters_of_its_words(
    surfaces: list[str], fillers: list[str], noise: str
) -> None:
    references = [
        Reference(f"AGENT-{number}", str(number), surface)
        for number, surface in enumerate(surfaces, 1)
    ]
    pairs = list(zip(references, fillers, strict=False))
    template = " ".join(f"{reference.tag} {filler}" for reference, filler in pairs)
    filled = " ".join(f"{reference.surface} {filler}" for reference, filler in pairs)
    for text in (filled, noise, filled + noise):
        found = place(text, template, references)
        last = 0
        for span in sorted(span for span in found if span):
            assert span[0] >= last
            last = span[1]
        for span, reference in zip(found, references, strict=True):
            if span is not None:
                assert letters(text[slice(*span)]) == letters(reference.surface) != ""


@given(st.lists(st.sampled_from(["Norn", "the king", "A. B.", "7,5"]), min_size=1, max_size=5))
def test_every_surface_of_a_faithful_template_is_placed(surfaces: list[str]) -> None:
    references = [
        Reference("AGENT-1", str(number), surface) for number, surface in enumerate(surfaces, 1)
    ]
    text = " and ".join(surfaces)
    found = place(text, " and ".join("AGENT-1" for _ in surfaces), references)
    assert [text[slice(*span)] if span else None for span in found] == surfaces
