"""Without the framework, an adapter says in one line what to install."""

from __future__ import annotations

import importlib
import sys

import pytest

from memnn.errors import InputError


@pytest.mark.parametrize(
    ("adapter", "package", "extra"),
    [("langchain", "langchain_core", "langchain"), ("llama_index", "llama_index", "llama-index")],
)
def test_what_to_install(adapter, package, extra, monkeypatch):
    for name in [n for n in sys.modules if n.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"memnn.adapters.{adapter}", raising=False)
    with pytest.raises(InputError, match=rf"pip install 'memnn\[{extra}\]'"):
        importlib.import_module(f"memnn.adapters.{adapter}")
