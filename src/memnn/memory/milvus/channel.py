"""The channel to a Milvus server: how long each call may take, and that nothing is sent twice.

pymilvus sends a call again when the connection breaks, for as long as the call has time. Of an
insert two may then have arrived. So the calls have no time of their own: it is set here, and a
broken connection is an error that pymilvus passes on. Only what reads is sent once more, since a
channel notices with a call that its connection is gone. (gRPC's service config has time limits,
too, but by a clock that may be seconds off.)

It is imported with the first connection: gRPC comes with pymilvus.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import grpc
from pymilvus import MilvusException, Status

PASSED_ON = {
    grpc.StatusCode.OK,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNIMPLEMENTED,
}
"""What pymilvus does not answer by trying again."""
OPTIONS = {
    "grpc.max_send_message_length": -1,
    "grpc.max_receive_message_length": -1,
    "grpc.keepalive_time_ms": 10_000,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,  # a server that is back is found within a second
}
PAUSE = 0.2  # seconds, after which the channel connects again


class _Call(NamedTuple):
    method: str
    timeout: float
    metadata: Any
    credentials: Any
    wait_for_ready: Any
    compression: Any


class Deadlines(grpc.UnaryUnaryClientInterceptor):  # type: ignore[misc]
    """Seconds by the names of calls in the protocol of Milvus, "" for all others; what reads."""

    def __init__(self, seconds: Mapping[str, float], reads: Collection[str]) -> None:
        self.seconds, self.reads = seconds, reads

    def intercept_unary_unary(
        self, continuation: Callable[[Any, Any], Any], details: Any, request: Any
    ) -> Any:
        name = details.method.rpartition("/")[2]
        limit = self.seconds.get(name, self.seconds[""])
        asked = limit if details.timeout is None else min(details.timeout, limit)
        call = _Call(
            details.method, asked, details.metadata, details.credentials,
            getattr(details, "wait_for_ready", None), getattr(details, "compression", None),
        )  # fmt: skip
        until = clock.monotonic() + asked
        outcome = continuation(call, request)
        code = outcome.code()
        left = until - clock.monotonic() - PAUSE
        if code is grpc.StatusCode.UNAVAILABLE and name in self.reads and left > 0:
            clock.sleep(PAUSE)
            outcome = continuation(call._replace(timeout=left), request)
            code = outcome.code()
        if code in PASSED_ON:
            return outcome
        broken = code is grpc.StatusCode.UNAVAILABLE
        raise MilvusException(
            Status.CONNECT_FAILED if broken else Status.UNEXPECTED_ERROR,
            f"{code.name.lower()}: {outcome.details()}",
        )


def open_channel(uri: str, seconds: Mapping[str, float], reads: Collection[str]) -> Any:
    """A channel to the server at `http://host:port` or `https://host:port`."""
    parts = urlsplit(uri)
    options = list(OPTIONS.items())
    if parts.scheme == "https":
        secure = grpc.ssl_channel_credentials()
        channel = grpc.secure_channel(parts.netloc, secure, options=options)
    else:
        channel = grpc.insecure_channel(parts.netloc, options=options)
    return grpc.intercept_channel(channel, Deadlines(seconds, reads))
