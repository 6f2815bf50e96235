"""§5.3: a story network and a facts network, the input presented to both, the best one answers.

What is told is memory for both: the story network follows who went where, and the facts network
finds an ordinary sentence among what was told. It also looks into the world facts that come with
it. The paper lets the highest score answer, although scores of different networks mean different
things; here each member's finding becomes the probability that it is right (`calibration`), and
where no probability is high enough, the answer is "I don't know".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log1p
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from memnn.dialogue.calibrate import PARTS, Calibration
from memnn.dialogue.match_features import (
    Inquiry,
    fit,
    inquiry,
    kind,
    matched_rows,
    missing_names,
    rows_of,
    topic,
    traits,
)
from memnn.dialogue.story_filter import Hearing
from memnn.errors import InputError, MemnnError, ModelError
from memnn.facts import model as facts
from memnn.facts.index import in_memory
from memnn.facts.lookup import Lookup
from memnn.facts.triples import Triple
from memnn.folder import hash_of, read_folder, write_folder
from memnn.kernels.arrays import Ints
from memnn.memory import AsOf, Memory, RamMemory, resolve_as_of
from memnn.memory.protocol import check_text
from memnn.network import PATIENCE, MemoryNetwork, shorten
from memnn.stories import model as stories
from memnn.stories.network import network
from memnn.stories.response import DONT_KNOW
from memnn.text.english import FUNCTION_WORDS
from memnn.text.lemmas import near
from memnn.text.sentences import QUESTION_WORDS
from memnn.types import Answer, Comparison, Hop, Question, Slot, Statement

KIND = "ensemble"
MEMBERS = ("story", "told", "world")
"""The story network, and the facts network over what was told and over the world facts."""
CLOSE = 0.35
"""A newer sentence with the same words of the question wins if its score is less than this share
behind: then the two say different things of the same, and the older no longer holds."""
DEPTH = 12
TOLD_BOW = 2.0
"""λ of the bag-of-words term over ordinary sentences."""
FITTING_KIND, OTHER_NAME, OTHER_THING, TOPIC = 0.2, 0.3, 0.3, 0.1
"""What it counts among sentences, as a share of the best score: that a question for a time, place
or number finds one; that it names someone, or speaks of something, that the sentence does not have;
and that it has the sentence's first word."""
REACH = CLOSE + 2 * FITTING_KIND + OTHER_NAME + OTHER_THING + TOPIC
"""What is further behind than this share of the best score cannot be the answer."""
SURE = 0.9
"""From this probability on a story's answer is given without asking the others."""
MANY = 150
"""So many facts of the world are looked at, unless the rarest word alone is in more."""
LIKELY, NEARLY = 0.45, 0.15
"""How probable a told sentence must be to go before a fact of the world, and how much less than
the fact it may be."""
LARGEST_COPY = 20_000
"""Up to so many statements, those that the story network understands are copied for it."""
OFTEN = 4.0
"""A question word that one wording of so many has is as usual as any."""
NEVER = 0.02
"""How often a relation is asked for with a word that none of its wordings has."""
WORLD_TIME = "2014-10-15T00:00:00.000000Z"
"""World facts were not told; they have the date of the paper."""


