"""Training for small memories and short questions: talks cut to a few turns, questions to words.

A conversation is long and its questions are sentences. What is searched may be three turns, by one
word: from long talks alone a scorer learns that who asks or answers counts for more than the word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from memnn.conversations.index import lemmas_of
from memnn.conversations.labelled import Conversation, LabelledQuestion
from memnn.text.english import FUNCTION_WORDS
from memnn.text.tokens import surface_words

MOST_TURNS, MOST_WORDS = 12, 2
SEED = 0


def shortened(talk: Conversation, rng: np.random.Generator) -> Iterator[Conversation]:
    """Each answered question about a few turns, and again as the one or two words that name it."""
    for asked in talk.questions:
        if asked.supports:
            yield cut(talk, asked, rng)
            short = cut(talk, replace(asked, question=keywords(asked.question, rng)), rng)
            if _shares_a_word(short):
                yield short


def cut(talk: Conversation, asked: LabelledQuestion, rng: np.random.Generator) -> Conversation:
    """The talk around what answers a question."""
    first, last = min(asked.supports), max(asked.supports)
    if last - first > MOST_TURNS:
        first = last = int(rng.choice(asked.supports))
    size = last - first + int(rng.integers(2, MOST_TURNS + 1))
    begin = max(0, first - int(rng.integers(0, size - (last - first))))
    end = max(min(len(talk.turns), begin + size), last + 1)
    supports = tuple(place - begin for place in asked.supports if begin <= place < end)
    question = replace(asked, supports=supports)
    return Conversation(talk.name, talk.turns[begin:end], (question,))


def keywords(question: str, rng: np.random.Generator) -> str:
    """One or two of its words that carry something, in their order."""
    words = [w for w in surface_words(question) if set(lemmas_of(w.lower())) - FUNCTION_WORDS]
    chosen = sorted(rng.permutation(len(words))[: rng.integers(1, MOST_WORDS + 1)].tolist())
    return " ".join(words[i] for i in chosen) or question


def _shares_a_word(short: Conversation) -> bool:
    (asked,) = short.questions
    words = {form for word in surface_words(asked.question) for form in lemmas_of(word.lower())}
    texts = [short.turns[place][0] for place in asked.supports]
    told = {f for text in texts for w in surface_words(text) for f in lemmas_of(w.lower())}
    return not words.isdisjoint(told)
