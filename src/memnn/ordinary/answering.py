"""O and R of a network for ordinary language.

R chooses its words where O has found its path: what O hands on says what R will say, how probable
it is, and why not, if so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from memnn.components import OutputMap, Response, abstain
from memnn.kernels.arrays import Ints
from memnn.memory import AsOf, Memory
from memnn.memory.follow import Following
from memnn.ordinary.judging import MEASURES, Doubles, measures
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.parameters import FAR
from memnn.ordinary.passage import LinesInView
from memnn.ordinary.response import respond
from memnn.ordinary.search import PathFound, find_path, logarithms
from memnn.ordinary.view import MemoryListener, OrdinaryView
from memnn.ordinary.words import is_content, stem_of, tokens
from memnn.stories.supports import until
from memnn.types import Answer, Comparison, Hop, Output, Question

ENDS = 1.0
"""What the end of a path adds to the logarithm of how probable its beginning is, where one of them
is wanted: learnt by ranking of 1,726 questions about notes that the reader had not learnt from,
both have one weight."""


@dataclass(frozen=True, slots=True)
class FoundAnswer(Output):
    """Supports, and what is said of them."""

    said: str = ""
    """Words of the supports, or a whole statement where R does not know which words answer."""
    probability: float = 0.0
    declined: bool = True
    """Whether nothing that was told seems to answer it."""
    measures: tuple[tuple[str, float], ...] = ()
    """What the probability was judged by."""
    unmatched: tuple[str, ...] = ()
    """Words of the question that no support has."""
    told_of: bool = False
    """Whether it is about a thing that was told."""


class OrdinaryPaths(OutputMap):
    """A beam over support paths; words are read by what they mean."""

    def __init__(self, model: OrdinaryModel) -> None:
        self.model = model
        self.read = Following(partial(MemoryListener, model))
        """The memory as it was heard, at one moment."""

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> FoundAnswer:
        view = self.read(memory)
        n = until(view.ids, memory, as_of)
        asked = view.asked(question.text, n)
        rows = view.texts.in_view(asked, n)
        if not rows or not asked.stems:
            return FoundAnswer(question, ())
        model = self.model
        lines = LinesInView(view.texts, asked, rows, n)
        found = find_path(model.reader.over(lines), model.recipe.hops, model.recipe.beam)
        said = respond(found.reads[-1], found.path, lines.texts, model.learnt)
        measured = measures(found, said)
        hops = _hops(memory, view, rows, found)
        text = said.text
        if said.line is not None and said.sure < model.judgement.words:
            text = hops[found.path.index(said.line)].text
        return FoundAnswer(
            question,
            hops,
            looked_at=n,
            said=text,
            probability=model.judgement(measured),
            declined=model.judgement.declines(measured),
            measures=tuple(zip(MEASURES, measured, strict=True)),
            unmatched=_unmatched(question.text, lines, found),
            told_of=view.texts.told_of(tokens(question.text), n),
        )

    def among(
        self, question: str, memory: Memory, ids: Ints, as_of: AsOf = None
    ) -> tuple[Doubles, float]:
        """How much each of these statements seems to be the one that answers, in the order of their
        ids; and how probable it is that they answer the question. The first is the logarithm of how
        probable it is that a path begins with it, and more where the best path ends with it. What
        was deleted meanwhile is not probable at all."""
        view = self.read(memory)
        n = until(view.ids, memory, as_of)
        rows: list[int] = view.ids.searchsorted(ids).tolist()
        asked = view.asked(question, n)
        view.texts.fetch_with_before(rows)
        there = [
            i
            for i, row in enumerate(rows)
            if row < n and view.ids[row] == ids[i] and view.texts.texts[row].words
        ]
        first = np.full(len(rows), FAR)
        if not there or not asked.stems:
            return first, 0.0
        model = self.model
        lines = LinesInView(view.texts, asked, [rows[i] for i in there], n)
        found = find_path(model.reader.over(lines), model.recipe.hops, model.recipe.beam)
        first[there] = logarithms(found.reads[0].scores)
        first[there[found.path[-1]]] += ENDS
        said = respond(found.reads[-1], found.path, lines.texts, model.learnt)
        return first, model.judgement.anything(measures(found, said))


def _unmatched(question: str, lines: LinesInView, found: PathFound) -> tuple[str, ...]:
    stems = {stem_of(form.lower()) for place in found.path for form in lines.texts[place].forms}
    return tuple(
        token.form
        for token in tokens(question)
        if is_content(token.text) and stem_of(token.text) not in stems
    )


def _hops(memory: Memory, view: OrdinaryView, rows: list[int], found: PathFound) -> tuple[Hop, ...]:
    """Each support, and the statement that would have come in its place."""
    rivals: list[int | None] = []
    for place, read in zip(found.path, found.reads, strict=False):
        scores = read.scores.copy()
        scores[place] = -np.inf
        rival = int(np.argmax(scores))
        rivals.append(rival if read.free[rival] and rival != place else None)
    wanted = [*found.path, *(rival for rival in rivals if rival is not None)]
    slots = memory.read([int(view.ids[rows[place]]) for place in wanted])
    slot = dict(zip(wanted, slots, strict=True))
    hops = []
    steps = zip(found.path, rivals, found.reads, strict=False)  # the last read is of the end
    for hop, (place, other, read) in enumerate(steps):
        won = None
        if other is not None:
            content = float(read.content[place]) - float(read.content[other])
            time = float(read.newer[place]) - float(read.newer[other])
            terms = {"content": content, "write time": time}
            won = Comparison(slot[other], float(read.scores[other]), content, time, terms)
        taken = tuple((t.pronoun, t.meant) for t in view.taken(rows[place]))
        hops.append(Hop(hop + 1, slot[place], float(read.scores[place]), won, taken=taken))
    return tuple(hops)


class OrdinaryResponse(Response):
    """Says what was found, or that nothing told answers it."""

    def __init__(self, model: OrdinaryModel) -> None:
        self.model = model

    def __call__(self, output: Output) -> Answer:
        if not output.hops:
            return abstain(output, "I have not been told anything yet")
        found: FoundAnswer = output  # type: ignore[assignment]  # O of this network made it
        if not found.declined:
            return Answer(
                found.said, found.probability, evidence=found.hops, probability=found.probability
            )
        nearest = f"the nearest I was told is '{found.hops[-1].text}'"
        if found.unmatched:
            said = " or ".join(found.unmatched)
            return abstain(output, f"{nearest}, which says nothing of {said}")
        return abstain(output, f"{nearest}, and that does not seem to answer it")
