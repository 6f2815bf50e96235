"""Simulated stories: exact counts, determinism, difficulty, question sets, streams."""

from __future__ import annotations

import re
import time
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memnn.errors import InputError, UnknownName
from memnn.simulator import (
    CONNECTORS,
    QUESTION_SETS,
    Container,
    WorldSpec,
    read_aloud,
    simulate,
)
from memnn.simulator.actions import Go, apply
from memnn.simulator.knowledge import Knowledge
from memnn.simulator.question_sets import choose
from memnn.simulator.questions import WhereActor, WhereBefore
from memnn.simulator.world import PAPER_WORLD, World
from memnn.types import Question, Statement, Story

SAID = (
    *("went to", "travelled to", "moved to", "journeyed to", "went back to"),
    *("picked up", "got", "grabbed", "took", "took the", "from the"),
    *("dropped", "left", "discarded", "put down", " there."),
    *("gave", "handed", "passed", "placed", "in the basket", "on the table"),
    *("looked around", "took an inventory", "examined", "inspected"),
)
PAPER_SETS = ("actor-now", "actor", "actor-now+object", "actor+object")


def kind(question: Question) -> str:
    if question.text.startswith("What did"):
        return "describe"
    if "before" in question.text:
        return "before"
    return "object" if re.match(r"Where is (the )?[a-z]", question.text) else "actor"


def distances(story: Story) -> list[int]:
    """For every question how many statements back its furthest support is."""
    position, count, result = dict[int, int](), 0, []
    for line in story.lines:
        assert line.id is not None
        if isinstance(line, Statement):
            count += 1
            position[line.id] = count
        else:
            result.append(max(count - position[s] + 1 for s in line.supports))
    return result


@pytest.mark.parametrize("ask", QUESTION_SETS)
def test_the_papers_size_is_exact_and_quick(ask: str) -> None:
    start = time.process_time()
    (story,) = simulate(ask=ask)
    assert time.process_time() - start < 4  # about 0.2 s, 0.7 s with everything; slow machines too
    assert len(list(story.statements)) == 7000
    assert len(list(story.questions)) == 3000
    assert [line.id for line in story.lines] == list(range(1, 10_001))


@pytest.mark.parametrize("ask", QUESTION_SETS)
def test_the_same_seed_tells_the_same_story(ask: str) -> None:
    first = simulate(statements=60, questions=30, ask=ask, seed=7, sentences=True)
    assert first == simulate(statements=60, questions=30, ask=ask, seed=7, sentences=True)
    assert first != simulate(statements=60, questions=30, ask=ask, seed=8, sentences=True)


