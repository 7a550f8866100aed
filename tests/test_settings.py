"""Settings: parsing, building, signatures."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.errors import DataError, SettingError, UnknownName
from adequa.settings import Spec, build, content_hash, plain_settings, settings_of, signature


@dataclass(frozen=True)
class Thing:
    needed: int
    ratio: float = 0.5
    on: bool = False
    mode: Literal["slow", "fast"] = "slow"
    names: tuple[str, ...] = ()
    file: Path | None = None
    made: object = field(default=None, metadata={"doc": "an object"})


def test_the_written_form() -> None:
    assert Spec.parse("chrf") == Spec("chrf", {})
    assert Spec.parse("big=nli:model=a/b,n=3") == Spec("nli", {"model": "a/b", "n": "3"}, "big")
    assert Spec.parse(r"x:a=1\,2,b=C:\dir=y").settings == {"a": "1,2", "b": r"C:\dir=y"}


@pytest.mark.parametrize("text", ["", ":a=1", "=x", "x:a", "x:=1", "x:a=1,a=2"])
def test_a_broken_form_is_refused(text: str) -> None:
    with pytest.raises(SettingError):
        Spec.parse(text)


@given(st.dictionaries(st.from_regex(r"[a-z]+", fullmatch=True), st.text(min_size=1), max_size=3))
def test_any_value_can_be_written(settings: dict[str, str]) -> None:
    def escaped(value: str) -> str:
        return value.replace(",", r"\,")

    # A backslash before a comma, or last in a value, has no written form: set it from Python.
    if any(value.endswith("\\") or "\\," in value for value in settings.values()):
        return
    text = "x:" + ",".join(f"{key}={escaped(value)}" for key, value in settings.items())
    assert Spec.parse(text).settings == settings


def test_text_becomes_the_field_type() -> None:
    texts = {
        "needed": "3",
        "ratio": "1e-2",
        "on": "Yes",
        "mode": "fast",
        "names": "a+b",
        "file": "f",
    }
    assert build("thing", Thing, texts) == Thing(3, 0.01, True, "fast", ("a", "b"), Path("f"))


def test_settings_survive_as_text(tmp_path: Path) -> None:
    thing = Thing(3, 0.1, True, "fast", ("a", "b"), tmp_path)
    plain = plain_settings(thing)
    del plain["made"]
    assert build("thing", Thing, plain) == thing


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "needs the setting needed"),
        ({"needed": "x"}, "whole number"),
        ({"needed": "1", "ratio": "nan"}, "finite"),
        ({"needed": "1", "ratio": "a"}, "is a number"),
        ({"needed": "1", "on": "perhaps"}, "true or false"),
        ({"needed": "1", "mode": "medium"}, "one of slow, fast"),
        ({"needed": "1", "made": "x"}, "set it from Python"),
    ],
)
def test_a_value_that_does_not_fit_is_named(settings: dict[str, str], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        build("thing", Thing, settings)


def test_an_unknown_setting_lists_the_known() -> None:
    with pytest.raises(UnknownName, match="did you mean 'ratio'"):
        build("thing", Thing, {"needed": "1", "ration": "1"})


def test_settings_describe_themselves() -> None:
    listed = {setting.name: setting for setting in settings_of(Thing)}
    assert listed["needed"].default == "required"
    assert listed["mode"].type == "slow|fast"
    assert listed["names"].type == "text+…"
    assert listed["file"].type == "path"
    assert listed["made"].doc == "an object"


def test_a_signature_stays_parsable_with_any_value() -> None:
    text = signature("m", {"a": "x|y:z%", "b": None, "c": (1, 2)}, "1.0")
    assert text == "m|a:x%7Cy%3Az%25|b:none|c:1+2|version:1.0"
    assert all(part.count(":") == 1 for part in text.split("|")[1:])


values = st.none() | st.booleans() | st.text(max_size=5) | st.from_regex(r"\\*(none|true|\+)")
tuples = st.lists(st.text(max_size=3) | st.text("x+\\", max_size=4), max_size=3).map(tuple)


@given(tuples, tuples)
def test_tuples_are_written_injectively_and_read_back(
    first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    written = [plain_settings(Thing(1, names=names))["names"] for names in (first, second)]
    assert (written[0] == written[1]) == (first == second)
    assert build("thing", Thing, {"needed": "1", "names": written[0]}).names == first
    signed = [signature("m", {"names": names}, "1") for names in (first, second)]
    assert (signed[0] == signed[1]) == (first == second)


@given(values, values)
def test_values_of_other_types_have_other_signatures(first: object, second: object) -> None:
    signed = [signature("m", {"a": value}, "1") for value in (first, second)]
    assert (signed[0] == signed[1]) == (first == second)


def test_ignoring_two_predicates_is_not_ignoring_one_with_a_plus() -> None:
    one, two = signature("m", {"i": ("x+y",)}, "1"), signature("m", {"i": ("x", "y")}, "1")
    assert one != two == "m|i:x+y|version:1"


def test_the_hash_of_a_folder_separates_names_and_contents(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (one / "a").write_bytes(b"xb\0y")
    (two / "a").write_bytes(b"x")
    (two / "b").write_bytes(b"y")
    assert content_hash(one) != content_hash(two)


def test_a_path_is_signed_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    (tmp_path / "b").write_text("one")
    (tmp_path / "c").write_text("two")
    first, same, other = (content_hash(tmp_path / name) for name in "abc")
    assert first == same != other
    assert str(tmp_path) not in signature("m", {"file": tmp_path / "a"}, "1")
    before = content_hash(tmp_path)
    (tmp_path / "d").write_text("new")
    assert content_hash(tmp_path) != before
    with pytest.raises(DataError, match="cannot be read"):
        content_hash(tmp_path / "absent")
