"""What benchmarks share: the machine, and how results are written."""

from __future__ import annotations

import json

import pytest
from benchmarks.machine import machine
from benchmarks.report import about, make_folder, table, write_json

from memnn.errors import InputError
from memnn.paper.machine import processor


def test_the_machine():
    found = machine("numpy", "no-such-package")
    assert found["cpu"] == processor()
    assert found["cores"] >= 1
    assert found["numpy"]
    assert found["no-such-package"] is None
    assert not any("no-such-package" in line for line in about(found))
    json.dumps(found)


def test_a_table():
    lines = table(["what", "a", "b"], [("x", 1, 2.5)])
    assert lines == ["| what | a | b |", "|---|--:|--:|", "| x | 1 | 2.5 |"]


def test_results_are_whole_or_as_they_were(tmp_path):
    file = tmp_path / "new" / "results.json"
    write_json(file, {"a": 1})
    with pytest.raises(TypeError):
        write_json(file, {"a": object()})
    assert json.loads(file.read_text()) == {"a": 1}
    assert [f.name for f in file.parent.iterdir()] == ["results.json"]


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        make_folder(tmp_path / "file" / "results")
