"""One look for every plot."""

from __future__ import annotations

import pytest

from memnn.paper.style import CELL, DARK, colour_of, dark_name, label_ends, picture

pytest.importorskip("matplotlib")


def test_a_method_keeps_its_colour():
    assert colour_of("MemNN k=2 (+time)", 0) == colour_of("memnn", 3)
    assert colour_of("LSTM") != colour_of("RNN") != colour_of("MemNN")
    assert colour_of("something else", 1) != colour_of("something else", 2)


def test_every_picture_has_a_dark_twin(tmp_path):
    file = tmp_path / "a.png"
    with picture(file) as axes:
        axes.plot([1, 2], [0, 100], color="#333333")
        said = axes.text(1, 1, "ink")
        cell = axes.text(1, 2, "cell", gid=CELL, color="#222222")
        axes.set_ylim(0, 100)
        label_ends(axes, {"a": (50.0, "red"), "b": (51.0, "blue"), "c": (10.0, "green")})
        ends = {text.get_text(): text.get_position()[1] for text in axes.texts[2:]}
    assert ends["b"] == 51.0
    assert ends["b"] - ends["a"] >= 5, "names do not lie on each other"
    assert ends["c"] == 10.0
    assert (said.get_color(), cell.get_color()) == (DARK["ink"], "#222222")
    for path in (file, dark_name(file)):
        assert path.read_bytes().startswith(b"\x89PNG")
    assert dark_name(file).name == "a-dark.png"
