"""The page in a real browser: what a person sees and does."""

from __future__ import annotations

import json
import re

import httpx
import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Page, expect

from memnn.as_json import said_json
from memnn.types import Answer, Comparison, Hop, Slot
from tests.server.browsing import PHONE, say, supports
from tests.server.test_serve import TOKEN

SCRIPT = "<script>document.title = 'hacked'</script><img src=x onerror=alert(1)>"


def test_tell_ask_light_delete_reload(open_page):
    page = open_page()
    page.get_by_role("button", name="Joe and the milk").click()
    expect(page.locator("#timeline .slot")).to_have_count(6)
    say(page, "Where is the milk now?")
    answer = page.locator(".asked").last
    expect(answer.locator(".said .text")).to_have_text("office")
    assert supports(page) == ["1 Joe left the milk.", "2 Joe travelled to the office."]
    expect(answer.locator(".hops .fact .text")).to_have_text(
        ["Joe left the milk.", "Joe travelled to the office."]
    )
    # Scores, the runner-up, and what was said against when it was said.
    expect(answer.locator(".hops .fact .score").first).to_have_text(re.compile(r"^−?\d+\.\d\d$"))
    expect(answer.locator(".hops .rival").first).to_be_hidden()  # on request
    for why in answer.locator(".why summary").all():
        why.click()
    expect(answer.locator(".hops .rival").first).to_be_visible()
    assert answer.locator(".hops .bars output").count() == 4
    expect(answer.locator(".likely")).to_be_hidden()  # this network gives no probability
    expect(answer.locator(".graph svg")).to_have_attribute(
        "aria-label", re.compile("fact 1: Joe left")
    )
    widths = [bar.bounding_box()["width"] for bar in answer.locator(".track i").all()]
    assert max(widths) > 10

    page.reload()
    expect(page.locator(".asked .question")).to_have_text(["Where is the milk now?"])
    expect(page.locator(".told li")).to_have_count(6)
    assert supports(page) == ["1 Joe left the milk.", "2 Joe travelled to the office."]

    page.get_by_role("button", name="Forget “Joe left the milk.”").click()
    expect(page.locator("#timeline .slot")).to_have_count(5)
    expect(page.locator(".asked .stale")).to_be_visible()
    say(page, "Where is the milk now?")
    expect(page.locator(".asked").last.locator(".said .text")).to_have_text("bathroom")
    page.reload()
    expect(page.locator("#timeline .slot")).to_have_count(5)
    expect(page.locator(".asked")).to_have_count(2)


def test_text_is_never_html(open_page, http, memory):
    page = open_page()
    say(page, f"Joe went to the {SCRIPT}.")
    expect(page.locator("#timeline .slot .text")).to_contain_text("<script>")
    expect(page.locator(".told .text")).to_contain_text("onerror=alert(1)")
    say(page, f"Where is {SCRIPT}?")
    expect(page.locator(".question")).to_contain_text("<script>")
    http.post(f"{memory}/statements", json={"text": f"{SCRIPT} again."})
    page.reload()
    expect(page.locator("#timeline .slot")).to_have_count(2)
    assert page.title() == "memnn"
    assert page.locator("main img, main script").count() == 0


def answer_with(page: Page, found: Answer) -> None:
    """The page asks, and gets this answer."""
    sent = json.dumps(said_json([], [("Where is Joe?", found)]))
    page.route("**/messages", lambda route: route.fulfill(body=sent, status=200))
    say(page, "Where is Joe?")


def test_probability_and_terms(open_page):
    """How likely an answer is, and everything that its margin is the sum of."""
    page = open_page()
    rival = Comparison(
        Slot(1, "Joe left.", "2024-01-01T00:00:00Z"), 1.0, 0.5, 0.25,
        {"words": 0.8, "names": -0.3, "write time": 0.25},
    )  # fmt: skip
    hop = Hop(1, Slot(2, "Joe is in the hall.", "2024-01-01T00:00:01Z"), 2.0, rival)
    answer_with(page, Answer("hall", 0.954, evidence=(hop,), source="told", probability=0.954))
    asked = page.locator(".asked").last
    expect(asked.locator(".likely")).to_have_text("almost certain95 %")
    width = asked.locator(".meter i").bounding_box()["width"]
    assert 0.9 < width / asked.locator(".meter").bounding_box()["width"] < 1
    expect(asked.locator(".why summary")).to_have_text("won by 0.75: said +0.50, time +0.25")
    expect(asked.locator(".bars .name")).to_have_text(
        ["what was said", "words", "names", "when it was said"]
    )
    expect(asked.locator(".bars output")).to_have_text(["+0.50", "+0.80", "−0.30", "+0.25"])


