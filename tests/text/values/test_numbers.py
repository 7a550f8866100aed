from __future__ import annotations

import decimal
import time
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adequa.text.languages import LANGUAGES
from adequa.text.values import numbers
from adequa.text.values.numbers import (
    Quantity,
    find_numbers,
    interval_of,
    is_converted,
    is_rounded,
    is_same,
    quantity_of,
)
from adequa.text.values.units import UNITS, literal_of, lowered, unit_in, unit_named


def read(text: str) -> list[tuple[str, str, str, str | None]]:
    """Number, the rest up to the end of its unit, first value, unit."""
    return [
        (
            text[span.start : span.end],
            text[span.end : span.unit_end],
            str(span.readings[0].value),
            span.readings[0].unit,
        )
        for span in find_numbers(text)
    ]


@pytest.mark.parametrize(
    ("text", "number", "rest", "value", "unit"),
    [
        ("16800", "16800", "", "16800", None),
        ("16,800", "16,800", "", "16800", None),
        ("16\u2009800", "16\u2009800", "", "16800", None),
        ("16\u00a0800\u00a0000", "16\u00a0800\u00a0000", "", "16800000", None),
        ("16 , 800", "16 , 800", "", "16800", None),
        ("1 , 234 , 567", "1 , 234 , 567", "", "1234567", None),
        ("12,34,567", "12,34,567", "", "1234567", None),
        ("1.234.567", "1.234.567", "", "1234567", None),
        ("1.234,5", "1.234,5", "", "1234.5", None),
        ("3,5", "3,5", "", "3.5", None),
        ("0,800", "0,800", "", "0.800", None),
        ("16.8 thousand", "16.8 thousand", "", "1.68E+4", None),
        ("3.5 million", "3.5 million", "", "3.5E+6", None),
        ("1.6 x 10^4", "1.6 x 10^4", "", "1.6E+4", None),
        ("1.6×10⁴", "1.6×10⁴", "", "1.6E+4", None),
        ("1.6e4", "1.6e4", "", "1.6E+4", None),
        ("20769100000. 0", "20769100000. 0", "", "20769100000.0", None),
        ("89 . 0", "89 . 0", "", "89.0", None),
        ("1,234 . 5", "1,234 . 5", "", "1234.5", None),
        ("12 percent", "12", " percent", "12", "percent"),
        ("12 %", "12", " %", "12", "percent"),
        ("12 per cent", "12", " per cent", "12", "percent"),
        ("-4", "-4", "", "-4", None),
        ("minus 71 degrees Celsius", "minus 71", " degrees Celsius", "-71", "degree Celsius"),
        ("185cm", "185", "cm", "185", "centimetre"),
        ("5km", "5", "km", "5", "kilometre"),
        ("30ft", "30", "ft", "30", "foot"),
        ("45-metre", "45", "-metre", "45", "metre"),
        ("45-floor", "45", "", "45", None),
        ("under-17", "17", "", "17", None),
        ("185.0 (centimetres)", "185.0", " (centimetres)", "185.0", "centimetre"),
        ("9.5 ( kilometres )", "9.5", " ( kilometres )", "9.5", "kilometre"),
        ("7 (seven", "7", "", "7", None),
        ("60 km/h", "60", " km/h", "60", "kilometre per hour"),
        ("100 km²", "100", " km²", "100", "square kilometre"),
        ("8 sq. mi", "8", " sq. mi", "8", "square mile"),
        (
            "8.5 people per sq km",
            "8.5",
            " people per sq km",
            "8.5",
            "inhabitant per square kilometre",
        ),
        ("$ 5 million", "$ 5 million", "", "5E+6", "US dollar"),
        ("US$5m", "US$5m", "", "5E+6", "US dollar"),
        ("£5bn", "£5bn", "", "5E+9", "pound sterling"),
        ("5 million Australian dollars", "5 million", " Australian dollars", "5E+6",
         "Australian dollar"),
        ("sixteen thousand eight hundred", "sixteen thousand eight hundred", "", "16800", None),
        ("two thousand and five", "two thousand and five", "", "2005", None),
        ("three hundred thousand", "three hundred thousand", "", "300000", None),
        ("ninety-nine", "ninety-nine", "", "99", None),
        ("a dozen", "a dozen", "", "12", None),
        ("two dozen", "two dozen", "", "24", None),
        ("a hundred", "a hundred", "", "100", None),
        ("Fifty percent", "Fifty", " percent", "50", "percent"),
        ("five second", "five", " second", "5", "second"),
    ],
)  # fmt: skip
def test_one_number(text: str, number: str, rest: str, value: str, unit: str | None) -> None:
    for frame in ("{}", "It has {} .", "It is {}, and", "lo ({})"):
        framed = frame.format(text)
        found = read(framed)
        assert found[0] == (number, rest, value, unit)
        assert len(found) == (2 if "seven" in text else 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("first", 1), ("second", 2), ("fifth", 5), ("twelfth", 12), ("twentieth", 20),
        ("twenty-first", 21), ("one hundred and first", 101), ("21st", 21), ("18 th", 18),
        ("1,000th", 1000), ("11th", 11), ("4th-floor", 4),
    ],
)  # fmt: skip
def test_ordinals(text: str, value: int) -> None:
    (span,) = find_numbers(f"the {text} time")
    assert span.ordinal
    assert span.words is text[0].isalpha()
    assert span.readings == (Quantity(Decimal(value), None),)


