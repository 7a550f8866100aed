"""Labels: from an entity as the data writes it to readable words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.text.labels import label_of


@pytest.mark.parametrize(
    ("entity", "base", "qualifier"),
    [
        ("Aarhus_Airport", "Aarhus Airport", ""),
        ("Mermaid_(Train_song)", "Mermaid", "Train song"),
        ('"52.0"(minutes)', "52.0", "minutes"),
        ("610.0 (metres)", "610.0", "metres"),
        ('"25.3"^^xsd:double', "25.3", ""),
        ('"Zürich"@de', "Zürich", ""),
        ('"Celery, salt"', "Celery, salt", ""),
        ("“Quoted”", "Quoted", ""),
        ("windowCleaning", "window Cleaning", ""),
        ("iPhone", "i Phone", ""),
        ("McDonald", "McDonald", ""),
        ("USAToday", "USAToday", ""),
        ("Air_(a_(b))", "Air (a (b))", ""),
        ("(410777)_2009_FD", "(410777) 2009 FD", ""),
        ("(only)", "(only)", ""),
        ("  a  _ b\t", "a b", ""),
        ("http://example.org/A_b", "http://example.org/A_b", ""),
        ("<http://example.org/A_b>", "http://example.org/A_b", ""),
        ("", "", ""),
        ('"', '"', ""),
    ],
)
def test_labels(entity: str, base: str, qualifier: str) -> None:
    label = label_of(entity)
    assert (label.base, label.qualifier) == (base, qualifier)
    assert label.string == (f"{base} ({qualifier})" if qualifier else base)


@given(st.text())
def test_any_string_has_a_label(entity: str) -> None:
    label = label_of(entity)
    assert label.base in label.string
    assert bool(label.string) == bool(entity.replace("_", " ").strip()) or entity.startswith('"')
