"""Who answers: the one decision of an ensemble, from what its members found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from memnn.components import DONT_KNOW
from memnn.dialogue.calibrate import Calibration
from memnn.dialogue.member import Finding
from memnn.types import Answer, Reason

TOLD, ORDINARY, WORLD = "told", "ordinary", "world"
SURE = 0.9
"""From this probability on a story's answer is given without asking the others."""
EVEN = 0.5
"""Rather right than wrong."""


class Decide(Protocol):
    """From findings to the answer; `enough` says that nobody else needs to be asked."""

    def enough(self, first: Finding) -> Answer | None: ...

    def __call__(self, found: Sequence[Finding]) -> Answer: ...

    def reason(self, finding: Finding) -> Reason:
        """A finding for people."""
        said = finding.answer
        return Reason(finding.member, said.text, 0.0, said.reason)


class MostProbable(Decide):
    """The most probable answer, or "I don't know" where it is not probable enough."""

    def __init__(
        self, calibration: Mapping[str, Calibration], thresholds: Mapping[str, float]
    ) -> None:
        self.calibration, self.thresholds = calibration, thresholds

    def enough(self, first: Finding) -> Answer | None:
        """A sure answer that nothing newer may contradict."""
        if first.answer.abstained or first.doubts or first.goes_on:
            return None
        p = self._probability(first)
        return _sure(first, p) if p >= SURE else None

    def __call__(self, found: Sequence[Finding]) -> Answer:
        told = self._agreed([f for f in found if not f.answer.abstained], found)
        if not told:
            return _dont_know(found, "nothing I was told and no fact I know is about that")
        sure = [_sure(f, self._probability(f)) for f in told]
        first = self._going_on(told, self._first(told, sure))
        reason = "" if self._passes(sure[first]) else _why_not(told[first])
        doubts = {slot.id: slot.text for f in told for slot in f.doubts}
        if not reason and _in_doubt(told[first], doubts):
            newer = [i for i, f in enumerate(told) if f.member in (ORDINARY, TOLD)]
            newer = [i for i in newer if self._passes(sure[i]) and not _in_doubt(told[i], doubts)]
            if newer:  # who has read it goes before its words alone
                first = min(newer, key=lambda i: told[i].member == TOLD)
            else:
                reason = f"I was told '{doubts[max(doubts)]}' since, and do not understand that"
        others = [answer for i, answer in enumerate(sure) if i != first]
        others += [f.answer for f in found if f.answer.abstained]
        if not reason:
            return _sure(told[first], sure[first].score, others)
        others.insert(0, sure[first])
        read = next((f.answer for f in found if f.member == ORDINARY), None)
        if told[first].member == WORLD and read is not None and read.evidence:
            # Nobody wants to hear what the world knows instead of what was told.
            return Answer(DONT_KNOW, 0.0, True, read.evidence, read.reason, others=tuple(others))
        return Answer(DONT_KNOW, 0.0, True, sure[first].evidence, reason, others=tuple(others))

    def _agreed(self, answering: Sequence[Finding], found: Sequence[Finding]) -> list[Finding]:
        """Where somebody has read what was told, a sentence that was found by its words alone
        counts if it is the one that answers, and is as probable as both say on average. Of a thing
        that was told the world knows nothing."""
        reader = next((f for f in found if f.member == ORDINARY), None)
        if reader is None or reader.probability is None:
            return list(answering)
        read = [] if reader.answer.abstained else [hop.id for hop in reader.answer.evidence[-1:]]
        agreed = []
        for finding in answering:
            if finding.member == WORLD and reader.told_of:
                continue
            if finding.member == TOLD:
                if _last(finding) not in read:
                    continue
                mean = (self._probability(finding) + reader.probability) / 2
                finding = finding._replace(probability=mean)
                if mean < EVEN:
                    continue
            agreed.append(finding)
        return agreed

    def _first(self, told: Sequence[Finding], sure: Sequence[Answer]) -> int:
        """Who is sure enough goes first, then the surest. Where what was told was read, the words
        that were read stand for their sentence, if they are rather right than wrong."""
        read = any(
            f.member == ORDINARY and p.score >= EVEN for f, p in zip(told, sure, strict=True)
        )
        asked = [i for i, finding in enumerate(told) if not (read and finding.member == TOLD)]
        return max(asked, key=lambda i: (self._passes(sure[i]), sure[i].score))

    @staticmethod
    def _going_on(told: Sequence[Finding], first: int) -> int:
        """Who has read on, where what a story says was gone on about with a pronoun."""
        for i, finding in enumerate(told):
            if finding.member == ORDINARY and _last(finding) in told[first].goes_on:
                return i
        return first

    def _probability(self, finding: Finding) -> float:
        if finding.probability is not None:
            return finding.probability
        return self.calibration[finding.member](finding.features)

    def reason(self, finding: Finding) -> Reason:
        if finding.probability is not None:
            said = finding.answer
            return Reason(
                finding.member, said.text, finding.probability, said.reason, finding.features
            )
        if finding.answer.abstained:
            return super().reason(finding)
        calibration = self.calibration[finding.member]
        parts = calibration.parts(finding.features).items()
        telling = dict(sorted(parts, key=lambda part: -abs(part[1])))
        p = calibration(finding.features)
        return Reason(finding.member, finding.answer.text, p, features=telling)

    def _passes(self, answer: Answer) -> bool:
        """Who reads ordinary language declines by itself."""
        if answer.source == ORDINARY:
            return True
        return answer.score >= self.thresholds.get(answer.source, 0.5)


def _last(finding: Finding) -> int:
    return finding.answer.evidence[-1].id


def _in_doubt(finding: Finding, doubts: Mapping[int, str]) -> bool:
    """Something newer than what it rests on was told of the same, and not understood."""
    last = finding.answer.evidence[-1]
    if not doubts or last.source != TOLD or finding.member == ORDINARY:
        return False
    return bool(finding.doubts) or (last.id not in doubts and last.id < max(doubts))


class HighestScore(Decide):
    """The paper's rule (§5.3): the highest score answers, whatever it means."""

    def enough(self, first: Finding) -> Answer | None:
        return None

    def __call__(self, found: Sequence[Finding]) -> Answer:
        told = [f for f in found if not f.answer.abstained]
        if not told:
            return _dont_know(found, "neither network has an answer")
        best = max(told, key=lambda f: f.answer.score)
        return replace(best.answer, others=tuple(f.answer for f in found if f is not best))


def _sure(finding: Finding, p: float, others: Sequence[Answer] = ()) -> Answer:
    """An ensemble's score is a probability."""
    # Not `replace`, which takes longer than the rest.
    answer = finding.answer
    return Answer(answer.text, p, False, answer.evidence, "", answer.source, tuple(others), p)


def _why_not(finding: Finding) -> str:
    nearest = f"the nearest I have is '{finding.answer.evidence[-1].text}'"
    if finding.unmatched:
        return f"{nearest}, which says nothing of {' or '.join(finding.unmatched)}"
    return f"{nearest}, and that does not fit well enough"


def _dont_know(found: Sequence[Finding], reason: str) -> Answer:
    answers = [f.answer for f in found]
    evidence = answers[0].evidence if answers else ()
    return Answer(
        DONT_KNOW, 0.0, abstained=True, evidence=evidence, reason=reason, others=tuple(answers)
    )
