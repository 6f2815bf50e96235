"""Help as people see it on a terminal of 80 columns."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("group", [(), ("memory",), ("facts",)])
def test_lists_of_commands_say_whole_sentences(memnn, group):
    memnn.env["COLUMNS"] = "80"
    shown = memnn(*group, "--help").out.split("Commands:")[1]
    assert "..." not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_name_that_nearly_is(memnn):
    said = memnn("reproduce", "fig1", "-o", "x")
    assert said.code == 2
    assert "did you mean figure1?" in said.err
    assert said.err.count("ablations") == 1
