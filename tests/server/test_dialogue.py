"""The services with an ensemble: told sentences, stories and the world, told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from benchmarks.http_client import Process, running

from memnn.components import DONT_KNOW
from memnn.dialogue import model as ensemble
from tests.server.test_mcp import said, talk

STORY = "Joe went to the kitchen. Joe picked up the milk. Joe travelled to the office."


@pytest.fixture(scope="module")
def folder(small: ensemble.EnsembleModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ensemble.save(small, tmp_path_factory.mktemp("ensemble") / "model")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Process]:
    with running("-m", "memnn", "serve", "--model", str(folder), "--port", "0") as process:
        yield process


def ask(http: httpx.Client, memory: str, text: str, **more) -> dict:
    answer = http.post(f"{memory}/questions", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_answer_says_where_it_is_from(http, memory):
    text = f"{STORY} The ladder hangs behind the garage door."
    assert http.post(f"{memory}/statements", json={"text": text}).status_code == 200
    story = ask(http, memory, "Where is the milk?")
    assert (story["answer"], story["source"]) == ("office", "story")
    told = ask(http, memory, "Where does the ladder hang?")
    assert told["source"] == "told"
    assert [hop["id"] for hop in told["evidence"]] == [4]
    world = ask(http, memory, "Where does milk come from?")
    assert (world["answer"], world["source"]) == ("milk comes from cows", "world")
    assert {hop["source"] for hop in world["evidence"]} == {"world"}
    assert world["evidence"][0]["id"] is None, "it is no statement of this memory"


def test_nothing_supports_it(http, memory):
    nothing = ask(http, memory, "What is the shoe size of Zebulon?")
    assert nothing["abstained"]
    assert (nothing["answer"], nothing["source"]) == (DONT_KNOW, "")
    assert nothing["reason"]


def test_the_past_and_what_was_forgotten(http, memory):
    for text in ("The key lies under the pot.", "The key lies in the bowl."):
        http.post(f"{memory}/statements", json={"text": text})
    question = "Where is the key?"
    assert ask(http, memory, question)["evidence"][0]["id"] == 2
    assert ask(http, memory, question, as_of=1)["evidence"][0]["id"] == 1
    assert http.delete(f"{memory}/statements/2").status_code == 204
    assert ask(http, memory, question)["evidence"][0]["id"] == 1


def test_an_assistant_is_told_where_it_is_from(folder, tmp_path):
    pytest.importorskip("mcp")

    async def conversation(client):
        await said(client, "remember", text="The ladder hangs behind the garage door.")
        told = await said(client, "ask", question="Where does the ladder hang?")
        world = await said(client, "ask", question="Where does milk come from?")
        return told["source"], world["source"]

    assert talk(folder, tmp_path / "a.db", conversation) == ("told", "world")


def test_a_fact_of_the_world_lights_nothing_up(browser_path, server, memory):
    pytest.importorskip("playwright")
    from playwright.sync_api import expect, sync_playwright

    from tests.server.test_page import say

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.port}/#{memory.rpartition('/')[2]}")
        # As many statements as there are facts that may be found: some id is in use for both.
        for start in (0, 200):
            text = "\n".join(f"The lamp {n} hangs in the hall" for n in range(start, start + 200))
            told = httpx.post(
                f"http://127.0.0.1:{server.port}{memory}/statements", json={"text": text}
            )
            assert told.status_code == 200
        page.reload()
        say(page, "Where does milk come from?")
        asked = page.locator(".asked").last
        expect(asked.locator(".said .text")).to_have_text("milk comes from cows")
        expect(asked.locator(".source")).to_have_text("a fact of the world")
        expect(asked.locator(".fact .id").first).to_have_text("world")
        expect(asked.locator(".light")).to_be_hidden()
        expect(asked.locator(".stale")).to_be_hidden()
        expect(page.locator("#timeline .slot.support")).to_have_count(0)
        say(page, "Where does the lamp 7 hang?")
        asked = page.locator(".asked").last
        expect(asked.locator(".source")).to_have_text("as you told me")
        expect(asked.locator(".likely")).to_have_text(re.compile(r"\d %"))
        expect(page.locator("#timeline .slot.support")).to_have_count(1)
        say(page, "What is the shoe size of Zebulon?")
        asked = page.locator(".asked").last
        expect(asked.locator(".said .text")).to_have_text(DONT_KNOW)
        expect(asked.locator(".reason")).not_to_be_empty()
        expect(asked.locator(".likely")).to_be_empty()
        browser.close()
