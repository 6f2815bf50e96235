"""bAbI text: to the byte, or an error that names file and line."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memnn
from memnn.errors import FormatError, InputError
from memnn.stories import babi
from memnn.types import Question, Statement, Story

TEXT = "1 Mary moved to the bathroom.\n2 Where is Mary? \tbathroom\t1\n1 It rains.\n"
field = st.text(
    st.characters(exclude_characters="\t\n\r\0", exclude_categories=("Cs",)), min_size=1
).filter(str.strip)


@st.composite
def stories(draw):
    lines = []
    for id in range(1, draw(st.integers(2, 8))):
        told = [line.id for line in lines if isinstance(line, Statement)]
        if told and draw(st.booleans()):
            supports = tuple(draw(st.lists(st.sampled_from(told), max_size=3)))
            lines.append(Question(draw(field), id, draw(field), supports))
        else:
            lines.append(Statement(draw(field.filter(lambda t: not t.rstrip().endswith("?"))), id))
    return Story(tuple(lines))


@given(st.lists(stories(), min_size=1, max_size=4))
def test_what_is_written_is_read_back(some):
    text = babi.dumps(some)
    read = babi.loads(text)
    assert [story.lines for story in read] == [story.lines for story in some]
    assert babi.dumps(read) == text


def test_stories_remember_where_they_stand():
    first, second = babi.loads(TEXT, source="f.txt")
    assert first.lines[1] == Question("Where is Mary? ", 2, "bathroom", (1,))
    assert (second.source, second.first_line) == ("f.txt", 3)


def test_supports_keep_their_order():
    text = "1 a\n2 b\n3 q?\tx\t2 1\n"
    assert babi.loads(text)[0].lines[2].supports == (2, 1)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("1 a\nb c\n", 2, "starts with its number"),
        ("1 a\n\n2 b\n", 2, "an empty line"),
        ("1 a\n3 b\n", 2, "should be 2 or 1"),
        ("2 a\n", 1, "should be 1$"),
        ("9" * 5_000 + " a\n", 1, "starts with its number"),
        ("1 a\n2 q?\tx\t" + "9" * 5_000, 2, "is not the number"),
        ("1 a\n2 q?\tx\t7\n", 2, "no statement 7 before"),
        ("1 q?\tx\t1\n", 1, "no statement 1 before"),
        ("1 a\n2 q?\tx\t1\n3 r?\ty\t2\n", 3, "line 2 is a question"),
        ("1 a\n2 q?\tx\tone\n", 2, "'one' is not the number"),
        ("1 a\n2 q?\tx\t1\tmore\n", 2, "3 fields"),
        ("1 a\n2 " + "b" * 10_001, 2, "10,001 characters"),
        ("1  \n", 1, "no text"),
    ],
)
def test_an_error_names_file_and_line(text, line, problem):
    with pytest.raises(FormatError, match=problem) as caught:
        babi.loads(text, source="f.txt")
    assert str(caught.value).startswith(f"f.txt:{line}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n", "  \n\n"])
def test_empty(text):
    with pytest.raises(InputError, match="empty"):
        babi.loads(text)


def test_a_question_without_labels_is_no_statement():
    text = "1 Joe left.\n2 Where is Joe?\n"
    (story,) = babi.loads(text)
    assert story.lines[1] == Question("Where is Joe?", 2)
    assert babi.dumps([story]) == text


def test_writing_to_a_pipe_or_a_link_replaces_neither(tmp_path):
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    babi.write(pipe, babi.loads(TEXT))
    assert reader.communicate(timeout=300)[0] == TEXT.encode()
    assert pipe.is_fifo()
    target.write_text("old")
    link.symlink_to(target)
    babi.write(link, babi.loads(TEXT))
    assert link.is_symlink()
    assert target.read_text() == TEXT


def test_files(tmp_path):
    path = tmp_path / "a.txt"
    babi.write(path, babi.loads(TEXT))
    assert path.read_bytes() == TEXT.encode()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert babi.dumps(babi.read(path)) == TEXT


@pytest.mark.parametrize(
    ("data", "line"), [(b"1 a\n2 \xff\xfe\n", 2), (b"\x7fELF\0\0", 1), (b"1 a\n2 b\0\n", 2)]
)
def test_a_file_that_is_no_text(tmp_path, data, line):
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=rf"a\.bin:{line}: not "):
        babi.read(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        babi.read(tmp_path / "none.txt")
    with pytest.raises(InputError, match="cannot read"):
        babi.read(tmp_path)
    with pytest.raises(InputError, match="cannot write"):
        babi.write(tmp_path / "no" / "such.txt", [])


def test_the_simulator_writes_what_can_be_read():
    some = memnn.simulate(statements=200, questions=80, seed=3, story_length=20)
    assert babi.loads(babi.dumps(some))[3].lines == some[3].lines


def test_real_files_to_the_byte(shared_data):
    files = sorted((shared_data / "babi" / "en").glob("*.txt"))
    assert len(files) == 40
    for path in files:
        text = path.read_bytes().decode()
        assert babi.dumps(babi.loads(text, source=path.name)) == text


@pytest.mark.parametrize(
    "line",
    [
        Statement("no id"),
        Statement("a\tb", 1),
        Statement("a\nb", 1),
        Question("a?", 1, "x\ty", (1,)),
        Question("a?", 1, "x\n"),
    ],
)
def test_what_has_no_place_in_a_file_is_not_written(tmp_path, line):
    with pytest.raises(FormatError, match="s:1: bAbI text"):
        babi.write(tmp_path / "a.txt", [Story((line,), "s")])
    assert list(tmp_path.iterdir()) == []


def test_supports_without_an_answer_are_no_answer():
    text = babi.dumps([Story((Statement("a", 1), Question("q?", 2, None, (1,))))])
    assert babi.loads(text)[0].lines[1] == Question("q?", 2, "", (1,))


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="Unicode"):
        babi.write(tmp_path / "a.txt", [Story((Statement("\ud800", 1),))])
    (tmp_path / "file").write_text("")
    for name in ("file/a.txt", "a" * 300):
        with pytest.raises(InputError, match="cannot write"):
            babi.write(tmp_path / name, babi.loads(TEXT))
    babi.write(tmp_path / ("a" * 250), babi.loads(TEXT))

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(babi.os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        babi.write(tmp_path / "b.txt", babi.loads(TEXT))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a" * 250, "file"]


def test_a_file_without_an_end(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="a pipe or a device"):
        babi.read("/dev/zero")
    monkeypatch.setattr(babi, "MOST_BYTES", 100)
    (tmp_path / "big").write_text(TEXT * 9)
    with pytest.raises(InputError, match="larger than 1 GB"):
        babi.read(tmp_path / "big")