@dataclass(frozen=True)
class EnsembleModel:
    """The parameters: two networks, the world's facts, and when to believe which."""

    story: stories.Model
    facts: facts.FactsModel
    triples: tuple[Triple, ...]
    calibration: Mapping[str, Calibration]
    asking: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The words that the world's relations are asked for with, and how often, as training saw."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """The probability below which a member's answer is "I don't know"."""
    card: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def asked_with(self) -> dict[str, NDArray[np.float64]]:
        """How much a word of a question speaks for each relation: log P(word | relation) above that
        of a relation which is never asked for with it."""
        found: dict[str, NDArray[np.float64]] = {}
        for place, words in enumerate(self.asking.values()):
            for word, share in words.items():
                gains = found.setdefault(word, np.zeros(len(self.asking) + 1))
                gains[place] = log1p(share / NEVER)
        return found

    def weights(self) -> bytes:
        tensors = {}
        for member, numbers in self.calibration.items():
            for part in PARTS:
                tensors[f"{member}.{part}"] = getattr(numbers, part)
        return bytes(save_tensors(tensors))

    @cached_property
    def id(self) -> str:
        return hash_of(self.weights())


class Finding(NamedTuple):
    """What one member would answer, and what speaks for it."""

    member: str
    answer: Answer
    features: Mapping[str, float]
    unmatched: tuple[str, ...] = ()


class Known(NamedTuple):
    """A fact of the world as it is needed to answer."""

    slot: Slot
    named: frozenset[str]
    """The words of its subject and object."""
    relation: int
    """Its place among those that can be asked for; -1 where nobody knows how."""
    usual: Mapping[str, float]
    """The words that such a fact is asked for with, and how often."""


class Ensemble:
    """Tell it what happens, ask about that or about the world; the same calls as `MemoryNetwork`.

    `paper` lets the highest raw score answer, and never abstains where some member would answer.
    """

    def __init__(
        self, model: EnsembleModel, memory: Memory | None = None, *, paper: bool = False
    ) -> None:
        self.model, self.paper = model, paper
        self.memory = RamMemory() if memory is None else memory
        self.story = network(model.story, self.memory)
        self.I, self.G = self.story.I, self.story.G
        self.lookup, self.told = model.facts.lookup(), told_lookup(model.facts)
        self.world = in_memory(model.facts, model.triples, WORLD_TIME)
        self._known: dict[int, Known] = {}
        self._places = {relation: i for i, relation in enumerate(model.asking)}
        self._listen()

    def with_memory(self, memory: Memory) -> Ensemble:
        """The same networks on another memory; what was read of the world is shared."""
        other = object.__new__(Ensemble)
        other.model, other.paper, other.memory = self.model, self.paper, memory
        if isinstance(memory, RamMemory) == isinstance(self.memory, RamMemory):
            other.story = self.story.with_memory(memory)
        else:  # a memory that lasts may be large, and is read in parts
            other.story = network(self.model.story, memory)
        other.I, other.G = other.story.I, other.story.G
        other.lookup, other.world, other._known = self.lookup, self.world, self._known
        other._places = self._places
        other.told = told_lookup(self.model.facts)
        other._listen()
        return other

    def _listen(self) -> None:
        model = self.model.story
        self.hearing = Hearing(self.memory, model.dictionary, model.habits)
        self._heard = self.story

    def respond(self, text: str) -> Iterator[Slot | Answer]:
        """A statement is remembered, a question answered."""
        for x in self.I(text):
            yield self.G(x, self.memory) if isinstance(x, Statement) else self._answer(x)

    def tell(self, text: str) -> list[Slot]:
        """Remember one or more statements; returns the slots they went to."""
        return self.story.tell(text)

    def forget(self, id: int) -> None:
        """Delete what was told under this id."""
        self.memory.delete([id])

    def flush(self) -> list[Slot | Answer]:
        """As a network's; sentences are never left unfinished."""
        return []

    def ask(self, question: str, *, as_of: AsOf = None) -> Answer:
        """Answer from what was told (until `as_of`) or from the world's facts, or abstain."""
        sentences = list(self.I(question))
        if len(sentences) != 1:
            problem = "there is no question" if not sentences else "ask one question at a time"
            raise InputError(f"{problem}: '{shorten(question)}'")
        return self._answer(Question(sentences[0].text), as_of)

    def _answer(self, x: Question, as_of: AsOf = None) -> Answer:
        check_text(x.text)
        resolve_as_of(as_of)
        story = self._from_story(x, as_of)
        if story is not None and not story.answer.abstained and not self.paper:
            p = self.model.calibration["story"](story.features)
            if p >= SURE:  # a question of the stories' own kind: the others need not look
                return _scored(story.answer, p)
        found = self._findings(x, story, as_of)
        told = [f for f in found if not f.answer.abstained]
        if not told:
            return _dont_know(found, "nothing I was told and no fact I know is about that")
        if self.paper:
            best = max(told, key=lambda f: f.answer.score)
            return _with_others(best.answer, [f.answer for f in found if f is not best])
        sure = [_scored(f.answer, self.model.calibration[f.member](f.features)) for f in told]
        # One that is sure enough comes before one that is not.
        first = max(range(len(sure)), key=lambda i: (self._enough(told[i], sure[i]), sure[i].score))
        first = _rather_told(told, sure, first)
        best = told[first]
        others = [answer for i, answer in enumerate(sure) if i != first]
        others += [f.answer for f in found if f.answer.abstained]
        if not self._enough(best, sure[first]):
            others.insert(0, sure[first])
            return Answer(
                DONT_KNOW, 0.0, True, sure[first].evidence, _why_not(best), others=tuple(others)
            )
        return _with_others(sure[first], others)

    def _enough(self, finding: Finding, answer: Answer) -> bool:
        return answer.score >= self.model.thresholds.get(finding.member, 0.5)

    def findings(self, x: Question, as_of: AsOf = None) -> list[Finding]:
        """The input presented to all: what each member finds, abstaining or not."""
        return self._findings(x, self._from_story(x, as_of), as_of)

    def _findings(self, x: Question, story: Finding | None, as_of: AsOf) -> list[Finding]:
        asked = inquiry(x.text, self.model.facts.dictionary)
        found = [story, self._from_told(asked, as_of), self._from_world(asked)]
        return [finding for finding in found if finding is not None]

    def _from_story(self, x: Question, as_of: AsOf) -> Finding | None:
        story = self._story()
        if not len(story.memory):
            return None
        said = story._answer(x, as_of)
        if not all(self.hearing.understands(hop.text) for hop in said.evidence):
            return None  # a huge memory was not sifted, and this is none of its stories
        answer = Answer(
            said.text, said.score, said.abstained, said.evidence, said.reason, source="story"
        )
        return Finding("story", answer, self._story_features(x, answer))

    def _story(self) -> MemoryNetwork:
        """The story network on what it understands of the memory, unless that is huge."""
        if len(self.memory) > LARGEST_COPY:
            return self.story
        heard = self.hearing.read()
        if self._heard.memory is not heard:
            story = self.story if isinstance(self.memory, RamMemory) else network(self.model.story)
            self._heard = story.with_memory(heard)
        return self._heard

    def _story_features(self, x: Question, answer: Answer) -> dict[str, float]:
        """How much this is like the stories that the network was trained on."""
        if answer.abstained:
            return {}
        dictionary, habits = self.model.story.dictionary, self.model.story.habits
        margins = [hop.decisive.margin for hop in answer.evidence if hop.decisive]
        patterns = [dictionary.pattern(hop.text)[0] for hop in answer.evidence]
        asked = dictionary.pattern(x.text)[0].split()
        return {
            "score": answer.score,
            "margin": min(margins, default=1.0),
            "kind": float(patterns[-1] in habits.kinds),
            "open": float(asked.count("_")),
        }

    def _from_told(self, asked: Inquiry, as_of: AsOf = None) -> Finding | None:
        """If something is deleted while it looks, it looks anew."""
        if not len(self.memory):
            return None
        for _ in range(PATIENCE):
            deletions = self.memory.deletions
            try:
                found = self._look(asked, as_of)
            except InputError:
                if self.memory.deletions == deletions:
                    raise
                continue
            if self.memory.deletions == deletions:
                return found
        return self._look(asked, as_of)

    def _look(self, asked: Inquiry, as_of: AsOf) -> Finding | None:
        """The sentence that was told, the newest of those that say the same of the same."""
        reading, end = self.told.read(self.memory, as_of)
        rows = rows_of(asked, reading)
        places = reading.holding(rows.content, end)
        if not len(places):
            return None
        search = self.told.search_rows(rows.all, rows.unknown, reading, k=DEPTH, places=places)
        best_score = search.found[0].score
        reach = best_score - REACH * abs(best_score)
        found = [f for f in search.found if f.score >= reach]
        matched = matched_rows(rows, reading, [f.place for f in found])
        row = reading.words.row
        things = [{row.get(near(word, row), -1) for word in thing} for thing in asked.things]
        if things:  # what has none of the things that the question is about says nothing of them
            about = set().union(*things)
            kept = [i for i, words in enumerate(matched) if words & about]
            found, matched = [found[i] for i in kept], [matched[i] for i in kept]
            if not found:
                return None
        ids = [f.place + 1 if reading.ids is None else int(reading.ids[f.place]) for f in found]
        slots = self.memory.read(ids)
        size = abs(found[0].score)
        ranked = []
        for f, slot, words in zip(found, slots, matched, strict=True):
            told = traits(slot.text)
            fits = FITTING_KIND * kind(asked, told) - OTHER_NAME * missing_names(asked, told)
            fits -= OTHER_THING * sum(words.isdisjoint(thing) for thing in things)
            fits += TOPIC * (topic(reading, f.place) in words)
            ranked.append(f.score + size * fits)
        best = first = max(range(len(found)), key=ranked.__getitem__)
        for i in range(len(found)):
            close = ranked[i] >= ranked[first] - CLOSE * size
            if close and matched[i] == matched[first] and ids[i] > ids[best]:
                best = i
        rivals = [i for i in range(len(found)) if i != best]
        hop = _hop(slots, ranked, best)
        score = found[best].score
        answer = Answer(slots[best].text, score, evidence=(hop,), source="told")
        # What it supersedes is no rival.
        behind = [ranked[i] for i in rivals if matched[i] != matched[first]]
        gap = (ranked[first] - max(behind)) / max(ranked[first], 1e-6) if behind else 1.0
        fitted = fit(
            self.told, reading, asked, rows, found[best].place, slots[best].text, score, gap * score
        )
        return Finding("told", answer, fitted.fit._asdict(), fitted.unmatched)

    def _from_world(self, asked: Inquiry) -> Finding | None:
        reading = self.world.reading(self.model.facts.dictionary)
        rows = rows_of(asked, reading)
        places = reading.holding(_telling(rows.content, reading.frequency), len(reading))
        if not len(places):
            return None
        found = self.lookup.search_rows(rows.all, rows.unknown, reading, k=2, places=places).found
        known = [self._know(f.place) for f in found]
        slots = [each.slot for each in known]
        gap = found[0].score - found[1].score if len(found) > 1 else 1.0
        fitted = fit(
            self.lookup, reading, asked, rows, found[0].place, slots[0].text, found[0].score, gap,
            known[0].usual,
        )  # fmt: skip
        hop = _hop(slots, [f.score for f in found], 0)
        answer = Answer(slots[0].text, hop.score, evidence=(hop,), source="world")
        features = fitted.fit._asdict() | _asking(asked, known[0], self.model.asked_with)
        return Finding("world", answer, features, fitted.unmatched)

    def _know(self, place: int) -> Known:
        """A fact of the world, and how it is asked for."""
        known = self._known.get(place)
        if known is None:
            triple, normal = self.world.triple(place), self.model.facts.dictionary.normal
            usual = self.model.asking.get(triple.relation, {})
            known = self._known[place] = Known(
                Slot(place + 1, str(triple), WORLD_TIME, "world"),
                frozenset([*normal(triple.subject), *normal(triple.object)]),
                self._places.get(triple.relation, -1),
                {**dict.fromkeys(normal(triple.relation), 0.0), **usual},
            )
        return known

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder; the memory is not part of it."""
        return save(self.model, folder)


def _asking(
    asked: Inquiry, known: Known, asked_with: Mapping[str, NDArray[np.float64]]
) -> dict[str, float]:
    """Whether this is how one asks for such a fact: nobody asks for a place with "when"."""
    rest = asking(word for word in asked.words if word not in known.named)
    asks = [word for word in rest if word.split()[0] in QUESTION_WORDS]
    telling = [word for word in rest if word in asks or word not in FUNCTION_WORDS]
    speak = [asked_with[word] for word in rest if word in asked_with]
    likely = sum(speak[1:], speak[0]) if speak else None
    return {
        "relation": 0.0 if likely is None else float(likely[known.relation] - likely.max()),
        "asked_for": sum(word in known.usual for word in telling) / max(1, len(telling)),
        "asking": sum(word in known.usual for word in rest) / max(1, len(rest)),
        "question_word": min(
            (min(1.0, OFTEN * known.usual.get(word, 0.0)) for word in asks), default=1.0
        ),
    }


def _telling(rows: list[int], frequency: Ints) -> list[int]:
    """The rarest words of a question: what only shares a common one with it is no answer."""
    some: list[int] = []
    n = 0
    for count, row in sorted((int(frequency[row]), row) for row in rows):
        n += count
        if some and n > MANY:
            break
        if count:
            some.append(row)
    return some


def asking(words: Iterable[str]) -> list[str]:
    """Words of a question; "how" is one with what follows it."""
    found: list[str] = []
    for word in words:
        if found and found[-1] == "how":
            found[-1] = f"how {word}"
        else:
            found.append(word)
    return found


def told_lookup(model: facts.FactsModel) -> Lookup:
    """O over ordinary sentences: words count for more, since most have no embedding, and which part
    of a triple they stand in counts for nothing."""
    layout = replace(model.layout, match=False, patterns=False)
    return Lookup(model.dictionary, layout, model.U_O, bow=TOLD_BOW)


def _hop(slots: list[Slot], scores: list[float], best: int) -> Hop:
    """A fact and the next best; one that is behind and still the answer was written later."""
    rivals = [i for i in range(len(scores)) if i != best]
    if not rivals:
        return Hop(1, slots[best], scores[best])
    next_best = max(rivals, key=scores.__getitem__)
    gap = scores[best] - scores[next_best]
    content, time = (gap, 0.0) if gap >= 0 else (gap, -gap)
    rival = Comparison(slots[next_best], scores[next_best], content, time)
    return Hop(1, slots[best], scores[best], rival)


def _rather_told(found: list[Finding], sure: list[Answer], first: int) -> int:
    """What was told goes before what is known, if it has as much of the question: it is meant."""
    best = found[first]
    for i, finding in enumerate(found):
        likely = sure[i].score >= max(LIKELY, sure[first].score - NEARLY)
        if (finding.member, best.member) == ("told", "world") and likely:
            return i if _covered(finding) >= _covered(best) else first
    return first


def _covered(finding: Finding) -> float:
    return finding.features["matched"] + finding.features["phrase"]


def _why_not(finding: Finding) -> str:
    nearest = f"the nearest I have is '{finding.answer.evidence[-1].text}'"
    if finding.unmatched:
        return f"{nearest}, which says nothing of {' or '.join(finding.unmatched)}"
    return f"{nearest}, and that does not fit well enough"


def _dont_know(found: list[Finding], reason: str) -> Answer:
    answers = [f.answer for f in found]
    evidence = answers[0].evidence if answers else ()
    return Answer(
        DONT_KNOW, 0.0, abstained=True, evidence=evidence, reason=reason, others=tuple(answers)
    )


def _with_others(answer: Answer, others: list[Answer]) -> Answer:
    # Not `replace`, which takes longer than the rest.
    return Answer(
        answer.text, answer.score, False, answer.evidence, "", answer.source, tuple(others)
    )


def _scored(answer: Answer, score: float) -> Answer:
    return Answer(answer.text, score, False, answer.evidence, "", answer.source)


def save(model: EnsembleModel, folder: str | Path) -> Path:
    about = {
        "kind": KIND,
        "story": model.story.id,
        "facts": model.facts.id,
        "features": {member: list(c.names) for member, c in model.calibration.items()},
        "asking": {relation: dict(words) for relation, words in model.asking.items()},
        "thresholds": dict(model.thresholds),
        "triples": [list(triple) for triple in model.triples],
        "card": model.card,
    }
    parts = {
        "story": lambda place: stories.save(model.story, place),
        "facts": lambda place: facts.save(model.facts, place),
    }
    return write_folder(folder, about, model.weights(), parts)


def load(folder: str | Path) -> EnsembleModel:
    about, weights = read_folder(folder, KIND, "memnn demo")
    place = Path(folder)
    story, known = stories.load(place / "story"), facts.load(place / "facts")
    try:
        if (story.id, known.id) != (about["story"], about["facts"]):
            raise ValueError("its networks are not those it was made of")
        tensors = load_tensors(weights)
        calibration = {
            member: Calibration(
                tuple(map(str, names)), *(tensors[f"{member}.{part}"] for part in PARTS)
            )
            for member, names in about["features"].items()
        }
        if set(calibration) != set(MEMBERS):
            raise ValueError("a calibration is missing")
        triples = tuple(Triple(*map(str, row)) for row in about["triples"])
        asking = {
            str(relation): {str(word): float(share) for word, share in words.items()}
            for relation, words in about["asking"].items()
        }
        thresholds = {str(member): float(p) for member, p in about["thresholds"].items()}
        return EnsembleModel(
            story, known, triples, calibration, asking, thresholds, dict(about["card"])
        )
    except (KeyError, TypeError, AttributeError, ValueError, SafetensorError, MemnnError) as error:
        what = error if isinstance(error, MemnnError | ValueError) else f"missing or wrong {error}"
        raise ModelError(f"{folder} is damaged: {what}; train it again") from None
