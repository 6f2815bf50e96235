"""I, the input feature map of §2: text to statements and questions, one per sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from memnn.errors import InputError
from memnn.text.english import AUXILIARIES
from memnn.types import Question, Statement, Story

QUESTION_WORDS = frozenset(["where", "what", "who", "whom", "whose", "which", "when", "why", "how"])
_ABBREVIATIONS = ("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Sr", "Jr", "e.g", "i.e", "etc", "vs")
# A sentence ends with its mark, closing quotes included, before white space or at a line's end.
_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s)|[。！？]")
_WORD = re.compile(r"[^\W_]+(?:'\w+)?")
SOON = 2
"""The words that tell a question from a statement."""
ADVERBS = frozenset(["where", "when", "why"])
"""Question words that a clause may begin with: "When I was ten", "Where he lives"."""
SUBJECTS = frozenset(["a", "an", "i", "you", "he", "she", "it", "we", "they"])
"""What comes next in a statement: "What I like is tea", "What a night"."""


class Sentences:
    """The basic I: each sentence is a statement or a question, kept in its original form."""

    streams: ClassVar[bool] = False

    def flush(self) -> list[Statement | Question]:
        """Nothing is ever held back."""
        return []

    def fresh(self) -> Sentences:
        return self

    def hear(self, stories: Sequence[Story]) -> list[Story]:
        return list(stories)

    def __call__(self, text: str) -> Iterator[Statement | Question]:
        if not isinstance(text, str):
            raise InputError(f"a text must be a str, not {type(text).__name__}")
        for line in text.splitlines():
            for sentence in split_sentences(line):
                yield Question(sentence) if is_question(sentence) else Statement(sentence)


def is_question(text: str) -> bool:
    """It ends with `?`, or starts with a question word and does not go on as a statement.

    >>> is_question("Where is Joe"), is_question("When I was ten I lived in Paris.")
    (True, False)
    """
    text = text.rstrip()
    if text.endswith(("?", "？")):
        return True
    words = _WORD.findall(text.lower().replace("’", "'"))[:SOON]
    if not words or words[0].partition("'")[0] not in QUESTION_WORDS:
        return False
    if "'" in words[0] or AUXILIARIES.intersection(words[1:2]):  # Where's, Where is
        return True
    if text.endswith((".", "!")) or words[0] in ADVERBS:
        return False
    return not SUBJECTS.intersection(words[1:2])  # Who took it, How many cows are there


def split_sentences(line: str) -> list[str]:
    sentences, start = [], 0
    for end in _END.finditer(line):
        sentence = line[start : end.end()].strip()
        if sentence.endswith(".") and _goes_on(sentence, line[end.end() :].lstrip()):
            continue
        sentences.append(sentence)
        start = end.end()
    sentences.append(line[start:].strip())
    return [sentence for sentence in sentences if any(map(str.isalnum, sentence))]


def _goes_on(sentence: str, rest: str) -> bool:
    """Whether the full stop belongs to a word: "Mr. Tran", "J. R.", "the U.S. team"."""
    word = (sentence[:-1].rsplit(None, 1) or [""])[-1]  # a full stop may stand alone
    if "." in word.strip(".") and rest[:1].islower():
        return True
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isupper() and word != "I")
