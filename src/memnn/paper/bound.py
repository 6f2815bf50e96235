"""What no network without write time can exceed: the bound on k = 1 in Tables 3 and 5.

Without time, O sees the question and which statements were made, not in which order. Whatever it
computes, two questions that look alike to it get the same answer. So among questions that look
alike the commonest answer is the best that can be given, and the share of questions that have it
is the most that anybody can have right, even knowing the answers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable

from memnn.simulator import PAPER_WORLD
from memnn.simulator.grammar import DROP, GET, GO, GO_BACK
from memnn.text.tokens import words_1
from memnn.types import Statement, Story

_NAMES = frozenset(
    name.lower() for name in (*PAPER_WORLD.actors, *PAPER_WORLD.things, *PAPER_WORLD.rooms)
)
_ACTIONS = {
    verb.past: action
    for action, verbs in {"go": (*GO, GO_BACK), "get": GET, "drop": DROP}.items()
    for verb in verbs
}


def meaning(text: str) -> Hashable:
    """Who does what with what, or who and what is asked about; how it was worded is left out."""
    words = words_1(text)
    plain = f" {' '.join(words)} "
    action = next((a for past, a in _ACTIONS.items() if f" {past} " in plain), "")
    return action, *(word for word in words if word in _NAMES)


def best_without_order(
    stories: Iterable[Story], read: Callable[[str], Hashable] = meaning
) -> float:
    """The most questions, as a fraction, that a function of the question and the set of earlier
    statements can answer right, both as `read` takes them.

    The function is chosen knowing the answers, so a real one has fewer. `read` should go by
    meaning: sets of literal sentences keep growing for thousands of statements, and a function
    could then learn answers by heart, one for every set that was seen only a few times.
    """
    alike: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for story in stories:
        told: set[Hashable] = set()
        seen = frozenset(told)
        for line in story.lines:
            what = read(line.text)
            if not isinstance(line, Statement):
                alike[what, seen][line.answer or ""] += 1
            elif what not in told:
                told.add(what)
                seen = frozenset(told)
    right = sum(max(answers.values()) for answers in alike.values())
    return right / sum(answers.total() for answers in alike.values())
