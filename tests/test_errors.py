"""Errors: one line each, with place and remedy."""

from __future__ import annotations

import pickle

import adequa.errors
from adequa.errors import (
    AdequaError,
    DataError,
    MissingExtra,
    ServiceError,
    SettingError,
    UnknownName,
)


def test_a_data_error_has_problem_place_and_remedy() -> None:
    error = DataError("is empty", path="a.jsonl", line=3, remedy="fill it")
    assert str(error) == "a.jsonl:3: is empty; fill it"


def test_a_place_is_added_once() -> None:
    error = DataError("is empty").at("a.jsonl", 3).at("b.jsonl", 4)
    assert str(error) == "a.jsonl:3: is empty"


def test_a_message_is_always_one_line() -> None:
    assert str(SettingError("a\nvalue\twith\r\nlines")) == "a value with lines"
    assert "\n" not in str(DataError("a\nb", path="p", remedy="c\nd"))


def test_an_unknown_name_offers_the_nearest() -> None:
    message = str(UnknownName("metric", "blue", ["bleu", "ter"]))
    assert "did you mean 'bleu'?" in message
    assert "bleu, ter" in message


def test_a_missing_extra_names_the_command() -> None:
    assert "pip install 'adequa[hf]'" in str(MissingExtra("hf", "evaluate"))


def test_a_service_error_has_service_problem_and_remedy() -> None:
    error = ServiceError("http://localhost:5555", "broke\noff", "start it again")
    assert str(error) == "http://localhost:5555: broke off; start it again"
    assert str(ServiceError("stanza", "failed")) == "stanza: failed"


def test_errors_cross_process_borders() -> None:
    for error in (
        DataError("p", path="a", line=1, remedy="r"),
        UnknownName("metric", "x", ["y"]),
        MissingExtra("hf", "evaluate"),
        ServiceError("http://localhost:5555", "refused the connection", "start it"),
    ):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    for name in adequa.errors.__all__:
        assert name in (adequa.errors.__doc__ or "")
        assert issubclass(getattr(adequa.errors, name), AdequaError)
