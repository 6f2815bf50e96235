# ruff: noqa: E501 (tables)
"""Files of conversations and options made to do harm: one line, and nothing is written."""

from __future__ import annotations

import json

import pytest

from memnn.cli.app import run

TURN = '{"text": "Ann left.", "speaker": "Ann"}'


def said(capsys) -> str:
    """What a user sees of an error: one printable line."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err[:500]
    assert err.strip().isprintable()
    return err


def locomo(**sessions) -> str:
    return json.dumps([{"sample_id": "a", "conversation": sessions}])


BROKEN = {
    "half a line": f'{TURN}\n{{"text": "Bob',
    "deep": TURN + "\n" + "[" * 100_000,
    "deep metadata": '{"text": "a", "meta": {"a": ' + "[" * 500 + "]" * 500 + "}}",
    "huge number": f'{TURN}\n{{"text": "a", "id": {"9" * 5_000}}}',
    "1 MB of metadata": json.dumps({"text": "a", "meta": {"a": "b" * 10**6}}),
    "100,000 characters": json.dumps({"text": "a" * 100_000, "speaker": "Ann"}),
    "year 10000": '{"text": "a", "said": "10000-01-01T00:00:00Z"}',
    "before year 1": '{"text": "a", "said": "0001-01-01T00:00:00+14:00"}',
    "time after 9999": '{"text": "a", "time": "9999-12-31T23:59:59-14:00"}',
    "time before 1": '{"text": "a", "time": "0001-01-01T00:00:00+14:00"}',
    "time with NUL": '{"text": "a", "time": "2023-05-08T13:56:00Z\\u0000"}',
    "speaker with escapes": '{"text": "a", "speaker": "\\u001b[31mAnn"}',
    "session with a line break": '{"text": "a", "session": "a\\nb"}',
    "lone surrogate": '{"text": "\\ud800", "speaker": "Ann"}',
    "NaN": '{"text": "a", "meta": {"a": NaN}}',
    "supersedes itself": '{"text": "a", "id": 1, "supersedes": 1}',
    "supersedes text": '{"text": "a", "supersedes": "1"}',
    "lesson of nothing": '{"question": "Who?", "ids": [7]}',
    "lesson of text": '{"question": "Who?", "ids": "1"}',
    "lesson with a moment of text": '{"question": "Who?", "ids": [], "as_of": "now"}',
    "a list": "[1, 2]",
    "session of a number": locomo(session_1=5),
    "session of text": locomo(session_1="hello"),
    "session of an object": locomo(session_1={"a": 1}),
    "turn of a number": locomo(session_1=[5]),
    "turn without a text": locomo(session_1=[{"speaker": "Ann"}]),
    "text of a list": locomo(session_1=[{"speaker": "Ann", "text": ["a"]}]),
    "speaker of a list": locomo(session_1=[{"speaker": ["Ann"], "text": "a"}]),
    "deep dia_id": locomo(session_1=[{"speaker": "A", "text": "a", "dia_id": json.loads("[" * 300 + "]" * 300)}]),
    "date of text": locomo(session_1=[{"speaker": "A", "text": "a"}], session_1_date_time="noon"),
    "log with escapes": "Ann: hello\nBob\x1b[31m: hi\nAnn: bye",
    "log with a date of 99999": "[99999-01-01] Ann: hello",
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_cannot_be_used(tmp_path, capsys, name):
    file, store = tmp_path / "talk", str(tmp_path / "talk.db")
    file.write_text(BROKEN[name], encoding="utf-8", errors="surrogatepass")
    form = ["--format", "log"] if name.startswith("log") else []
    assert run(["memory", "import", store, str(file), *form]) == 2
    said(capsys)
    run(["memory", "list", store])
    assert "Ann left" not in capsys.readouterr().out


def test_a_session_of_many_digits_is_none(tmp_path, capsys):
    file, store = tmp_path / "talk", str(tmp_path / "talk.db")
    file.write_text(locomo(**{"session_" + "9" * 5_000: [{"text": "a", "speaker": "b"}]}))
    assert run(["memory", "import", store, str(file)]) in (0, 2)
    assert "failed" not in capsys.readouterr().err


def test_bytes_that_are_no_text(tmp_path, capsys):
    file = tmp_path / "talk"
    file.write_bytes(b'{"text": "\xff\xfe"}\n')
    assert run(["memory", "import", str(tmp_path / "talk.db"), str(file)]) == 2
    said(capsys)


@pytest.mark.parametrize(
    "options",
    [
        ["-k", "1000000000"], ["-k", "0"], ["--neighbours", "-1"], ["--neighbours", "11"],
        ["--since", "10000-01-01"], ["--since", "0001-01-01T00:00:00+10:00"], ["--until", "noon"],
        ["--until", "9999-12-31T23:59:59-10:00"], ["--as-of", "-1"], ["--as-of", "1; DROP TABLE slots"],
        ["--meta", "["], ["--meta", "1"], ["--meta", '{"a": NaN}'], ["--meta", "[" * 100_000],
        ["--meta", '{"a": "' + "b" * 100_000 + '"}'],
        ["--meta", '{"a": ' + "[" * 500 + "]" * 500 + "}"],
    ],
)  # fmt: skip
def test_searches_that_cannot_be(tmp_path, capsys, options):
    store = str(tmp_path / "talk.db")
    assert run(["memory", "add", store, "Ann left.", "--speaker", "Ann"]) == 0
    capsys.readouterr()
    assert run(["search", store, "Who left?", *options]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_what_was_said_reaches_no_terminal(tmp_path, capsys):
    """Texts may hold control characters; a terminal is shown none of them."""
    store, file = str(tmp_path / "talk.db"), tmp_path / "talk.jsonl"
    evil = "Ann \x1b]0;owned\x07 left \x9b31m \u202e now"
    file.write_text(json.dumps({"text": evil, "speaker": "Ann", "said": "9999-12-31T23:59:59Z"}))
    assert run(["memory", "import", store, str(file)]) == 0
    for command in (["search", store, "Who left?"], ["search", store, "Who left?", "--json"],
                    ["memory", "list", store], ["memory", "show", store, "1"],
                    ["memory", "export", store], ["memory", "export", store, "--format", "log"],
                    ["memory", "update", store, "1", evil], ["teach", store, evil, "2"]):  # fmt: skip
        assert run(command) == 0, command
        out, err = capsys.readouterr()
        assert not {"\x1b", "\x07", "\x9b"} & set(out + err), command


def test_injected_filters_find_nothing(tmp_path, capsys):
    store = str(tmp_path / "talk.db")
    run(["memory", "add", store, "Ann left.", "--speaker", "Ann"])
    capsys.readouterr()
    for text in ("' OR 1=1 --", '" or id > 0 or "" == "', "%"):
        assert run(["search", store, "Who left?", "--speaker", text, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["found"] == []
        assert run(["search", store, text, "--meta", json.dumps({text: text}), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["found"] == []
