"""What a server is started with: who may ask, and where its runs are kept."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adequa.errors import DataError, RunError, SettingError
from adequa.run.folder import locked
from adequa.web.listening import is_loopback

__all__ = ["checked_token", "hosts_of", "kept_folder"]

_SHORTEST_TOKEN = 16
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def checked_token(host: str, file: Path | None) -> str | None:
    """The token in a file; a host that others can reach must have one."""
    if file is None:
        if is_loopback(host):
            return None
        raise SettingError(
            f"{host} can be reached from other machines, so it needs a token: write one to a file "
            "(openssl rand -hex 32 > token) and give --token-file token"
        )
    try:
        token = file.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        raise DataError("cannot be read", path=file, remedy="name a file with a token") from None
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or any(map(str.isspace, token)):
        raise DataError(
            f"its first line is no token of {_SHORTEST_TOKEN} characters or more",
            path=file,
            remedy="openssl rand -hex 32 > FILE",
        )
    return token


def hosts_of(host: str) -> tuple[str, ...]:
    """The names by which a server without a token may be asked for."""
    return tuple(dict.fromkeys((*_LOOPBACK, host.lower())))


@contextmanager
def kept_folder(folder: Path | None) -> Iterator[Path]:
    """The folder for runs, held against a second server; without one, until the end only."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="adequa-runs-") as name:
            yield Path(name)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("ab")
    except OSError as error:
        raise RunError(f"{folder} cannot be written ({error.strerror}); name another") from None
    with lock, locked(lock, folder):
        yield folder
