"""Labels are checked, and a clear line says where they cannot be learnt from."""

from __future__ import annotations

import pytest

from memnn.errors import FormatError, TrainingError
from memnn.kernels.path_reading import MOST_SUPPORTS
from memnn.kernels.path_response import MOST_STEPS
from memnn.stories import babi
from memnn.support_paths.examples import encode
from memnn.support_paths.vocabulary import PathVocabulary
from memnn.types import Question, Statement, Story


def examples(stories):
    if isinstance(stories, str):
        stories = babi.loads(stories)
    return encode(stories, PathVocabulary.learn(stories))


TWO = """1 joe went home
2 joe left
3 where is joe?\thome,out\t2 1
1 ann left
2 ann went out
3 where is ann?\tout\t2
4 ann went home
5 where is ann?\thome\t4
"""


def test_questions_see_their_story_until_then():
    found = examples(TWO)
    assert (len(found), found.statements, found.most_supports) == (3, 5, 2)
    assert found.labels.first.tolist() == [0, 2, 2]
    assert found.labels.end.tolist() == [2, 4, 5]
    assert found.labels.ptr.tolist() == [0, 2, 3, 4]
    assert found.labels.supports.tolist() == [1, 0, 3, 4], "in reasoning order"
    assert found.said.ptr.tolist() == [0, 2, 3, 4]
    home, out = found.said.rows[:2]
    assert found.said.rows.tolist() == [home, out, out, home]


def story(*lines):
    return [Story(tuple(lines), "tale", 10)]


JOE = Statement("Joe went home.", 1)
BROKEN = {
    "no supports": (Question("Where is Joe?", 2, "home"), "tale:11: .*third column"),
    "nowhere": (Question("Where is Joe?", 2, "home", (9,)), "tale:11: .*statement 9"),
    "itself": (Question("Where is Joe?", 2, "home", (2,)), "tale:11: .*statement 2"),
    "forward": (Question("Where is Joe?", 2, "home", (3,)), "tale:11: .*statement 3"),
    "no answer": (Question("Where is Joe?", 2, None, (1,)), "tale:11: .*no answer"),
    "empty answer": (Question("Where is Joe?", 2, " , ", (1,)), "tale:11: .*no answer"),
    "endless answer": (
        Question("Where is Joe?", 2, ",".join("abcdefghijklmnopq"), (1,)),
        f"tale:11: the answer has 17 parts, more than {MOST_STEPS}",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_labels_that_cannot_be_learnt_from(name):
    question, message = BROKEN[name]
    with pytest.raises(FormatError, match=message) as caught:
        examples(story(JOE, question, Statement("Joe left.", 3)))
    assert "\n" not in str(caught.value)


def test_a_support_in_another_story_is_none():
    with pytest.raises(FormatError, match="statement 3"):
        examples([*story(JOE, Statement("Joe left.", 3)),
                  *story(JOE, Question("Where is Joe?", 4, "home", (3,)))])  # fmt: skip


def many(n):
    told = [Statement(f"Joe took thing{i}.", i) for i in range(1, n + 1)]
    return story(*told, Question("What?", n + 1, "thing1", tuple(range(1, n + 1))))


def test_as_many_supports_as_can_be_told_apart():
    assert examples(many(MOST_SUPPORTS)).most_supports == MOST_SUPPORTS
    with pytest.raises(FormatError, match=r"tale:41: .* more than 30"):
        examples(many(MOST_SUPPORTS + 1))


def test_a_support_that_is_named_twice_counts_once():
    """A path visits no memory twice."""
    found = examples(story(JOE, Question("Where is Joe?", 2, "home", (1, 1))))
    assert found.labels.supports.tolist() == [0]


@pytest.mark.parametrize("stories", [[], story(), story(JOE)], ids=["none", "empty", "statements"])
def test_no_questions(stories):
    with pytest.raises(TrainingError, match="no questions to learn from"):
        examples(stories)
