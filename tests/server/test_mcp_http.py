"""MCP over streamable HTTP: the real client, behind the checks of the service."""

from __future__ import annotations

import asyncio

import httpx
import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from tests.server.test_mcp import conversation, correction, refused, said

TOKEN = "correct-horse-battery-staple"
CALL = {
    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
    "params": {"name": "recall", "arguments": {}},
}  # fmt: skip
TALKS_JSON = {"Accept": "application/json, text/event-stream"}


def talk(url, what, token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else None

    async def run():
        async with (
            asyncio.timeout(120),
            create_mcp_http_client(headers) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await what(client)

    return asyncio.run(run())


@pytest.fixture(scope="module")
def guarded(start, tmp_path_factory):
    """The address of a server that wants a token."""
    file = tmp_path_factory.mktemp("token") / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    return f"http://127.0.0.1:{start('--token-file', str(file)).port}"


def test_all_tools_over_http(guarded):
    talk(f"{guarded}/mcp/all", conversation, TOKEN)
    talk(f"{guarded}/mcp/corrected", correction, TOKEN)


def test_memories_of_users_and_agents_are_apart(guarded):
    async def alice(client):
        tools = (await client.list_tools()).tools
        assert not any("memory" in tool.input_schema["properties"] for tool in tools)
        await said(client, "remember", text="Joe went to the kitchen.")
        assert "keep to the memory" in await refused(client, "recall", memory="bob.travel")

    async def bob(client):
        return (await said(client, "recall"))["statements"]

    async def any_of_them(client):
        tools = (await client.list_tools()).tools
        assert all("memory" in tool.input_schema["properties"] for tool in tools)
        return (await said(client, "recall", memory="alice.travel"))["statements"]

    talk(f"{guarded}/mcp/alice.travel", alice, TOKEN)
    assert talk(f"{guarded}/mcp/bob.travel", bob, TOKEN) == []
    (told,) = talk(f"{guarded}/mcp", any_of_them, TOKEN)
    with httpx.Client(base_url=guarded, headers={"Authorization": f"Bearer {TOKEN}"}) as http:
        page = http.get("/v1/memories/alice.travel/statements").json()
    assert page["statements"] == [told]


def test_no_token_no_tools(guarded):
    with httpx.Client(base_url=guarded, headers=TALKS_JSON) as http:
        for path in ("/mcp", "/mcp/main"):
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
                answer = http.post(path, json=CALL, headers=headers)
                assert answer.status_code == 401
                assert answer.json()["error"]["code"]


def test_the_checks_of_the_service(http):
    ok = http.post("/mcp", json=CALL, headers=TALKS_JSON)
    assert ok.status_code == 200, ok.text
    assert ok.json()["result"]["structuredContent"]["statements"] == []
    for status, answer in {
        421: http.post("/mcp", json=CALL, headers={**TALKS_JSON, "Host": "evil.example"}),
        415: http.post("/mcp", content=b"{}", headers={"Content-Type": "text/plain"}),
        413: http.post("/mcp", json={"x": "y" * 300_000}, headers=TALKS_JSON),
        405: http.get("/mcp", headers=TALKS_JSON),
        422: http.post("/mcp/.hidden", json=CALL, headers=TALKS_JSON),
    }.items():
        assert answer.status_code == status, answer.text
        assert set(answer.json()) == {"error"}
    for broken in (b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"\xff\xfe", b"[" * 10_000):
        headers = {**TALKS_JSON, "Content-Type": "application/json"}
        answer = http.post("/mcp", content=broken, headers=headers)
        assert 400 <= answer.status_code < 500, (broken[:20], answer.text)
        assert "Traceback" not in answer.text
    assert http.post("/mcp", json=CALL, headers=TALKS_JSON).status_code == 200
