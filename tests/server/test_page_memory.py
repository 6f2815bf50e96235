"""The memory on the page: a list of any length, what others tell, undo, edit, files, search."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from memnn.as_json import said_json
from memnn.server import page as package
from memnn.types import Answer, Hop, Slot
from tests.server.browsing import PHONE, say, supports

ROWS = "#timeline .slot"


def tell(http, memory, *texts, **about):
    told = [{"text": text, **about} for text in texts]
    for start in range(0, len(told), 1000):
        sent = http.post(f"{memory}/statements", json={"statements": told[start : start + 1000]})
        assert sent.status_code == 200, sent.text


def test_the_page_is_small():
    from importlib.resources import files

    sizes = {
        file.name: len(file.read_bytes()) for file in files(package).iterdir() if file.is_file()
    }
    parts = sum(n for name, n in sizes.items() if name.endswith((".js", ".css", ".html", ".svg")))
    assert 20_000 < parts <= 150_000, sizes


def test_only_what_is_seen_is_drawn(open_page, http, memory):
    """Few nodes wherever one is, and what an answer rests on is shown wherever it stands."""
    http.post(f"{memory}/statements", json={"text": "Joe went to the garden."})
    tell(http, memory, *(f"Note {i} of the day is short." for i in range(3_000)))
    page = open_page()
    expect(page.locator("[data-count]").last).to_have_text("3,001")
    assert page.locator(ROWS).count() < 60
    expect(page.locator(ROWS).last).to_contain_text("Note 2999")
    say(page, "Where is Joe?")
    expect(page.locator(".asked .said .text")).to_have_text("garden")
    expect(page.locator("#timeline .support")).to_be_in_viewport()
    assert supports(page) == ["1 Joe went to the garden."]
    for place in (0.5, 0.25, 0.9):
        page.evaluate(
            "at => { const s = document.getElementById('memory-scroll');"
            " s.scrollTop = at * s.scrollHeight; }",
            place,
        )
        page.wait_for_function(
            "([rows, at]) => Math.abs(document.querySelectorAll(rows)[5]?.ariaPosInSet - at) < 150",
            arg=[f"{ROWS}:not(.blank)", place * 3001],
        )
        rows = page.eval_on_selector_all(
            ROWS, "all => all.map((row) => [Number(row.ariaPosInSet), Number(row.dataset.id)])"
        )
        assert len(rows) < 60
        for at, id in rows:
            assert at == id
            assert abs(at - place * 3001) < 150


def test_lines_without_ids_replace_what_they_say_and_no_more(open_page, http, memory, tmp_path):
    lines = [
        {"id": 1, "text": "I live in Leeds."}, {"text": "I live in Bristol.", "supersedes": 1},
        {"text": "Anna is 31."}, {"text": "Bob has a dog."}, {"question": "Who?", "ids": None},
    ]  # fmt: skip
    (tmp_path / "some.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    page = open_page()
    page.on("filechooser", lambda chooser: chooser.set_files(tmp_path / "some.jsonl"))
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#message")).to_contain_text("4 statements from some.jsonl")
    came = http.get(f"{memory}/statements?history=true").json()["statements"]
    assert [each.get("supersedes") for each in came] == [None, 1, None, None]


def test_what_others_tell_and_delete_appears(open_page, http, memory):
    page = open_page()
    say(page, "Joe went to the kitchen.")
    http.post(f"{memory}/statements", json={"text": "Fred went to the garden."})
    expect(page.locator(ROWS)).to_have_count(2)
    expect(page.locator(".told .text").last).to_have_text("Fred went to the garden.")
    http.delete(f"{memory}/statements/1")
    expect(page.locator(ROWS)).to_have_count(1)
    http.delete(memory)
    expect(page.locator(ROWS)).to_have_count(0)


def test_asking_about_the_past_eats_no_statement(open_page, http, memory):
    page = open_page()
    say(page, "Joe went to the kitchen.")
    page.get_by_role("button", name="Ask as of this moment").click()
    say(page, "Joe went to the garden.")
    expect(page.locator("#message")).to_contain_text("Remembered now")
    expect(page.locator(ROWS)).to_have_count(2)
    say(page, "Where is Joe?")
    expect(page.locator(".asked .said .text")).to_have_text("kitchen")
    assert len(http.get(f"{memory}/statements").json()["statements"]) == 2


def test_long_text_is_refused_with_its_length_and_kept(open_page):
    page = open_page()
    field = page.get_by_label("Tell something, or ask")
    text = "Joe went to the garden. " * 500
    field.fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("#length")).to_contain_text("11,999 characters, and 10,000")
    expect(field).to_have_value(text)
    expect(page.locator(ROWS)).to_have_count(0)
    field.fill("Joe went to the garden.")
    expect(page.locator("#length")).to_be_hidden()


def test_forgetting_can_be_taken_back(open_page, http, memory):
    page = open_page()
    say(page, "Joe went to the kitchen. Fred went to the garden.")
    page.get_by_role("button", name="Forget “Joe went").click()
    expect(page.locator(ROWS)).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(f"{ROWS} .text")).to_have_text(
        ["Joe went to the kitchen.", "Fred went to the garden."]
    )
    assert len(http.get(f"{memory}/statements").json()["statements"]) == 2
    page.get_by_role("button", name="Forget “Joe went").click()
    page.goto("about:blank")  # who leaves does not take back
    for _ in range(100):
        if len(http.get(f"{memory}/statements").json()["statements"]) == 1:
            break
        page.wait_for_timeout(50)
    else:
        pytest.fail("it was not forgotten")


def test_a_statement_is_changed(open_page, http, memory):
    page = open_page()
    say(page, "Joe went to the kitchen.")
    page.get_by_role("button", name="Change “Joe went").click()
    page.get_by_label("What holds now").fill("Joe went to the garden.")
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.locator(".slot.replaced")).to_contain_text("replaced by #2")
    say(page, "Where is Joe?")
    expect(page.locator(".asked .said .text")).to_have_text("garden")
    assert http.get(f"{memory}/statements/1").json()["superseded_by"] == 2


def test_files_go_out_and_come_in(open_page, http, memory, tmp_path):
    tell(http, memory, "Shall we go?", speaker="Ann", said="2023-05-08T13:56:00Z")
    tell(http, memory, "Joe went to the kitchen.")
    http.post(f"{memory}/lessons", json={"question": "Where is Joe?", "ids": [2]})
    page = open_page()
    page.get_by_text("More", exact=True).click()
    with page.expect_download() as begun:
        page.get_by_role("button", name="Export").click()
    begun.value.save_as(tmp_path / "told.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "told.jsonl").read_text().splitlines()]
    assert [line.get("text") for line in lines] == [
        "Shall we go?",
        "Joe went to the kitchen.",
        None,
    ]
    assert lines[0]["speaker"] == "Ann"
    assert lines[2]["ids"] == [2]

    (tmp_path / "log.txt").write_text("Bob: Where is Fred?\nAnn: In the garden.\n")
    page.on("filechooser", lambda chooser: chooser.set_files(tmp_path / chosen))
    for chosen, count in (("told.jsonl", 4), ("log.txt", 6)):
        page.get_by_text("More", exact=True).click()
        page.get_by_role("button", name="Import").click()
        expect(page.locator("#message")).to_contain_text(f"2 statements from {chosen}")
        expect(page.locator(ROWS)).to_have_count(count)
    expect(page.locator(f"{ROWS} .speaker").last).to_have_text("Ann")
    (tmp_path / "broken.jsonl").write_text('{"text": "Joe left."}\n{oh\n')
    chosen = "broken.jsonl"
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#problem")).to_contain_text("Line 2 of the file")


def test_what_comes_in_is_what_went_out(open_page, http, memory, tmp_path):
    """When it was said and by whom, what replaced what, and what was taught."""
    tell(http, memory, "I saw the dentist yesterday.", said="2023-05-08T13:56:00Z", speaker="Ann")
    tell(http, memory, "Joe went to the kitchen.")
    http.put(f"{memory}/statements/2", json={"text": "Joe went to the garden."})
    http.post(f"{memory}/lessons", json={"question": "Where is Joe?", "ids": [3]})
    page = open_page()
    page.get_by_text("More", exact=True).click()
    with page.expect_download() as begun:
        page.get_by_role("button", name="Export").click()
    begun.value.save_as(tmp_path / "told.jsonl")
    page.on("filechooser", lambda chooser: chooser.set_files(tmp_path / "told.jsonl"))
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#message")).to_contain_text("3 statements from told.jsonl")
    told = http.get(f"{memory}/statements?history=true").json()["statements"]
    out, came = told[:3], told[3:]
    assert [slot["text"] for slot in came] == [slot["text"] for slot in out]
    assert [slot["said"] for slot in came] == [out[0]["said"], out[1]["time"], out[2]["time"]]
    assert came[0]["speaker"] == "Ann"
    assert (came[2]["supersedes"], came[1]["superseded_by"]) == (5, 6)
    lessons = http.get(f"{memory}/lessons").json()["lessons"]
    assert [(each["ids"], each["as_of"]) for each in lessons] == [([3], 3), ([6], 6)]


def test_copy_and_rename(open_page, http, memory):
    page = open_page()
    say(page, "Joe went to the kitchen.")
    name = memory.rpartition("/")[2]
    for button, new in (("Copy …", f"{name}-b"), ("Rename …", f"{name}-c")):
        page.get_by_text("More", exact=True).click()
        page.get_by_role("button", name=button).click()
        page.get_by_role("textbox", name="Name").fill(new)
        page.locator("#name-ok").click()
        expect(page.locator("#memory-name option:checked")).to_have_text(new)
        expect(page.locator(ROWS)).to_have_count(1)
    assert http.get(f"{memory}/statements").json()["statements"]
    assert http.get(f"{memory}-b/statements").status_code == 404
    assert http.post(f"{memory}/copies", json={"to": f"{name}-c"}).status_code == 409
    assert http.post(f"{memory}-none/copies", json={"to": f"{name}-d"}).status_code == 404


def test_search_lights_what_it_finds_and_learns(open_page, http, memory):
    tell(http, memory, "I have the tickets.", "When the train is late, I wait.", speaker="Ann")
    page = open_page()
    page.get_by_label("Search this memory").fill("who has the ticket")
    expect(page.locator("#timeline mark")).to_have_text(["tickets"])
    expect(page.locator(f"{ROWS} .text").first).to_have_text("I have the tickets.")
    page.get_by_role("button", name="This is the right fact").first.click()
    expect(page.locator("#message")).to_contain_text("Kept: [1]")
    (lesson,) = http.get(f"{memory}/lessons").json()["lessons"]
    assert (lesson["question"], lesson["ids"]) == ("who has the ticket", [1])
    page.get_by_label("Search this memory").fill("where is a train")
    expect(page.locator("#timeline mark")).to_have_text(["train"])
    page.get_by_label("Search this memory").fill("zebra")
    expect(page.locator("#none-found")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(ROWS)).to_have_count(2)


def test_days_and_speakers(open_page, http, memory):
    tell(http, memory, "Hello.", speaker="Ann", said="2023-05-08T12:00:00Z")
    tell(http, memory, "Hello, Ann.", speaker="Bob", said="2023-05-08T12:01:00Z")
    tell(http, memory, "We are back.", speaker="Ann", said="2024-02-01T12:00:00Z")
    page = open_page(locale="en-GB", timezone_id="UTC")
    expect(page.locator(f"{ROWS} .dot")).to_have_text(["A", "B", "A"])
    expect(page.locator(f"{ROWS} .speaker")).to_have_text(["Ann", "Bob", "Ann"])
    days = [text for text in page.locator(f"{ROWS} .day").all_inner_texts() if text]
    assert [re.sub(r"\W+", " ", day) for day in days] == ["Mon 8 May 2023", "Thu 1 February 2024"]


def test_the_same_is_not_said_twice(open_page):
    page = open_page()
    say(page, "The key is in the bowl.")
    hop = Hop(1, Slot(1, "The key is in the bowl.", "2024-01-01T00:00:00Z"), 2.0)
    found = Answer(hop.text, 0.9, evidence=(hop,), source="told", probability=0.9)
    sent = json.dumps(said_json([], [("Where is the key?", found)]))
    page.route("**/messages", lambda route: route.fulfill(body=sent, status=200))
    for _ in range(2):
        say(page, "Where is the key?")
    expect(page.locator(".asked")).to_have_count(1)
    assert page.locator(".asked").inner_text().count("The key is in the bowl.") == 1
    expect(page.locator(".hops .fact .text")).to_have_text("in these words")


def test_what_was_typed_comes_back(open_page):
    page = open_page()
    field = page.get_by_label("Tell something, or ask")
    say(page, "Joe went to the kitchen.")
    say(page, "Where is Joe?")
    for key, text in (
        ("ArrowUp", "Where is Joe?"), ("ArrowUp", "Joe went to the kitchen."),
        ("ArrowUp", "Joe went to the kitchen."), ("ArrowDown", "Where is Joe?"), ("ArrowDown", ""),
    ):  # fmt: skip
        page.keyboard.press(key)
        expect(field).to_have_value(text)
    page.keyboard.type("Ann")
    page.keyboard.press("ArrowUp")
    expect(field).to_have_value("Ann")


def test_offline_keeps_what_was_typed(open_page):
    page = open_page()
    page.context.set_offline(True)
    field = page.get_by_label("Tell something, or ask")
    field.fill("Joe went to the kitchen.")
    page.keyboard.press("Enter")
    expect(page.locator("#offline")).to_be_visible()
    expect(field).to_have_value("Joe went to the kitchen.")
    page.context.set_offline(False)
    expect(page.locator("#offline")).to_be_hidden(timeout=15_000)
    page.keyboard.press("Enter")
    expect(page.locator(ROWS)).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("phone", [False, True])
def test_axe_finds_nothing_serious(open_page, http, memory, scheme, phone):
    """Every view: welcome, conversation, memory, search, the past, dialogs, the reference."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(color_scheme=scheme, **(PHONE if phone else {}))

    def check(view):
        page.wait_for_timeout(350)  # colours fade
        found = axe.run(page).response["violations"]
        bad = [v for v in found if v["impact"] in ("serious", "critical")]
        shown = [(v["id"], [node["html"][:120] for node in v["nodes"][:3]]) for v in bad]
        assert not shown, (view, shown)

    def go(view):
        if phone:
            page.locator(f"[data-show={view}]").click()

    check("welcome")
    page.get_by_role("button", name="Joe and the milk").click()
    say(page, "Where is the milk now?")
    page.locator(".why summary").first.click()
    check("conversation")
    tell(http, memory, "I have the tickets.", speaker="Ann")
    go("memory")
    expect(page.locator(ROWS)).to_have_count(7)
    check("memory")
    page.get_by_label("Search this memory").fill("milk")
    expect(page.locator("#timeline mark").first).to_be_visible()
    check("search")
    page.keyboard.press("Escape")
    page.get_by_text("More", exact=True).click()
    check("menu")
    page.get_by_role("button", name="Copy …").click()
    check("dialog")
    page.get_by_role("button", name="Cancel").click()
    if phone:
        page.locator("#timeline .more").first.click()
    page.get_by_role("button", name="Ask as of this moment").first.click()
    check("past")
    page.goto(page.url.partition("#")[0] + "docs")
    page.locator(".operation summary").first.click()
    check("reference")
