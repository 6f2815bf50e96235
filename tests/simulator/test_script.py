"""Executable text: the paper's own story, own names, and steps that cannot be."""

from __future__ import annotations

import re

import pytest

from memnn.errors import InputError
from memnn.simulator import run
from memnn.types import Story

FIGURE_1 = (
    "joe go kitchen; fred go kitchen; joe get milk; joe go office; joe drop milk; "
    "joe go bathroom; where milk?; where joe?; where joe before office?"
)


def labels(story: Story) -> list[tuple[str | None, tuple[int, ...]]]:
    return [(question.answer, question.supports) for question in story.questions]


@pytest.mark.parametrize("seed", range(5))
def test_figure_1(seed: int) -> None:
    story = run(FIGURE_1, seed=seed)
    assert labels(story) == [("office", (5, 4)), ("bathroom", (6,)), ("kitchen", (4, 1))]
    assert [line.id for line in story.lines] == list(range(1, 10))
    first = next(story.statements).text
    assert re.fullmatch(r"Joe (went|travelled|moved|journeyed) to the kitchen\.", first)
    texts = [question.text for question in story.questions]
    assert texts[0] in ("Where is the milk?", "Where is the milk now?")
    assert texts[2] == "Where was Joe before the office?"


def test_case_and_line_breaks_do_not_matter() -> None:
    loud = re.sub(r"go|get|drop|where|before", lambda verb: verb[0].upper(), FIGURE_1)
    assert run(loud.replace("; ", "\n")) == run(FIGURE_1)
    assert labels(run("Joe go Hall; joe GO den; where JOE before DEN?")) == [("Hall", (2, 1))]


def test_own_names_keep_their_spelling() -> None:
    story = run(
        """bilbo go cave; bilbo get ring; bilbo go Shire; bilbo drop ring
           frodo go shire; frodo get ring; frodo go Mount-Doom; frodo drop ring
           frodo go shire; bilbo go Grey-havens
           where ring?; where bilbo?; where FRODO?"""
    )
    assert labels(story) == [("Mount-Doom", (8, 7)), ("Grey-havens", (10,)), ("Shire", (9,))]
    assert "Bilbo" in story.lines[0].text


def test_all_nine_actions() -> None:
    story = run(
        "joe go kitchen; fred go kitchen; joe get basket; joe get milk; joe put milk in basket;"
        "joe give basket to fred; fred go garden; where milk?; fred get milk from basket;"
        "fred look; fred inventory; fred examine basket; fred drop basket; fred go office;"
        "where basket?; where milk?; what fred?"
    )
    assert labels(story) == [
        ("garden", (5, 6, 7)),
        ("garden", (13, 7)),
        ("office", (9, 14)),
        ("Fred went to the office", (14,)),
    ]


def test_furniture_stands_where_it_is_first_used() -> None:
    story = run("joe go office; joe get milk; joe put milk on table; joe go garden; where table?")
    assert labels(story) == [("office", (3, 1))]
    assert re.search(r"(put|placed) the milk on the table", story.lines[2].text)


def test_looking_can_say_what_was_seen() -> None:
    story = run("joe go office; fred go office; joe look", reports=True)
    assert story.lines[-1].text.endswith("around: Joe is in the office with Fred.")


def test_sentences_streams_and_pronouns() -> None:
    texts = {
        next(
            run("ann go office; where ann?", seed=seed, sentences=True, women=("ann",)).questions
        ).answer
        for seed in range(60)
    }
    assert "she is in the office" in texts
    assert not any(text and text.startswith("he ") for text in texts)
    stream = run("joe go office; joe go garden", stream=True)
    assert stream.lines[0].text.startswith("Joe")
    assert not stream.lines[1].text.startswith("Joe")


@pytest.mark.parametrize(
    ("script", "says"),
    [
        (
            "joe go kitchen; joe go kitchen",
            "step 2 'joe go kitchen': Joe is already in the kitchen",
        ),
        ("joe get milk", "step 1 'joe get milk': Joe has not been anywhere yet"),
        (
            "joe go a; joe get milk; fred go a; fred get milk",
            "step 4 'fred get milk': Joe has the milk",
        ),
        ("joe go a; fred go b; joe get x; joe give x to fred", "step 4 .*: Fred is not in the a"),
        ("joe go a;; joe dance", "step 2 'joe dance': not understood"),
        ("where milk?", "step 1 'where milk\\?': nothing in the story is called 'milk'"),
        ("joe go a; where a?", "step 2 .*: 'a' is a room"),
        ("joe go a; joe examine milk", "step 2 .*: the milk is not here"),
        ("where joe?; joe go a", "step 1 .*: the story so far does not answer 'Where is Joe\\?'"),
        ("joe go a; where joe before a?", "step 2 .*: the story so far does not answer"),
        ("joe go a; joe get fred; fred go a", "step 3 .*'fred' is used both as a thing and as an"),
        ("joe go a; joe get x; joe put x in table", "step 3 .*: things go on the table"),
        ("joe go a; joe get box; joe put box in box", "step 3 .*: the box cannot go into itself"),
        ("joe go a; joe get table; joe put x on table", "step 2 .*: the table cannot be moved"),
    ],
)
def test_an_impossible_step_is_named_with_its_reason(script: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        run(script)
    assert "\n" not in str(caught.value)


def test_an_empty_script_is_an_empty_story() -> None:
    assert run(" ; \n").lines == ()
