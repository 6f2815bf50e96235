"""Stories as a segmenter hears them: joined to a stream of words, and cut anew (§3.2)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from memnn.text.stream import Piece, Segmenter, WordStream, is_word, stream_tokens
from memnn.types import Question, Statement, Story


@dataclass(frozen=True)
class Boundaries:
    """How well a segmenter cuts: told statements and supports, and those that came out the same."""

    statements: int
    exact_statements: int
    supports: int
    exact_supports: int

    @property
    def exact(self) -> float:
        """The fraction of statements whose words are one segment, no more and no less."""
        return self.exact_statements / self.statements if self.statements else 1.0

    @property
    def supports_exact(self) -> float:
        return self.exact_supports / self.supports if self.supports else 1.0


def segmented(stories: Sequence[Story], segmenter: Segmenter) -> list[Story]:
    """The stories as the segmenter reads them: what a network with a `WordStream` has in memory.

    Statements are what the segmenter cuts from the joined words, numbered anew. Questions stand
    where they stood and end what was pending; each support is the segment that holds its last
    word. Supports that fell into one segment are one support.
    """
    return segment(stories, segmenter)[0]


def segment(stories: Sequence[Story], segmenter: Segmenter) -> tuple[list[Story], Boundaries]:
    """`segmented`, and how well the statements and supports came out."""
    cut = [_Cut(story, segmenter) for story in stories]
    return [c.story for c in cut], Boundaries(
        sum(len(c.told) for c in cut),
        sum(c.is_exact(id) for c in cut for id in c.told),
        sum(len(c.supports) for c in cut),
        sum(c.is_exact(id) for c in cut for id in c.supports),
    )


class _Cut:
    """One story through the stream."""

    def __init__(self, story: Story, segmenter: Segmenter) -> None:
        self.told: dict[int, tuple[int, int]] = {}  # statements: the words before, and at the end
        self.supports: list[int] = []
        self.pieces: list[Piece] = []
        self.ids: list[int] = []  # of the pieces
        self.lines: list[Statement | Question] = []
        stream = WordStream(segmenter)
        words = 0
        for number, line in enumerate(story.lines, start=1):
            if isinstance(line, Statement):
                self._add(stream.read(line.text))
                start, words = words, words + sum(map(is_word, stream_tokens(line.text)))
                self.told[number if line.id is None else line.id] = start, words
            else:
                self._add(stream.end())
                supports = [id for id in line.supports if id in self.told and self.pieces]
                self.supports += supports
                ids = tuple(id for id, _ in groupby(self.ids[self.at(id)] for id in supports))
                self.lines.append(replace(line, id=len(self.lines) + 1, supports=ids))
        self._add(stream.end())
        self.story = replace(story, lines=tuple(self.lines))

    def _add(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            # The story says that these words were told, whatever they look like.
            self.ids.append(len(self.lines) + 1)
            self.lines.append(Statement(piece.said.text, self.ids[-1]))
        self.pieces += pieces

    def at(self, id: int) -> int:
        """The place of the piece that holds the last word of a statement."""
        _, end = self.told[id]
        return min(bisect_left(self.pieces, end, key=_end), len(self.pieces) - 1)

    def is_exact(self, id: int) -> bool:
        return any(p[1:] == self.told[id] for p in self.pieces[self.at(id) :][:1])


def _end(piece: Piece) -> int:
    return piece.end
