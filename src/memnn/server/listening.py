"""Where the service may listen, and the token that opens it: checked before anything is loaded."""

from __future__ import annotations

import ipaddress
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

from memnn.errors import InputError

SHORTEST_TOKEN = 16
BACKLOG = 2048  # connections that the system holds until they are accepted


def read_token(file: Path, warn: Callable[[str], None] = lambda line: None) -> str:
    """The token is the first line of a file, so that it is in no process list.

    Whoever may write the file lets everybody in: that is refused. Whoever may read it gets in.
    """
    try:
        with open(file, encoding="ascii") as opened:
            _check_mode(file, os.fstat(opened.fileno()).st_mode, warn)
            lines = opened.read().splitlines()
    except OSError as error:
        raise InputError(f"cannot read the token file {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"the token in {file} must be printable ASCII") from None
    token = lines[0].strip() if lines else ""
    if len(token) < SHORTEST_TOKEN or not token.isprintable() or " " in token:
        raise InputError(
            f"{file} must start with a line of {SHORTEST_TOKEN} or more characters without "
            "spaces; make one with: openssl rand -hex 32"
        )
    return token


def _check_mode(file: Path, mode: int, warn: Callable[[str], None]) -> None:
    if os.name != "posix" or not stat.S_ISREG(mode):  # a pipe is nobody else's
        return
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InputError(f"others can write the token file {file}; first: chmod 600 {file}")
    if mode & (stat.S_IRGRP | stat.S_IROTH):
        warn(f"Others on this machine can read the token in {file}; better: chmod 600 {file}")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_host(host: str, token: str | None, force: bool) -> None:
    """Nobody opens their memory to the network by accident."""
    if token is None and not force and not is_loopback(host):
        raise InputError(
            f"{host} is reachable from other machines: give --token-file FILE, or --force to let "
            "anyone read and write"
        )


def listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.create_server(address[:2], family=family, backlog=BACKLOG)
        # Head and body are two writes, and without this the second waits 40 ms for the client.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock
    except OSError as error:
        raise InputError(
            f"cannot listen on {host} port {port}: {error.strerror}; "
            "choose others with --host and --port"
        ) from None
