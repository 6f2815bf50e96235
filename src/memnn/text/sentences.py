"""I, the input feature map of §2: text to statements and questions, one per sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from memnn.errors import InputError
from memnn.types import Question, Statement, Story

QUESTION_WORDS = frozenset(["where", "what", "who", "whom", "whose", "which", "when", "why", "how"])
_ABBREVIATIONS = ("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Sr", "Jr", "e.g", "i.e", "etc", "vs")
# A sentence ends with its mark, closing quotes included, before white space or at a line's end.
_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s)|[。！？]")
_FIRST_WORD = re.compile(r"\W*(\w+)")


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
    """It ends with `?` or starts with a question word."""
    first = _FIRST_WORD.match(text)
    return text.rstrip().endswith(("?", "？")) or bool(first and first[1].lower() in QUESTION_WORDS)


def split_sentences(line: str) -> list[str]:
    sentences, start = [], 0
    for end in _END.finditer(line):
        sentence = line[start : end.end()].strip()
        if sentence.endswith(".") and _ends_with_abbreviation(sentence):
            continue
        sentences.append(sentence)
        start = end.end()
    sentences.append(line[start:].strip())
    return [sentence for sentence in sentences if any(map(str.isalnum, sentence))]


def _ends_with_abbreviation(sentence: str) -> bool:
    word = (sentence[:-1].rsplit(None, 1) or [""])[-1]  # a full stop may stand alone
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isupper() and word != "I")
