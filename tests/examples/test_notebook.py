"""The notebook runs from top to bottom, and says what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from memnn.kernels import jit

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parent.parent.parent / "examples" / "memnn.ipynb"


def test_the_notebook_runs(tmp_path, compiled, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(jit.cache_folder().parent))
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(
        book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    said = "\n".join(
        output.get("text", "") or output.get("data", {}).get("text/plain", "")
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )
    assert "office" in said
    assert "milk comes from cows" in said
    assert "flower pot" in said.rstrip().splitlines()[-1]


def test_the_notebook_is_kept_without_output():
    book = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells)
