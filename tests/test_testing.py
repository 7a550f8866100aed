"""Adequacy as an assertion and as a pytest fixture."""

from __future__ import annotations

import subprocess
import sys

import pytest

from adequa.errors import SettingError, UnknownName
from adequa.testing import assert_adequate

GRAPH = "Alba | homePort | Oban && Alba | yearOfConstruction | 1998"


def test_an_adequate_text_gives_its_result():
    result = assert_adequate(GRAPH, "The Alba was built in 1998. Its home port is Oban.")
    assert result.verdict == "OK"


def test_the_message_lists_omissions_and_unsupported_words():
    with pytest.raises(AssertionError) as caught:
        assert_adequate(GRAPH, "The home port of the Alba is Ullapool.", metrics=["esa"])
    told = str(caught.value)
    assert "omission: no mention of '1998' (Alba | yearOfConstruction | 1998)" in told
    assert "unsupported: 'Ullapool'" in told
    assert "scores: esa 0." in told


def test_a_kind_of_fault_may_be_allowed():
    text = "The home port of the Alba is Oban."
    with pytest.raises(AssertionError):
        assert_adequate(GRAPH, text, metrics=["esa"])
    assert assert_adequate(GRAPH, text, metrics=["esa"], allow=["omission"]).verdict == "omission"
    with pytest.raises(UnknownName):
        assert_adequate(GRAPH, text, allow=["mistakes"])


def test_an_ok_of_too_little_confidence_does_not_pass():
    text = "The Alba was built in 1998. Its home port is Oban."
    assert assert_adequate(GRAPH, text, min_confidence=0.01).verdict == "OK"
    with pytest.raises(AssertionError, match=r"the confidence is 0.*below 1"):
        assert_adequate(GRAPH, text, min_confidence=1)
    with pytest.raises(SettingError, match="no metric knows how sure"):
        assert_adequate(GRAPH, text, metrics=["esa"], min_confidence=0.5)


def test_a_text_without_a_verdict_does_not_pass():
    with pytest.raises(SettingError, match="no metric gave a verdict"):
        assert_adequate(GRAPH, "The Alba.", metrics=["similarity"])


def test_the_fixture_is_there_in_somebody_elses_tests(tmp_path):
    (tmp_path / "test_texts.py").write_text(
        "def test_good(assert_adequate):\n"
        "    assert_adequate('Alba | homePort | Oban', 'The home port of the Alba is Oban.')\n"
        "def test_bad(assert_adequate):\n"
        "    assert_adequate('Alba | homePort | Oban', 'The Alba is a ship.')\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "1 failed, 1 passed" in found.stdout, found.stdout + found.stderr
    assert "missing: Alba | homePort | Oban" in found.stdout
    assert "test_texts.py:4: AssertionError" in found.stdout
