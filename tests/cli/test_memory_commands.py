"""`memnn memory`: what users type about a store, and what comes back."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.cli.test_bad_input import refused


def said(result, code=0):
    assert result.code == code, result.err
    assert result.out.count("\n") == 1
    return json.loads(result.out)


def test_a_whole_round(memnn, model):
    store = memnn.folder / "diary.db"
    first = memnn.process("memory", "add", store, "Joe went to the kitchen.", "--json")
    assert said(first) == {"written": 1, "last_id": 1}
    more = "Joe took the milk.\n\nJoe went to the office.\n"
    assert said(memnn("memory", "add", store, "-", "--json", stdin=more)) == {
        "written": 2,
        "last_id": 3,
    }
    listed = said(memnn("memory", "list", store, "--after", 1, "--limit", 1, "--json"))
    (one,) = listed["statements"]
    assert (one["id"], one["text"]) == (2, "Joe took the milk.")
    assert one["time"].endswith("Z")

    ask = ["ask", model, "Where is the milk?", "--store", store, "--json"]
    assert said(memnn.process(*ask))["answer"] == "office"
    assert said(memnn(*ask, "--as-of", 2))["answer"] == "kitchen"
    assert said(memnn(*ask, "--as-of", one["time"]))["answer"] == "kitchen"
    talk = memnn("chat", model, "--store", store, stdin="Joe went to the garden.\n")
    assert talk.code == 0
    assert said(memnn(*ask))["answer"] == "garden"

    about = said(memnn("memory", "info", store, "--json"))
    assert about["statements"] == 4
    assert about["bytes"] > 0
    assert about["model"] is None
    id = json.loads((model / "model.json").read_text())["id"]
    embedded = said(memnn("memory", "embed", store, "--model", model, "--json"))
    assert (embedded["vectors"], embedded["model"]) == (4, id)
    assert said(memnn("memory", "info", store, "--json"))["model"] == id

    assert memnn("memory", "delete", store, 4).code == 0
    assert said(memnn(*ask))["answer"] == "office"
    assert memnn("memory", "compact", store).code == 0
    assert all(b"garden" not in file.read_bytes() for file in memnn.folder.glob("diary.db*"))
    assert said(memnn("memory", "verify", store, "--json"))["ok"] is True

    exported = memnn("memory", "export", store)
    assert [json.loads(line)["id"] for line in exported.out.splitlines()] == [1, 2, 3]
    brought = memnn("memory", "import", "other.db", "-", "--json", stdin=exported.out)
    assert said(brought) == {"written": 3, "last_id": 3}
    assert memnn("memory", "export", "other.db").out == exported.out
    assert memnn("memory", "copy", store, "copy.db").code == 0
    assert memnn("memory", "export", "copy.db").out == exported.out


def test_verify_finds_and_repairs(memnn, model):
    memnn("memory", "add", "a.db", "Joe went to the kitchen.\nJoe left.")
    memnn("memory", "embed", "a.db", "--model", model)
    (file,) = memnn.folder.glob("a.db-vectors-*")
    data = bytearray(file.read_bytes())
    data[10] ^= 4
    file.write_bytes(data)
    found = said(memnn("memory", "verify", "a.db", "--json"), code=1)
    assert found["ok"] is False
    assert "vectors" in found["problems"][0]
    mended = said(memnn("memory", "verify", "a.db", "--repair", "--model", model, "--json"))
    assert mended["ok"] is True
    assert said(memnn("memory", "info", "a.db", "--json"))["vectors"] == 2
    assert memnn("memory", "verify", "a.db").code == 0
    database = memnn.folder / "a.db"
    database.write_bytes(database.read_bytes().replace(b"Joe left.", b"Joe lift."))
    found = said(memnn("memory", "verify", "a.db", "--json"), code=1)
    assert "statement 2" in found["problems"][0]


def test_a_retrained_model_rebuilds_the_vectors(memnn, model):
    memnn("simulate", "-o", "train.txt", "--statements", 700, "--questions", 300)
    assert memnn("train", "train.txt", "-o", "small", "--dim", 20).code == 0
    memnn("memory", "add", "a.db", "Joe went to the kitchen.")
    memnn("memory", "embed", "a.db", "--model", model)
    again = memnn("memory", "embed", "a.db", "--model", "small", "--json")
    assert said(again)["dim"] == 20
    assert "replaced" in again.err
    assert memnn("memory", "verify", "a.db").code == 0


def test_names(memnn):
    for name in ("../x", "a b"):
        assert memnn("memory", "add", "a.db", f"in {name}", "--name", name).code == 0
    assert said(memnn("memory", "info", "a.db", "--json"))["names"] == ["../x", "a b"]
    shown = memnn("memory", "list", "a.db", "--name", "a b", "--json")
    assert [s["text"] for s in said(shown)["statements"]] == ["in a b"]
    assert memnn("memory", "delete", "a.db", "--all", "--name", "../x").code == 0
    refused(memnn("memory", "list", "a.db", "--name", "../x"), "no memory '../x'", "'a b'")
    assert sorted(path.name for path in memnn.folder.iterdir()) == ["a.db"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (["list", "none.db"], "", ["no store at none.db"]),
        (["info", "none.db"], "", ["no store"]),
        (["verify", "none.db"], "", ["no store"]),
        (["list", "text"], "", ["not a memory store"]),
        (["verify", "text"], "", ["not a memory store"]),
        (["list", "."], "", ["not a memory store"]),
        (["list", "redis://x"], "", ["redis", "milvus"]),
        (["add", "a.db", ""], "", ["nothing"]),
        (["add", "a.db", "-"], "fine\na\0b\n", ["NUL"]),
        (["add", "a.db", "-"], b"\xff\n", ["UTF-8"]),
        (["add", "a.db", "-"], "x" * 2**20, ["1,048,576 characters"]),
        (["add", "no/folder/a.db", "x"], "", ["no folder"]),
        (["add", "a.db", "x", "--name", "a\nb"], "", ["name"]),
        (["delete", "full.db", "9"], "", ["no memory with id 9"]),
        (["delete", "full.db"], "", ["ids", "--all"]),
        (["delete", "full.db", "x"], "", ["ids", "not a valid int"]),
        (["import", "a.db", "-"], '{"text": "a"}\n{', ["<stdin>:2", "JSON"]),
        (["import", "a.db", "none.jsonl"], "", ["none.jsonl"]),
        (["export", "full.db", "-o", "no/folder/x"], "", ["cannot write"]),
        (["embed", "full.db", "--model", "none"], "", ["no model"]),
        (["compact", ":memory:"], "", ["path"]),
        (["copy", "full.db", ":memory:"], "", ["persistent store"]),
        (["fly"], "", ["fly"]),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input(memnn, arguments, stdin, words):
    (memnn.folder / "text").write_text("Joe went home.\n" * 100)
    assert memnn("memory", "add", "full.db", "Joe left.").code == 0
    refused(memnn("memory", *arguments, stdin=stdin), *words)
    left = said(memnn("memory", "list", "full.db", "--json"))["statements"]
    assert [s["text"] for s in left] == ["Joe left."]
    if (memnn.folder / "a.db").exists():
        assert said(memnn("memory", "list", "a.db", "--json")) == {"statements": []}


def test_ask_about_a_store_or_a_story(memnn, model):
    refused(memnn("ask", model, "Where is Joe?", "--store", "a.db", "--story", "-"), "not both")
    refused(memnn("ask", model, "Where is Joe?", "--store", "a.db"), "no store")
    assert not (memnn.folder / "a.db").exists()


def test_help(memnn):
    assert memnn("memory").code == 0
    commands = "add list show update delete compact copy embed info verify export import"
    for command in commands.split():
        shown = memnn("memory", command, "--help")
        assert f"memnn memory {command}" in shown.out.split("Example:")[1]
        assert "--json" in shown.out or command == "export"


def test_turns_and_lessons_travel(memnn):
    lines = [
        {"id": 1, "text": "Joe left.", "time": "2020-01-01T00:00:00.000000Z"},
        {"id": 4, "text": "I saw him.", "time": "2020-01-02T00:00:00.000000Z", "source": "log",
         "speaker": "Ann", "said": "1999-12-31T23:00:00.000000Z", "session": "s 1",
         "meta": {"mood": ["Grüße", None]}, "supersedes": 1},
        {"question": "Who left?", "ids": [1], "as_of": 4},
    ]  # fmt: skip
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    brought = memnn("memory", "import", "a.db", "-", "--json", stdin=text)
    assert said(brought) == {"written": 2, "last_id": 4}
    assert memnn("memory", "export", "a.db").out == text
    assert memnn("memory", "copy", "a.db", "b.db").code == 0
    assert memnn("memory", "export", "b.db").out == text
    listed = said(memnn("memory", "list", "b.db", "--history", "--json"))["statements"]
    assert listed == [lines[0] | {"superseded_by": 4}, lines[1]]
    now = said(memnn("memory", "list", "b.db", "--json"))["statements"]
    assert now == lines[1:2], "what was superseded is listed only on request"
    assert said(memnn("memory", "verify", "b.db", "--json"))["ok"] is True
    wrong = '{"text": "a", "speaker": 5}\n'
    refused(memnn("memory", "import", "a.db", "-", stdin=wrong), "<stdin>:1", "speaker")


def test_one_memory_that_cannot_be_read_stops_no_copy(memnn):
    for name in ("a", "b", "c"):
        memnn("memory", "add", "three.db", f"Joe knows {name}.", "--name", name)
    with sqlite3.connect(memnn.folder / "three.db") as connection:
        connection.execute("UPDATE memories SET last_id = last_id + 5 WHERE name = 'b'")
    connection.close()
    copied = memnn("memory", "copy", "three.db", "copy.db", "--json")
    assert said(copied, code=1) == {"written": 2, "names": ["a", "c"], "unreadable": ["b"]}
    (line,) = copied.err.splitlines()
    assert line.startswith("'b' was not copied: ")
    listed = memnn("memory", "list", "copy.db", "--name", "c", "--json")
    assert said(listed)["statements"][0]["text"] == "Joe knows c."


def test_a_memory_in_ram_is_said_to_end(memnn):
    added = memnn("memory", "add", ":memory:", "Joe left.", "--source", "letter", "--json")
    assert said(added) == {"written": 1, "last_id": 1}
    assert "ends with this command" in added.err
    refused(memnn("memory", "embed", ":memory:", "--model", "none"), "path")
    about = said(memnn("memory", "info", ":memory:", "--json"))
    assert about == {"statements": 0, "bytes": None, "model": None, "vectors": 0, "names": []}


def test_turns_are_added_found_updated_and_taught(memnn):
    add = ["memory", "add", "a.db", "--speaker"]
    memnn(*add, "Ann", "Where did you move to?", "--said", "2023-05-08T13:56:00+02:00")
    memnn(*add, "Bob", "I live in Rome.", "--session", "call", "--meta", '{"channel": "mail"}')
    memnn("memory", "add", "a.db", "Rome is old.")
    found = said(memnn("search", "a.db", "Who lives in Rome?", "--json"))["found"]
    assert [each["id"] for each in found] == [2, 3]
    assert found[0].keys() >= {"id", "text", "time", "said", "speaker", "score", "terms"}
    assert found[0]["score"] == sum(found[0]["terms"].values())
    assert found[1]["speaker"] is None
    shown = memnn("search", "a.db", "Rome", "-k", 1, "--speaker", "Bob", "--neighbours", 1)
    assert "Bob: I live in Rome." in shown.out
    with_meta = memnn("search", "a.db", "Rome", "--meta", '{"channel": "mail"}', "--json")
    assert [each["id"] for each in said(with_meta)["found"]] == [2]
    old = said(memnn("search", "a.db", "move", "--until", "2023-05-08", "--json"))["found"]
    assert [(each["id"], each["said"]) for each in old] == [(1, "2023-05-08T11:56:00.000000Z")]

    new = said(memnn("memory", "update", "a.db", 2, "I live in Oslo.", "--json"))
    assert (new["id"], new["supersedes"], new["speaker"]) == (4, 2, "Bob")
    refused(memnn("memory", "update", "a.db", 2, "I live in Bern."), "superseded by 4")
    listed = said(memnn("memory", "list", "a.db", "--newest", "--limit", 2, "--json"))
    assert [each["id"] for each in listed["statements"]] == [4, 3]
    (one,) = said(memnn("memory", "show", "a.db", 2, "--json"))["statements"]
    assert one["superseded_by"] == 4
    assert "superseded by [4]" in memnn("memory", "list", "a.db", "--history").out

    lesson = said(memnn("teach", "a.db", "Where does Bob live?", 4, "--json"))
    assert lesson == {"question": "Where does Bob live?", "ids": [4], "as_of": 4}
    assert "2 lessons" in memnn("teach", "a.db", "Where does Eve live?", "--none").out
    refused(memnn("teach", "a.db", "Where does Bob live?"), "--none")
    refused(memnn("teach", "a.db", "Where does Bob live?", 9), "no memory with id 9")
    refused(memnn("learn", "a.db"), "teach at least 5")
    assert "came with memnn" in memnn("learn", "a.db", "--forget").err
    refused(memnn("search", "a.db", "Rome", "--since", "soon"), "2023-05-08")
    refused(memnn("search", "a.db", "Rome", "--meta", "[1]"), "JSON object")


def test_what_is_told_twice_is_pointed_out(memnn):
    memnn("memory", "add", "a.db", "Joe left.\nAnn came.")
    again = said(memnn("memory", "add", "a.db", "Ann came.\nEve sat.", "--json"))
    assert again == {
        "written": 2, "last_id": 4, "duplicates": [{"id": 3, "duplicate_of": 2}],
    }  # fmt: skip
    assert "[5] says the same as [4]" in memnn("memory", "add", "a.db", "Eve sat.").err


LOG = """Ann: Hello Bob: are you there?
[2023-05-08 13:56] Bob: Yes.
  I was asleep.