@pytest.mark.parametrize(
    ("probability", "shown"),
    [
        (1.0, "almost certainover 99 %"),
        (0.85, "very likely85 %"),
        (0.6, "likely60 %"),
        (0.5, "could be50 %"),
        (0.001, "unlikelyunder 1 %"),
        (None, ""),
    ],
)
def test_nothing_is_certain(open_page, probability, shown):
    page = open_page()
    answer_with(page, Answer("hall", 3.0, source="told", probability=probability))
    expect(page.locator(".asked .likely")).to_have_text(shown)


def test_a_fact_of_the_world_was_said_at_no_time(open_page):
    page = open_page()
    fact, other = Slot(1, "milk comes from cows", ""), Slot(2, "milk is white", "")
    hop = Hop(1, fact, 2.0, Comparison(other, 1.0, 1.0, 0.0, {"words": 1.0}), source="world")
    answer_with(page, Answer(fact.text, 0.9, evidence=(hop,), source="world", probability=0.9))
    expect(page.locator(".why summary")).to_have_text("won by 1.00")
    expect(page.locator(".bars .name")).to_have_text(["what was said"])


def test_it_says_that_it_does_not_know(open_page):
    page = open_page()
    say(page, "Joe went to the kitchen.")
    say(page, "Where is Gollum?")
    expect(page.locator(".asked .said .text")).to_have_text("I don't know")
    expect(page.locator(".asked .reason")).not_to_be_empty()
    assert supports(page) == []


@pytest.mark.parametrize("settings", [{}, PHONE])
def test_small_talk_stands_where_answers_stand(open_page, settings):
    page = open_page(**settings)
    for n in range(12):
        say(page, f"Joe went to the kitchen. Fred went to place {n}.")
    say(page, "hello")
    expect(page.locator("#log .remembered")).to_have_text("Remembered as 1 to 24.")
    reply = page.locator("#log > li").last
    expect(reply.locator(".question")).to_have_text("hello")
    expect(reply.locator(".reply")).to_contain_text("Tell me what happens")
    expect(reply.locator(".reply")).to_be_in_viewport()
    say(page, "What have I told you about Joe?")
    expect(page.locator("#log > li").last.locator(".listed li")).to_have_count(12)
    say(page, "Where is Joe?")
    assert page.locator("#log > li").last.locator(".said .text").inner_text() == "kitchen"
    say(page, "No, it's the garden")
    put_right = page.locator("#log > li:has(.reply)").last
    expect(put_right).to_contain_text("Joe went to the garden.")
    expect(put_right.locator(".reply")).to_be_in_viewport()
    say(page, "where is Joe")
    assert page.locator("#log > li").last.locator(".said .text").inner_text() == "garden"
    say(page, "Why?")
    expect(page.locator("#log > li").last.locator(".listed li")).to_have_count(1)
    say(page, "Forget that Fred went to place 7.")
    expect(page.locator("#log > li").last.locator(".reply")).to_contain_text("Forgot [16] Fred")
    expect(page.locator("#log .told .text", has_text="place 7.")).to_have_count(0)
    page.reload()
    expect(page.locator("#log .said .text").last).to_have_text("garden")
    expect(page.locator("#log .reply")).to_have_count(0)


def test_the_past(open_page):
    page = open_page()
    say(page, "Joe went to the kitchen.")
    say(page, "Joe went to the garden.")
    page.locator("#timeline .slot").first.hover()
    page.get_by_role("button", name="Ask as of this moment").first.click()
    say(page, "Where is Joe?")
    expect(page.locator(".asked .said .text")).to_have_text("kitchen")
    page.keyboard.press("Escape")
    say(page, "Where is Joe?")
    expect(page.locator(".asked .said .text").last).to_have_text("garden")


