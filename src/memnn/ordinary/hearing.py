"""Who "he" is: pronouns are resolved when a statement is heard, by what was said just before.

Everything named in the last statements may be meant. How well it fits is learnt: by what it means
(its vector), where it stood, how long ago that was. The simulator says what its pronouns mean. In
other stories that follows from questions: if "Where is Joe?" rests on "Then he went to the
kitchen", he is Joe.

What a statement is taken to say depends on the statements before it alone, so that a memory as of
an earlier moment is heard as it was then.
"""

from __future__ import annotations

import tomllib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats
from memnn.ordinary.words import PERSONS, Token, is_content, parts_of, stem_of, tokens
from memnn.stories.examples import numbered
from memnn.text.vectors import WordVectors
from memnn.types import Question, Statement, Story

_PRONOUNS: dict[str, str] = tomllib.loads(
    (files("memnn.ordinary") / "english.toml").read_text(encoding="utf-8")
)["pronouns"]
KIND = {form: kind for kind, forms in enumerate(_PRONOUNS.values()) for form in forms.split()}
"""Pronouns by kind: he, she, it, they, there."""
KINDS = len(_PRONOUNS)
OWNERS = frozenset(form for form in KIND if form in ("his", "its", "their", "her"))
BACK = 4
"""Statements in which somebody meant may be named."""
JOIN = "and"
OF = Token("'s", "'s")


class HeardMention(NamedTuple):
    """Something named: its words, and what speaks for its being meant."""

    words: tuple[Token, ...]
    features: Floats


class Taken(NamedTuple):
    """A pronoun, and what it was taken for."""

    pronoun: str
    meant: str


MeantWords = tuple[Token, ...]
"""The words that a pronoun stands for; none for any other word."""


class HeardWords(NamedTuple):
    """A statement as it was said, what each of its words stands for, and both in one."""

    text: Sequence[Token]
    meant: list[MeantWords]
    resolved: list[Token]

    @property
    def taken(self) -> list[Taken]:
        return taken(self.text, self.meant)


def taken(text: Iterable[Token], meant: Sequence[MeantWords]) -> list[Taken]:
    """What the pronouns of a statement were taken for."""
    both = zip(text, meant, strict=bool(meant))
    return [Taken(t.form, " ".join(word.form for word in words)) for t, words in both if words]


def resolved(text: Sequence[Token], meant: Sequence[MeantWords]) -> list[Token]:
    """A statement with what its pronouns stand for in their place."""
    found = list[Token]()
    for at, (token, words) in enumerate(zip(text, meant, strict=True)):
        found.extend(words or (token,))
        if words and _owns(text, at):
            found.append(OF)
    return found


def _owns(text: Sequence[Token], at: int) -> bool:
    """Whether a pronoun says whose the next word is."""
    return text[at].text in OWNERS and at + 1 < len(text) and is_content(text[at + 1].text)


@dataclass(frozen=True)
class Hearing:
    """What was learnt about pronouns: a row of weights for each kind."""

    vectors: WordVectors = field(repr=False)
    weights: Floats  # (KINDS, features), no rows where nothing was learnt

    @property
    def learnt(self) -> bool:
        return bool(len(self.weights))

    def listen(self) -> Listener:
        """To a story or memory from its beginning."""
        return Listener(self)

    def resolved(self, texts: Sequence[Sequence[Token]]) -> list[list[Token]]:
        """Statements with what their pronouns stand for in their place."""
        listener = self.listen()
        return [listener.hear(text).resolved for text in texts]

    def choose(self, kind: int, mentions: Sequence[HeardMention]) -> HeardMention | None:
        if not mentions or not self.learnt:
            return None
        scores = np.array([m.features for m in mentions]) @ self.weights[kind]
        best = int(np.argmax(scores))
        return mentions[best] if scores[best] > 0.0 else None


