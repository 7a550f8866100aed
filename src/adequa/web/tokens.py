"""Links and sessions that carry their own proof: an HMAC of the campaign's secret, no table.

A rater's token is the rater's number and a MAC of it; the organiser's and the open link's are MACs
alone. Each use has its own purpose in the MAC, so one can never pass for another. A session is made
when a link is opened and is what the cookie holds: it is not the link, and it ends by itself.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import time
from base64 import b32encode
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from adequa.errors import DataError

SECRET_FILE = "secret.key"  # noqa: S105  # the name of the file
_BYTES = 32
_SESSION_SECONDS = 30 * 24 * 3600
_LONGEST = 200
"""No token of ours is longer: what is longer is not worth a MAC."""


@dataclass(frozen=True, slots=True)
class Session:
    """Who a cookie speaks for; `number` is a rater's, or None for the organiser."""

    number: int | None
    cookie: str


def load_secret(folder: Path | str) -> bytes:
    """The campaign's secret, made on first use for the owner's eyes only."""
    path = Path(folder) / SECRET_FILE
    with contextlib.suppress(FileExistsError), _open_new(path) as file:
        file.write(secrets.token_hex(_BYTES) + "\n")
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror})", path=path, remedy="serve as the file's owner"
        ) from None
    except ValueError:
        secret = b""
    if len(secret) < _BYTES:
        raise DataError(
            f"is no key of {_BYTES} bytes",
            path=path,
            remedy="delete it to have a new one made; all links change with it",
        )
    return secret


def _open_new(path: Path) -> IO[str]:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})",
            path=path,
            remedy="serve a folder that you may write to",
        ) from None
    return os.fdopen(descriptor, "w", encoding="ascii")


@dataclass(frozen=True)
class SignedTokens:
    """Makes and reads the tokens of one campaign."""

    secret: bytes = field(repr=False)
    clock: Callable[[], float] = time.time

    @property
    def mark(self) -> str:
        """Tells campaigns on one host apart in the names of their cookies; reveals nothing."""
        return self._mac("mark")[:8]

    def of_rater(self, number: int) -> str:
        """The token of a rater's link."""
        return f"{number}-{self._mac(f'rater {number}')}"

    def rater(self, token: str) -> int | None:
        """The number of the rater whose token this is."""
        number = _leading_number(token)
        return None if number is None or not _same(token, self.of_rater(number)) else number

    @property
    def of_organiser(self) -> str:
        """The token of the organiser's link."""
        return self._mac("organiser")

    def is_organiser(self, token: str) -> bool:
        """Whether a token is the organiser's."""
        return _same(token, self.of_organiser)

    @property
    def of_joining(self) -> str:
        """The token of the open link, by which new raters join."""
        return self._mac("join")

    def is_joining(self, token: str) -> bool:
        """Whether a token is that of the open link."""
        return _same(token, self.of_joining)

    def new_session(self, number: int | None) -> Session:
        """A session of a rater, or of the organiser, that begins now."""
        who = "o" if number is None else str(number)
        body = f"{who}-{int(self.clock())}-{secrets.token_hex(8)}"
        return Session(number, f"{body}-{self._mac(f'session {body}')}")

    def session(self, cookie: str, *, organiser: bool) -> Session | None:
        """What a cookie stands for: nothing where it is forged, too old or of the other kind."""
        if not cookie.isascii() or len(cookie) > _LONGEST:
            return None
        who, *rest = cookie.split("-", 3)
        if len(rest) != 3 or (who == "o") is not organiser:
            return None
        body = "-".join((who, *rest[:2]))
        if not _same(cookie, f"{body}-{self._mac(f'session {body}')}"):
            return None
        # From here on the parts are ours, so the numbers are numbers.
        if self.clock() - int(rest[0]) > _SESSION_SECONDS:
            return None
        return Session(None if organiser else int(who), cookie)

    def form_token(self, session: Session) -> str:
        """What each form of a session must send along, so that no other site can send it."""
        return self._mac(f"form {session.cookie}")

    def is_form_token(self, session: Session, token: str) -> bool:
        """Whether a form was made for this session."""
        return _same(token, self.form_token(session))

    def _mac(self, purpose: str) -> str:
        digest = hmac.digest(self.secret, purpose.encode(), "sha256")
        # 160 bits in letters and digits alone: mail programs cut links at other signs.
        return b32encode(digest[:20]).decode("ascii").lower()


def _same(given: str, right: str) -> bool:
    """In constant time; bytes, for strings beyond ASCII cannot be compared so."""
    if len(given) > _LONGEST:
        return False
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode("ascii"))


def _leading_number(token: str) -> int | None:
    digits = token.partition("-")[0]
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None
