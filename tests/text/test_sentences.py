"""Sentences and clauses: a table of cases, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adequa.text.sentences import (
    LONGEST_SENTENCE,
    clauses_around,
    count_words,
    sentence_at,
    split_clauses,
    split_sentences,
)

VOCABULARY = (
    "Ann ann Rome Italy is was and the a which who that located born May 3, 1990 1,234 , ; . ! ? "
    "... … \" '' ( ) — U.S. J. Dr. Inc. e.g. No. 5. 1. * - He it said. big, “so” 東京。 in where"
)
WORDS = st.sampled_from([*VOCABULARY.split(), "\n", "\n\n", " \n "])
TEXTS = st.one_of(
    st.lists(WORDS, max_size=25).map(" ".join),
    st.lists(WORDS, max_size=12).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.text("aA1 .,;!?…\"'()\n。—-", max_size=30),
)

SENTENCES = [
    ("It is here. Ann is there.", ["It is here.", "Ann is there."]),
    ("Dr. J. R. Lee met Mrs. Poe.", None),
    ("She lives at St. John's. She sings.", ["She lives at St. John's.", "She sings."]),
    ("He came from the U.S. He left.", ["He came from the U.S.", "He left."]),
    ("The U.S. Army came.", None),
    ("It fought in World War I. The war ended.", ["It fought in World War I.", "The war ended."]),
    ("The J.V. Smith house is old.", None),
    ("It has vitamin C. It is good c. 1990 and so.", ["It has vitamin C.", None]),
    ("It is 3.5 m high. It is 1,234.5 m long.", ["It is 3.5 m high.", "It is 1,234.5 m long."]),
    ("It opened in 1990. The bar is old.", ["It opened in 1990.", "The bar is old."]),
    ("ann was born in 1990 . she is a cook .", ["ann was born in 1990 .", "she is a cook ."]),
    ("j . r . lee is a cook . it is so .", ["j . r . lee is a cook .", "it is so ."]),
    ("the inn is cheap. it is in the u.s. state of ohio.", ["the inn is cheap.", None]),
    ('"It is so." Ann left.', ['"It is so."', "Ann left."]),
    ("He said “it is so.” Then he left.", ["He said “it is so.”", "Then he left."]),
    ('he said " it is so . " then he left .', ['he said " it is so . "', "then he left ."]),
    ("It is old (very old.) It is big.", ["It is old (very old.)", "It is big."]),
    ("Well... it is so. Or not...", ["Well... it is so.", "Or not..."]),
    ("It is… Ann left.", ["It is…", "Ann left."]),
    ("Yahoo! is a firm. Is it big? Yes.", ["Yahoo! is a firm.", "Is it big?", "Yes."]),
    ("is it big? yes it is.", ["is it big?", "yes it is."]),
    ("The inn\nThe bar is old", ["The inn", "The bar is old"]),
    ("The inn is\nold and big.", None),
    ("The inn is\n\nold and big.", ["The inn is", "old and big."]),
    ("Facts:\n- it is old\n- it is big", ["Facts:", "- it is old", "- it is big"]),
    ("1. The inn is old.\n2. It is big.", ["1. The inn is old.", "2. It is big."]),
    ("It is No. 5 of ten. She said no. He left.", ["It is No. 5 of ten.", "She said no.", None]),
    ("Acme Inc. makes bolts. Acme Inc. The firm", ["Acme Inc. makes bolts.", "Acme Inc.", None]),
    ("It opens at 9 a.m. and closes at 5 p.m. It is big.", [None, "It is big."]),
    ("It shuts at 5 p.m. Entry is free.", ["It shuts at 5 p.m.", "Entry is free."]),
    ("We meet at 5 p.m. Monday.", None),
    ("It shuts at 5 P.M. Entry is free.", ["It shuts at 5 P.M.", "Entry is free."]),
    ("It was designed by Robert A.M. Stern.", None),
    ("Its beam is 21.2 m. and its length 99.83 m. It is old.", [None, "It is old."]),
    ("It plays in Lega Pro/A. and has 4150 members.", None),
    ("Gusts reach 20 km/h. Rain adds 3 m. Snow too.", ["Gusts reach 20 km/h.", None, "Snow too."]),
    ("In 1990 A. Lind left.", None),
    ("It ran e.g. in Rome, i.e. Italy, vs. Ann.", None),
    ("東京は大きい。京都は古い。", ["東京は大きい。", "京都は古い。"]),
    ("Ann left in Rome. he stayed.", ["Ann left in Rome.", "he stayed."]),
    ("The version 2.0.1 runs. See a.b.com now.", ["The version 2.0.1 runs.", "See a.b.com now."]),
    (
        "It opened in 1990.It is old. See St.John or Node.js now.",
        ["It opened in 1990.", None, None],
    ),
    ("One sentence", None),
    ("  spaced .  ", ["spaced ."]),
    ("...", None),
    ("Wait ! ) ***", None),
    ("", []),
    (" \n ", []),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=range(len(SENTENCES)))
def test_sentences(text: str, expected: list[str | None] | None) -> None:
    """None stands for the whole text, and in a list for what is left."""
    found = [text[start:end] for start, end in split_sentences(text)]
    if expected is None:
        assert found == [text]
    else:
        assert len(found) == len(expected), found
        for one, wanted in zip(found, expected, strict=True):
            assert wanted is None or one == wanted


CLAUSES = [
    ("Ann sings.", ["Ann sings."]),
    ("Ann, who is a cook, lives in Rome.", ["Ann, who is a cook,", "lives in Rome."]),
    ("Ann Lee, who is a cook, sings in Rome.", ["Ann Lee,", "who is a cook,", "sings in Rome."]),
    ("The inn has 1,234 beds, and it is old.", ["The inn has 1,234 beds,", "and it is old."]),
    ("It had 1 , 234 beds in all.", ["It had 1 , 234 beds in all."]),
    ("She was born on May 3, 1990, in Rome.", ["She was born on May 3, 1990,", "in Rome."]),
    ("It opened in May, 1990 and closed.", ["It opened in May, 1990 and closed."]),
    ("The inn is in Rome, Italy, near it.", ["The inn is in Rome, Italy,", "near it."]),
    ("The bar is cheap; the food is good.", ["The bar is cheap;", "the food is good."]),
    ("The bar is cheap — the food is good.", ["The bar is cheap —", "the food is good."]),
    ("the inn which is old is in rome", ["the inn", "which is old is in rome"]),
    ("the inn in which she sings is old", ["the inn", "in which she sings is old"]),
    (
        "It is a bar that is old and was built in 1990.",
        ["It is a bar", "that is old", "and was built in 1990."],
    ),
    ("It is located in Rome.", ["It is located in Rome."]),
    ("It was originally built in Rome.", ["It was originally built in Rome."]),
    ("The inn located in Rome is old.", ["The inn", "located in Rome is old."]),
    ("The Rome born cook designed many inns.", ["The Rome born cook designed many inns."]),
    ("It has the inn and the bar in Rome.", ["It has the inn and the bar in Rome."]),
    ("The inn is old and the small bar is new.", ["The inn is old", "and the small bar is new."]),
    ("He wrote “one, two, three” in May.", ["He wrote “one, two, three” in May."]),
    ("The inn (small, old, cold) is closed.", ["The inn (small, old, cold) is closed."]),
    ("It is red, white and blue, too.", ["It is red,", "white and blue, too."]),
    ("a, b, c, d", ["a, b,", "c, d"]),
    ("Yes.", ["Yes."]),
]


@pytest.mark.parametrize(("text", "expected"), CLAUSES, ids=range(len(CLAUSES)))
def test_clauses(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in split_clauses(text, 0, len(text))] == expected


def test_clauses_of_a_later_sentence_stand_where_they_stand() -> None:
    text = "It is, so to say, here. The bar is cheap; the food is good. Not, at all, here."
    first, last = split_sentences(text)[1]
    assert [text[start:end] for start, end in split_clauses(text, first, last)] == [
        "The bar is cheap;",
        "the food is good.",
    ]


def _hold(text: str, spans: list[tuple[int, int]], start: int, end: int) -> None:
    """In order, apart, inside, without space around, and all there is."""
    place = start
    for first, last in spans:
        assert place <= first < last <= end
        assert text[first:last] == text[first:last].strip()
        assert not text[place:first].strip()
        place = last
    assert not text[place:end].strip()


@given(text=TEXTS)
@example(text="A. A。A")
def test_sentences_hold_everything_and_stay_whole(text: str) -> None:
    found = split_sentences(text)
    _hold(text, found, 0, len(text))
    for start, end in found:
        assert split_sentences(text[start:end]) == [(0, end - start)]


@given(text=TEXTS)
def test_clauses_hold_everything_and_stay_whole(text: str) -> None:
    for start, end in split_sentences(text):
        found = split_clauses(text, start, end)
        _hold(text, found, start, end)
        assert len(found) == 1 or all(count_words(text[one:other]) > 1 for one, other in found)
        for one, other in found:
            assert split_clauses(text, one, other) == [(one, other)]


def test_a_long_text_takes_no_time() -> None:
    text = "It is so . " * 3000 + "a . " * 3000
    assert len(split_sentences(text)) >= 3000
    assert sum(len(split_clauses(text, start, end)) for start, end in split_sentences(text)) >= 3000


def test_the_clauses_around_a_span() -> None:
    text = "It is red, weighs 5 kg, and costs 3 euros."
    place = text.index("5 kg")
    assert text[slice(*clauses_around(text, place, place + 4, (0, len(text))))] == "weighs 5 kg"
    both = clauses_around(text, place, text.index("euros") + 5, (0, len(text)))
    assert text[slice(*both)] == "weighs 5 kg, and costs 3 euros"


@pytest.mark.parametrize(
    "text", ["Ann 1957 " * 900, "東京都" * 900, "p.m. " * 900, "a" * 3000 + "."]
)
def test_a_sentence_is_never_longer_than_the_longest(text: str) -> None:
    spans = split_sentences(text)
    assert max(end - start for start, end in spans) <= LONGEST_SENTENCE
    assert "".join(text[start:end] for start, end in spans).replace(" ", "") == text.replace(
        " ", ""
    )
    assert all(
        sentence_at(text, place) == (start, end)
        for start, end in spans
        for place in (start, end - 1)
    )


@given(TEXTS)
def test_the_sentence_at_a_place_is_the_one_that_has_it(text: str) -> None:
    for start, end in split_sentences(text):
        assert sentence_at(text, start) == sentence_at(text, end - 1) == (start, end)
