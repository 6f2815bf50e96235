"""Where the service may listen: checked before anything is loaded."""

from __future__ import annotations

import ipaddress
import socket

from memnn.errors import InputError

BACKLOG = 2048  # connections that the system holds until they are accepted


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_host(host: str, token: object, force: bool) -> None:
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
        # What comes piece by piece is sent piece by piece, and waits for no client.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock
    except OSError as error:
        raise InputError(
            f"cannot listen on {host} port {port}: {error.strerror}; "
            "choose others with --host and --port"
        ) from None
