"""Login links and sessions that carry their own proof: HMACs of one secret, without a table.

A link holds a token: the MAC of its purpose, or a number with the MAC of purpose and number. Each
purpose has its own MAC, so a token of one kind never passes for another. Opening a link begins a
session, which is in the cookie: it differs from the link and expires. Every request that changes
something must carry the session's form token, which only our own pages can read.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import time
from base64 import b32encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from adequa.errors import DataError
from adequa.files import open_private, write_errors
from adequa.web.limits import whole_number

if TYPE_CHECKING:
    from starlette.responses import Response

SECRET_FILE = "secret.key"  # noqa: S105  # the name of the file
FORM_TOKEN = "x-form-token"  # noqa: S105  # the name of a header
_BYTES = 32
_SESSION_SECONDS = 30 * 24 * 3600
_LONGEST = 200
"""No token of ours is longer, so a longer one is refused without computing a MAC."""


@dataclass(frozen=True)
class SignedTokens:
    """Makes and verifies tokens with one secret."""

    secret: bytes = field(repr=False)
    clock: Callable[[], float] = time.time

    @property
    def mark(self) -> str:
        """Distinguishes the cookies of several servers on one host; reveals nothing."""
        return self.token("mark")[:8]

    def token(self, purpose: str) -> str:
        """The token of a purpose: 160 bits in letters and digits only.

        Mail programs cut links at other characters.
        """
        digest = hmac.digest(self.secret, purpose.encode(), "sha256")
        return b32encode(digest[:20]).decode("ascii").lower()

    def is_token(self, purpose: str, given: str) -> bool:
        """Whether a token is the one of a purpose."""
        return _same(given, self.token(purpose))

    def numbered(self, purpose: str, number: int) -> str:
        """The token of a purpose for one number, which it shows."""
        return f"{number}-{self.token(f'{purpose} {number}')}"

    def number(self, purpose: str, given: str) -> int | None:
        """The number in a token of a purpose; None if the token is not genuine."""
        number = whole_number(given.partition("-")[0])
        is_genuine = number is not None and _same(given, self.numbered(purpose, number))
        return number if is_genuine else None


@dataclass(frozen=True, slots=True)
class Session:
    """A visitor who has signed in; `number` is a rater's, and 0 for roles without numbers."""

    number: int
    cookie: str


@dataclass(frozen=True)
class Sessions:
    """The sessions of one role, in signed cookies; a cookie of another role is not accepted."""

    tokens: SignedTokens
    role: str
    is_numbered: bool = False
    path: str = "/"

    @property
    def cookie_name(self) -> str:
        """The name of the cookie."""
        return f"adequa_{self.role}_{self.tokens.mark}"

    def new(self, number: int = 0) -> Session:
        """A session that begins now."""
        who = str(number) if self.is_numbered else self.role[0]
        body = f"{who}-{int(self.tokens.clock())}-{secrets.token_hex(8)}"
        return Session(number, f"{body}-{self._proof(body)}")

    def begin(self, response: Response, *, secure: bool, number: int = 0) -> Session:
        """A session that begins now, with its cookie on the response."""
        session = self.new(number)
        response.set_cookie(
            self.cookie_name,
            session.cookie,
            max_age=_SESSION_SECONDS,
            path=self.path,
            secure=secure,
            httponly=True,
            # Lax, not strict: a link in a mail leads here, and the redirect must carry the cookie.
            samesite="lax",
        )
        return session

    def find(self, cookies: Mapping[str, str]) -> Session | None:
        """The session in a request's cookies: None if forged, expired or of another role."""
        cookie = cookies.get(self.cookie_name, "")
        if not cookie.isascii() or len(cookie) > _LONGEST:
            return None
        who, *rest = cookie.split("-", 3)
        if len(rest) != 3 or (not who.isdecimal() if self.is_numbered else who != self.role[0]):
            return None
        body = "-".join((who, *rest[:2]))
        if not _same(cookie, f"{body}-{self._proof(body)}"):
            return None
        # From here on the parts are our own, so the numbers are numbers.
        if self.tokens.clock() - int(rest[0]) > _SESSION_SECONDS:
            return None
        return Session(int(who) if self.is_numbered else 0, cookie)

    def form_token(self, session: Session) -> str:
        """What each form of a session must send along, so that no other site can send it."""
        return self.tokens.token(f"form {session.cookie}")

    def is_form_token(self, session: Session, token: str) -> bool:
        """Whether a form was made for this session."""
        return _same(token, self.form_token(session))

    def _proof(self, body: str) -> str:
        return self.tokens.token(f"session {body}")


def load_secret(folder: Path | str) -> bytes:
    """A folder's secret, created on first use and readable by its owner only."""
    path = Path(folder) / SECRET_FILE
    own = write_errors(path, remedy="use a folder that you can write to")
    with own, contextlib.suppress(FileExistsError), open_private(path) as file:
        file.write(secrets.token_hex(_BYTES) + "\n")
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        remedy = "run the server as the file's owner"
        raise DataError.of_file(error, path, remedy=remedy) from None
    except ValueError:
        secret = b""
    if len(secret) < _BYTES:
        raise DataError(
            f"is not a key of {_BYTES} bytes",
            path=path,
            remedy="delete it to get a new one; all links then change",
        )
    return secret


def _same(given: str, right: str) -> bool:
    """Compare in constant time; as bytes, because strings beyond ASCII cannot be compared so."""
    if len(given) > _LONGEST:
        return False
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode("ascii"))
