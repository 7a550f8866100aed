"""A private PostgreSQL server in a temporary folder, from the binaries on the machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["binaries", "free_port", "server"]


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`, or None."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").is_file()), None)


@contextlib.contextmanager
def server(folder: Path, *settings: str) -> Iterator[str]:
    """The address of the database of a server that runs within the context."""
    user = _user()
    data = Path(tempfile.mkdtemp(prefix="adequa-postgres-"))
    try:
        if user:
            shutil.chown(data, user, user)
        _run(user, folder / "initdb", "-D", data, "-U", "adequa", "-A", "trust", "-N", "-E", "UTF8")
        port = free_port()
        options = f"-p {port} -k {data} -c listen_addresses=127.0.0.1 -c max_connections=100"
        options += "".join(f" -c {setting}" for setting in settings)
        control, log = folder / "pg_ctl", data / "log"
        _run(user, control, "-D", data, "-w", "-l", log, "-o", options, "start")
        try:
            yield f"postgresql://adequa@127.0.0.1:{port}/postgres"
        finally:
            _run(user, control, "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _user() -> str | None:
    """The user to run as, since the server refuses to run as root."""
    return "postgres" if hasattr(os, "geteuid") and os.geteuid() == 0 else None


def _run(user: str | None, *command: object) -> None:
    words = [str(word) for word in command]
    if user is not None:
        words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]
    quiet = subprocess.DEVNULL  # the server keeps what it is given: a pipe would never close
    subprocess.run(words, check=True, stdout=quiet, stderr=quiet, cwd="/")


def free_port() -> int:
    """A free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
