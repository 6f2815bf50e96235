"""Stories among others: what answers a question still does, and nothing else does."""

from __future__ import annotations

import numpy as np

from memnn.ordinary.mixing import MOST, mixed
from memnn.types import Question, Statement, Story
from tests.ordinary.written import some

ANNA = Story(
    (
        Statement("Anna put the ring into a drawer.", 1),
        Question("Where is the ring?", 2, "drawer", (1,)),
        Statement("Anna sold the ring.", 3),
        Question("Does Anna have the ring?", 4, "no", (3,)),
        Question("What colour was it?", 5, "", ()),
    )
)
BEN = Story((Statement("Ben bought a lamp.", 1), Statement("It was green.", 2)))
EVE = Story((Statement("Eve baked bread.", 1),))
I = Story((Statement("I live in Graz.", 1), Question("Where do I live?", 2, "Graz", (1,))))  # noqa: E741
MINE = Story((Statement("My cat is old.", 1),))


def always(*stories):
    return mixed(stories, 1.0, np.random.default_rng(0))


def test_supports_are_the_same_statements_as_before():
    rng = np.random.default_rng(1)
    before = some(400)
    after = mixed(before, 1.0, rng)
    assert sum(a is not b for a, b in zip(before, after, strict=True)) > 100
    for alone, among in zip(before, after, strict=True):
        texts = {line.id: line.text for line in among.lines}
        assert list(texts) == list(range(1, len(among.lines) + 1)) or among is alone
        own = {q.text: q for q in alone.questions}
        said = {n: line.text for n, line in enumerate(alone.lines, start=1)}
        for q in among.questions:
            mine = own[q.text]
            assert q.answer == mine.answer
            assert [texts[s] for s in q.supports] == [said[s] for s in mine.supports]


def test_a_question_is_asked_after_what_answers_it():
    for _ in range(20):
        for story in always(ANNA, BEN):
            told = set()
            for line in story.lines:
                if isinstance(line, Statement):
                    told.add(line.id)
                else:
                    assert told.issuperset(line.supports)


def test_the_others_come_before_and_at_times_behind():
    rng, places = np.random.default_rng(0), set()
    for _ in range(60):
        story = mixed([ANNA, BEN, EVE], 1.0, rng)[0]
        texts = [line.text for line in story.statements]
        places.add((texts.index(ANNA.lines[0].text), len(texts)))
        assert len(texts) == len(set(texts))
    assert {(2, 4), (1, 3), (2, 5), (1, 5)} <= places


def test_a_question_is_not_asked_after_what_was_told_behind_it():
    rng = np.random.default_rng(0)
    for _ in range(60):
        story = mixed([ANNA, BEN, EVE], 1.0, rng)[0]
        texts = [line.text for line in story.lines]
        assert texts.index("Where is the ring?") < texts.index("Anna sold the ring.")


def test_a_question_with_a_pronoun_stays_behind_its_own_story():
    rng, seen = np.random.default_rng(0), 0
    cleo = Story((Statement("Cleo sat.", 1), Question("Does she sit by Cleo?", 2, "no", (1,))))
    for _ in range(60):
        texts = [line.text for line in mixed([cleo, BEN, EVE], 1.0, rng)[0].lines]
        assert texts.index("Does she sit by Cleo?") == texts.index("Cleo sat.") + 1
        seen += texts[-1] != "Does she sit by Cleo?"
    assert seen


def test_a_question_that_others_might_answer_is_left_out():
    other = Story((Statement("The lamp has a colour that shines.", 1),))
    [story, _] = always(ANNA, other)
    assert "What colour was it?" not in [q.text for q in story.questions]
    assert "Where is the ring?" in [q.text for q in story.questions]


def test_two_that_tell_of_themselves_are_not_mixed():
    assert always(I, MINE) == [I, MINE]


def test_two_with_a_name_in_common_are_not_mixed():
    for text in ("Yesterday Anna slept.", "it was anna's turn"):
        other = Story((Statement(text, 1),))
        assert always(ANNA, other) == [ANNA, other]


def test_none_are_mixed_where_none_are_wanted():
    assert mixed([ANNA, BEN], 0.0, np.random.default_rng(0)) == [ANNA, BEN]


def test_long_stories_lend_their_beginning_alone():
    long = Story(tuple(Statement(f"Ben saw lamp {n}.", n) for n in range(1, 30)))
    [story, _] = always(ANNA, long)
    assert 2 + MOST <= sum(1 for _ in story.statements) <= 2 + 2 * MOST