@given(
    statements=st.integers(0, 40),
    questions=st.integers(0, 90),
    difficulty=st.integers(1, 60),
    length=st.none() | st.integers(1, 50),
    ask=st.sampled_from(sorted(QUESTION_SETS)),
    stream=st.booleans(),
    sentences=st.booleans(),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_counts_are_exact_and_every_question_is_labelled(
    statements: int,
    questions: int,
    difficulty: int,
    length: int | None,
    ask: str,
    stream: bool,
    sentences: bool,
    seed: int,
) -> None:
    questions = questions if statements else 0
    stories = simulate(
        statements=statements,
        questions=questions,
        difficulty=difficulty,
        ask=ask,
        seed=seed,
        story_length=length,
        stream=stream,
        sentences=sentences,
    )
    assert sum(len(list(story.statements)) for story in stories) == statements
    assert sum(len(list(story.questions)) for story in stories) == questions
    for story in stories:
        assert [line.id for line in story.lines] == list(range(1, len(story.lines) + 1))
        assert length is None or len(list(story.statements)) <= length
        told = {statement.id for statement in story.statements}
        for question in story.questions:
            assert question.answer
            assert question.text.endswith("?")
            assert question.supports
            assert all(s in told and s < (question.id or 0) for s in question.supports)
        if not stream:
            assert all(statement.text.endswith(".") for statement in story.statements)


@pytest.mark.parametrize(
    ("ask", "kinds"),
    [
        ("actor-now", {"actor"}),
        ("actor", {"actor", "before"}),
        ("actor-now+object", {"actor", "object"}),
        ("actor+object", {"actor", "object", "before"}),
        ("everything", {"actor", "object", "before"}),
        ("describe", {"describe"}),
    ],
)
def test_each_set_asks_its_kinds(ask: str, kinds: set[str]) -> None:
    (story,) = simulate(statements=700, questions=300, ask=ask)
    counts = Counter(kind(question) for question in story.questions)
    assert set(counts) == kinds
    assert min(counts.values()) > 50
    if "before" in kinds:  # equally likely when both are possible
        assert 0.7 < counts["before"] / counts["actor"] < 1.4


@pytest.mark.parametrize("ask", PAPER_SETS)
@pytest.mark.parametrize("difficulty", [1, 5])
def test_answers_are_rooms_and_supports_are_few(ask: str, difficulty: int) -> None:
    (story,) = simulate(statements=700, questions=300, ask=ask, difficulty=difficulty)
    for question in story.questions:
        assert question.answer in PAPER_WORLD.rooms
        assert len(question.supports) == (1 if kind(question) == "actor" else 2)


@pytest.mark.parametrize("difficulty", [1, 3, 5])
def test_difficulty_bounds_how_far_back_the_asked_actor_was_mentioned(difficulty: int) -> None:
    (story,) = simulate(statements=700, questions=300, difficulty=difficulty, ask="actor-now")
    assert max(distances(story)) == difficulty


def test_supports_of_objects_lie_further_back() -> None:
    furthest = [max(distances(simulate(ask="actor-now+object", seed=seed)[0])) for seed in range(3)]
    assert all(30 <= distance <= 110 for distance in furthest)


def test_before_asks_about_rooms_other_than_the_latest() -> None:
    (story,) = simulate(statements=700, questions=300, ask="actor", difficulty=1)
    texts = {line.id: line.text for line in story.statements}
    asked = [q for q in story.questions if kind(q) == "before"]
    latest = 0
    for question in asked:
        actor = question.text.split()[2]
        last_go = max(
            i
            for i, text in texts.items()
            if i and i < (question.id or 0) and text.startswith(actor)
        )
        latest += last_go == question.supports[0]
    assert 0.1 < latest / len(asked) < 0.6
    (recent,) = simulate(statements=700, questions=300, ask="actor", difficulty=1, before_moves=1)
    assert max(distances(recent)) < max(distances(story))


def test_before_draws_every_room_with_a_predecessor_equally_often() -> None:
    rng, world, knowledge = Random(0), World(PAPER_WORLD), Knowledge()
    for id, room in enumerate(("garden", "kitchen", "office", "kitchen", "bathroom"), start=1):
        apply(world, Go("Joe", room))
        knowledge.learn(Go("Joe", room), id)
    ask, recent = QUESTION_SETS["actor"], [Go("Joe", "bathroom")]
    drawn = Counter(choose(recent, ask, world, knowledge, rng) for _ in range(6000))
    assert set(drawn) == {
        WhereActor("Joe"),
        *(WhereBefore("Joe", room) for room in ("kitchen", "office", "bathroom")),
    }
    assert 2800 < drawn.pop(WhereActor("Joe")) < 3200
    assert all(850 < count < 1150 for count in drawn.values())


def test_about_three_questions_follow_seven_statements_everywhere() -> None:
    (story,) = simulate()
    half = story.lines[:5000]
    assert 1400 < sum(isinstance(line, Question) for line in half) < 1600


def test_story_length_starts_afresh() -> None:
    stories = simulate(statements=25, questions=10, story_length=10)
    assert [len(list(story.statements)) for story in stories] == [10, 10, 5]
    for story in stories:
        assert re.search(r" (went|travelled|moved|journeyed) to ", story.lines[0].text)


def test_went_back_only_to_where_one_has_been() -> None:
    (story,) = simulate(statements=2000, questions=0, ask="actor", article_omission=0)
    been: set[tuple[str, str]] = set()
    back = 0
    for line in story.statements:
        words = line.text.rstrip(".").split()
        visit = (words[0], words[-1])
        if "back" in words:
            back += 1
            assert visit in been
        been.add(visit)
    assert back > 200


def test_every_verb_article_and_there_occurs() -> None:
    (story,) = simulate(statements=3000, questions=1000, ask="everything")
    text = "\n".join(line.text for line in story.lines)
    for phrase in SAID:
        assert phrase in text, phrase
    bare = len(re.findall(r" to kitchen", text))
    full = len(re.findall(r" to the kitchen", text))
    assert 0.03 < bare / (bare + full) < 0.2
    assert not re.search(r"the (Joe|Fred|Dan|Mike)", text)


def test_articles_can_always_be_there() -> None:
    (story,) = simulate(statements=500, questions=200, article_omission=0, there=0)
    assert not any(
        re.search(r" to [a-z]+\.$", line.text) and "to the" not in line.text
        for line in story.statements
    )
    assert not any("there" in line.text for line in story.lines)


def test_a_stream_carries_its_connectors_in_front() -> None:
    (story,) = simulate(statements=2000, questions=500, stream=True)
    seen: Counter[str] = Counter()
    previous: Statement | Question | None = None
    for line in story.lines:
        if isinstance(line, Statement):
            connector = re.split(r" ?(?:Joe|Fred|Dan|Mike)", line.text)[0]
            if isinstance(previous, Statement):
                assert connector in CONNECTORS
                seen[connector] += 1
            else:
                assert connector == ""
            assert not line.text.endswith(".")
        previous = line
    assert set(seen) == set(CONNECTORS)
    assert len(CONNECTORS) == 9


def test_a_stream_read_aloud() -> None:
    segments = ["Joe went to the garden", "then Fred got the milk", "; Joe moved", ", next Dan sat"]
    assert read_aloud([*segments, ". Joe left"]) == (
        "Joe went to the garden then Fred got the milk; Joe moved, next Dan sat. Joe left."
    )
    assert read_aloud([]) == ""


def test_own_names() -> None:
    spec = WorldSpec(
        actors=("Bilbo", "Frodo"),
        objects=("ring",),
        rooms=("Shire", "Mount-Doom"),
        containers=(Container("chest"),),
    )
    (story,) = simulate(statements=200, questions=100, spec=spec, ask="everything")
    assert {question.answer for question in story.questions} == {"Shire", "Mount-Doom"}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"difficulty": 0}, "difficulty"),
        ({"statements": 0}, "at least one statement"),
        ({"questions": -1}, "0 or more"),
        ({"story_length": 0}, "story_length"),
        ({"article_omission": 1.5}, "article_omission"),
        ({"before_moves": 0}, "before_moves"),
        ({"spec": WorldSpec(actors=())}, "actor"),
        ({"spec": WorldSpec(rooms=("kitchen",))}, "two rooms"),
    ],
)
def test_impossible_wishes_are_refused_in_one_line(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        simulate(**wrong)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_an_unknown_set_lists_the_known() -> None:
    with pytest.raises(UnknownName, match=r"actor-now\+object"):
        simulate(ask="weather")


def test_nothing_at_all_is_no_story() -> None:
    assert simulate(statements=0, questions=0) == []
