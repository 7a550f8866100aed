"""The number words of other languages, read by the reader of numbers."""

from __future__ import annotations

import pytest

from adequa.text.languages import LANGUAGES
from adequa.text.values import find_numbers


@pytest.mark.parametrize(
    ("code", "words", "value"),
    [
        ("de", "achtzig", 80),
        ("de", "achtzehn", 18),
        ("de", "zweihundertfünfundvierzig", 245),
        ("de", "zweitausendfünfhundert", 2500),
        ("fr", "soixante et onze", 71),
        ("fr", "quatre-vingt-dix-neuf", 99),
        ("fr", "deux cent quatre-vingts", 280),
        ("fr", "mille neuf cent trois", 1903),
        ("es", "treinta y cinco", 35),
        ("es", "dos mil trescientos cuarenta y uno", 2341),
        ("es", "veintidós", 22),
        ("it", "ventotto", 28),
        ("it", "duemilatrecento", 2300),
        ("pt", "cento e noventa e oito", 198),
        ("nl", "vijfenveertig", 45),
        ("nl", "drieëntwintig", 23),
        ("cs", "tři sta dvacet", 320),
        ("cs", "pětadvacet", 25),
        ("cs", "šesti", 6),
        ("ru", "триста двадцать", 320),
        ("ru", "двадцать одну", 21),
        ("ru", "две тысячи пять", 2005),
    ],
)
def test_numbers_in_words(code: str, words: str, value: int) -> None:
    (span,) = find_numbers(words, LANGUAGES[code])
    assert (span.start, span.end) == (0, len(words))
    assert [int(reading.value) for reading in span.readings] == [value]
    assert span.words


@pytest.mark.parametrize(
    ("code", "word"), [("de", "eine"), ("fr", "un"), ("it", "una"), ("nl", "een")]
)
def test_an_article_is_not_a_number(code: str, word: str) -> None:
    assert find_numbers(f"{word} x", LANGUAGES[code]) == []
