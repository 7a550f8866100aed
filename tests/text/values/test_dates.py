from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adequa.text.languages import LANGUAGES
from adequa.text.values import dates
from adequa.text.values.dates import Date, DateMatch, compare_dates, date_of, find_dates

FULL = Date(1986, 4, 15)


@pytest.mark.parametrize(
    "text",
    [
        "15 April 1986",
        "15th April 1986",
        "15th of April 1986",
        "15th of April, 1986",
        "15th day of April 1986",
        "15 April, 1986",
        "April 15, 1986",
        "April 15,1986",
        "April 15th 1986",
        "April 15th, 1986",
        "April the 15th, 1986",
        "April 15th in 1986",
        "Apr. 15 1986",
        "Apr 15, 1986",
        "15-Apr-1986",
        "1986-04-15",
        "1986-04-15T00:00:00Z",
        "15/04/1986",
        "04/15/1986",
        "15.04.1986",
        "1986/04/15",
        "1986 04 15",
        "1986, April 15",
        "april 15 , 1986",
        "april 15 th , 1986",
        "15 - 04 - 1986",
        "1986 - 04 - 15",
        "15 apr . 1986",
        "Tuesday, 15 April 1986",
        "tuesday , april 15 , 1986",
        "fifteenth of April 1986",
        "April fifteenth, 1986",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "It was on {} that it began.", "(the {})", "the {} ."])
def test_a_full_date_in_every_usual_form(frame: str, text: str) -> None:
    framed = frame.format(text)
    (span,) = find_dates(framed)
    assert framed[span.start : span.end] == text
    assert span.readings == (FULL,)


@pytest.mark.parametrize(
    ("text", "found", "reading"),
    [
        ("the 15th of April", "15th of April", Date(None, 4, 15)),
        ("on April 15 he", "April 15", Date(None, 4, 15)),
        ("in April of 1986", "April of 1986", Date(1986, 4, None)),
        ("in April 1986.", "April 1986", Date(1986, 4, None)),
        ("in January, 2014", "January, 2014", Date(2014, 1, None)),
        ("in Dec. 2008", "Dec. 2008", Date(2008, 12, None)),
        ("15 Apr. It", "15 Apr", Date(None, 4, 15)),
        ("on the twenty-first of july", "twenty-first of july", Date(None, 7, 21)),
        ("the thirty - first of May", "thirty - first of May", Date(None, 5, 31)),
        ("on 5 may it", "5 may", Date(None, 5, 5)),
        ("the 5th may", "5th may", Date(None, 5, 5)),
        ("built in 1986, it", "1986", Date(1986, None, None)),
        ("died in 1986 . he", "1986", Date(1986, None, None)),
        ("the mid-1986 film", "1986", Date(1986, None, None)),
        ("a 1986-built ship", "1986", Date(1986, None, None)),
        ("1986's best film", "1986", Date(1986, None, None)),
        ("in 1986-05 he", "1986-05", Date(1986, 5, None)),
    ],
)
def test_partial_dates(text: str, found: str, reading: Date) -> None:
    (span,) = find_dates(text)
    assert text[span.start : span.end] == found
    assert span.readings == (reading,)


def test_an_ambiguous_date_has_both_readings_day_first() -> None:
    (span,) = find_dates("on 03/04/2005")
    assert span.readings == (Date(2005, 4, 3), Date(2005, 3, 4))
    (span,) = find_dates("on 04/04/2005")
    assert span.readings == (Date(2005, 4, 4),)


def test_both_years_of_a_range() -> None:
    for text in ("1986-1990", "1986–1990", "1986 - 1990", "1986 to 1990", "1986/1990"):
        assert [text[s.start : s.end] for s in find_dates(text)] == ["1986", "1990"]


def test_dates_side_by_side() -> None:
    text = "between May 1950 and 5 August 1956, and in 1960"
    assert [s.readings[0] for s in find_dates(text)] == [
        Date(1950, 5, None),
        Date(1956, 8, 5),
        Date(1960, None, None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "May",
        "In March and August",
        "he may be 15",
        "15 may be enough",
        "the first march on the capital",
        "the 1980s",
        "the 1980's",
        "the 1980 's music",
        "1,986 people",
        "1986.5",
        "1986 . 0",
        "$1986",
        "1986%",
        "A1986",
        "F-1986",
        "1986b",
        "ISSN 1046-8188",
        "0-1986-3",
        "the 2014–15 season",
        "the 2003-04 season",
        "runway 11/29",
        "10:30",
        "45/45/1986",
        "April 15,000 people",
        "9999",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert find_dates(text) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"1986-04-15"', FULL),
        ("1986-04-15T00:00:00Z", FULL),
        ("1986-04-15+02:00", FULL),
        ('"1986-04-15T10:00:00.5+02:00"^^<http://www.w3.org/2001/XMLSchema#dateTime>', FULL),
        ('"15 April 1986"^^xsd:date', FULL),
        ('"15 April 1986"@en', FULL),
        ("April_15,_1986", FULL),
        ("the 15th of April 1986", FULL),
        ("1986-04", Date(1986, 4, None)),
        ("1986-00-00", Date(1986, None, None)),
        ('"1 June 2009"', Date(2009, 6, 1)),
        ("June 2009", Date(2009, 6, None)),
        ("1986", Date(1986, None, None)),
        ("2100", Date(2100, None, None)),
        ('"0986"^^xsd:gYear', Date(986, None, None)),
        ("--04-15", Date(None, 4, 15)),
        ("", None),
        ("0986", None),
        ("2101", None),
        ("1986.0", None),
        ('"1046-8188"', None),
        ("1986-13-01", None),
        ("1986-04-32", None),
        ("03/04/2005", None),
        ('"1986"^^xsd:integer', None),
        ("born 1986", None),
        ("1986 film", None),
        ("Sold on 1 April 1948", None),
        ("May 1950 - August 1956", None),
        ("2014–15_Serie_A", None),
    ],
)
def test_a_data_value(value: str, expected: Date | None) -> None:
    assert date_of(value) == expected


