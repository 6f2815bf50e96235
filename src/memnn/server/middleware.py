"""What every request passes: host, token, size and type of the body; headers and counts after it.

Each has an id, which its answer, its error and the log name.

What no handler should see is refused early: a body that is too large is not read.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from memnn.server.metrics import Metrics
from memnn.server.problems import error_body, request_id
from memnn.server.tokens import Right, borne

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 256 * 1024  # 10,000 characters, each as two escapes of six bytes, and room
TOO_LARGE = (
    f"the body has more than {LARGEST_BODY:,} bytes; send it in parts, or fill a store with "
    "memnn memory import"
)
VERSIONS = frozenset({"1.0", "1.1", "2", "3"})
CLOSE = (b"connection", b"close")
BODY_SECONDS = 30.0
LINGER_SECONDS = 2.0
JSON_PATHS = {
    "POST": re.compile(r"/(statements|questions|messages|search|lessons|copies)$|^/mcp(/|$)"),
    "PUT": re.compile(r"/statements/[^/]+$"),
}
"""Where a body is read."""
GUARDED = frozenset({"v1", "mcp", "metrics"})
"""Where a token is wanted: the first parts of paths."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
HEADERS = [
    (b"content-security-policy",
     b"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
     b"object-src 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]  # fmt: skip

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
"""What a client may call its request."""

log = logging.getLogger("memnn.server")


class Refusal(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, message: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers


class Gate:
    """ASGI middleware, so that it costs a few microseconds and not a task."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, rights: Sequence[Right] = (), local: bool = False
    ) -> None:
        self.app = app
        self.metrics = metrics
        self.rights = rights
        self.local = local and not rights
        """Without a token, a web page elsewhere must not reach a server on loopback by giving
        its own name the address 127.0.0.1."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = perf_counter()
        status = 0
        id = _id_of(scope)
        request_id.set(id.decode())

        async def respond(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *HEADERS, (b"x-request-id", id)]
            await send(message)

        try:
            body = await self._admit(scope, receive)
            await self.app(scope, replay(body, receive), respond)
        except Refusal as refusal:
            await _refuse(refusal, receive, respond)
        except ConnectionResetError:
            status = status or 499  # the client went away before it had asked
        except Exception:
            log.exception("%s: %s %r failed", id.decode(), scope["method"], scope["path"])
            if status:
                raise
            await _refuse(Refusal(500, "the server failed; see its log"), receive, respond)
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in METHODS else "other"
        seconds = perf_counter() - start
        self.metrics.observe(method, route, status, seconds)
        log.debug(
            "%s: %s %r %d in %.1f ms", id.decode(), method, scope["path"], status, seconds * 1e3
        )

    async def _admit(self, scope: Scope, receive: Receive) -> bytes:
        """The body of a request that may pass."""
        host = authorization = kind = length = coding = b""
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
            elif name == b"authorization":
                authorization = value
            elif name == b"content-type":
                kind = value
            elif name == b"content-length":
                length = value
            elif name == b"transfer-encoding":
                coding = value
        path: str = scope["path"]
        _check_framing(scope["http_version"], length, coding)
        if not path.isprintable():
            raise Refusal(422, "the path holds a control character")
        if self.local and _without_port(host) not in LOOPBACK:
            raise Refusal(421, "this server answers to localhost; others need a token file")
        if len(length) > 12 or (length.isdigit() and int(length) > LARGEST_BODY):
            raise Refusal(413, TOO_LARGE)
        if self.rights and path.partition("/")[2].partition("/")[0] in GUARDED:
            scope["right"] = self._right(authorization, scope["method"], path)
        if scope["method"] not in ("POST", "PUT"):
            return b""
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        body: bytes = message.get("body", b"")
        if message.get("more_body"):
            body = await _read_on(body, receive)
        if len(body) > LARGEST_BODY:
            raise Refusal(413, TOO_LARGE)
        # Other types can be sent by any web page without asking first.
        is_json = kind.partition(b";")[0].strip().lower() == b"application/json"
        if not is_json and JSON_PATHS[scope["method"]].search(path):
            raise Refusal(415, "send JSON, with the header 'Content-Type: application/json'")
        return body

    def _right(self, authorization: bytes, method: str, path: str) -> Right:
        """Of whoever may pass."""
        right = borne(authorization, self.rights)
        if right is None:
            raise Refusal(
                401,
                "this server wants the header 'Authorization: Bearer TOKEN' with its token",
                (b"www-authenticate", b"Bearer"),
            )
        if why := right.refuses(method, path):
            raise Refusal(403, why)
        return right


def _id_of(scope: Scope) -> bytes:
    """What the client calls its request, if that is a name, or one of our own."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and REQUEST_ID.fullmatch(value):
            return bytes(value)
    return secrets.token_hex(8).encode()


def _check_framing(version: str, length: bytes, coding: bytes) -> None:
    """Where a request ends must be beyond doubt: else the next one may be somebody else's words."""
    if version not in VERSIONS:
        raise Refusal(505, "this server speaks HTTP/1.1", CLOSE)
    if coding and (length or version == "1.0"):
        reason = "Content-Length" if length else "HTTP/1.0"
        raise Refusal(400, f"Transfer-Encoding with {reason} is ambiguous; send one of them", CLOSE)


async def _read_on(body: bytes, receive: Receive) -> bytes:
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while len(body) <= LARGEST_BODY:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionResetError
                body += message.get("body", b"")
                if not message.get("more_body"):
                    break
    except TimeoutError:
        raise Refusal(408, f"the body did not arrive within {BODY_SECONDS:.0f} seconds") from None
    return body


def replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _refuse(refusal: Refusal, receive: Receive, send: Send) -> None:
    body = error_body(refusal.status, refusal.message)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *refusal.headers,
    ]
    unread = refusal.status in (408, 413)
    if unread:
        headers.append(CLOSE)
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": unread})
    if unread:
        # Closing at once would reset the connection, and a client that is still sending would
        # never see the answer: what it sends is thrown away for a moment.
        try:
            async with asyncio.timeout(LINGER_SECONDS):
                while (message := await receive())["type"] == "http.request":
                    if not message.get("more_body"):
                        break
        except TimeoutError:
            pass
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _without_port(host: bytes) -> str:
    text = host.decode("latin-1").lower()
    name, colon, port = text.rpartition(":")
    return name if colon and port.isdigit() else text
