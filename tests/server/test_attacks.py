# ruff: noqa: E501 (tables)
"""Requests made to do harm, as bytes on a connection: each is refused in one shape, and in time.

No answer is a 5xx but 505, nothing is told or deleted, no second request hides in a first one, and
the server says nothing on its own terminal.
"""

from __future__ import annotations

import json
import socket
from typing import NamedTuple

import httpx
import pytest
from benchmarks.http_client import Process

MEMORY = "/v1/memories/attacked"
TELL = f"{MEMORY}/statements"
TOKEN = "a-token-of-some-length"
SMUGGLED = f"POST {TELL} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SMUGGLED += 'Content-Length: 21\r\n\r\n{"text": "Joe left."}'


class Attack(NamedTuple):
    about: str
    sent: bytes
    statuses: tuple[int, ...]
    """What it may be answered with; 0 is the end of the connection and no answer."""
    closes: bool = False
    """Whether the server must end the connection by itself."""
    locked: bool = False
    """Whether it is sent to a server with a token."""


def head(target: str, method: str = "GET", version: str = "HTTP/1.1", *lines: str) -> bytes:
    host = () if any(line.lower().startswith("host") for line in lines) else ("Host: localhost",)
    return "\r\n".join([f"{method} {target} {version}", *host, *lines, "", ""]).encode("latin-1")


def post(body: bytes, path: str = TELL, *lines: str) -> bytes:
    length = () if any("ength" in line or "oding" in line for line in lines) else (
        f"Content-Length: {len(body)}",
    )  # fmt: skip
    return head(path, "POST", "HTTP/1.1", "Content-Type: application/json", *length, *lines) + body


def versions() -> list[Attack]:
    unknown = ("9.9", "2.0", "3.0", "0.9", "1.2", "0.0", "1.9", "4.1")
    wrong = (
        "HTTP/1", "HTTP/11", "HTTP/1.1.1", "http/1.1", "HTTP/1.1 x", "HTPP/1.1", "HTTP/a.b", "",
        "HTTP/-1.1", "HTTP /1.1", "HTTP/1,1", "HTTPS/1.1", "HTTP/1.10", "HTTP\\1.1", "\tHTTP/1.1",
    )  # fmt: skip
    return [
        *(Attack(f"HTTP/{v}", head("/healthz", version=f"HTTP/{v}"), (505,), True) for v in unknown),
        *(Attack(f"version {v!r}", head("/healthz", version=v), (400,), True) for v in wrong),
    ]  # fmt: skip


def methods() -> list[Attack]:
    wrong = (
        "", "G ET", "GET\0", "\xff", "{", "(GET)", "G\xc9T", "GET\t", "GET:", "GET/", "\x1b[31m",
    )  # fmt: skip
    other = (
        "get", "TRACE", "CONNECT", "OPTIONS", "PROPFIND", "PATCH", "PUT", "LINK", "BREW", "PURGE",
        "DELETE", "POST", "GETGET", "__init__", "M-SEARCH",
    )  # fmt: skip
    return [
        *(Attack(f"method {m[:9]!r}", head("/v1/memories", m), (400,), True) for m in wrong),
        *(Attack(f"method {m}", head("/v1/memories", m), (400, 405, 415)) for m in other),
    ]


