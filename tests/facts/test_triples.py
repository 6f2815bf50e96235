"""Triples and questions as files: what is used, what is left out and counted, what is refused."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memnn.errors import FormatError, InputError
from memnn.facts import triples as files
from memnn.facts.triples import Asked, Label, Skipped, Triple

ROW = Triple("Milne", "wrote", "Winnie-the-Pooh")
LINE = b"Milne\twrote\tWinnie-the-Pooh\n"


def read(tmp_path, data, how=files.triples):
    path = tmp_path / "file"
    path.write_bytes(data)
    skipped = Skipped()
    return list(how(path, skipped)), skipped


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"Milne\twrote\n", "with fewer than three columns"),
        (b"Milne wrote Pooh\n", "with fewer than three columns"),
        (b"Milne\t \tPooh\n", "with an empty field"),
        (b"\twrote\tPooh\n", "with an empty field"),
        (b"Milne\twrote\t\n", "with an empty field"),
        (b"\n", "that are empty"),
        (b" \t \t \n", "that are empty"),
        (b"Mil\xffne\twrote\tPooh\n", "that are not UTF-8"),
        (b"Mil\0ne\twrote\tPooh\n", "with a NUL character"),
        (b"a\tb\t" + b"c" * files.LONGEST_ROW + b"\n", "longer than 100,000 bytes"),
        (b"a\tb\t" + b"c" * 3 * files.LONGEST_ROW + b"\n", "longer than 100,000 bytes"),
    ],
)
def test_what_cannot_be_used_is_left_out_and_counted(tmp_path, data, reason):
    rows, skipped = read(tmp_path, LINE + data + LINE + data + LINE)
    assert rows == [ROW] * 3
    assert skipped.reasons == {reason: 2}
    assert skipped.first_line == {reason: 2}
    assert skipped.total == 2
    assert str(skipped) == f"2 {reason} (first in line 2)"


def test_a_reason_without_a_line_says_no_line():
    skipped = Skipped()
    skipped.count("that are there twice", None, 3)
    skipped.count("that never happened", 1, 0)
    assert str(skipped) == "3 that are there twice"


def test_more_columns_are_ignored_and_counted(tmp_path):
    rows, skipped = read(tmp_path, b"a\tb\tc\t0.5\n" + LINE + b"a\tb\tc\t\t\n")
    assert rows == [Triple("a", "b", "c"), ROW, Triple("a", "b", "c")]
    assert skipped.total == 0
    assert skipped.more_columns == 2
    assert "2 rows had more columns" in str(skipped)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + LINE,
        LINE.replace(b"\n", b"\r\n"),
        LINE.rstrip(),
        b"  Milne \t wrote\t Winnie-the-Pooh  \n",
    ],
)
def test_marks_line_ends_and_spaces_are_no_text(tmp_path, data):
    rows, skipped = read(tmp_path, data)
    assert rows == [ROW]
    assert skipped.total == 0


def test_gzip_is_known_by_its_first_bytes(tmp_path):
    assert read(tmp_path, gzip.compress(LINE * 1000))[0] == [ROW] * 1000
    two = gzip.compress(LINE) + gzip.compress(LINE)
    assert read(tmp_path, two)[0] == [ROW] * 2, "files may be concatenated"


@pytest.mark.parametrize("cut", [5, 12, 30, -1])
def test_a_gzip_file_that_is_cut_off(tmp_path, cut):
    with pytest.raises(InputError, match="damaged gzip"):
        read(tmp_path, gzip.compress(LINE * 1000)[:cut])


def test_a_gzip_file_with_a_wrong_byte(tmp_path):
    data = bytearray(gzip.compress(LINE * 1000))
    data[len(data) // 2] ^= 255
    with pytest.raises(InputError, match="damaged gzip"):
        read(tmp_path, bytes(data))


def test_a_gzip_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "HARMLESS", 2**20)
    for bomb in (b"\n", b"a\tb\tc\n", b"x"):
        with pytest.raises(InputError, match=r"200 times its size|no end"):
            read(tmp_path, gzip.compress(bomb * (2**22 // len(bomb))))


def test_a_row_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "HARMLESS", 2**20)
    with pytest.raises(InputError, match="no end"):
        read(tmp_path, LINE + b"x" * 2**21)


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "none", "a\0b", "/dev/zero"):
        with pytest.raises(InputError) as caught:
            list(files.triples(path))
        assert "\n" not in str(caught.value)
    assert read(tmp_path, b"")[0] == []


HEADER = b"confidence\tquestion\tnarg1\tnrel\tnarg2\n"


def test_questions_by_the_names_of_their_columns(tmp_path):
    data = HEADER + b"0.9\tWho wrote it?\t" + LINE + b"0.9\tWho?\ta\tb\n0.9\t\ta\tb\tc\n"
    rows, skipped = read(tmp_path, data, files.questions)
    assert rows == [Asked("Who wrote it?", ROW)]
    assert skipped.reasons == {"with too few columns": 1, "with an empty field": 1}


@pytest.mark.parametrize(
    ("header", "missing"),
    [(b"", "question"), (b"question\tnarg1\tnarg2\n", "nrel"), (LINE, "question")],
)
def test_headers_must_name_the_columns(tmp_path, header, missing):
    with pytest.raises(FormatError, match=rf":1: .*{missing} is missing"):
        read(tmp_path, header, files.questions)


def test_a_header_after_an_empty_line_is_still_the_header(tmp_path):
    rows, _ = read(tmp_path, b"\n" + HEADER + b"1\tWho?\ta\tb\tc\n", files.questions)
    assert rows == [Asked("Who?", Triple("a", "b", "c"))]


def test_labels(tmp_path):
    header = b"question\tnarg1\tnrel\tnarg2\tlabel\n"
    said = [b"right", b"wrong", b"1", b"0", b"True", b"FALSE"]
    data = header + b"".join(b"Who?\ta\tb\tc\t" + word + b"\n" for word in said)
    rows, skipped = read(tmp_path, data, files.labels)
    assert rows == [Label("Who?", Triple("a", "b", "c"), i % 2 == 0) for i in range(6)]
    assert skipped.total == 0
    with pytest.raises(FormatError, match=r":3: a label is right or wrong"):
        read(tmp_path, header + b"Who?\ta\tb\tc\t1\nWho?\ta\tb\tc\tmaybe\n", files.labels)


def test_paraphrases(tmp_path):
    data = b"who wrote it\tits author\nalone\n\tno left\nno right\t \n"
    rows, skipped = read(tmp_path, data, files.paraphrases)
    assert rows == [("who wrote it", "its author")]
    assert skipped.reasons == {"without two questions": 3}


FIELD = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0\x0b\x0c\x1c\x1d\x1e\x85"),
    min_size=1,
).map(lambda text: " ".join(text.split()))


@given(st.lists(st.tuples(FIELD, FIELD, FIELD), max_size=5), st.booleans())
def test_what_is_written_is_read(tmp_path_factory, rows, packed):
    rows = [row for row in rows if all(row) and not row[0].startswith("\ufeff")]
    path = tmp_path_factory.getbasetemp() / "rows.tsv"
    data = "".join("\t".join(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    assert list(files.triples(path)) == [Triple(*row) for row in rows]


def test_reading_is_a_stream(tmp_path, monkeypatch):
    """The first triple is there before the rest is read."""
    opened = io.BytesIO(LINE * 10_000)
    monkeypatch.setattr(files, "_opened", lambda path: opened)
    rows = files.triples(tmp_path / "any")
    assert next(rows) == ROW
    assert opened.tell() == len(LINE)
