"""What held for every question of the training stories: see `stories.invariants`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from memnn.memory import RamMemory
from memnn.stories.dictionary import Dictionary
from memnn.stories.examples import numbered, support_ids
from memnn.stories.invariants import SENTENCES, Habits
from memnn.stories.superseding import Superseding
from memnn.types import Statement, Story

OFTEN = 20
"""Were both orders equally likely, one of them would be missed once in a million patterns."""


@dataclass(frozen=True)
class _Example:
    """A question of a story, when it was asked, and its supports."""

    story: int
    time: int
    text: str
    answer: str
    ids: tuple[int, ...]
    supports: tuple[str, ...]


def learn_habits(stories: Sequence[Story], dictionary: Dictionary, hops: int) -> Habits:
    """The sentences that no question of these stories breaks."""
    examples = list(_examples(stories, hops))
    held = [name for name in SENTENCES if all(_holds(name, dictionary, e) for e in examples)]
    kinds = _kinds(examples, dictionary)
    return replace(
        _only(*held),
        backwards=_backwards(examples, dictionary),
        barren=_barren(stories, examples, dictionary),
        kinds=kinds,
        now=_now(stories, examples, dictionary, kinds),
    )


def _examples(stories: Sequence[Story], hops: int) -> Iterator[_Example]:
    for number, story in enumerate(stories):
        text: dict[int, str] = {}
        for time, line in numbered(story):
            if isinstance(line, Statement):
                text[time] = line.text
            elif line.supports:
                ids = tuple(dict.fromkeys(support_ids(line, hops)))
                supports = tuple(text[id] for id in ids)
                yield _Example(number, time, line.text, line.answer or "", ids, supports)


def _only(*sentences: str) -> Habits:
    return Habits.from_json(dict.fromkeys(sentences, True))


def _holds(name: str, dictionary: Dictionary, e: _Example) -> bool:
    habit = _only(name)
    return not (
        habit.broken(dictionary, e.text, e.supports, e.ids)
        or habit.unheard(dictionary, e.text, e.supports, e.answer)
    )


def _backwards(examples: Sequence[_Example], dictionary: Dictionary) -> frozenset[str]:
    """Patterns after which the next support was older, every time and often enough to tell."""
    older: Counter[str] = Counter()
    newer: set[str] = set()
    for e in examples:
        asked = dictionary.pattern(e.text)[0]
        for text, (id, next_id) in zip(e.supports, pairwise(e.ids), strict=False):
            patterns = {asked, dictionary.pattern(text)[0]}
            if next_id < id:
                older.update(patterns)
            else:
                newer |= patterns
    return frozenset(p for p, n in older.items() if n >= OFTEN and p not in newer)


def _barren(
    stories: Sequence[Story], examples: Sequence[_Example], dictionary: Dictionary
) -> frozenset[str]:
    """Patterns that would have been the last support often, were they so as often as others."""
    told = Counter(dictionary.pattern(s.text)[0] for story in stories for s in story.statements)
    last = {dictionary.pattern(e.supports[-1])[0] for e in examples}
    rate = len(examples) / max(1, told.total())
    return frozenset(p for p, n in told.items() if n * rate >= OFTEN and p not in last)


def _kinds(examples: Sequence[_Example], dictionary: Dictionary) -> dict[str, str]:
    """Patterns whose last name answered a question; what answers the same question is one kind."""
    answers: dict[str, set[str]] = {}
    for e in examples:
        pattern, names = dictionary.pattern(e.supports[-1])
        if len(names) > 1 and names[-1] == e.answer.strip().lower():
            answers.setdefault(pattern, set()).add(dictionary.pattern(e.text)[0])
    kinds = {pattern: min(asked) for pattern, asked in answers.items()}
    for asked in answers.values():  # whoever shares a question shares the kind
        group = {kinds[p] for p, other in answers.items() if other & asked}
        for pattern, kind in kinds.items():
            if kind in group:
                kinds[pattern] = min(group)
    return kinds


def _now(
    stories: Sequence[Story],
    examples: Sequence[_Example],
    dictionary: Dictionary,
    kinds: dict[str, str],
) -> frozenset[str]:
    """Patterns of questions about names whose superseded statements never were supports."""
    now: set[str] = set()
    past: set[str] = set()
    for number, asked_of in groupby(examples, lambda e: e.story):
        memory = RamMemory()
        for id, line in numbered(stories[number]):
            if isinstance(line, Statement):
                memory.write(line.text, id=id)
        marks = Superseding(dictionary, Habits(kinds=kinds)).marks(memory)
        for e in asked_of:
            pattern, asked = dictionary.pattern(e.text)
            for id, text in zip(e.ids, e.supports, strict=True):
                told, names = dictionary.pattern(text)
                if told in kinds and names and names[0] in asked:
                    (past if marks.get(id, e.time) < e.time else now).add(pattern)
    return frozenset(now - past)
