"""The pictures of the documentation."""

from __future__ import annotations

from benchmarks import pictures


def test_a_chat(tmp_path, compiled):
    pictures.chat(tmp_path / "chat.svg")
    shown = (tmp_path / "chat.svg").read_text().replace("&#160;", " ")
    assert "Where does Ben live?" in shown
    assert "Porto" in shown
    assert "read “umbrela” as “umbrella”" in shown
