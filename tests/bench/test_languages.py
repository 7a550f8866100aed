"""The bench of languages: what counts as right."""

from __future__ import annotations

from bench import languages

GROUP = {
    "lang": "de",
    "triples": [["Vienna", "areaKm2", "414.87"]],
    "terms": {"Vienna": {"labels": {"de": "Wien"}}},
    "faithful": ["Die Stadt Wien hat eine Fläche von 414,87 km²."],
    "wrong": [
        {"text": "Die Stadt Wien hat eine Fläche von 441,87 km².", "kind": "wrong_value", "of": 0},
        {"text": "The city of Graz has an area of 414.87 km².", "kind": "missing", "of": 0},
    ],
}


def test_what_is_right() -> None:
    texts = languages.judge([GROUP])
    assert [text.fault for text in texts] == [None, "wrong_value", "missing"]
    assert [text.is_right for text in texts] == [True, True, True]
    assert [text.recognised for text in texts] == [True, True, False]
    assert languages.figures(texts) == {"right in German": 1.0}
    row = languages.table(texts).rows[0]
    assert row == ["German", 1, 1.0, 2, 1.0, 1.0, 2 / 3]
