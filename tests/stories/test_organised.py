"""Looking at a part of the memory gives what looking at all of it does."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memnn
from memnn.kernels.story_infer import most_content, score_bags
from memnn.simulator import WorldSpec
from memnn.stories import organised as module
from memnn.stories import overview
from memnn.stories.dictionary import Dictionary
from memnn.stories.network import network
from memnn.stories.pattern_bounds import PatternBounds

ROOMS = ("kitchen", "office", "garden", "inn", "cellar", "tower")


@pytest.fixture(scope="module")
def crowd():
    """A story about 300 people and its questions."""
    spec = WorldSpec(
        actors=tuple(f"Ann{i}" for i in range(300)),
        objects=("milk", *(f"cup{i}" for i in range(20))),
        rooms=ROOMS,
    )
    (story,) = memnn.simulate(spec=spec, statements=20_000, questions=150, seed=5)
    memory = memnn.RamMemory()
    memory.write_many(s.text for s in story.statements)
    return memory, [q.text for q in story.questions]


def assert_same(full, part, question, as_of=None):
    """The same answer for the same facts with the same scores, to the last bit."""
    one, two = full.ask(question, as_of=as_of), part.ask(question, as_of=as_of)
    assert (one.text, one.score, one.reason) == (two.text, two.score, two.reason), question
    if not one.abstained:
        assert [(h.id, h.score) for h in one.evidence] == [(h.id, h.score) for h in two.evidence]


def test_a_crowd_is_answered_from_a_hundredth_of_the_memory(unseen, crowd):
    memory, questions = crowd
    full, part = (network(unseen.model, memory, organised=o) for o in (False, True))
    for i, question in enumerate(questions):
        assert_same(full, part, question, as_of=None if i % 5 else 100 * (i + 20))
        output = part.O(memnn.Question(question), memory)
        assert not output.widened
        assert 0 < output.looked_at <= len(memory) / 100
    assert full.O(memnn.Question(questions[0]), memory).looked_at == len(memory)


def test_any_story_whatever_it_takes(unseen, trained):
    """Few names, silly sentences, forgetting: the proof may fail, the answer may not."""
    rng = random.Random(1)
    widened = 0
    for model in (unseen.model, trained.model):
        for _ in range(15):
            full = network(model, memnn.RamMemory())
            part = network(model, full.memory, organised=True)
            for _ in range(rng.randrange(1, 60)):
                full.tell(_sentence(rng))
                if rng.random() < 0.1:
                    full.forget(int(rng.choice(full.memory.candidates())))
            for _ in range(15):
                question, as_of = _question(rng), rng.choice([None, None, rng.randrange(60)])
                assert_same(full, part, question, as_of)
                widened += part.O(memnn.Question(question), full.memory, as_of).widened
    assert widened, "this is about the cases where it has to look at everything, too"


def _sentence(rng):
    who = rng.choice(["Joe", "Fred", "Zorg", "Anna", "the weather"])
    what = rng.choice(
        ["went to the R", "moved to R", "took the milk", "dropped the ring", "is nice", "R R R"]
    )
    return f"{who} {what.replace('R', rng.choice(ROOMS))}."


def _question(rng):
    who, room = rng.choice(["Joe", "Fred", "Zorg", "Gollum"]), rng.choice(ROOMS)
    asked = [f"Where is {who}?", f"Where was {who} before the {room}?", "Where is the milk?"]
    return rng.choice([*asked, "Where is the ring now?", "Where?"])


def test_big_buckets_are_read_from_the_newest(unseen, monkeypatch):
    """What everybody handles has a bucket as big as the memory; its newest memories are enough."""
    monkeypatch.setattr(module, "FIRST_LOOK", 4)
    memory = memnn.RamMemory()
    for i in range(3000):
        memory.write(f"Ann{i % 50} went to the {ROOMS[i % 6]}.")
        memory.write(f"Ann{i % 50} {('took', 'dropped')[i % 2]} the milk.")
    full, part = (network(unseen.model, memory, organised=o) for o in (False, True))
    for as_of in (None, 4321, 777):
        assert_same(full, part, "Where is the milk?", as_of)
    output = part.O(memnn.Question("Where is the milk?"), memory)
    assert not output.widened
    assert output.looked_at <= 150  # of 3,000 with milk: those of one person, and a few


def test_a_name_that_nobody_told_needs_no_looking(unseen):
    net = network(unseen.model, memnn.RamMemory(), organised=True)
    assert net.ask("Where is Joe?").reason == "I have not been told anything yet"
    net.tell("Joe went to the kitchen.")
    for name in ("Fred", "Gollum"):
        assert net.ask(f"Where is {name}?").reason == f"nothing I was told mentions {name}"
        assert net.O(memnn.Question(f"Where is {name}?"), net.memory).looked_at == 0


WORDS = ("went", "to", "took", "joe", "dan", "inn", "hut")
NAMES = frozenset(["joe", "dan", "inn", "hut"])
statements = st.lists(st.lists(st.integers(0, 6), max_size=5), min_size=1, max_size=8)


@settings(max_examples=200, deadline=None)
@given(statements, st.lists(st.floats(-2, 2, width=32), min_size=7, max_size=7),
       st.sets(st.integers(3, 6)), st.booleans())  # fmt: skip
def test_no_memory_has_more_content_than_the_outline_says(texts, e, barred, as_sets):
    outline = PatternBounds(Dictionary(WORDS, WORDS, NAMES), as_sets)
    for text in texts:
        outline.read(text)
    flags = np.zeros(7, np.bool_)
    flags[list(barred)] = True
    scores = np.array(e, np.float32)
    most, _ = most_content(scores, flags, *outline.patterns(), np.empty(9, np.int64))
    for text in texts:
        if not barred & set(text):
            bag = np.array(sorted(set(text) if as_sets else text), np.int64)
            c = np.empty(1, np.float32)
            score_bags(c, scores, np.array([0, len(bag)]), bag)
            assert c[0] <= most + 1e-5


class Lasting(memnn.RamMemory):
    """A memory that keeps what it is given, and counts what is read."""

    def __init__(self):
        super().__init__()
        self.bytes, self.scanned = {}, 0

    def keep(self, name, data, deletions):
        if deletions == self.deletions:
            self.bytes[name] = data

    def kept(self, name):
        return self.bytes.get(name)

    def delete(self, ids):
        self.bytes.clear()
        super().delete(ids)

    def scan(self, after=0):
        for slot in super().scan(after):
            self.scanned += 1
            yield slot


def test_an_overview_outlives_the_process(unseen, crowd, monkeypatch):
    monkeypatch.setattr(overview, "LEAST_KEPT", 10)
    memory, questions = Lasting(), crowd[1][:20]
    memory.write_many(slot.text for slot in crowd[0].scan())
    full = network(unseen.model, memory)
    first = network(unseen.model, memory, organised=True)
    for question in questions[:2]:
        assert_same(full, first, question)
    memory.write("Ann7 went to the moon.")
    memory.scanned = 0
    again = network(unseen.model, memory, organised=True)
    again.ask(questions[0])
    assert memory.scanned <= 2, "only what was told since is read"
    for question in (*questions, "Where is Ann7?"):
        assert_same(full, again, question)
    memory.delete([1])
    memory.scanned = 0
    assert_same(full, network(unseen.model, memory, organised=True), questions[0])
    assert memory.scanned >= len(memory), "what was kept before a deletion is not trusted"