def test_more_readings_where_a_number_has_more() -> None:
    assert [q.value for q in find_numbers("16.800")[0].readings] == [
        Decimal("16.800"),
        Decimal(16800),
    ]
    assert [q.value for q in find_numbers("of - 71 degrees")[0].readings] == [71, -71]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("16 800", [16, 800]),
        ("5–10 km", [5, 10]),
        ("5 - 10", [5, 10]),
        ("five and six", [5, 6]),
        ("one two three", [1, 2, 3]),
        ("April 15, 1986", [15, 1986]),
        ("built in 1932 . 300 North", [1932, 300]),
        ("6 ft 2 inches", [6, 2]),
    ],
)
def test_several_numbers(text: str, values: list[int]) -> None:
    assert [span.readings[0].value for span in find_numbers(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        "", "half", "half a dozen", "two thirds", "three-quarters", "one third", "no one", "1/2",
        "A380", "4x4", "18L/36R", "17R/35L", "B2", "F-16", "3Arena", "1-84354-0",
        "978-0-15-204770-2", "0 - 7156 - 3648 - 0", "10:30", "3.16.2", "007", "1980s", "11/29",
        "2014–15", "v1.5", "5'10", "x_5", "http://a.b/12", "1080p", "stone", "written", "1,2345,6",
        "4150,300",
    ],
)  # fmt: skip
def test_what_is_no_number(text: str) -> None:
    assert find_numbers(text) == []


@pytest.mark.parametrize(
    ("value", "number", "unit"),
    [
        ("16800", "16800", None),
        ('"16800"', "16800", None),
        ("16800.0", "16800.0", None),
        ("1.6800e4", "16800", None),
        ('"52.0"(minutes)', "52.0", "minute"),
        ("185.0 (centimetres)", "185.0", "centimetre"),
        ('"1.87452"(metres)', "1.87452", "metre"),
        ('"12,500"', "12500", None),
        ("-4", "-4", None),
        ("25.0 (kilometrePerSeconds)", "25.0", "kilometre per second"),
        ("5.0^^xsd:double", "5.0", None),
        ('"5"^^<http://dbpedia.org/datatype/kilometre>', "5", "kilometre"),
        ('"2.07691E10"', "2.07691E+10", None),
        ('"83 (miles)"', "83", "mile"),
        ('"110 million (dollars)"', "1.10E+8", "US dollar"),
        ("-71.0_(degreeCelsius)", "-71.0", "degree Celsius"),
        ("16.800", "16.800", None),
        ("52%", "52", "percent"),
    ],
)
def test_a_data_value(value: str, number: str, unit: str | None) -> None:
    quantity = quantity_of(value)
    assert quantity is not None
    assert (str(quantity.value), quantity.unit) == (number, unit)