def targets() -> list[Attack]:
    unread = ("", " ", "/a\tb", "/a\x7f", "/\xc3\xa9", "/a b", "/\0", "/\x1b]0;x\x07", "/\x0b")
    nowhere = (
        "*", "http://evil.example/v1/memories", "//v1/memories", "/v1//memories", "/V1/memories",
        "/v1/memories/..%2f..", "/../../etc/passwd", "/page/..%2f..%2fhttp.py", "/page/.%2e/run.py",
        "/page/%2e%2e/run.py", "/page//etc/passwd", "/page/app.js%00", "/page/app.js%0a",
        "/healthz%0a", "/healthz%00", "/healthz%0d%0a", "/v1/memories%0a", "/docs%0a", "/%0a",
        "/metrics%0a", "/openapi.json%0a", "/%c0%ae%c0%ae/etc", "/%ff", "/%", "/%zz", "/%u0041",
        "/a%5c..%5cb", "/..;/v1/memories", "/v1/memories/attacked/", "/v1/memories/attacked/x",
        "/v1/memories/a/statements/1/2", "/page/", "/page/__init__.py", "/page/__pycache__",
        "/.git/config", "localhost:80", "?", "#", "/%2e%2e",
        "/" + "%41" * 3_000,
    )  # fmt: skip
    names = (
        "%00", "a%00", "a%0a", "%0aa", "a%0d%0aX: y", "a%20b", ".", "..", ".hidden", "%2e", "a" * 65,
        "%E2%80%AE", "%1b%5b31m", "a%7f", "%c2%9b31m", "%F0%9F%92%A9", "a:b", "~root", "a;b", "a,b",
        "*", "%25", "%c3%28",
    )  # fmt: skip
    ids = (
        "1%0a", "1%0d", "1%20", "%201", "+1", "1_0", "1.", "1e0", "0x1", "-1", "0", "01%09",
        "9999999999999999999", "1%00", "%D9%A1", "%EF%BC%91", "1;", "1,2", "NaN", "true", "%31%0a",
    )  # fmt: skip
    queries = (
        "after=1%0a", "limit=%2B1", "limit=1_0", "limit=%EF%BC%91", "after=-1", "limit=0", "after=",
        "limit=1001", "limit=1e3", "after=" + "9" * 30, "limit=1.5", "after=0x0", "limit=null",
        "after=%00", "limit=1;2", "limit=%201", "after=%20", "after[]=1&after=x",
    )  # fmt: skip
    return [
        *(Attack(f"target {t!r}", head(t), (400,), True) for t in unread),
        *(Attack(f"target {t[:40]}", head(t), (307, 400, 404, 405, 422)) for t in nowhere),
        *(Attack(f"name {n[:20]}", head(f"/v1/memories/{n}/statements"), (400, 404, 422)) for n in names),
        *(Attack(f"forget {i}", head(f"{TELL}/{i}", "DELETE"), (422,)) for i in ids),
        *(Attack(f"page {q[:20]}", head(f"{TELL}?{q}"), (422,)) for q in queries),
        Attack("a target of 20,000", head("/" + "a" * 20_000), (400, 404)),
    ]  # fmt: skip