class Listener:
    """Hears statements one after the other."""

    def __init__(self, hearing: Hearing) -> None:
        self._hearing = hearing
        self._before: tuple[list[Token], ...] = ()
        """The last statements with what their pronouns stand for in their place."""

    def go_on(self, before: Sequence[list[Token]]) -> None:
        """After these statements, with what their pronouns stand for in their place."""
        self._before = tuple(before)

    def hear(self, text: Sequence[Token]) -> HeardWords:
        """A statement; what it says is remembered for the next ones."""
        resolved, meant = self._resolve(text, self._before)
        self._before = (*self._before[1 - BACK :], resolved)
        return HeardWords(text, meant, resolved)

    def understood(self, question: Sequence[Token], before: Sequence[list[Token]]) -> list[Token]:
        """A question after some statements, with what its pronouns stand for in their place."""
        return self._resolve(question, before)[0]

    def _resolve(
        self, text: Sequence[Token], before: Sequence[list[Token]]
    ) -> tuple[list[Token], list[MeantWords]]:
        resolved, meant = list[Token](), list[MeantWords]()
        for at, token in enumerate(text):
            kind = KIND.get(token.text)
            found = None if kind is None else self._meant(kind, before, resolved)
            meant.append(found or ())
            resolved.extend(found or (token,))
            if found and _owns(text, at):
                resolved.append(OF)
        return resolved, meant

    def _meant(
        self, kind: int, before: Sequence[Sequence[Token]], resolved: Sequence[Token]
    ) -> MeantWords | None:
        found = mentions([*before, list(resolved)], self._hearing.vectors)
        chosen = self._hearing.choose(kind, list(found))
        return None if chosen is None else chosen.words


# Mentions

PLACES = 5
BEFORE = ("the", "a", "my", "to", "in", "at", "of", "from", "with", "by", "on", "into")
SCALARS = 1 + (BACK + 1) + 4 + len(BEFORE) + 6


def mentions(texts: Sequence[Sequence[Token]], vectors: WordVectors) -> Iterator[HeardMention]:
    """What is named in statements, the last of which is not finished yet."""
    for back, text in enumerate(reversed(texts)):
        for start, end in _spans(text):
            yield HeardMention(tuple(text[start:end]), _features(text, start, end, back, vectors))