@pytest.mark.parametrize(
    "value",
    ["", '"0004319"', "1-84354-0", "NaN", "inf", "-Infinity", "~500", "1999 SN5", "one", "first",
     "1:30", "1986-04-15", "234, 330", "3-speed", "5 (things)", "1" * 200, "٣"],
)  # fmt: skip
def test_a_value_that_is_no_quantity(value: str) -> None:
    assert quantity_of(value) is None


def quantities(value: str, seen: str) -> tuple[Quantity, Quantity]:
    first = quantity_of(value)
    assert first is not None
    return first, find_numbers(seen)[0].readings[0]


@pytest.mark.parametrize(
    ("value", "seen", "same", "rounded", "converted"),
    [
        ("5.0", "5", True, False, False),
        ("52.0 (minutes)", "52", True, True, False),
        ("8 (percent)", "8 km", False, False, False),
        ("2.07691E10", "20.8 billion", False, True, False),
        ("2.03E9", "2 billion", False, False, False),
        ("1.87452", "1.87", False, True, False),
        ("1.87452", "1.88", False, False, False),
        ("1.84", "1.80", False, False, False),
        ("16834", "16,800", False, True, False),
        ("16800", "16,000", False, False, False),
        ("16800", "-16,800", False, False, False),
        ("4.6", "5", False, False, False),
        ("185.0 (centimetres)", "1.85 m", False, False, True),
        ("185.0 (centimetres)", "6.07 feet", False, False, True),
        ("185.0 (centimetres)", "185 m", False, False, False),
        ("185.0 (centimetres)", "185 kg", False, False, False),
        ("100 (kelvins)", "-173 °C", False, False, True),
        ("300 (kelvins)", "29 °C", False, False, False),
        ("2 (hours)", "120 minutes", False, False, True),
        ("1 (squareKilometres)", "247 acres", False, False, True),
        ("36 (kilometres per hour)", "10 m/s", False, False, True),
        ("1 (euro)", "$1", False, False, False),
        ("0 (metres)", "0 feet", False, False, True),
        ("1e999 (metres)", "1 km", False, False, False),
    ],
)
def test_comparisons(value: str, seen: str, same: bool, rounded: bool, converted: bool) -> None:
    first, second = quantities(value, seen)
    assert is_same(first, second) is same
    assert is_rounded(first, second) is rounded
    assert is_converted(first, second) is converted


def test_comparisons_do_not_depend_on_the_callers_context() -> None:
    with decimal.localcontext() as context:
        context.prec = 2
        context.traps[decimal.Inexact] = True
        value, seen = quantities("20769100000", "20.8 billion")
        assert is_rounded(value, seen)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("elevationAboveTheSeaLevel_(in_metres)", "metre"),
        ("runwayLength (feet)", "foot"),
        ("populationDensity (/sqkm)", "inhabitant per square kilometre"),
        ("height in cm", "centimetre"),
        ("percentageOfAreaWater", "percent"),
        ("office (workedAt, workedAs)", None),
        ("born in Paris", None),
        ("", None),
    ],
)
def test_the_unit_of_a_predicate(name: str, unit: str | None) -> None:
    assert unit_in(name) == unit


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("squareKilometres", "square kilometre"),
        ("kilometreperseconds", "kilometre per second"),
        ("inhabitantsPerSquareKilometre", "inhabitant per square kilometre"),
        ("cubic centimetres", "cubic centimetre"),
        ("gramPerCubicCentimetres", "gram per cubic centimetre"),
        ("kelvins", "kelvin"),
        ("people per hour", None),
        ("film", None),
    ],
)
def test_units_by_name(name: str, unit: str | None) -> None:
    assert unit_named(name) == unit


