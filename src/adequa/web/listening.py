"""Addresses and ports: bound before anything is promised."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from adequa.errors import ServiceError

__all__ = ["is_loopback", "listen", "url_of"]


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host's address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket on a port; port 0 takes a free one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named TCP, or asyncio does not know that it is and leaves Nagle's delay of 40 ms on.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise ServiceError(
            f"the host {host!r}",
            f"is not known ({error})",
            "give --host an address of this machine",
        ) from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(2048)
    except OSError as error:
        bound.close()
        raise ServiceError(
            f"port {port} of {host}",
            f"cannot be had ({error.strerror})",
            "something else may be using it: give another --port",
        ) from None
    return bound


def url_of(bound: socket.socket, host: str) -> str:
    """The address of what listens there."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{bound.getsockname()[1]}"
