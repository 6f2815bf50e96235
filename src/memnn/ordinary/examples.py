"""Stories as examples: each question with the statements in view, its supports and its answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memnn.ordinary.heard import LONGEST, HeardTexts
from memnn.ordinary.hearing import Hearing
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.passage import LinesInView
from memnn.ordinary.sums import SAID, WORDS, comes_out, number_in
from memnn.ordinary.words import Token, is_content, parts_of, tokens
from memnn.stories.examples import numbered
from memnn.types import Question, Statement, Story

COPY, SEVERAL, FIRST_LEARNT = 0, 1, 2
"""What R may say: words of the supports that stand together, several such parts, or an answer that
it has learnt."""
NEVER_COPIED = ("yes", "no")
OFTEN = 5
"""How often a small word occurs that is read literally."""
LEARNT = (
    "yes", "no", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve",
)  # fmt: skip
"""Answers that need not stand in a support: of these the ones that training has are learnt."""
ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True)
class OrdinaryExample:
    """A question, and what is right."""

    lines: LinesInView
    path: tuple[int, ...]
    """Places of the supports among the lines; none where nothing told answers it."""
    say: int = -1
    """What R says: COPY, SEVERAL or the number of a learnt answer; -1 where it learns nothing."""
    spans: tuple[tuple[int, int, int], ...] = ()
    """Line, first word and end of each part of the answer."""
    number: int | None = None
    """The number that the answer is."""
    worked_out: bool = False
    """Whether that is, or may be, worked out: what stands in a support may be there by chance."""


def encode(
    stories: Iterable[Story], table: WordTable, hearing: Hearing, answers: Mapping[str, int],
    most: int,
) -> list[OrdinaryExample]:  # fmt: skip
    """Every question with at most this many supports."""
    return [e for story in stories for e in _of_story(story, table, hearing, answers, most)]


def _of_story(
    story: Story, table: WordTable, hearing: Hearing, answers: Mapping[str, int], most: int
) -> Iterator[OrdinaryExample]:
    texts = HeardTexts(table, hearing)
    row_of: dict[int, int] = {}
    told: list[list[Token]] = []
    for id, line in numbered(story):
        if isinstance(line, Statement):
            row_of[id] = len(told)
            told.append(tokens(line.text)[:LONGEST])
            texts.hear(told[-1])
        elif len(line.supports) <= most and told and tokens(line.text):
            question = texts.asked(tokens(line.text), len(told))
            rows = [row_of[support] for support in dict.fromkeys(line.supports)]
            about = {row: texts.texts[row].about for row in rows}
            rows = _in_order(line, rows, told, about, question.about)
            view = texts.in_view(question, len(told), rows)
            lines = LinesInView(texts, question, view, len(told))
            path = tuple(view.index(row) for row in rows)
            supports = [told[row] for row in rows]
            say, spans = _answer(line, supports, path, answers)
            number = number_in(line.answer or "") if path else None
            worked_out = number is not None and (not spans or len(path) > 1)
            if number is not None and worked_out and number <= SAID:
                say = answers.get(WORDS[number], -1)
            yield OrdinaryExample(lines, path, say, spans, number, worked_out)


def _in_order(
    question: Question, rows: Sequence[int], told: Sequence[Sequence[Token]],
    about: Mapping[int, frozenset[int]], asked: frozenset[int],
) -> list[int]:  # fmt: skip
    """Supports as they are found: those that hold the answer last, each by its age.

    Writers also name what a newer statement has put an end to: "Joe is in the kitchen" beside "Joe
    went to the cellar" for "Where is Joe?". A support before the one that holds the answer is left
    out if it tells nothing of the question that the others do not."""
    rows = sorted(rows)
    said = (question.answer or "").lower()
    number, forms = number_in(said), [token.form for row in rows for token in told[row]]
    if number is not None and len(rows) > 1 and comes_out(number, forms):
        return rows
    spans = [] if said in NEVER_COPIED else _spans(said, [told[row] for row in rows], rows)
    holders = {row for row, _, _ in spans}
    for row in [row for row in rows if holders and row not in holders and row < max(holders)]:
        others = frozenset().union(*(about[each] for each in rows if each != row))
        if (mine := about[row] & asked) and mine <= others:
            rows.remove(row)
    return [row for row in rows if row not in holders] + [row for row in rows if row in holders]


def _answer(
    question: Question, told: Sequence[Sequence[Token]], path: Sequence[int],
    answers: Mapping[str, int],
) -> tuple[int, tuple[tuple[int, int, int], ...]]:  # fmt: skip
    """What R says: a learnt answer, or words of the supports."""
    said = (question.answer or "").lower()
    if not said:
        return -1, ()
    spans = () if said in NEVER_COPIED else tuple(_spans(said, told, path))
    if spans:
        return COPY if len(spans) == 1 else SEVERAL, spans
    return answers.get(said, -1), ()


def _spans(
    said: str, told: Sequence[Sequence[Token]], path: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Where the parts of an answer stand; nothing if one stands nowhere."""
    spans = []
    for part in parts_of(said):
        while len(part) > 1 and part[0].text in ARTICLES:
            part = part[1:]
        found = _place(part, told)
        if found is None:
            return []
        spans.append((path[found[0]], found[1], found[1] + len(part)))
    return spans


def _place(part: Sequence[Token], told: Sequence[Sequence[Token]]) -> tuple[int, int] | None:
    """The support that has these words, the last one if several do, and where."""
    wanted = [token.text for token in part]
    for i in range(len(told) - 1, -1, -1):
        have = [token.text for token in told[i]]
        for at in range(len(have) - len(wanted), -1, -1):
            if have[at : at + len(wanted)] == wanted:
                return i, at
    return None


def answers_of(stories: Iterable[Story]) -> dict[str, int]:
    """Numbers of the learnt answers that some question has."""
    given = {(q.answer or "").lower() for story in stories for q in story.questions}
    return {answer: i for i, answer in enumerate((a for a in LEARNT if a in given), FIRST_LEARNT)}


def literals_of(stories: Iterable[Story], often: int) -> dict[str, int]:
    """Numbers of the words that are read literally: small ones, and frequent ones."""
    counts: Counter[str] = Counter()
    for story in stories:
        for line in story.lines:
            counts.update({token.text for token in tokens(line.text)})
    kept = [w for w, n in sorted(counts.items()) if n >= (often if is_content(w) else OFTEN)]
    return {word: i for i, word in enumerate(kept, start=1)}
