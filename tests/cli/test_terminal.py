"""`memnn chat` as people see it, on a terminal; and what they say beside telling and asking."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memnn.cli.lines import whole
from tests.cli.terminal import Terminal

BRACKETS = "\x1b[200~", "\x1b[201~"


@pytest.fixture
def home(memnn, tmp_path_factory):
    """A user whose folders are empty."""
    folder = tmp_path_factory.mktemp("home")
    for name in ("DATA", "CONFIG"):
        memnn.env[f"XDG_{name}_HOME"] = str(folder / name.lower())
    return folder


def test_a_diary_is_offered_once(memnn, home):
    diary = home / "data" / "memnn" / "diary.db"
    with Terminal(memnn, "chat") as t:
        assert str(diary) in t.until("[Y/n] ")
        t.type("y\r")
        t.until("> ")
        t.type("Joe went to the garden.\r")
        t.until("remembered as [1]")
        t.until("> ")
        t.type("/quit\r")
        assert t.end() == 0
    with Terminal(memnn, "chat") as t:
        assert "[Y/n]" not in t.until("> ")
        assert str(diary) in t.shown
        t.type("Where is Joe?\r")
        t.until("→ garden")
        t.until("> ")
        t.type("\x04")
        assert t.end() == 0
    assert diary.stat().st_mode & 0o077 == 0
    assert memnn("ask", "Where is Joe?", "--store", diary).out.startswith("→ garden")
    piped = memnn("chat", stdin="/memory\nWhere is Joe?\n")
    assert "garden" not in piped.out, "a pipe has no diary"


def test_no_diary_is_a_choice_too(memnn, home):
    with Terminal(memnn, "chat") as t:
        t.until("[Y/n] ")
        t.type("no\r")
        t.until("> ")
        t.type("\x04")
        assert t.end() == 0
    with Terminal(memnn, "chat") as t:
        assert "diary" not in t.until("> ")
        t.type("\x04")
        t.end()
    assert not (home / "data").exists()


def test_what_is_said_instead_of_yes_or_no_is_heard(memnn, home):
    with Terminal(memnn, "chat") as t:
        t.until("[Y/n] ")
        t.type("Nora went to the garden.\r")
        t.until("I shall hear “Nora went to the garden.” next")
        t.until("[Y/n] ")
        t.type("Where is Nora?\r")
        t.until("[Y/n] ")
        t.type("No!\r")
        t.until("What is told now is gone when this ends")
        t.until("→ garden")
        t.until("> ")
        t.type("Goodbye!\r")
        assert t.end() == 0
    assert not (home / "data").exists()


@pytest.mark.parametrize("word", ["bye", "Goodbye!", "quit", "exit", ":q"])
def test_a_word_ends_the_talk(memnn, model, word):
    shown = memnn("chat", model, stdin=f"Joe went to the garden.\n{word}\nWhere is Joe?\n")
    assert (shown.code, shown.out) == (0, "   remembered as [1]\n")


def test_help_is_short_and_has_examples(memnn, model):
    shown = memnn("chat", model, stdin="help\nwhat can you do?\n/memory\n")
    first = shown.out.splitlines()[: len(shown.out.splitlines()) // 2]
    assert len(first) <= 10
    assert "Where is the ball?" in shown.out
    assert "Forget my locker code." in shown.out
    assert "“bye” ends" in shown.err
    assert "[1]" not in shown.out


def test_why_shows_what_an_answer_rests_on(memnn, model):
    shown = memnn("chat", model, stdin="Why?\nJoe went to the garden.\nWhere is Joe?\nWhy?\n")
    assert "There is nothing to explain" in shown.out
    assert shown.out.count("→ garden") == 2
    assert shown.out.count("1. Joe went to the garden.  [1]") == 2


def test_a_request_to_forget_is_obeyed_and_not_kept(memnn, model):
    talk = (
        "My locker code is 7719.\nMy bike is red.\nForget my locker code.\n/memory\nundo\n"
        "My dentist is Dr Weber.\nMy dentist lives in Kiel.\n"
        "delete what I said about the dentist\n5\n/forget 2\nundo\n/memory\n"
    )
    out = memnn("chat", model, stdin=talk).out
    for line in (
        "Forgot [1] My locker code is 7719. (say “undo” to tell it again)\n   [2] My bike is red.",
        "now the newest: [3] My locker code is 7719.", "Which one? Nothing was deleted yet",
        "Forgot [5] My dentist lives in Kiel.", "now the newest: [6] My bike is red.",
    ):  # fmt: skip
        assert line in out, line
    assert out.endswith(
        "[3] My locker code is 7719.\n   [4] My dentist is Dr Weber.\n   [6] My bike is red.\n"
    )


def test_a_conversation(memnn, model):
    """Ctrl-C drops the line, or ends the talk; a paste stays whole; Tab completes; a bare ? too."""
    with Terminal(memnn, "chat", model) as t:
        t.until("> ")
        t.type("Joe went to the gar")
        t.until("Joe went to the gar")
        t.type("\x03")
        t.until("> ")
        t.type("?\r")
        t.until("I heard no words")
        t.until("> ")
        pasted = "Joe went to the kitchen and\nthen went home. Fred took\nthe milk."
        t.type(f"{BRACKETS[0]}{pasted}{BRACKETS[1]}\r")
        t.until("remembered as [1]")
        t.until("remembered as [2]")
        t.until("> ")
        t.type("/mem\t\r")
        t.until("[1] Joe went to the kitchen and then went home.")
        t.until("[2] Fred took the milk.")
        t.until("> ")
        t.type("half a line")
        t.until("half a line")
        t.type("\x03")  # drops this line, too
        t.until("> ")
        t.type("c")
        t.until("c")
        t.type("\x7f")
        t.until("\b")  # the line is empty again
        t.type("\x03")
        assert t.end() == 0


def test_a_paste_without_brackets_is_one_text(memnn, model):
    with Terminal(memnn, "chat", model, TERM="dumb") as t:
        t.until("> ")
        t.type("Joe went to the kitchen\nafter lunch.\nFred left.\n")
        t.until("remembered as [2]")
        t.type("/memory\r")
        t.until("[1] Joe went to the kitchen after lunch.")
        t.until("> ")
        t.type("\x04")
        assert t.end() == 0


def test_no_colour(memnn, model):
    talk = "Joe went to the kitchen.\rWhere is Joe?\r"
    raw = {}
    for name, env in (("plain", {"NO_COLOR": "1"}), ("coloured", {})):
        with Terminal(memnn, "chat", model, **env) as t:
            t.until("> ")
            t.type(talk)
            t.until("→ kitchen")
            t.until("> ")
            t.type("\x04")
            t.end()
            raw[name] = t.raw
    assert "\x1b[1;32m" in raw["coloured"]
    assert not any(f"\x1b[{code}" in raw["plain"] for code in ("1;3", "3", "9"))


def test_undo_search_right_export(memnn, model):
    talk = (
        "Joe went to the kitchen.\nJoe went to the garden.\nWhere is Joe?\nno, that's wrong\n"
        "delete the last one\nWhere is Joe?\n/right 1\n/undo\n/undo\n/undo\n/undo\n/forget 1\n"
        "Fred took the milk.\n/forget 4\n/undo\n/serch milk\n/search milk\n/export told.jsonl\n"
        "/export told.jsonl\n🙂\n"
    )
    shown = memnn("chat", model, stdin=talk)
    assert shown.code == 0
    assert shown.out.count("→ garden") == 1
    assert shown.out.count("→ kitchen") == 1
    for line in (
        "Forgot [2]", "I keep that [1] answers “Where is Joe?”", "told again as [3]", "forgot [1]",
        "told again as [5], which is now the newest: Fred took the milk.",
        "   [5] Fred took the milk.", "wrote 2 statements to told.jsonl",
    ):  # fmt: skip
        assert line in shown.out, line
    for line in (
        "I said “garden” because of [2] Joe went to the garden.", "there is nothing to take back",
        "no memory with id 1", "Did you mean /search?", "cannot write told.jsonl: File exists",
        "I heard no words",
    ):  # fmt: skip
        assert line in shown.err, line
    lines = (memnn.folder / "told.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["text"] == "Fred took the milk."


def test_no_it_is_the_garden(memnn, model):
    talk = (
        "Joe went to the kitchen.\nwhere is Joe\nNo, it's the garden\nWhere is Joe?\n"
        "/memory\n/undo\nwhere is Joe\n"
    )
    out = memnn("chat", model, stdin=talk).out
    answers = [line.split()[1] for line in out.splitlines() if line.startswith("→")]
    assert answers == ["kitchen", "garden", "kitchen"]
    assert "Put right: [2] Joe went to the garden. (it replaces [1]" in out
    assert "[1] Joe went to the kitchen.  (replaced by [2])" in out
    assert "forgot [2]" in out


def test_undo_in_json(memnn, model):
    out = memnn("chat", model, "--json", stdin="Joe left.\n/undo\n/search Joe\n").out
    told, undone, found = map(json.loads, out.splitlines())
    assert (told["id"], undone, found) == (1, {"undone": "forgot [1]"}, {"found": []})


@pytest.mark.parametrize(
    ("pasted", "text"),
    [
        ("Joe left", "Joe left"),
        ("Joe went to\nthe garden.\nFred left.", "Joe went to the garden.\nFred left."),
        ("Joe left\nFred left\n\nand so on", "Joe left\nFred left\nand so on"),
        ("x" * 60 + "\nAnn left.", "x" * 60 + " Ann left."),
    ],
)
def test_margins(pasted, text):
    assert whole(pasted) == text


def test_ask_without_a_model(memnn):
    memnn("memory", "add", "diary.db", "Joe went to the garden.")
    assert memnn("ask", "Where is Joe?", "--store", "diary.db").out.startswith("→ garden")
    refused = memnn("ask", "Where", "is", "Joe?", "--store", "diary.db")
    assert refused.code == 2
    assert 'memnn ask "Where is Joe?"' in refused.err
    assert "Did you mean 'serve'?" in memnn("sevre").err
    assert "memnn ask" in memnn("where is joe").err


def test_doctor(memnn, home):
    memnn("memory", "add", "diary.db", "Joe went to the garden.")
    shown = memnn("doctor", "--store", "diary.db")
    assert shown.code == 0, shown.err
    assert "diary.db: 1 statement in 1 memory" in shown.out
    assert "all is well" in shown.out
    (memnn.folder / "diary.db").write_bytes(b"no store" * 1000)
    found = memnn("doctor", "--store", "diary.db", "--json")
    assert found.code == 1
    about = json.loads(found.out)
    assert about["ok"] is False
    assert "diary.db" in about["problems"][0]
    assert Path(about["models"]["default"], "model.json").exists()
    assert json.loads(memnn("doctor", "--json").out)["store"] == {"address": None}


def test_what_newcomers_type(memnn):
    """/load reads what /export wrote, quit ends, a command says its form."""
    first = memnn("chat", stdin="Ana lives in Bath.\n/export a.jsonl\nquit\nLost.\n")
    assert first.code == 0
    assert first.out.count("remembered") == 1
    talk = "我住在上海。\n/load a.jsonl\n/memory\n/nonsense\n/forget\nforget everything\n"
    shown = memnn("chat", stdin=talk)
    assert "[1] 我住在上海。" in shown.out
    assert "[2] Ana lives in Bath." in shown.out
    assert "There is no /nonsense." in shown.err
    assert "/forget ID deletes it" in shown.err
    assert "/forget ID deletes one" in shown.out


def test_what_was_put_right_stays_so_in_another_memory(memnn, model):
    """/load keeps what replaced what, when it was told, and lessons."""
    talk = (
        "Joe went to the kitchen.\nwhere is Joe\nNo, it's the garden\nwhere is Joe\n/right 2\n"
        "/export right.jsonl\n"
    )
    memnn("chat", model, stdin=talk)
    told = [json.loads(line) for line in (memnn.folder / "right.jsonl").read_text().splitlines()]
    talk = "Fred left.\n/load right.jsonl\nwhere is Joe\n/memory\n/export again.jsonl\n"
    out = memnn("chat", model, stdin=talk).out
    assert "remembered 2 statements" in out
    assert "→ garden" in out
    assert "[2] Joe went to the kitchen.  (replaced by [3])" in out
    again = [json.loads(line) for line in (memnn.folder / "again.jsonl").read_text().splitlines()]
    assert [line.get("said") for line in again[1:3]] == [line["time"] for line in told[:2]]
    assert again[3] == {"question": "where is Joe", "ids": [3], "as_of": 3}
