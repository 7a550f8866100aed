"""What a server allows; the defaults suit one machine and its user."""

from __future__ import annotations

from dataclasses import dataclass, field

_UNITS = {"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


@dataclass(frozen=True)
class ServerSettings:
    """Limits, and who may ask; each limit that is met answers with its reason."""

    token: str | None = field(default=None, repr=False)
    """What `Authorization: Bearer` must carry; None lets everybody in who reaches the port."""
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "::1")
    """The names in `Host` that are answered without a token, against DNS rebinding."""
    max_body: int = 8 << 20
    max_upload: int = 512 << 20
    max_items: int = 1000
    max_text: int = 20_000
    max_triples: int = 1_000
    max_depth: int = 32
    seconds: float = 60.0
    """For scoring one request, its wait included."""
    body_seconds: float = 20.0
    """For sending a body, and for each part of an upload."""
    upload_seconds: float = 1_800.0
    waiting: int = 512
    """Items that may wait; one request alone may bring `max_items` to an idle server."""
    in_flight: int = 256
    """Requests at once."""
    bodies: int = 64 << 20
    """Bytes of all bodies that are being read at once."""
    max_runs: int = 200
    waiting_runs: int = 16
    run_seconds: float = 6 * 3600.0


def bytes_of(text: str) -> int:
    """A size as people write it.

    >>> bytes_of("8MB"), bytes_of("512 kb"), bytes_of("100")
    (8388608, 524288, 100)
    """
    from adequa.errors import SettingError

    stripped = text.strip().upper()
    digits = stripped.rstrip("KMGB ")
    unit = stripped[len(digits) :].strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 13) or unit not in _UNITS:
        raise SettingError(f"{text!r} is no size; write 8MB, 512KB or a number of bytes")
    return int(digits) * _UNITS[unit]


def shown_bytes(count: int) -> str:
    """A size for a message.

    >>> shown_bytes(8 << 20), shown_bytes(100)
    ('8 MB', '100 bytes')
    """
    for unit in ("GB", "MB", "KB"):
        if count >= _UNITS[unit]:
            return f"{count / _UNITS[unit]:.4g} {unit}"
    return f"{count} bytes"
