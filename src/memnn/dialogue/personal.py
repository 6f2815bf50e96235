"""Whether a question is about who asks it: of them the world knows nothing.

"Which city do I live in?" is, "Where can I buy medicine?" is not. It is learnt, from questions of
written stories and from questions for facts of the world, both with "I" or "we" in them; how little
words stand beside each other tells most, and the other words count by what they mean.
`python -m memnn.dialogue.personal` learns it again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np

from memnn.dialogue.wordings import shipped
from memnn.dialogue.written import written
from memnn.kernels.arrays import Floats
from memnn.logistic import most_likely
from memnn.ordinary.words import PERSONS, is_content, tokens
from memnn.text.vectors import WordVectors, english

SPEAKERS = frozenset({"i", "we"})
FILE = "personal.json"
OFTEN, RIDGE, MEANING = 6, 2.0, 2.0
"""How often a feature occurs that is learnt, how much weights are held back, how much a mean of
vectors counts."""
EVERY = 4
"""One in so many of the stories' questions is learnt from: there are many more of them."""
EDGE, NAMED = "^", "_"


def of_speaker(question: str) -> bool:
    """Whether it names who speaks at all."""
    return any(PERSONS.get(token.text) in SPEAKERS for token in tokens(question))


def personal(question: str) -> bool:
    """Whether it is more probably about who asks than about the world."""
    if not of_speaker(question):
        return False
    learnt = _learnt()
    found = sum(learnt["words"].get(name, 0.0) for name in _names(question))
    meaning = MEANING * _meaning(question, english()) @ np.array(learnt["meaning"])
    return bool(found + meaning + learnt["all"] > 0.0)


@cache
def _learnt() -> dict:  # type: ignore[type-arg]
    text = (files("memnn.dialogue") / "data" / FILE).read_text(encoding="utf-8")
    return dict(json.loads(text))


def _names(question: str) -> set[str]:
    """Little words and who speaks, alone and with what stands beside them."""
    words = [token.text for token in tokens(question)]
    seen = [w if w in PERSONS or not is_content(w) else NAMED for w in words]
    pairs = pairwise([EDGE, *seen, EDGE])
    return {word for word in seen if word != NAMED} | {f"{a} {b}" for a, b in pairs}


def _meaning(question: str, vectors: WordVectors) -> Floats:
    words = [token.text for token in tokens(question)]
    named = [vectors.of(w) for w in words if is_content(w) and w not in PERSONS]
    known = [vector for vector in named if vector is not None]
    return np.mean(known, axis=0) if known else np.zeros(vectors.dim, np.float32)


def worldly() -> list[str]:
    """Questions for facts of the world that name who speaks."""
    asked = [line.split("\t")[0] for line in shipped("asked.tsv").splitlines()]
    asked += [each.question for each in written()]
    ways = [line.split("\t")[1] for line in shipped("wordings.tsv").splitlines() if "\t" in line]
    asked += [way.replace("{s}", name).replace("{o}", name) for way in ways for name in NAMES]
    return [question for question in dict.fromkeys(asked) if of_speaker(question)]


NAMES = ("Norway", "milk", "dogs")
"""What a way to ask for a fact is tried with."""


def learn(personal: Sequence[str], worldly: Sequence[str]) -> dict[str, object]:
    """Both kinds count as much, however many there are."""
    questions = [*personal, *worldly]
    right = np.array([1.0] * len(personal) + [0.0] * len(worldly))
    weights = np.where(right > 0, 0.5 / len(personal), 0.5 / len(worldly)) * len(right)
    names = [_names(question) for question in questions]
    counts = Counter(name for each in names for name in each)
    place = {name: i for i, name in enumerate(sorted(n for n, c in counts.items() if c >= OFTEN))}
    vectors = english()
    x = np.zeros((len(questions), len(place) + vectors.dim + 1))
    for row, (question, each) in enumerate(zip(questions, names, strict=True)):
        x[row, [place[name] for name in each if name in place]] = 1.0
        x[row, len(place) : -1] = MEANING * _meaning(question, vectors)
    x[:, -1] = 1.0
    found = np.round(most_likely(x, right, weights, RIDGE), 3).tolist()
    return {
        "words": dict(zip(place, found, strict=False)),
        "meaning": found[len(place) : -1],
        "all": found[-1],
    }


def main() -> None:
    from memnn.ordinary.train import written

    told = [q.text for story in written() for q in story.questions if of_speaker(q.text)]
    learnt = learn(list(dict.fromkeys(told))[::EVERY], worldly())
    place = Path(str(files("memnn.dialogue") / "data" / FILE))
    place.write_text(json.dumps(learnt, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