def headers() -> list[Attack]:
    hosts = (
        "evil.example", "", "localhost@evil.example", "localhost:80:80", "localhost, evil.example",
        "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "[::1]evil", "::1", "0.0.0.0",
        "127.1", "2130706433", "localhost%00", "LOCALHOST.", "localhost:80@evil.example", "file://",
    )  # fmt: skip
    lines = (
        "Host: localhost\r\nHost: localhost", "Host: localhost\r\nHost: evil.example",
        "X-A : b", "X\0A: b", ": b", "no colon", "X-A: b\0c", "X-\xe9: b", "X(A): b", "X A: b",
        "\x1b[31m: b", "X-A: b\rX-B: c",
    )  # fmt: skip
    many = "\r\n".join(f"X-{n}: {n}" for n in range(2_000))
    get = head("/v1/memories", "GET", "HTTP/1.1", "X-A: b")
    return [
        Attack("no host", b"GET /healthz HTTP/1.1\r\n\r\n", (400,), True),
        *(Attack(f"host {h}", head("/v1/memories", "GET", "HTTP/1.1", f"Host: {h}"), (400, 421)) for h in hosts),
        *(Attack(f"line {x[:20]!r}", head("/healthz", "GET", "HTTP/1.1", x), (400,), True) for x in lines),
        Attack("2,000 headers", head("/nowhere", "GET", "HTTP/1.1", many), (400, 404)),
        Attack("a long header", head("/nowhere", "GET", "HTTP/1.1", "X-A: " + "a" * 100_000), (400, 404)),
        Attack("a long method", head("/nowhere", "A" * 100_000), (400, 404)),
        Attack("folded first", b"GET /healthz HTTP/1.1\r\n X: y\r\nHost: localhost\r\n\r\n", (400,), True),
        Attack("override", head(f"{TELL}/1", "GET", "HTTP/1.1", "X-HTTP-Method-Override: DELETE"), (404,)),
        Attack("websocket", head("/nowhere", "GET", "HTTP/1.1", "Connection: upgrade", "Upgrade: websocket"), (404,)),
        Attack("h2c", head("/nowhere", "GET", "HTTP/1.1", "Connection: upgrade", "Upgrade: h2c"), (404,)),
        Attack("http/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400, 505), True),
        Attack("tls", bytes([22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]) + bytes(range(200)), (400,), True),
        Attack("ssh", b"SSH-2.0-OpenSSH_9.6\r\n", (0, 400)),
        Attack("zeros", bytes(20_000), (400,), True),
        Attack("line breaks", b"\r\n" * 10_000, (0, 400)),
        Attack("half a head", get[:-4], (0, 400)),
        Attack("expects", post(b"{}", TELL, "Expect: 200-ok"), (417, 422)),
    ]  # fmt: skip


def framing() -> list[Attack]:
    both = (
        ("Content-Length: 4", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 4"),
        ("content-length: 0", "TRANSFER-ENCODING: Chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 4", "Content-Length: 4"),
    )
    lengths = (
        "-1", "+5", "0x10", "1e3", "5, 6", "5 6", "", "5\r\nContent-Length: 6", "9" * 30, "five",
        "\xb2", "5;", "5\0", "1.0",
    )  # fmt: skip
    codings = (
        "gzip", "chunked, gzip", "identity", "gzip, chunked", "xchunked", "chunked;q=1", "chunked\0",
        "chunked\r\nTransfer-Encoding: chunked", "\x0bchunked", "chunked, chunked", "'chunked'",
    )  # fmt: skip
    chunks = (
        b"-1\r\n", b"g\r\n", b"0x5\r\nhello\r\n", b"F" * 30 + b"\r\n", b"5\r\nhelloX\r\n", b"\r\n",
        b"5 5\r\nhello\r\n", b"5\r\nhello\r\n0\r\nBad Line\r\n\r\n", b"5;" + b"a" * 20_000, b"5\0\r\n",
    )  # fmt: skip
    chunked = ("Transfer-Encoding: chunked",)
    end = b"0\r\n\r\n" + SMUGGLED.encode()
    old = head(TELL, "POST", "HTTP/1.0", "Content-Type: application/json", *chunked) + end
    return [
        *(Attack(f"both {n}", post(end, TELL, *lines), (400,), True) for n, lines in enumerate(both)),
        *(Attack(f"length {x!r}", post(b"{}", TELL, f"Content-Length: {x}"), (400, 413), True) for x in lengths),
        *(Attack(f"coding {x!r}", post(end, TELL, f"Transfer-Encoding: {x}"), (400,), True) for x in codings),
        *(Attack(f"chunk {x[:12]!r}", post(x, TELL, *chunked), (400,), True) for x in chunks),
        Attack("chunks in 1.0", old, (400,), True),
        Attack("a body that is a request", head("/nowhere", "GET", "HTTP/1.1", f"Content-Length: {len(SMUGGLED)}") + SMUGGLED.encode(), (404,)),
        Attack("half a body", post(b'{"text"', TELL, "Content-Length: 21"), (0, 400)),
        Attack("half a chunk", post(b"15\r\n{", TELL, *chunked), (0, 400)),
        Attack("too long", post(b"", TELL, "Content-Length: 1000000"), (413,)),
        Attack("too long a question", post(b"", f"{MEMORY}/questions", "Content-Length: 262145"), (413,)),
    ]  # fmt: skip


def bodies() -> list[Attack]:
    wrong = (
        b"", b"{", b"[]", b"null", b"true", b"1", b'"a"', b"NaN", b'{"text": NaN}', b'{"text": 1}',
        b'{"text": null}', b'{"text": []}', b'{"text": {}}', b'{"text": true}', b'{"text": ""}',
        b'{"text": "\\u0000"}', b'{"text": "\\ud800"}', b'{"text": "a\x00b"}', b'{"text": "a\nb"}',
        b'{"text": "..."}', b'{"Text": "Joe left."}', b'{"text": "Joe left.", "x": 1}', b"\xff\xfe{}",
        b"[" * 50_000, b'{"a":' * 20_000, b'{"text": "' + b"a" * 10_001 + b'"}', b"{'text': 'a'}",
        b'{"text": 1e999}', b'{"text": "a"', b'{"text": "a"}}', b'{"text": "a"} {"text": "b"}',
        '{"text": "Joe left."}'.encode("utf-16")[:-1], b"\x00" * 100, b'{"text": "Joe left."}\x00',
        b'{"text": "Where is Joe?"}', b'{"text": "\\u202e?"}', b"text=Joe+left.", b"<text>Joe</text>",
        b'{"text": "\xc3\x28"}', b'{"text": 10000000000000000000000000000000000000000000}',
        b'{"__proto__": {"text": "Joe left."}}', b"9" * 5_000,
    )  # fmt: skip
    kinds = (
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx",
        "text/json", "application/json-patch+json", "application/ json", "", "*/*",
    )  # fmt: skip
    told = b'{"text": "Joe left."}'
    asked = b'{"text": "' + b"Who? " * 1_500 + b'"}'
    asked_ = f"{MEMORY}/questions"
    times = (
        "-1",
        "1.5",
        "true",
        "[]",
        '"yesterday"',
        '"\\u0000"',
        '"2026-13-01T00:00:00Z"',
        '"1 2"',
    )
    return [
        *(Attack(f"body {x[:20]!r}", post(x), (400, 413, 422)) for x in wrong),
        *(Attack(f"as {k!r}", head(TELL, "POST", "HTTP/1.1", f"Content-Type: {k}", "Content-Length: 21") + told, (415,)) for k in kinds),
        *(Attack(f"as of {t}", post(b'{"text": "Where is Joe?", "as_of": %s}' % t.encode(), asked_), (422,)) for t in times),
        Attack("1,500 questions", post(asked, f"{MEMORY}/messages"), (413,)),
    ]  # fmt: skip


def tokens() -> list[Attack]:
    given = (
        "", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN,
        f"Bearer  {TOKEN} x", f"Bearer {TOKEN.upper()}", f"bearer:{TOKEN}", f"Token {TOKEN}",
        f"Bearer '{TOKEN}'", f'Bearer "{TOKEN}"', "Bearer null", "Bearer undefined", "Bearer *",
        f"Bearer {TOKEN},{TOKEN}", f"Bearer\xa0{TOKEN}", "Bearer " + "a" * 8_000, f"Bearer {TOKEN}\xe9",
        f"Digest {TOKEN}", "Bearer a\r\nX-Authorization: Bearer " + TOKEN,
    )  # fmt: skip
    told = b'{"text": "Joe left."}'
    tell = [post(told, TELL, f"Authorization: {x}") for x in given]
    others = (f"/metrics?token={TOKEN}", "/v1", "/v1/", "/v1/nowhere", f"{TELL}?token={TOKEN}")
    return [
        *(Attack(f"token {x[:30]!r}", sent, (401,), locked=True) for x, sent in zip(given, tell, strict=True)),
        *(Attack(f"open {t}", head(t), (401,), locked=True) for t in others),
        Attack("cookie", post(told, TELL, f"Cookie: token={TOKEN}"), (401,), locked=True),
        Attack("proxy", post(told, TELL, f"Proxy-Authorization: Bearer {TOKEN}"), (401,), locked=True),
        Attack("another path", head("//v1/memories", "GET"), (401, 404), locked=True),
        Attack("a large body", post(b"", TELL, "Content-Length: 999999"), (401, 413), locked=True),
    ]  # fmt: skip


ATTACKS = [
    *versions(), *methods(), *targets(), *headers(), *framing(), *bodies(), *tokens(),
]  # fmt: skip


def test_there_are_many():
    assert len(ATTACKS) >= 287
    assert len({(one.sent, one.locked) for one in ATTACKS}) == len(ATTACKS)


@pytest.fixture(scope="module")
def attacked(start, tmp_path_factory) -> dict[bool, Process]:
    file = tmp_path_factory.mktemp("attacks") / "token"
    file.write_text(TOKEN)
    file.chmod(0o600)
    return {False: start(), True: start("--token-file", str(file))}


def exchange(port: int, attack: Attack) -> bytes:
    """All that comes back until the server, or after an answer the client, ends the connection."""
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        data = b""
        try:
            connection.sendall(attack.sent)
            data = b"" if 0 in attack.statuses else connection.recv(65536)
            if not attack.closes:
                connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                data += part
        except ConnectionError:  # what it sent was not read to its end
            pass
        return data


def is_refused(attack: Attack, data: bytes) -> None:
    if not data:
        assert 0 in attack.statuses, f"{attack.about}: no answer"
        return
    top, _, body = data.partition(b"\r\n\r\n")
    if top.startswith(b"HTTP/1.1 100 "):
        top, _, body = body.partition(b"\r\n\r\n")
    status = int(top[9:12])
    assert status in attack.statuses, f"{attack.about}: {data!r}"
    assert data.count(b"HTTP/1.1 ") <= 2, f"{attack.about}: {data!r}"
    assert b"HTTP/1.1 200" not in data, f"{attack.about}: {data!r}"
    if attack.closes and status != 413:
        assert b"connection: close" in top.lower(), f"{attack.about}: {data!r}"
    if status == 307:
        return
    error = json.loads(body[: body.index(b"}}") + 2])["error"]
    assert set(error) - {"request_id"} == {"code", "message"}  # no id before there is a request
    assert error["message"].isprintable(), f"{attack.about}: {error}"


@pytest.mark.parametrize("group", [versions, methods, targets, headers, framing, bodies, tokens])
def test_attacks(attacked, group):
    for attack in group():
        is_refused(attack, exchange(attacked[attack.locked].port, attack))
    for locked, server in attacked.items():
        url = f"http://127.0.0.1:{server.port}"
        assert httpx.get(f"{url}/healthz").status_code == 200
        bearer = {"authorization": f"Bearer {TOKEN}"} if locked else {}
        assert httpx.get(f"{url}/v1/memories", headers=bearer).json() == {"memories": []}


def test_the_log_is_quiet(attacked):
    """After all of the above; a log that clients can fill is an attack, too."""
    for server in attacked.values():
        assert server.end() == 0
        assert server.said.count("\n") == 2, server.said  # what it keeps, and where it listens
