"""`memnn serve` as a process: where it listens, its token, its end, and what a store keeps."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from benchmarks.http_client import Process

from benchmarks import server as load
from memnn.errors import InputError
from memnn.server.listening import check_host
from memnn.server.tokens import read_tokens
from tests.server.test_http import is_problem, texts

TOKEN = "a-token-of-some-length"


def url(server: Process) -> str:
    return f"http://127.0.0.1:{server.port}"


def refused(*options: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "memnn", "serve", *map(str, options)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def test_the_network_needs_a_token():
    assert "--token-file" in refused("--host", "0.0.0.0")
    for host in ("192.0.2.1", "::", "a.example"):
        with pytest.raises(InputError, match="--force"):
            check_host(host, None, force=False)
    for host in ("127.0.0.1", "::1", "localhost"):
        check_host(host, None, force=False)


def test_force_is_enough(start):
    server = start("--host", "0.0.0.0", "--force")
    assert httpx.get(url(server) + "/healthz", headers={"host": "a.example"}).status_code == 200


def test_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "--port" in refused("--port", taken.getsockname()[1])


@pytest.mark.parametrize("content", ["", "short\n", "with spaces in the middle of it\n", "é" * 20])
def test_a_token_file_that_holds_none(tmp_path, content):
    file = tmp_path / "token"
    file.write_text(content)
    for given in (file, tmp_path / "missing"):
        with pytest.raises(InputError, match="token"):
            read_tokens(given)


@pytest.mark.parametrize("mode", [0o602, 0o620, 0o666, 0o622])
def test_a_token_that_others_can_write_is_none(tmp_path, mode):
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(mode)
    with pytest.raises(InputError, match="chmod 600"):
        read_tokens(file)


@pytest.mark.parametrize(("mode", "lines"), [(0o644, 1), (0o640, 1), (0o604, 1), (0o600, 0)])
def test_a_token_that_others_can_read_is_a_risk(tmp_path, mode, lines):
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(mode)
    said: list[str] = []
    (right,) = read_tokens(file, said.append)
    assert right.token == TOKEN.encode()
    assert len(said) == lines
    assert all("chmod 600" in line and TOKEN not in line for line in said)


def test_the_token(start, tmp_path):
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o644)
    server = start("--token-file", str(file))
    assert server.said.count("chmod 600") == 1
    told = {"text": "Joe went to the kitchen."}
    with httpx.Client(base_url=url(server)) as http:
        for wrong in (None, "Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer é"):
            headers = {} if wrong is None else {"authorization": wrong.encode()}
            response = http.post("/v1/memories/main/statements", json=told, headers=headers)
            is_problem(response, 401)
            assert response.headers["www-authenticate"] == "Bearer"
            is_problem(http.get("/metrics", headers=headers), 401)
            is_problem(http.delete("/v1/memories/main", headers=headers), 401)
        http.headers["authorization"] = f"Bearer {TOKEN}"
        assert texts(http.get("/v1/memories/main/statements")) == [], "nothing was told"
        assert http.post("/v1/memories/main/statements", json=told).status_code == 200
    for open in ("/", "/healthz", "/docs", "/openapi.json", "/page/app.js"):
        assert httpx.get(url(server) + open).status_code == 200
    described = httpx.get(url(server) + "/openapi.json").json()
    assert described["paths"]["/metrics"]["get"]["security"]


def test_a_store_outlives_the_server(start, tmp_path):
    store = str(tmp_path / "diary.db")
    one = start("--store", store)
    story = {"text": "Joe went to the kitchen. Joe took the milk."}
    assert httpx.post(url(one) + "/v1/memories/a/statements", json=story).status_code == 200
    assert one.end() == 0
    two = start("--store", store)
    asked = httpx.post(url(two) + "/v1/memories/a/questions", json={"text": "Where is the milk?"})
    assert asked.json()["answer"] == "kitchen"
    assert httpx.get(url(two) + "/v1/memories").json() == {
        "memories": [{"name": "a", "statements": 2}]
    }


def test_two_servers_on_one_store(start, tmp_path):
    """What one is told, corrected or made to forget, the other knows at once."""
    store = str(tmp_path / "shared.db")
    one, two = (httpx.Client(base_url=url(start("--store", store))) for _ in range(2))
    with one, two:
        place = "/v1/memories/main"
        question = {"text": "Where is Joe?"}
        one.post(f"{place}/statements", json={"text": "Joe went to the kitchen."})
        assert two.post(f"{place}/questions", json=question).json()["answer"] == "kitchen"
        two.post(f"{place}/statements", json={"text": "Joe went to the garden."})
        assert one.post(f"{place}/questions", json=question).json()["answer"] == "garden"
        one.delete(f"{place}/statements/2")
        assert two.post(f"{place}/questions", json=question).json()["answer"] == "kitchen"

        def tell(client: httpx.Client, number: int) -> int:
            text = f"Joe went to the office {number}."
            told = client.post(f"{place}/statements", json={"text": text})
            return told.json()["statements"][0]["id"]

        with ThreadPoolExecutor(8) as pool:
            ids = list(pool.map(lambda n: tell((one, two)[n % 2], n), range(60)))
        assert sorted(ids) == list(range(3, 63)), "each id is given once"


def test_a_memory_deleted_through_one_server_is_gone_for_the_other(start, tmp_path):
    store = str(tmp_path / "deleted.db")
    one, two = (httpx.Client(base_url=url(start("--store", store))) for _ in range(2))
    place, question = "/v1/memories/main", {"text": "Where is Joe?"}
    with one, two:
        for server in (one, two):
            server.post(f"{place}/statements", json={"text": "Joe went to the kitchen."})
            assert server.post(f"{place}/questions", json=question).json()["answer"] == "kitchen"
        assert two.delete(place).status_code == 204
        for server in (one, two):
            assert server.get("/v1/memories").json() == {"memories": []}
            is_problem(server.post(f"{place}/questions", json=question), 404)
            is_problem(server.get(f"{place}/statements"), 404)
            is_problem(server.delete(f"{place}/statements/1"), 404)
            is_problem(server.delete(place), 404)
        told = one.post(f"{place}/statements", json={"text": "Joe went to the garden."})
        assert [slot["id"] for slot in told.json()["statements"]] == [1]
        for server in (one, two):
            assert server.post(f"{place}/questions", json=question).json()["answer"] == "garden"


def test_an_end_in_order_loses_nothing(start, tmp_path):
    """SIGTERM under load: every request is answered or refused, and what was told is kept."""
    store = str(tmp_path / "load.db")
    server = start("--store", store)

    async def run() -> load.Load:
        ending = asyncio.get_running_loop().call_later(
            1.5, server.process.send_signal, signal.SIGTERM
        )
        try:
            return await load.under_load(server.port, 8, 3)
        finally:
            ending.cancel()

    seen = asyncio.run(run())
    assert server.wait() == 0
    assert seen.acknowledged
    again = start("--store", store)
    assert asyncio.run(load.lost(again.port, seen.acknowledged)) == []


def test_killed_under_load_nothing_acknowledged_is_lost(tmp_path, monkeypatch, model):
    monkeypatch.setattr(load, "FACTS", 100)
    monkeypatch.setattr(load, "MEMORIES", 3)
    result = asyncio.run(load.killed(str(tmp_path / "killed.db"), 16, 2, str(model)))
    assert result["acknowledged"] > 0
    assert result["lost"] == 0


def test_load_and_cost_are_measured(monkeypatch, model):
    """The benchmark itself, small: no error, nothing lost, costs beside the bare framework."""
    for name, few in (("FACTS", 100), ("MEMORIES", 2), ("ROUNDS", 1), ("REQUESTS", 20)):
        monkeypatch.setattr(load, name, few)
    result = asyncio.run(load.measure(":memory:", 8, 1, str(model)))
    assert result["load"]["errors"] == 0, result["load"]["first_errors"]
    assert result["load"]["lost"] == 0
    assert result["load"]["acknowledged"] > 0
    assert "empty request, bare framework" in result["cost"]
    assert result["exit_code"] == 0


@pytest.mark.parametrize("kept", [True, False])
def test_without_a_store_it_says_that_nothing_is_kept(model, tmp_path, kept):
    store = ["--store", str(tmp_path / "a.db")] if kept else []
    command = [sys.executable, "-m", "memnn", "serve", "--model", str(model), "--port", "0", *store]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = ""
        while "Listening" not in said:
            said += server.stderr.readline()
            assert server.poll() is None
        server.send_signal(signal.SIGINT)
    assert ("gone when this ends (--store diary.db keeps it)" in said) is not kept