def test_by_keyboard_alone(open_page):
    page = open_page()
    expect(page.get_by_label("Tell something, or ask")).to_be_focused()
    page.keyboard.type("Joe went to the kitchen.")
    page.keyboard.press("Enter")
    page.keyboard.type("Where is Joe?")
    page.keyboard.press("Enter")
    expect(page.locator(".asked .said .text")).to_have_text("kitchen")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('forget')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#timeline .slot")).to_have_count(0)
    expect(page.locator("#memory-title")).to_be_focused()


def test_a_phone(open_page):
    page = open_page(**PHONE)
    page.get_by_role("button", name="The ring").click()
    expect(page.locator(".told li")).to_have_count(12)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("#timeline")).to_be_hidden()
    page.get_by_role("button", name="Memory 12").click()
    expect(page.locator("#timeline .slot").last).to_be_visible()
    page.locator("#timeline .more").first.click()
    expect(page.locator("#timeline .forget").first).to_be_visible()
    for view in ("memory", "talk"):
        page.locator(f"[data-show={view}]").click()
        assert page.evaluate(SMALL) == [], view
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


SMALL = """() => [...document.querySelectorAll("button, summary, input, select, textarea")]
  .filter((e) => e.checkVisibility() && !e.closest(".line"))
  .filter((e) => e.getBoundingClientRect().height < 43.5)
  .map((e) => `${e.className} ${e.textContent}`)"""
"""What a finger would miss; the field to type in stands in a larger one."""


