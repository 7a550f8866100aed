"""Links and sessions: each opens its own door, and none can be made without the secret."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from adequa.errors import DataError
from adequa.web.tokens import SignedTokens, load_secret

TOKENS = SignedTokens(bytes(32))
OTHER = SignedTokens(bytes([1]) * 32)


def test_a_raters_token_names_the_rater() -> None:
    assert TOKENS.rater(TOKENS.of_rater(7)) == 7
    assert TOKENS.of_rater(7) == SignedTokens(bytes(32)).of_rater(7)
    assert TOKENS.of_rater(7) != TOKENS.of_rater(8)
    assert "secret" not in repr(TOKENS)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "-",
        "7",
        "7-",
        OTHER.of_rater(7),
        TOKENS.of_rater(7).replace("7-", "8-", 1),
        TOKENS.of_rater(7).replace("7-", "07-", 1),
        TOKENS.of_rater(7).replace("7-", "٧-", 1),
        TOKENS.of_rater(7)[:-1],
        TOKENS.of_rater(7) + "A",
        TOKENS.of_organiser,
        TOKENS.of_joining,
        "7-\ud800",
        "9" * 5000 + "-x",
    ],
)
def test_no_other_string_is_a_raters_token(token: str) -> None:
    assert TOKENS.rater(token) is None


def test_each_token_opens_one_door_only() -> None:
    session = TOKENS.new_session(1)
    tokens = [
        TOKENS.of_rater(1),
        TOKENS.of_organiser,
        TOKENS.of_joining,
        session.cookie,
        TOKENS.form_token(session),
    ]
    assert [TOKENS.is_organiser(token) for token in tokens].count(True) == 1
    assert [TOKENS.is_joining(token) for token in tokens].count(True) == 1
    assert [TOKENS.rater(token) for token in tokens].count(1) == 1
    assert [TOKENS.session(token, organiser=False) for token in tokens].count(session) == 1
    assert not OTHER.is_organiser(TOKENS.of_organiser)


def test_sessions_are_of_one_kind_and_end() -> None:
    now = 1000.0
    tokens = SignedTokens(bytes(32), clock=lambda: now)
    rater, organiser = tokens.new_session(3), tokens.new_session(None)
    assert tokens.session(rater.cookie, organiser=False) == rater
    assert tokens.session(organiser.cookie, organiser=True) == organiser
    assert tokens.session(rater.cookie, organiser=True) is None
    assert tokens.session(organiser.cookie, organiser=False) is None
    assert tokens.session(rater.cookie.replace("3-", "4-", 1), organiser=False) is None
    assert OTHER.session(rater.cookie, organiser=False) is None
    for cookie in ("", "3", "3-1-2", "3-x-y-z", "é" * 9, "3-" * 500):
        assert tokens.session(cookie, organiser=False) is None
    now += 31 * 24 * 3600
    assert tokens.session(rater.cookie, organiser=False) is None


def test_a_form_belongs_to_its_session() -> None:
    one, other = TOKENS.new_session(1), TOKENS.new_session(1)
    assert TOKENS.is_form_token(one, TOKENS.form_token(one))
    assert not TOKENS.is_form_token(other, TOKENS.form_token(one))
    assert not TOKENS.is_form_token(one, "")


def test_the_secret_is_made_once_for_the_owner_only(tmp_path: Path) -> None:
    secret = load_secret(tmp_path)
    assert len(secret) == 32
    assert load_secret(tmp_path) == secret
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "abc", "zz" * 32, "00" * 31])
def test_a_broken_secret_is_no_secret(tmp_path: Path, content: str) -> None:
    (tmp_path / "secret.key").write_text(content)
    with pytest.raises(DataError, match="is no key"):
        load_secret(tmp_path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        load_secret(tmp_path / "nowhere")
