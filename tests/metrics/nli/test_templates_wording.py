"""One sentence with its places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.errors import SettingError
from adequa.metrics.nli.templates import BACKOFF, Template


@pytest.mark.parametrize(
    ("template", "subject", "value", "sentence"),
    [
        ("<subject> is a <object>.", "Bex", "town", "Bex is a town."),
        ("<subject> is a <object>.", "Bex", "old town", "Bex is an old town."),
        ("<subject> is an <object>.", "Bex", "unit", "Bex is a unit."),
        ("<subject> is an <object>.", "Bex", "MP", "Bex is an MP."),
        ("<subject> is an <object>.", "Bex", "US town", "Bex is a US town."),
        ("A <subject> has <object>.", "apple", "a core", "An apple has a core."),
        ("<subject> is near the <object>.", "Bex", "The Inn", "Bex is near The Inn."),
        ("The <subject> is in <object>.", "The Inn", "Bex", "The Inn is in Bex."),
        ("<subject> is part of <object>.", "Bex", "Lumen Inc.", "Bex is part of Lumen Inc."),
        (
            "<subject> is in the <object> region.",
            "Bex",
            "Vaud Region",
            "Bex is in the Vaud Region.",
        ),
        ("<subject> is <object>.", "<object>", "<subject>", "<object> is <subject>."),
    ],
)
def test_fill(template: str, subject: str, value: str, sentence: str) -> None:
    assert Template(template).fill(subject, value) == sentence


def test_the_backoff_has_a_place_for_the_predicate() -> None:
    sentence = Template(BACKOFF).fill("Bex", "Vaud", "home <object>")
    assert sentence == "The home <object> of Bex is Vaud."


@pytest.mark.parametrize(
    "string",
    [
        "",
        "nothing",
        "<object> alone.",
        "<subject> and <subject>.",
        "<subject> is <object> <object>.",
        "<subject> is <obj>.",
        "<Subject> is <object>.",
        "<subject> has <b>weight</b> <object>.",
    ],
)
def test_wrong_places(string: str) -> None:
    with pytest.raises(SettingError, match="template"):
        Template(string)


@given(st.text(), st.text())
def test_a_name_stays_as_it_is(subject: str, value: str) -> None:
    pieces = Template("The <subject> is a <object> indeed.").pieces(subject, value)
    assert (pieces[1], pieces[3]) == (subject, value)
    first, words, last = Template("<object> has a <subject> too.").parts(subject, value)
    assert (first, last) == (value, subject)
    assert words.startswith("has")
