"""The questions that an ensemble is calibrated on say what they seem to say."""

from __future__ import annotations

import random
from pathlib import Path

import memnn
from memnn.dialogue.examples import household, made_up_name, renamed, strange
from memnn.simulator import PAPER_WORLD
from memnn.text.tokens import surface_words
from memnn.types import Question, Statement, Story

DATA = Path(__file__).parent.parent / "data"


def words(story: Story) -> list[list[str]]:
    return [surface_words(line.text) for line in story.lines]


def test_renamed_actors_never_share_a_name():
    """With few syllables two of four actors now and then got the same: a story of somebody else."""
    (story,) = memnn.simulate(statements=40, questions=20, seed=3)
    for seed in range(1000):
        other = renamed(story, random.Random(seed), PAPER_WORLD.actors)
        new = {}
        for before, after in zip(words(story), words(other), strict=True):
            for old, name in zip(before, after, strict=True):
                if old in PAPER_WORLD.actors:
                    new.setdefault(old, set()).add(name)
                else:
                    assert old == name
        assert len(new) == 4
        assert all(len(names) == 1 for names in new.values())
        assert len(set.union(*new.values())) == 4
        assert not set.union(*new.values()) & set(PAPER_WORLD.actors)


def test_renaming_takes_no_name_that_the_story_has_and_leaves_other_words_alone():
    chance = random.Random(5)
    taken = made_up_name(random.Random(5))
    story = Story(
        (
            Statement(f"Joe went to the {taken.lower()}.", 1),
            Statement("Joey took the Joe-pye weed to Joe's room.", 2),
            Question("Where is Joe?", 3, "Joe"),
        )
    )
    first, second, question = renamed(story, chance, ["Joe", "Jo"]).lines
    name = first.text.split()[0]
    assert name not in ("Joe", taken)
    assert first.text == f"{name} went to the {taken.lower()}."
    assert second.text == f"Joey took the {name}-pye weed to {name}'s room."
    assert (question.text, question.answer) == (f"Where is {name}?", name)


def test_a_renamed_story_has_the_same_answers():
    for story in memnn.simulate(statements=60, questions=30, story_length=20, seed=2):
        other = renamed(story, random.Random(0), PAPER_WORLD.actors)
        for before, after in zip(story.questions, other.questions, strict=True):
            assert (after.answer, after.supports) == (before.answer, before.supports)


def test_a_strange_question_has_a_word_that_nobody_told():
    chance = random.Random(0)
    home = household()
    told = {word for said in home for word in surface_words(said.statement)}
    for said in home[:50]:
        assert set(surface_words(strange(said.question, chance))) - told


def test_the_project_s_sentences_are_not_the_measured_ones():
    measured = {
        line.split("\t")[0].lower() for line in (DATA / "told.tsv").read_text().splitlines()
    } | {line.lower() for line in (DATA / "others.txt").read_text().splitlines()}
    assert not measured & {said.statement.lower() for said in household()}
