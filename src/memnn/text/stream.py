"""I for a stream of words (§3.2): a learned segmenter finds where statements end.

The stream is read as tokens, lower-cased: words as in `text.tokens`, and every other mark on
its own, because "." and "," join statements as "and" and "then" do. Memories ignore the marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError, ModelError
from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.segment import (
    ASKS,
    ENDS,
    ENDS_QUESTION,
    MARK,
    NO_ROW,
    SENTENCE,
    UNKNOWN,
    WORD,
    Doubles,
    find_breaks,
    new_scan,
    word_scores,
)
from memnn.text.sentences import QUESTION_WORDS, is_question
from memnn.text.tokens import LONGEST_TEXT
from memnn.types import Question, Statement, Story

TOKENISER = "stream-1"
# Words as `words-1` has them, or one mark; the spaces before tell how the text was written.
_TOKEN = re.compile(r"(\s*)([^\W_]+(?:[-'’_][^\W_]+)*|[^\w\s]|_)")
_CLOSING = frozenset(",.;:!?…)]}")
_SEPARATORS = ".,;: "
_SIGNS = {"?": ENDS_QUESTION, "？": ENDS_QUESTION, ".": ENDS, "!": ENDS, "。": ENDS, "！": ENDS}
_LEAD = 1
"""How many words may stand before the question word of a question: "and where is Joe?"."""


def stream_tokens(text: str) -> list[str]:
    """The tokens of a stream as they were written."""
    return [token for _, token in _TOKEN.findall(text)]


Words = tuple[str, ...]


def stream_words(text: str) -> Words:
    return tuple(token.lower() for token in stream_tokens(text))


def is_word(token: str) -> bool:
    return token[0].isalnum()


@dataclass(frozen=True, eq=False)
class Segmenter:
    """The parameters of seg(c): its own dictionary, U_S, W_seg, and when it fires."""

    words: tuple[str, ...]
    """Row w + 1 of U_S is that of word w; row 0 stands for every word that is not here."""
    U_S: Floats  # (|V|, n), or (2|V|, n) with the last word; |V| = len(words) + 1
    W_seg: Floats  # (n,)
    joining: frozenset[str] = frozenset()
    """Words that join facts and are no part of them: "and", "then"; learnt, too."""
    threshold: float = 0.0

    def __post_init__(self) -> None:
        V = len(self.words) + 1
        n = self.W_seg.size
        if self.W_seg.ndim != 1 or self.U_S.shape not in ((V, n), (2 * V, n)):
            raise ModelError("the weights of the segmenter do not fit its words")
        if not np.isfinite(self.threshold):
            raise ModelError("the threshold of the segmenter is not a number")

    @property
    def V(self) -> int:
        return len(self.words) + 1

    @cached_property
    def scores(self) -> Doubles:
        """W_seg' U_S, one number per row."""
        scores = np.empty(len(self.U_S))
        word_scores(self.U_S, self.W_seg, scores)
        return scores

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words, start=1)}

    def row(self, token: str) -> int:
        """The row of a token; unknown words share one, unknown marks have none."""
        row = self._row.get(token.lower())
        if row is not None:
            return row
        return UNKNOWN if is_word(token) else NO_ROW

    def weights(self) -> dict[str, NDArray[np.float32]]:
        return {"U_S": self.U_S, "W_seg": self.W_seg}

    def settings(self) -> dict[str, Any]:
        """What must be known besides the weights, as JSON."""
        return {
            "tokeniser": TOKENISER,
            "words": list(self.words),
            "joining": sorted(self.joining),
            "threshold": self.threshold,
        }

    @classmethod
    def from_weights(
        cls, settings: Mapping[str, Any], weights: Mapping[str, NDArray[np.float32]]
    ) -> Segmenter:
        if settings.get("tokeniser") != TOKENISER:
            raise ModelError(
                f"the segmenter reads tokens '{settings.get('tokeniser')}', and this memnn "
                f"knows only '{TOKENISER}'"
            )
        for name in ("words", "joining"):
            if not isinstance(settings[name], list) or not all(
                isinstance(word, str) for word in settings[name]
            ):
                raise ValueError(f"{name} of the segmenter must be a list of strings")
        return cls(
            tuple(settings["words"]),
            np.ascontiguousarray(weights["U_S"], np.float32),
            np.ascontiguousarray(weights["W_seg"], np.float32),
            frozenset(settings["joining"]),
            float(settings["threshold"]),
        )


class Piece(NamedTuple):
    """What the stream said, and where: how many words were read before it, and where it ended."""

    said: Statement | Question
    start: int
    end: int