def _spans(text: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Words that name something, with "my" before them; two joined by "and"."""
    spans: list[tuple[int, int]] = []
    for at, (word, form, _) in enumerate(text):
        if word in KIND or not is_content(word):
            continue
        start = at - 1 if at and text[at - 1].text in PERSONS and word not in PERSONS else at
        if spans and spans[-1][1] == at and form[:1].isupper() and text[at - 1].form[:1].isupper():
            start = spans.pop()[0] if word not in PERSONS else at
        spans.append((start, at + 1))
    yield from spans
    for (a, b), (c, d) in pairwise(spans):
        between = [token.text for token in text[b:c]]
        if between in ([JOIN], [JOIN, "the"]):
            yield a, d


def _features(
    text: Sequence[Token], start: int, end: int, back: int, vectors: WordVectors
) -> Floats:
    """The meaning of the last word, then where it stands and how it is written."""
    found = np.zeros(vectors.dim + SCALARS, np.float32)
    word = text[end - 1].text
    vector = vectors.of(word)
    if vector is not None:
        found[: vectors.dim] = vector
    scalars = found[vectors.dim :]
    scalars[0] = 1.0
    scalars[1 + min(back, BACK)] = 1.0
    at = 1 + BACK + 1
    first = not any(is_content(token.text) for token in text[:start])
    group = any(token.text == JOIN for token in text[start:end])
    scalars[at : at + 4] = first, start == 0, group, word in PERSONS
    at += 4
    before = text[start - 1].text if start else ""
    for i, small in enumerate(BEFORE):
        scalars[at + i] = before == small
    at += len(BEFORE)
    named = text[end - 1].form[:1].isupper()
    after = text[end].text if end < len(text) else ""
    scalars[at : at + 6] = (
        named, named and not first, vector is None, after == "'s", end == len(text),
        word[:1].isdigit(),
    )  # fmt: skip
    return found


# Learning


def learn(
    stories: Sequence[Story],
    vectors: WordVectors,
    resolved: Sequence[Sequence[str]] | None = None,
    *,
    rounds: int = 2,
) -> Hearing:
    """What pronouns stand for: from statements with every pronoun replaced, where somebody wrote
    them (a list for each story), else from the questions whose one support has a pronoun."""
    size = vectors.dim + SCALARS
    if resolved is not None:
        pairs = zip(stories, resolved, strict=True)
        return Hearing(vectors, _fit([e for s, r in pairs for e in _shown(s, r, vectors)], size))
    hearing = Hearing(vectors, np.zeros((0, size), np.float32))
    for _ in range(rounds):  # again: a "he" before this one is somebody by now
        hearing = Hearing(vectors, _fit(list(_concluded(stories, hearing)), size))
    return hearing


class _Pronoun(NamedTuple):
    kind: int
    features: Floats  # (mentions, features)
    right: Floats  # (mentions,) 1 for what is meant, zeros for nothing


def _shown(story: Story, resolved: Sequence[str], vectors: WordVectors) -> Iterator[_Pronoun]:
    """Each pronoun against what stands in its place in the resolved statement, if anything."""
    before: deque[list[Token]] = deque(maxlen=BACK)
    for statement, plain in zip(story.statements, resolved, strict=True):
        text, full = tokens(statement.text), tokens(plain)
        if any(token.text in KIND for token in text):
            short, long = ([token.text for token in each] for each in (text, full))
            for what, a, b, c, d in SequenceMatcher(None, short, long, False).get_opcodes():
                places = [at for at in range(a, b) if text[at].text in KIND]
                if what == "equal":
                    wanted: set[str] = set()
                elif len(places) == 1:
                    wanted = _stems(full[c:d]) - _stems(text[a:b])
                else:
                    continue
                for at in places:
                    prefix = full[: c + at - a] if what == "equal" else full[:c]
                    found = list(mentions([*before, list(prefix)], vectors))
                    right = [bool(s := _stems(m.words)) and s <= wanted for m in found]
                    if found and (any(right) or not wanted):
                        yield _example(KIND[text[at].text], found, right)
        before.append(full)


def _stems(words: Iterable[Token]) -> set[str]:
    return {stem_of(token.text) for token in words if is_content(token.text)}


def _example(kind: int, found: Sequence[HeardMention], right: Sequence[bool]) -> _Pronoun:
    return _Pronoun(kind, np.array([m.features for m in found]), np.array(right, np.float32))


def _concluded(stories: Sequence[Story], hearing: Hearing) -> Iterator[_Pronoun]:
    """Who is asked for, and not named in the support, is who its pronoun stands for."""
    for story in stories:
        texts = [tokens(statement.text) for statement in story.statements]
        if not any(token.text in KIND for text in texts for token in text):
            continue
        ids = [time for time, line in numbered(story) if isinstance(line, Statement)]
        row_of = {id: row for row, id in enumerate(ids)}
        heard = hearing.resolved(texts)
        for question in story.questions:
            if len(question.supports) == 1:
                row = row_of[question.supports[0]]
                before = heard[max(0, row - BACK) : row]
                if example := _asked_for(question, texts[row], before, hearing.vectors):
                    yield example


def _asked_for(
    question: Question,
    text: Sequence[Token],
    before: Sequence[Sequence[Token]],
    vectors: WordVectors,
) -> _Pronoun | None:
    places = [at for at, token in enumerate(text) if token.text in KIND]
    if len(places) != 1:
        return None
    asked = [*tokens(question.text), *(t for p in parts_of(question.answer or "") for t in p)]
    wanted = _stems(asked) - _stems(text)
    found = list(mentions([*before, list(text[: places[0]])], vectors))
    stems = [_stems(m.words) for m in found]
    right = [bool(s) and s <= wanted for s in stems]
    kind = KIND[text[places[0]].text]
    if not any(right) and kind == KIND["they"]:  # one of several is asked for
        right = [len(s) > 1 and bool(s & wanted) for s in stems]
    return _example(kind, found, right) if any(right) and not all(right) else None


def _fit(examples: Sequence[_Pronoun], size: int, epochs: int = 12, lr: float = 0.3) -> Floats:
    """Softmax over what could be meant and nothing, AdaGrad; no rows without examples."""
    if not examples:
        return np.zeros((0, size), np.float32)
    weights, squares = np.zeros((KINDS, size)), np.full((KINDS, size), 1e-1)
    rng = np.random.default_rng(0)
    epochs = max(2, min(epochs, 60_000 // len(examples)))
    for _ in range(epochs):
        for i in rng.permutation(len(examples)):
            kind, X, right = examples[i]
            scores = np.append(X @ weights[kind], 0.0)
            p = np.exp(scores - scores.max())
            p /= p.sum()
            q = np.append(p[:-1] * right, 0.0 if right.any() else 1.0)
            gradient = X.T @ (q / q.sum() - p)[:-1]
            squares[kind] += gradient**2
            weights[kind] += lr * gradient / np.sqrt(squares[kind])
    return weights.astype(np.float32)
