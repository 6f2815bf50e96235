"""The twenty tasks in `memnn reproduce`: what is read, and how it is shown."""

from __future__ import annotations

import pytest

import memnn
from memnn.errors import InputError
from memnn.paper.babi import JOINT, STRONG, STRONG_2015, Named, errors, show_babi, stories
from memnn.paper.plan import Size
from memnn.paper.plots import error_bars
from memnn.paper.registry import named
from memnn.stories import babi
from memnn.types import Question


def cell(way, task, seed, right, supports=1.0, **more):
    return {
        "experiment": f"babi-{way}", "row": task, "seed": seed, "data": "bAbI", "right": right,
        "supports": dict.fromkeys(right, supports), **more,
    }  # fmt: skip


CELLS = [
    cell("strong", "1", 0, {"1": 1.0}, found={"1": 0.875}),
    cell("strong", "1", 1, {"1": 0.98}, supports=0.625),
    cell("strong", "6", 0, {"6": 0.95}),
]


def test_the_cells_of_a_run():
    assert len(STRONG.cells(5, quick=False)) == 5 * 20
    assert [c.row for c in STRONG.cells(5, quick=True)] == ["1", "6"]
    assert len(JOINT.cells(5, quick=False)) == 5
    assert [e.name for e in named(["babi"])] == ["babi-strong", "babi-weak", "babi-joint"]


def test_the_published_figures():
    assert len(STRONG_2015) == 20
    assert sum(STRONG_2015) / 20 == pytest.approx(6.7, abs=0.05)


def test_a_table_of_errors():
    text = "\n".join(show_babi(CELLS))
    assert "| 1 one fact | 1.00 [0.00, 2.00] | 81.2 [62.5, 100.0] | 87.5 | 0 |" in text
    assert "| 6 yes or no | 5.00 | 100.0 | – | 0 |" in text
    assert "| **mean of these 2** | 2.50 | – | – | – |" in text, "of the seeds that have both"
    assert "6.7, the authors' best" in text
    assert "processor time" not in text, "older cells do not say"
    timed = cell("strong", "1", 2, {"1": 1.0}, training=3.4, megabytes=0.41)
    assert "3 to 3 s of processor time on one core; models have up to 0.4 MB" in "\n".join(
        show_babi([timed])
    )


def test_the_share_of_true_supports():
    net = memnn.train(stories(1, "train", 0, Size.of(quick=True)))
    net.tell("Mary went to the office. John went to the garden.")
    answer, named = net.ask("Where is Mary?"), Named()
    named(Question("Where is Mary?", answer="office", supports=(answer.evidence[0].id, 7)), answer)
    named(Question("Where is John?", answer="garden", supports=()), answer)
    assert named.share == 0.5


def test_a_plot(tmp_path):
    pytest.importorskip("matplotlib")
    assert errors(CELLS)["strong"] == {1: [0.0, pytest.approx(2.0)], 6: [pytest.approx(5.0)]}
    error_bars(errors(CELLS), tmp_path / "babi.png")
    assert (tmp_path / "babi.png").stat().st_size > 5_000


def test_stories_of_our_own_where_there_are_none():
    quick = Size.of(quick=True)
    train, test = (stories(6, part, 0, quick) for part in ("train", "test"))
    assert sum(1 for story in train for _ in story.questions) == 100
    assert train != test


def test_files_are_read_from_the_folder_of_data(tmp_path):
    folder = tmp_path / "babi" / "en"
    folder.mkdir(parents=True)
    own = stories(1, "train", 0, Size.of(quick=True))
    (folder / "qa1_single_train.txt").write_text(babi.dumps(own))
    assert len(stories(1, "train", 0, Size(data=str(tmp_path)))) == len(own)
    with pytest.raises(InputError, match=r"there is no qa1_…_test.txt in "):
        stories(1, "test", 0, Size(data=str(tmp_path)))