Ann: Good.
"""
LOCOMO = [
    {"sample_id": "x", "conversation": {
        "speaker_a": "Ann", "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hello?"},
                      {"speaker": "Bob", "dia_id": "D1:2", "text": "", "blip_caption": "a cat"}],
        "session_2_date_time": "9:00 am on 9 May, 2023",
        "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "Bye."}]}, "qa": []},
]  # fmt: skip


def test_conversations_are_imported_from_files(memnn):
    assert said(memnn("memory", "import", "log.db", "-", "--json", stdin=LOG))["written"] == 3
    told = said(memnn("memory", "list", "log.db", "--json"))["statements"]
    assert [(t["speaker"], t["text"]) for t in told] == [
        ("Ann", "Hello Bob: are you there?"), ("Bob", "Yes.\nI was asleep."), ("Ann", "Good."),
    ]  # fmt: skip
    assert told[1]["said"] == "2023-05-08T13:56:00.000000Z"
    back = memnn("memory", "export", "log.db", "--format", "log").out
    assert said(memnn("memory", "import", "log2.db", "-", "--json", stdin=back))["written"] == 3
    again = said(memnn("memory", "list", "log2.db", "--json"))["statements"]
    assert [(t["speaker"], t["text"]) for t in again] == [(t["speaker"], t["text"]) for t in told]

    (memnn.folder / "talk.json").write_text(json.dumps(LOCOMO))
    assert said(memnn("memory", "import", "l.db", "talk.json", "--json"))["written"] == 3
    told = said(memnn("memory", "list", "l.db", "--json"))["statements"]
    assert told[1]["text"] == "a cat"
    assert told[1]["meta"] == {"dia_id": "D1:2", "photo": "a cat"}
    assert told[2]["session"] == "session_2"
    assert told[2]["said"] == "2023-05-09T09:00:00.000000Z"

    plain = "Joe left.\nAnn came: she was late.\n"
    said(memnn("memory", "import", "p.db", "-", "--json", stdin=plain))
    assert "speaker" not in said(memnn("memory", "list", "p.db", "--json"))["statements"][1]
    refused(memnn("memory", "import", "p.db", "-", "--format", "csv", stdin=plain), "locomo")


def test_broken_lines_are_named_and_nothing_is_lost(memnn):
    lines = ['{"text": "fine"}', "{", '{"text": "b", "said": "noon"}', '{"text": "also"}']
    text = "\n".join([*lines, json.dumps({"text": "x" * 100_000})])
    refused(memnn("memory", "import", "a.db", "-", stdin=text), "<stdin>:2", "too: 3, 5")
    assert said(memnn("memory", "list", "a.db", "--json"))["statements"] == []
    done = memnn("memory", "import", "a.db", "-", "--skip-broken", "--json", stdin=text)
    assert said(done) == {"written": 2, "last_id": 2, "skipped": [2, 3, 5]}
    assert done.err.count("left out: <stdin>:") == 3
    assert "100,000 characters" in done.err
    log = "Ann: Hello.\nBob: Hi.\n*** lost ***\nAnn: Bye.\n"
    refused(memnn("memory", "import", "b.db", "-", stdin=log), "<stdin>:3", "turn")