class WordStream:
    """The I of §3.2: text arrives in chunks of one or more whole words, and is kept until it ends.

    A statement comes out when the segmenter finds its end, which it knows by the word that
    follows; a question begins after a break with a question word and ends with its mark. Either
    ends what was pending, and so does `flush` at the end of the input.

    A statement is told as it was written, but for what joins it to its neighbours: marks, and the
    words before it that the segmenter has learnt to be no part of facts. ", and then Fred left."
    gives "Fred left". A sentence without an end is cut before it is longer than a memory can hold.
    """

    def __init__(self, segmenter: Segmenter) -> None:
        self.segmenter = segmenter
        self._reset()

    streams: ClassVar[bool] = True

    def _reset(self) -> None:
        self._tokens: list[str] = []  # pending, as they were written
        self._spaced: list[bool] = []  # whether there is a space before each
        self._read = 0  # words before the pending ones
        self._total, self._state = new_scan()

    def fresh(self) -> WordStream:
        """Another stream with the same segmenter, at its beginning."""
        return WordStream(self.segmenter)

    def hear(self, stories: Sequence[Story]) -> list[Story]:
        """The stories as a stream of words, cut where the segmenter cuts."""
        from memnn.text.cutting import segmented

        return segmented(stories, self.segmenter)

    def __call__(self, text: str) -> Iterator[Statement | Question]:
        """Read on; what has ended comes out. The text is read whole, even if nobody looks."""
        return iter([piece.said for piece in self.read(text)])

    def flush(self) -> list[Statement | Question]:
        """The input ends: what is pending, if it has any word."""
        return [piece.said for piece in self.end()]

    def end(self) -> list[Piece]:
        pieces = list(self._pieces([len(self._tokens)], [SENTENCE]))
        read = self._read
        self._reset()
        self._read = read
        return pieces

    def read(self, text: str) -> list[Piece]:
        tokens: list[str] = []
        spaced: list[bool] = []
        for space, token in _TOKEN.findall(text):
            # Chunks are of whole words: the first of a chunk stands apart from what came before.
            spaced.append(token not in _CLOSING and (bool(space) or not tokens))
            tokens.append(token)
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens)) + 1
        if len(tokens) and lengths.max() > LONGEST_TEXT:
            raise InputError(
                f"a word of the stream has {lengths.max() - 1:,} characters and the limit is "
                f"{LONGEST_TEXT:,}; is this text?"
            )
        self._tokens += tokens
        self._spaced += spaced
        ends, kinds = self._scan(tokens, lengths)
        return list(self._pieces(ends.tolist(), kinds.tolist()))

    def _scan(self, tokens: list[str], lengths: Ints) -> tuple[Ints, Ints]:
        segmenter = self.segmenter
        rows = np.fromiter(map(segmenter.row, tokens), np.int64, len(tokens))
        signs = np.fromiter(map(_sign, tokens), np.int64, len(tokens))
        room = 2 * len(tokens) + 2
        ends, kinds = np.empty(room, np.int64), np.empty(room, np.int64)
        found = find_breaks(
            segmenter.scores, segmenter.V, segmenter.threshold, rows, signs, lengths, LONGEST_TEXT,
            _LEAD, self._total, self._state, ends, kinds,
        )  # fmt: skip
        return ends[:found], kinds[:found]

    def _pieces(self, ends: list[int], kinds: list[int]) -> Iterator[Piece]:
        start = 0
        for end, kind in zip(ends, kinds, strict=True):
            words = sum(map(is_word, self._tokens[start:end]))
            said = self._said(start, end, kind)
            if said is not None:
                yield Piece(said, self._read, self._read + words)
            start = end
            self._read += words
        del self._tokens[:start], self._spaced[:start]

    def _said(self, start: int, end: int, kind: int) -> Statement | Question | None:
        while start < end and not is_word(self._tokens[start]):
            start += 1
        if kind == SENTENCE and is_question(text := self._text(start, end)):
            return Question(text)
        while start < end and not self._tells(self._tokens[start]):
            start += 1
        text = self._text(start, end).rstrip(_SEPARATORS)
        return Statement(text) if text else None

    def _tells(self, token: str) -> bool:
        return is_word(token) and token.lower() not in self.segmenter.joining

    def _text(self, start: int, end: int) -> str:
        tokens, spaced = self._tokens[start:end], self._spaced[start:end]
        return "".join(
            " " + token if space else token for token, space in zip(tokens, spaced, strict=True)
        ).strip()


def _sign(token: str) -> int:
    if is_word(token):
        return ASKS if token.lower() in QUESTION_WORDS else WORD
    return _SIGNS.get(token, MARK)
