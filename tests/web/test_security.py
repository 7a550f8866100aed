"""Requests of other sites are refused; links and sessions give one role, and none can be forged."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from adequa.errors import DataError
from adequa.web.security import Session, Sessions, SignedTokens, is_own_origin, load_secret


@pytest.mark.parametrize(
    ("headers", "is_own"),
    [
        ({}, True),
        ({"origin": "http://here:8000"}, True),
        ({"origin": "https://study.org"}, True),
        ({"origin": "null"}, True),
        ({"origin": "null", "sec-fetch-site": "same-origin"}, True),
        ({"origin": "null", "sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"origin": "http://here:8001"}, False),
        ({"origin": "http://here.evil.org:8000"}, False),
        ({"origin": ""}, False),
    ],
)
def test_origins(headers: dict[str, str], is_own: bool) -> None:
    assert is_own_origin({"host": "here:8000", **headers}, "https://study.org/x") is is_own


TOKENS = SignedTokens(bytes(32))
OTHER = SignedTokens(bytes([1]) * 32)
RATERS, ORGANISERS = Sessions(TOKENS, "rater", is_numbered=True), Sessions(TOKENS, "organiser")


def find(sessions: Sessions, cookie: str) -> Session | None:
    return sessions.find({sessions.cookie_name: cookie})


def test_a_raters_token_names_the_rater() -> None:
    token = TOKENS.numbered("rater", 7)
    assert TOKENS.number("rater", token) == 7
    assert token == SignedTokens(bytes(32)).numbered("rater", 7)
    assert token != TOKENS.numbered("rater", 8)
    assert "secret" not in repr(TOKENS)


SEVEN = TOKENS.numbered("rater", 7)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "-",
        "7",
        "7-",
        OTHER.numbered("rater", 7),
        SEVEN.replace("7-", "8-", 1),
        SEVEN.replace("7-", "07-", 1),
        SEVEN.replace("7-", "٧-", 1),
        SEVEN[:-1],
        SEVEN + "A",
        TOKENS.token("organiser"),
        TOKENS.token("join"),
        "7-\ud800",
        "9" * 5000 + "-x",
    ],
)
def test_no_other_string_is_a_raters_token(token: str) -> None:
    assert TOKENS.number("rater", token) is None


def test_each_token_opens_one_door_only() -> None:
    session = RATERS.new(1)
    tokens = [
        TOKENS.numbered("rater", 1),
        TOKENS.token("organiser"),
        TOKENS.token("join"),
        session.cookie,
        RATERS.form_token(session),
    ]
    assert [TOKENS.is_token("organiser", token) for token in tokens].count(True) == 1
    assert [TOKENS.is_token("join", token) for token in tokens].count(True) == 1
    assert [TOKENS.number("rater", token) for token in tokens].count(1) == 1
    assert [find(RATERS, token) for token in tokens].count(session) == 1
    assert not OTHER.is_token("organiser", TOKENS.token("organiser"))


def test_sessions_are_of_one_role_and_expire() -> None:
    now = 1000.0
    tokens = SignedTokens(bytes(32), clock=lambda: now)
    raters, organisers = Sessions(tokens, "rater", is_numbered=True), Sessions(tokens, "organiser")
    rater, organiser = raters.new(3), organisers.new()
    assert find(raters, rater.cookie) == rater
    assert find(organisers, organiser.cookie) == organiser
    assert find(organisers, rater.cookie) is None
    assert find(raters, organiser.cookie) is None
    assert find(Sessions(tokens, "workbench"), organiser.cookie) is None
    assert find(raters, rater.cookie.replace("3-", "4-", 1)) is None
    assert find(Sessions(OTHER, "rater", is_numbered=True), rater.cookie) is None
    for cookie in ("", "3", "3-1-2", "3-x-y-z", "é" * 9, "3-" * 500):
        assert find(raters, cookie) is None
    now += 31 * 24 * 3600
    assert find(raters, rater.cookie) is None


def test_a_form_belongs_to_its_session() -> None:
    one, other = RATERS.new(1), RATERS.new(1)
    assert RATERS.is_form_token(one, RATERS.form_token(one))
    assert not RATERS.is_form_token(other, RATERS.form_token(one))
    assert not RATERS.is_form_token(one, "")


def test_the_secret_is_created_once_and_private(tmp_path: Path) -> None:
    secret = load_secret(tmp_path)
    assert len(secret) == 32
    assert load_secret(tmp_path) == secret
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "abc", "zz" * 32, "00" * 31])
def test_a_damaged_secret_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "secret.key").write_text(content)
    with pytest.raises(DataError, match="is not a key"):
        load_secret(tmp_path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        load_secret(tmp_path / "nowhere")
