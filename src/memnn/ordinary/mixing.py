"""Stories told one after the other: a memory holds more than what a question is about.

A story that is learnt from comes behind another one, and at times has one behind it that says
nothing of what its last questions name. Two that tell of "I" or of the user are never mixed, nor
two with a name in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from memnn.ordinary.hearing import KIND
from memnn.ordinary.words import PERSONS, is_content, stem_of, tokens
from memnn.stories.examples import numbered
from memnn.types import Question, Statement, Story

USER = "user"
AFTER = 0.4
"""The share of mixed stories that also have another one behind them."""
TRIES = 6
MOST = 10
"""Statements of another story, the first ones."""
Lines = list[Statement | Question]


class _Words:
    """What a story names."""

    def __init__(self, story: Story) -> None:
        told = [token for line in story.lines for token in tokens(line.text)]
        self.personal = any(t.text in PERSONS or stem_of(t.text) == USER for t in told)
        written_large = {t.text for t in told if t.form[0].isupper() and is_content(t.text)}
        self.names = written_large - PERSONS.keys()
        self.words = {t.text for t in told}
        self.stems = _stems(" ".join(line.text for line in story.statements))


def mixed(stories: Sequence[Story], share: float, rng: np.random.Generator) -> list[Story]:
    """The same stories, so many of them among others."""
    known: dict[int, _Words] = {}

    def words(at: int) -> _Words:
        if at not in known:
            known[at] = _Words(stories[at])
        return known[at]

    def another(*at: int) -> int | None:
        mine = words(at[0])
        for other in rng.integers(len(stories), size=TRIES).tolist():
            its = words(other)
            alike = mine.names & its.words or its.names & mine.words
            if other not in at and not (alike or (mine.personal and its.personal)):
                return int(other)
        return None

    found = []
    for at, story in enumerate(stories):
        before = another(at) if rng.random() < share else None
        if before is None:
            found.append(story)
            continue
        after = another(at, before) if rng.random() < AFTER else None
        behind = None if after is None else (stories[after], words(after))
        found.append(_among(story, words(at), (stories[before], words(before)), behind))
    return found


def _among(
    story: Story, words: _Words, before: tuple[Story, _Words], after: tuple[Story, _Words] | None
) -> Story:
    """Questions of which one cannot tell any more what they are about are left out."""
    id_of: dict[int, int] = {}
    lines: Lines = []

    def told(text: str) -> None:
        lines.append(Statement(text, len(lines) + 1))

    for other in list(before[0].statements)[:MOST]:
        told(other.text)
    late: Lines = []
    own = list(numbered(story))
    last = max((id for id, each in own if isinstance(each, Statement)), default=0)
    for id, line in own:
        if isinstance(line, Statement):
            told(line.text)
            id_of[id] = len(lines)
            continue
        supports = tuple(id_of[support] for support in line.supports)
        question = replace(line, id=len(lines) + 1, supports=supports)
        asked = _stems(line.text)
        if asked & before[1].stems and not (supports and asked - before[1].stems):
            continue
        if after is not None and id > last and _stays(line, asked, words, after[1]):
            late.append(question)
        else:
            lines.append(question)
    if after is not None:
        for other in list(after[0].statements)[:MOST]:
            told(other.text)
        lines += [replace(question, id=len(lines) + i) for i, question in enumerate(late, start=1)]
    return Story(tuple(lines), story.source, story.first_line)


def _stays(question: Question, asked: set[str], words: _Words, after: _Words) -> bool:
    """Whether it is about the same after the other story."""
    named = asked & words.stems and not asked & after.stems
    return bool(named) and not any(token.text in KIND for token in tokens(question.text))


def _stems(text: str) -> set[str]:
    return {stem_of(token.text) for token in tokens(text) if is_content(token.text)}
