"""The folders of an ensemble, while somebody replaces them."""

from __future__ import annotations

from dataclasses import replace

from memnn.dialogue import model as ensembles
from memnn.stories import model as stories


def test_an_ensemble_that_is_replaced_while_it_is_read(small, trained, tmp_path, monkeypatch):
    """What it is made of was read before, its networks after: it is read again, as the new one."""
    new = replace(small, story=trained.model)
    folder = small.save(tmp_path / "m")
    swaps = []

    def load(path, really=stories.load):
        if not swaps:
            swaps.append(new.save(folder))
        return really(path)

    monkeypatch.setattr(stories, "load", load)
    assert ensembles.load(folder).story.id == trained.model.id
    assert [p.name for p in tmp_path.iterdir()] == ["m"]
