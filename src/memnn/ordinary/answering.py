"""O and R of a network for ordinary language.

R chooses its words where O has found its path, while the words of question and memory still lie
there: what O hands on says what R will say, how probable it is, and why not, if so.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from threading import local

import numpy as np

from memnn.components import OutputMap, Response, abstain
from memnn.kernels.arrays import Ints
from memnn.kernels.ordinary_answers import MOST_STEPS, AnswerRows
from memnn.kernels.ordinary_beam import find_paths
from memnn.kernels.ordinary_features import MOST_WORDS
from memnn.kernels.ordinary_judge import MEASURES, describe, judge
from memnn.kernels.ordinary_say import say
from memnn.kernels.ordinary_search import OrdinaryBeam
from memnn.kernels.path_features import Doubles
from memnn.memory import AsOf, Memory
from memnn.memory.follow import Following
from memnn.ordinary.desk import OrdinaryDesk
from memnn.ordinary.learning import NO_TRUTH, search_of
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.view import OrdinaryReader, OrdinaryView
from memnn.ordinary.words import is_content, stem_of, tokens
from memnn.stories.supports import until
from memnn.types import Answer, Comparison, Hop, Output, Question


@dataclass(frozen=True, slots=True)
class FoundAnswer(Output):
    """Supports, and what is said of them."""

    said: str = ""
    probability: float = 0.0
    measures: tuple[tuple[str, float], ...] = ()
    """What the probability was judged by."""
    unmatched: tuple[str, ...] = ()
    """Words of the question that no support has."""


class OrdinaryPaths(OutputMap):
    """A beam over support paths; words are read by what they mean."""

    def __init__(self, model: OrdinaryModel) -> None:
        self.model = model
        self.search = search_of(model.recipe)
        self.read = Following(lambda: OrdinaryReader(model))
        """The memory as it was heard, at one moment."""
        self._local = local()

    def _desk(self) -> OrdinaryDesk:
        desk: OrdinaryDesk | None = getattr(self._local, "desk", None)
        if desk is None:
            desk = self._local.desk = OrdinaryDesk(self.model.lexicon, self.search)
        return desk

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> FoundAnswer:
        view = self.read(memory)
        n = until(view.ids, memory, as_of)
        asked = [token.text for token in tokens(question.text)][:MOST_WORDS]
        if not n or not asked:
            return FoundAnswer(question, ())
        model, desk = self.model, self._desk()
        x, words, reading, latest = desk.lay(view, asked)
        beam, texts = desk.beam, view.texts
        found, _, _ = find_paths(
            model.A, x, words, reading, texts, latest, 0, n, NO_TRUTH, self.search, beam,
            desk.desk,
        )  # fmt: skip
        path = beam.paths[0, : beam.lengths[0]].copy()
        rows = AnswerRows(
            np.sort(path), np.zeros(len(path) * MOST_WORDS, np.int64), np.zeros(1, np.int64)
        )
        out = np.zeros(MOST_STEPS, np.int64)
        parts, certainty, margin = say(
            out, model.R, desk.answers, rows, x, words, reading, texts, len(model.learnt) + 1
        )
        nf, nc = describe(
            desk.judged, beam, found, out[:parts], certainty, margin, rows, desk.answers, x,
            words, reading, texts, latest, 0, n,
        )  # fmt: skip
        score = judge(desk.judged, nf, nc, model.measures, model.J)
        slope, offset = model.slope
        return FoundAnswer(
            question,
            _hops(memory, view, path, beam, found),
            looked_at=n,
            said=_text(out[:parts], rows.told, view, model.learnt),
            probability=1.0 / (1.0 + exp(-max(-30.0, min(30.0, slope * score + offset)))),
            measures=_named(desk.judged.measures),
            unmatched=_unmatched(question.text, path, view),
        )


def _named(measures: Doubles) -> tuple[tuple[str, float], ...]:
    return tuple(zip(MEASURES, measures.tolist(), strict=True))


def _unmatched(question: str, path: Ints, view: OrdinaryView) -> tuple[str, ...]:
    stems = {stem_of(form.lower()) for row in path.tolist() for form in view.forms[row]}
    return tuple(
        token.form
        for token in tokens(question)
        if is_content(token.text) and stem_of(token.text) not in stems
    )


def _text(said: Ints, told: Ints, view: OrdinaryView, learnt: tuple[str, ...]) -> str:
    """Words that follow each other in a support are one part of an answer; others are several."""
    parts: list[list[str]] = []
    before = -2
    for place in said.tolist():
        if place < 0:
            parts.append([learnt[-place - 2]])
        else:
            form = view.forms[int(told[place // MOST_WORDS])][place % MOST_WORDS]
            if place == before + 1 and place % MOST_WORDS:
                parts[-1].append(form)
            else:
                parts.append([form])
        before = place if place >= 0 else -2
    return ",".join(" ".join(part).replace(" '", "'") for part in parts)


def _hops(
    memory: Memory, view: OrdinaryView, path: Ints, beam: OrdinaryBeam, found: int
) -> tuple[Hop, ...]:
    """Each support, and the support of the next best path that went the same way until there."""
    rows = path.tolist()
    paths = [beam.paths[h, : beam.lengths[h]].tolist() for h in range(found)]
    rivals: list[tuple[int, float] | None] = []
    for hop in range(len(rows)):
        other = next(
            (
                (p[hop], float(beam.scores[h]))
                for h, p in enumerate(paths)
                if p[:hop] == rows[:hop] and len(p) > hop and p[hop] != rows[hop]
            ),
            None,
        )
        rivals.append(other)
    wanted = [*rows, *(r[0] for r in rivals if r)]
    slots = dict(zip(wanted, memory.read(view.ids[wanted].tolist()), strict=True))
    best = float(beam.scores[0])
    hops = []
    for hop, (row, rival) in enumerate(zip(rows, rivals, strict=True)):
        won = None
        if rival:
            gap = best - rival[1]
            won = Comparison(slots[rival[0]], rival[1], gap, 0.0, {"path": gap})
        taken = tuple((t.pronoun, t.meant) for t in view.taken.get(row, ()))
        hops.append(Hop(hop + 1, slots[row], best, won, taken=taken))
    return tuple(hops)


class OrdinaryResponse(Response):
    """Says what was found, or that nothing told answers it."""

    def __init__(self, model: OrdinaryModel) -> None:
        self.model = model

    def __call__(self, output: Output) -> Answer:
        if not output.hops:
            return abstain(output, "I have not been told anything yet")
        found: FoundAnswer = output  # type: ignore[assignment]  # O of this network made it
        if found.probability >= self.model.recipe.sure:
            return Answer(
                found.said, found.probability, evidence=found.hops, probability=found.probability
            )
        nearest = f"the nearest I was told is '{found.hops[-1].text}'"
        if found.unmatched:
            said = " or ".join(found.unmatched)
            return abstain(output, f"{nearest}, which says nothing of {said}")
        return abstain(output, f"{nearest}, and that does not seem to answer it")