@pytest.mark.parametrize(
    ("value", "seen", "expected"),
    [
        (FULL, FULL, DateMatch.SAME),
        (FULL, Date(1986, None, None), DateMatch.PARTIAL),
        (FULL, Date(1986, 4, None), DateMatch.PARTIAL),
        (FULL, Date(None, 4, 15), DateMatch.PARTIAL),
        (Date(1986, None, None), FULL, DateMatch.PARTIAL),
        (Date(1986, 1, 1), Date(1986, None, None), DateMatch.PARTIAL),
        (FULL, Date(1986, 4, 16), DateMatch.CONFLICT),
        (FULL, Date(1987, None, None), DateMatch.CONFLICT),
        (Date(2005, 4, 3), Date(2005, 3, 4), DateMatch.CONFLICT),
        (Date(1986, None, None), Date(None, 4, 15), DateMatch.CONFLICT),
    ],
)
def test_agreement(value: Date, seen: Date, expected: DateMatch) -> None:
    assert compare_dates(value, seen) is expected


DATES = st.dates(date(1000, 1, 1), date(2099, 12, 31))
FORMS = ["%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%d-%b-%Y", "%A, %d %B %Y", "%b. %d %Y"]


@given(DATES, st.sampled_from(FORMS), st.booleans())
@settings(deadline=None)
def test_every_day_is_read_back(day: date, form: str, lower: bool) -> None:
    written = day.strftime(form.replace("b.", "b" if day.month == 5 else "b."))
    written = written.lower() if lower else written
    text = f"it opened on {written} ."
    (span,) = find_dates(text)
    assert text[span.start : span.end] == written
    assert span.readings == (Date(day.year, day.month, day.day),)
    assert date_of(f'"{written}"') == span.readings[0]


PIECES = st.lists(
    st.sampled_from(
        ["1986", "15", "th", " ", "-", "/", ".", ",", "April", "may", "of", "the", "04", "first",
         "twenty", "Friday", "İ", "s", "'", "\n", "–", "T10:00", "é"]
    )
).map("".join)  # fmt: skip


@given(st.one_of(st.text(), PIECES))
@example("İ 15 April 1986")
@settings(deadline=None, max_examples=300)
def test_any_text_gives_ordered_spans_that_slice_it(text: str) -> None:
    date_of(text)
    position = 0
    for span in find_dates(text):
        assert position <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        assert span.readings
        assert all(compare_dates(reading, reading) is DateMatch.SAME for reading in span.readings)
        position = span.end


@pytest.mark.parametrize(
    "piece", ["1", "1986", "1,", "1-", "1986 - ", "5 may ", "twenty-", "monday , ", "april ", " "]
)
def test_a_long_text_takes_bounded_time(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    start = time.process_time()
    find_dates(text)
    # Linear takes well below a second; quadratic would take many minutes.
    assert time.process_time() - start < 8


_WORDS = [
    *("5", "may", "1986", "15,000", "sept", ".", "-", "twenty-first", "of", "the", "monday", "day"),
    *("2003-04", "03/04/2005", "mayor", "april", "wednesday,", "twelfth", "é5", "x1990", "1990s"),
]


@given(st.lists(st.sampled_from(_WORDS), max_size=12), st.sampled_from(["", " ", "  "]))
def test_dates_are_looked_for_only_where_one_can_begin(words: list[str], gap: str) -> None:
    lower = gap.join(words)
    months = dates._find_months(lower)
    assert months == [match.start() for match in dates._MONTH_NAME.finditer(lower)]
    found, slow = dates._find_any(lower, 0, months), dates._ALL_DATES.search(lower)
    assert (found and found.span()) == (slow and slow.span())
    found, slow = dates._find_numeric(lower, 0), dates._NUMERIC_DATES.search(lower)
    assert (found and found.span()) == (slow and slow.span())


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("de", "am 1. Oktober 2009", Date(2009, 10, 1)),
        ("de", "am 3.4.2009", Date(2009, 4, 3)),
        ("fr", "le 1er mai 2001", Date(2001, 5, 1)),
        ("fr", "le premier mai 2001", Date(2001, 5, 1)),
        ("es", "el 1 de junio de 2006", Date(2006, 6, 1)),
        ("it", "dell'8 ottobre 2018", Date(2018, 10, 8)),
        ("it", "il 1º maggio 1998", Date(1998, 5, 1)),
        ("pt", "a 6 de agosto de 1966", Date(1966, 8, 6)),
        ("nl", "op 12 september 2012", Date(2012, 9, 12)),
        ("cs", "1. října 1938", Date(1938, 10, 1)),
        ("cs", "v září 2001", Date(2001, 9, None)),
        ("ru", "1 октября 1938 года", Date(1938, 10, 1)),
    ],
)
def test_dates_in_other_languages(code: str, text: str, expected: Date) -> None:
    (span,) = find_dates(text, LANGUAGES[code])
    assert span.readings == (expected,)


def test_a_number_after_a_month_and_a_comma_is_not_its_day() -> None:
    assert not any(
        reading.day
        for one in find_dates("Of the books sold in March, 23 were returned.")
        for reading in one.readings
    )
