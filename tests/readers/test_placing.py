"""Expressions find their place in a text that is spaced otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.readers.placing import Expression, letters, place


def spans(text: str, template: str, *expressions: tuple[str, str]) -> list[str | None]:
    found = place(text, template, [Expression(*one) for one in expressions])
    return [None if span is None else text[slice(*span)] for span in found]


@pytest.mark.parametrize(
    ("text", "template", "expressions", "wanted"),
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
            'Zoë is nicknamed "Zo".',
            "AGENT-1 is nicknamed PATIENT-1 .",
            [("AGENT-1", "Zoe"), ("PATIENT-1", '" Zo "')],
            ["Zoë", '"Zo"'],
        ),
        # The template leaves words out; the neighbours still say where to look.
        (
            "The city has a runway, and it is in Norn.",
            "AGENT-1 is in PATIENT-1 .",
            [("AGENT-1", "it"), ("PATIENT-1", "Norn")],
            ["it", "Norn"],
        ),
        ("A text.", "AGENT-1 is a text .", [("AGENT-1", "Another thing")], [None]),
        ("A text.", "", [("AGENT-1", "text")], ["text"]),
        ("A text.", "AGENT-1 .", [("AGENT-1", "…")], [None]),
        ("", "AGENT-1 .", [("AGENT-1", "text")], [None]),
        ("within", "", [("AGENT-1", "it")], [None]),
        ("A text.", "AGENT-1 text .", [], []),
    ],
)
def test_expressions_are_placed(
    text: str, template: str, expressions: list[tuple[str, str]], wanted: list[str | None]
) -> None:
    assert spans(text, template, *expressions) == wanted


def test_a_tag_is_not_the_beginning_of_another() -> None:
    expressions = [("PATIENT-1", "one"), ("PATIENT-10", "ten")]
    assert spans("ten and one", "PATIENT-10 and PATIENT-1", *expressions) == ["one", "ten"]


words = st.lists(st.text("abcé 'ß.1", min_size=1, max_size=8), min_size=1, max_size=6)


@given(words, words, st.text(max_size=40))
def test_a_span_holds_the_letters_of_its_expression(
    names: list[str], fillers: list[str], noise: str
) -> None:
    expressions = [Expression(f"T-{number}", name) for number, name in enumerate(names)]
    pieces = [*zip([one.tag for one in expressions], fillers, strict=False)]
    template = " ".join(f"{tag} {filler}" for tag, filler in pieces)
    filled = " ".join(f"{name} {filler}" for name, filler in zip(names, fillers, strict=False))
    for text in (filled, noise, filled + noise):
        for span, expression in zip(place(text, template, expressions), expressions, strict=True):
            if span is not None:
                assert letters(text[slice(*span)])[0] == letters(expression.words)[0]
