"""The kernels of ordinary language against their slow twin, and within their arrays."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.kernels.ordinary_answers import (
    MOST_STEPS,
    AnswerRows,
    new_answer_desk,
    word_at,
)
from memnn.kernels.ordinary_beam import find_paths
from memnn.kernels.ordinary_features import MOST_WORDS
from memnn.kernels.ordinary_say import say
from memnn.kernels.ordinary_search import (
    ALL,
    SearchSettings,
    look,
    new_beam,
    new_desk,
    new_question,
    score_steps,
)
from memnn.kernels.ordinary_words import hide_words, new_reading
from memnn.kernels.rng import new_state
from memnn.ordinary.lexicon import WordLexicon, WordTable
from memnn.ordinary.texts import GrowingTexts
from memnn.ordinary.words import tokens
from memnn.text.vectors import english
from tests.kernels.slow_ordinary import OUT, SlowOrdinary

STORY = (
    "Joe went to the kitchen.",
    "Then Mary, my sister, grabbed the green milk bottle and went to the garden.",
    "Joe is no longer in the kitchen.",
    "Zork swiped Joe's hat there.",
    "Joe hurried to the cellar.",
    "The price of the hat is $35.50.",
)
ASKED = ("Where is Joe now?", "Who took the hat from Joe, and why?", "Is the zork at Joe's place?")


class Scene:
    """A story, a question, and tables for both."""

    def __init__(self, asked, story=STORY, seed=0):
        known = dict.fromkeys(t.text for text in STORY for t in tokens(text) if t.text != "zork")
        table = WordTable(WordLexicon(tuple(known), english()))
        growing = GrowingTexts()
        self.lists = []
        for text in story:
            words = [table.add(token.text) for token in tokens(text)]
            self.lists.append(words)
            growing.append(words, [table.stem(word) for word in words])
        self.asked = np.array([table.add(token.text) for token in tokens(asked)])
        self.words, self.texts = table.words(), growing.texts()
        self.reading = new_reading(self.words)
        self.A = np.random.default_rng(seed).normal(size=1 << 12).astype(np.float32)
        self.latest = np.full(len(self.words.stem), -1)
        for row, words in enumerate(self.lists):
            self.latest[self.words.stem[words]] = row
        self.desk = new_desk(len(self.words.stem))

    def steps(self, path):
        path = np.array([*path, 0])
        end = len(self.lists)
        new_question(self.desk, self.asked, self.words, self.texts, self.latest, 0, end)
        n = score_steps(
            self.A, self.asked, self.words, self.reading, self.texts, self.latest, 0,
            len(self.lists), path, len(path) - 1, False, self.desk,
        )  # fmt: skip
        return self.desk.scores[: n + 1].tolist()


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("path", [(), (0,), (4,), (3, 4), (5, 1)])
@pytest.mark.parametrize("hidden", [False, True])
def test_the_scores_of_steps(asked, path, hidden):
    scene = Scene(asked)
    if hidden:
        hide_words(scene.reading, scene.words, 0.3, 0.3, new_state(3))
    slow = SlowOrdinary(scene.A, scene.words, scene.reading, scene.lists, scene.asked.tolist())
    assert scene.steps(path) == pytest.approx(slow.steps(list(path)), rel=1e-6, abs=1e-6)


def test_the_desk_is_as_before():
    scene = Scene(ASKED[1])
    first = scene.steps((3,))
    scene.steps((0, 1))
    assert scene.steps((3,)) == first
    assert not scene.desk.marks.stems.any()
    assert not scene.desk.path_words.any()


def test_the_beam_finds_the_best_path_of_all():
    scene = Scene(ASKED[0])
    search = SearchSettings(2, 50)
    beam = new_beam(search)
    found, _, _ = find_paths(
        scene.A, scene.asked, scene.words, scene.reading, scene.texts, scene.latest, 0,
        len(STORY), np.zeros(0, np.int64), search, beam, scene.desk,
    )  # fmt: skip
    slow = SlowOrdinary(scene.A, scene.words, scene.reading, scene.lists, scene.asked.tolist())
    paths = {}
    n = len(STORY)
    for i, first in enumerate(slow.steps([])[:n]):
        after = slow.steps([i])
        paths[i,] = first + after[n]
        for k, second in enumerate(after[:n]):
            if second > OUT:
                paths[i, k] = first + second + slow.steps([i, k])[n]
    best = max(paths, key=paths.get)
    assert tuple(beam.paths[0, : beam.lengths[0]]) == best
    assert beam.scores[0] == pytest.approx(paths[best], rel=1e-6)
    assert found == min(50, len(paths))


def test_in_a_long_memory_only_what_is_shared_is_in_view():
    story = [f"Thing{i} lies in box{i}." for i in range(300)]
    story[17] = story[203] = "Joe went to the kitchen."
    scene = Scene("Where is Joe?", story)
    n = look(
        scene.desk, scene.asked, scene.words, scene.texts, scene.latest, 0, 300,
        np.zeros(1, np.int64), 0,
    )  # fmt: skip
    assert scene.desk.seen[:n].tolist() == [17, 203]
    n = look(
        scene.desk, scene.asked, scene.words, scene.texts, scene.latest, 0, 150,
        np.zeros(1, np.int64), 0,
    )  # fmt: skip
    assert scene.desk.seen[:n].tolist() == [17]
    n = look(
        scene.desk, scene.asked, scene.words, scene.texts, scene.latest, 0, ALL,
        np.zeros(1, np.int64), 0,
    )  # fmt: skip
    assert n == ALL


def test_long_texts_and_many_supports_stay_within_their_arrays():
    """Run it with NUMBA_BOUNDSCHECK=1, too."""
    long = " ".join(f"Joe{i} took the milk{i} from Mary and Joe" for i in range(12))
    story = [long + "." for _ in range(90)]
    scene = Scene(long + "?", story)
    search = SearchSettings(8, 4)
    beam = new_beam(search)
    find_paths(
        scene.A, scene.asked[:MOST_WORDS], scene.words, scene.reading, scene.texts,
        scene.latest, 0, 90, np.zeros(0, np.int64), search, beam, scene.desk,
    )  # fmt: skip
    told = np.arange(8)
    rows = AnswerRows(told, np.zeros(8 * MOST_WORDS, np.int64), np.zeros(1, np.int64))
    out = np.zeros(MOST_STEPS, np.int64)
    n, certainty, margin = say(
        out, scene.A, new_answer_desk(len(scene.words.stem)), rows, scene.asked[:MOST_WORDS],
        scene.words, scene.reading, scene.texts, 5,
    )  # fmt: skip
    assert 0 < n <= MOST_STEPS
    assert certainty <= 0 <= margin
    assert all(word_at(x, rows, scene.texts) >= 0 for x in out[:n] if x >= 0)
