"""What version 0.1.0 left: its store, its models and its requests work as they did.

`tests/data/v0.1` was written by version 0.1.0: a story network of 300 questions, an ensemble around
it with sixty facts, and a store in which the fourth of four statements was deleted.
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import httpx
import pytest
from benchmarks.http_client import running

import memnn
from memnn import default
from memnn.memory import open_store
from memnn.memory.address import verify

OLD = Path(__file__).parent / "data" / "v0.1"


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copytree(OLD, tmp_path / "v0.1"))


def test_a_store(old):
    assert not verify(str(old / "store.db")).problems
    with memnn.load(old / "story", memory=str(old / "store.db")) as net:
        assert [slot.id for slot in net.memory] == [1, 2, 3]
        answer = net.ask("Where is the milk?")
        assert (answer.text, [hop.id for hop in answer.evidence]) == ("garden", [2, 3])
        assert net.tell("Joe left the milk.")[0].id == 5, "ids are never given twice"
        net.tell("I moved to Oslo.", speaker="Bob")
        assert net.search("Oslo")[0].speaker == "Bob"
    with open_store(str(old / "store.db")) as store:
        assert store.sizes() == {"main": 5}
    with memnn.open(old / "store.db") as net:
        assert net.ask("Where is Joe?").text == "garden"


def test_an_ensemble_keeps_its_networks_and_gets_a_new_calibration(old, caplog):
    with caplog.at_level(logging.WARNING, "memnn"):
        net = memnn.load(old / "ensemble")
    assert "made by memnn 0.1.0" in caplog.text
    assert net.model.calibration.keys() == default.ensemble().calibration.keys()
    assert net.model.thresholds == default.ensemble().thresholds
    assert net.model.story.id != default.story().id
    net.tell("Joe went to the kitchen. The ladder hangs in the shed.")
    assert "shed" in net.ask("Where does the ladder hang?").text
    net.save(old / "again")
    caplog.clear()
    memnn.load(old / "again")
    assert caplog.text == ""


def test_its_service(old, compiled):
    """Every request of version 0.1.0, and the keys that its clients read."""
    options = ("--model", str(old / "story"), "--store", str(old / "store.db"), "--port", "0")
    with (
        running("-m", "memnn", "serve", *options) as server,
        httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=300) as http,
    ):
        main = "/v1/memories/main"
        asked = http.post(f"{main}/questions", json={"text": "Where is the milk?"}).json()
        assert asked["answer"] == "garden"
        assert {
            "answer", "score", "abstained", "reason", "evidence", "source", "others",
        } <= asked.keys()  # fmt: skip
        hop = asked["evidence"][0]
        assert {"hop", "id", "text", "time", "score", "decisive", "source"} <= hop.keys()
        assert {"against", "margin", "content", "write_time"} <= hop["decisive"].keys()
        before = {"text": "Where is the milk?", "as_of": 2}
        assert http.post(f"{main}/questions", json=before).json()["answer"] == "kitchen"
        told = http.post(f"{main}/statements", json={"text": "Joe left the milk."}).json()
        assert told["statements"][0].keys() == {"id", "text", "time"}
        said = http.post(f"{main}/messages", json={"text": "Joe went home. Where is Joe?"}).json()
        assert [slot["id"] for slot in said["statements"]] == [6]
        assert len(said["answers"]) == 1
        listed = http.get(f"{main}/statements", params={"after": 3, "limit": 1}).json()
        assert [slot["id"] for slot in listed["statements"]] == [5]
        assert http.delete(f"{main}/statements/6").status_code == 204
        assert http.get("/v1/memories").json()["memories"] == [{"name": "main", "statements": 4}]
        assert http.get("/healthz").status_code == 200
        assert "memnn" in http.get("/metrics").text
        assert http.get("/openapi.json").json()["paths"]
        assert http.delete(main).status_code == 204