def test_dark_and_light(open_page):
    page = open_page(color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.get_by_role("button", name="Dark or light").click()
    light = page.evaluate(colour)
    assert light != dark
    page.reload()
    assert page.evaluate(colour) == light, "the choice is kept"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(open_page, scheme):
    """WCAG AA: text against what is behind it, at least 4.5 to 1."""
    page = open_page(color_scheme=scheme)
    page.get_by_role("button", name="Joe and the milk").click()
    say(page, "Where was Joe before the office?")
    say(page, "Where is Gollum?")
    page.locator(".light").first.click()
    page.wait_for_timeout(400)  # colours fade
    worst = page.evaluate(CONTRAST)
    assert worst["ratio"] >= 4.5, worst


CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const over = (colour, base) => {
    canvas.fillStyle = `rgb(${base.join(",")})`; canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    return over(getComputedStyle(element).backgroundColor, behind(element.parentElement));
  };
  let worst = { ratio: 99 };
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !element.checkVisibility({ opacityProperty: true })) continue;
    const base = behind(element);
    const ink = over(getComputedStyle(element).color, base);
    const [a, b] = [light(ink), light(base)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst.ratio) worst = { ratio, of: element.className, text: element.textContent };
  }
  return worst;
}"""


def test_other_memories_and_forgetting_all(open_page, http, memory):
    page = open_page()
    say(page, "Joe went to the kitchen.")
    page.locator("#memory-name").select_option(label="New memory …")
    page.get_by_role("textbox", name="Name").fill(f"{memory.rpartition('/')[2]}-new")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#timeline .slot")).to_have_count(0)
    say(page, "Joe went to the garden.")
    page.locator("#memory-name").select_option(memory.rpartition("/")[2])
    expect(page.locator("#timeline .slot .text")).to_have_text(["Joe went to the kitchen."])
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Forget all").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget all").click()
    expect(page.locator("#timeline .slot")).to_have_count(0)
    assert http.get(f"{memory}/statements").status_code == 404
    assert http.get(f"{memory}-new/statements").json()["statements"]


STORED = "JSON.stringify([{...localStorage}, {...sessionStorage}])"


def test_nothing_that_was_told_stays_in_the_browser(open_page, http, memory):
    """Somebody else makes the memory forget: then nothing here tells of it any more."""
    page = open_page()
    say(page, "Joe went to the kitchen. Joe went to the office.")
    page.get_by_role("button", name="Ask as of this moment").last.click()
    say(page, "Where is Joe?")
    page.keyboard.press("Escape")
    say(page, "Where is Joe?")
    expect(page.locator(".asked .said .text")).to_have_text(["office", "office"])
    stored = page.evaluate(STORED)
    assert "Where is Joe?" in stored
    assert "office" not in stored
    assert "kitchen" not in stored
    assert http.delete(f"{memory}/statements/2").status_code == 204
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#timeline .slot")).to_have_count(1)
    assert "office" not in page.content()
    expect(page.locator(".asked .stale").last).to_be_visible()
    page.goto("about:blank")
    http.delete(f"{memory}/statements/1")
    page.go_back()
    expect(page.locator("#timeline .slot")).to_have_count(0)
    expect(page.locator(".asked")).to_have_count(2)
    assert "kitchen" not in page.content()
    http.delete(memory)
    page.reload()
    # A page that has not read anything yet shows nothing, either: what is kept says when it did.
    page.wait_for_function(f"() => !{STORED}.includes('Where is Joe?')")
    expect(page.locator(".asked")).to_have_count(0)


def test_what_earlier_pages_kept_is_tidied(open_page, memory):
    page = open_page()
    told = "Joe went to the office."
    answer = {"answer": "office", "evidence": [{"id": 1, "text": told}]}
    one = {"question": "Where is Joe?", "after": 1, "asOf": f"[1] {told}", "answer": answer}
    old = [one, {"question": 5}, None]
    page.evaluate("kept => localStorage.setItem('memnn asked another', kept)", json.dumps(old))
    page.evaluate("localStorage.setItem('memnn asked broken', '{')")
    page.reload()
    expect(page.locator("#memory-name option:checked")).to_have_text(memory.rpartition("/")[2])
    kept = json.loads(page.evaluate("localStorage.getItem('memnn asked another')"))
    assert kept == [{"question": "Where is Joe?", "after": 1, "asOf": 1}]
    assert "office" not in page.evaluate(STORED)


@pytest.mark.parametrize("hash", ["%", "%E0%A4%A", "a b", "..", "%00", "a" * 65])
def test_a_name_that_is_none(open_page, server, hash):
    """An address that was cut or made up opens the page all the same."""
    page = open_page()
    page.evaluate("localStorage.setItem('memnn name', '%')")
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{server.port}/#{hash}")
    expect(page.locator("#memory-name option:checked")).to_have_text("main")
    expect(page.locator("#problem")).to_be_empty()
    page.evaluate("hash => { location.hash = hash }", "%%")
    expect(page.locator("#memory-name option:checked")).to_have_text("main")


def test_a_problem_is_said_and_nothing_typed_is_lost(open_page):
    page = open_page()
    field = page.get_by_label("Tell something, or ask")
    field.fill("...")
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).not_to_be_empty()
    expect(field).to_have_value("...")


def test_the_token_is_asked_for(browser, start, tmp_path):
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o600)
    server = start("--token-file", str(file))
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/")
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Unlock").click()
    expect(page.locator("#token-problem")).to_have_text("That is not the token.")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Unlock").click()
    say(page, "Joe went to the kitchen.")
    expect(page.locator("#timeline .slot")).to_have_count(1)
    page.reload()
    expect(page.locator("#timeline .slot")).to_have_count(1)
    headers = {"authorization": f"Bearer {TOKEN}"}
    told = httpx.get(f"http://127.0.0.1:{server.port}/v1/memories/main/statements", headers=headers)
    assert len(told.json()["statements"]) == 1
    context.close()


def test_the_reference(open_page, server):
    page = open_page()
    page.goto(f"http://127.0.0.1:{server.port}/docs")
    page.locator(".operation summary", has_text="/questions").click()
    call = page.locator(".operation[open]")
    expect(call.locator(".curl")).to_contain_text("curl -X POST http://127.0.0.1")
    expect(call.locator(".shape dt").first).to_have_text("answer")
    expect(call.locator(".example")).to_contain_text('"answer": "kitchen"')
    call.get_by_role("button", name="Send POST").click()
    expect(call.locator(".came")).to_contain_text("200 OK")
    expect(call.locator(".came")).to_contain_text('"abstained": true')


def test_every_call_shows_its_shape(open_page, http, server):
    """In the reference nothing is left blank, and examples of bodies are taken."""
    page = open_page()
    page.goto(f"http://127.0.0.1:{server.port}/docs")
    calls = [(m, p) for p, each in http.get("/openapi.json").json()["paths"].items() for m in each]
    expect(page.locator(".operation")).to_have_count(len(calls))
    for item, (method, _) in zip(page.locator(".operation").all(), calls, strict=True):
        assert item.locator("form button").count() == 1
        if method in ("post", "put"):
            assert "…" not in item.locator("textarea").input_value()