def test_every_unit_is_known_by_its_canonical_name() -> None:
    assert {name: unit_named(name) for name in UNITS} == {name: name for name in UNITS}


def test_literals_lose_quotes_and_keep_their_datatype() -> None:
    assert literal_of('"5"^^xsd:double') == ("5", "double")
    assert literal_of('"52.0"(minutes)') == ("52.0 (minutes)", None)
    assert literal_of('"it\'s"@en') == ("it's", None)
    assert literal_of("plain") == ("plain", None)


@given(st.integers(-(10**15), 10**15), st.sampled_from(["{}", "{:,}", "{}.0", "{:,}.25"]))
@settings(deadline=None)
def test_every_integer_is_read_back(number: int, form: str) -> None:
    written = form.format(number)
    text = f"it has {written} of them"
    (span,) = find_numbers(text)
    assert text[span.start : span.end] == written
    assert Decimal(written.replace(",", "")) == span.readings[0].value
    quantity = quantity_of(written)
    assert quantity is not None
    assert is_same(quantity, span.readings[0])


ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spell(number: int) -> str:
    """English, the slow and readable way."""
    for size, name in ((10**6, "million"), (10**3, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            return f"{spell(number // size)} {name}" + (f" {spell(rest)}" if rest else "")
    if number < 20:
        return ONES[number]
    return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")


@given(st.integers(0, 10**9 - 1), st.booleans())
@settings(deadline=None)
def test_every_number_in_words_is_read_back(number: int, tokenised: bool) -> None:
    written = spell(number)
    written = written.replace("-", " - ") if tokenised else written.capitalize()
    (span,) = find_numbers(f"{written} of them")
    assert (span.start, span.end, span.words) == (0, len(written), True)
    assert span.readings == (Quantity(Decimal(number), None),)


PIECES = st.lists(
    st.sampled_from(
        ["1986", "5", "000", " ", "-", "/", ".", ",", ":", "$", "%", "km", "e4", "x 10^", "one",
         "hundred", "and", "million", "th", "first", "a ", "dozen", "(", ")", "İ", "–", "\u00a0",
         "²", "⁴", "per", "sq", "minus ", "_", "'"]
    )
).map("".join)  # fmt: skip


@given(st.one_of(st.text(), PIECES))
@example("İ 5 km")
@settings(deadline=None, max_examples=400)
def test_any_text_gives_ordered_spans_that_slice_it(text: str) -> None:
    quantity_of(text)
    unit_in(text)
    assert len(lowered(text)) == len(text)
    position = 0
    for span in find_numbers(text):
        assert position <= span.start < span.end <= span.unit_end <= len(text)
        assert span.readings
        assert all(quantity.value.is_finite() for quantity in span.readings)
        assert all(quantity.unit is None or quantity.unit in UNITS for quantity in span.readings)
        for quantity in span.readings:
            assert is_same(quantity, quantity)
            assert not is_converted(quantity, quantity)
            is_rounded(quantity, span.readings[0])
        position = span.unit_end


@pytest.mark.parametrize(
    "piece",
    ["1", "1,", "1 , ", "1-", "1 . ", ",111", "one ", "hundred and ", "1 (", "1e", "- ", "$ ", "("],
)
def test_a_long_text_takes_bounded_time(piece: str) -> None:
    text = "1" + piece * (300_000 // len(piece))
    start = time.process_time()
    find_numbers(text)
    quantity_of(text)
    unit_in(text)
    literal_of('"' + text)
    assert time.process_time() - start < 8


@pytest.mark.parametrize(
    ("code", "text", "value", "unit"),
    [
        ("de", "1.982.097 Einwohner", "1982097", None),
        ("de", "12 500 Leute", "12500", None),
        ("de", "3,4 Mrd. Euro", "3.4E+9", "euro"),
        ("de", "eine halbe Million", "500000", None),
        ("de", "3,125 Meter", "3.125", "metre"),
        ("fr", "1,25 milliard d'euros", "1.25E+9", "euro"),
        ("fr", "moins 3,5 degrés", "-3.5", "degree"),
        ("fr", "un million et demi", "1500000", None),
        ("es", "un cuarto de millón", "250000", None),
        ("es", "2,7 mil millones de euros", "2.7E+9", "euro"),
        ("es", "2,5 grados bajo cero", "-2.5", "degree"),
        ("it", "430mila", "4.30E+5", None),
        ("pt", "33,7 por cento", "33.7", "percent"),
        ("nl", "driekwart miljoen", "750000", None),
        ("cs", "349,50 Kč", "349.50", "Czech koruna"),
        ("ru", "1 312,5 метра", "1312.5", "metre"),
        ("ru", "6 м/с", "6", "metre per second"),
    ],
)
def test_numbers_in_other_languages(code: str, text: str, value: str, unit: str | None) -> None:
    (span,) = find_numbers(text, LANGUAGES[code])
    assert (str(span.readings[0].value), span.readings[0].unit) == (value, unit)


def test_a_point_or_comma_before_three_figures_has_two_readings() -> None:
    for text in ("12.500", "12,500"):
        (span,) = find_numbers(text, LANGUAGES["de"])
        assert {float(reading.value) for reading in span.readings} == {12.5, 12500.0}


def test_spaces_between_thousands_are_of_other_languages() -> None:
    assert len(find_numbers("12 500")) == 2
    assert len(find_numbers("2003 280", LANGUAGES["fr"])) == 2


def test_a_number_beyond_all_floats_stands_for_no_other() -> None:
    assert not interval_of(Decimal("1e871")).holds(1e300)
    assert not interval_of(Decimal("1e871"), "about").holds(0.0)


_NUMBER_WORDS = ["two", "a", "hundred", "and", "-", "six", "twenty", "sixth", "often", "_one", "."]


@given(st.lists(st.sampled_from(_NUMBER_WORDS), max_size=10), st.sampled_from(["", " ", "  "]))
def test_number_words_are_looked_for_only_at_whole_words(words: list[str], gap: str) -> None:
    lower = gap.join(words)
    found = [match.span() for match in numbers._find_runs(lower)]
    assert found == [match.span() for match in numbers._RUN.finditer(lower)]


_BEFORE_NUMBER = ["costs", "usd", "us$", "€", "minus", "negative", "-", "–", "(", "x-", "nok", "£ "]


@given(st.lists(st.sampled_from(_BEFORE_NUMBER), max_size=3), st.sampled_from(["", " ", "  "]))
def test_after_most_words_a_number_has_no_sign(words: list[str], gap: str) -> None:
    lower = "".join(word + gap for word in words)
    start, text = len(lower), lower + "5"
    money = numbers._MONEY_SIGN.search(text, max(0, start - 6), start)
    minus = numbers._MINUS.search(text, max(0, start - 11), start)
    free = numbers._FREE_MINUS.search(text, max(0, start - 3), start)
    left = numbers._left(text, text, start, None)
    if money or minus or free:
        assert left != (start, ("",), None)
    elif left is not None:
        assert left == (start, ("",), None)


@pytest.mark.parametrize("words", numbers._BEFORE.values(), ids=numbers._BEFORE)
@given(st.data())
def test_every_hedge_has_one_of_the_known_ends(words: str, data: st.DataObject) -> None:
    hedge = data.draw(st.from_regex(rf"\A(?:{words})\Z")).rstrip("\n")
    found = numbers._HEDGE.search(hedge)
    assert found is None or numbers.hedge_at(f"{hedge}5", len(hedge), len(hedge) + 1)[0] != "none"
