"""Questions as people word them: for the relations of the shipped facts, from `data/wordings.tsv`.

A wording names the relations it asks about and holds {s} or {o}: the part of the triple that the
question names. The other part is what it asks for. The templates of `templates` know no relation;
these do, and teach the network that "seat of government" is found with "capital".
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from memnn.errors import FormatError
from memnn.facts.triples import Asked, Triple

WORLD, WORDINGS = "world.tsv", "wordings.tsv"
Wordings = Mapping[str, Sequence[str]]
"""Ways to ask, by relation."""

_NUMBERS = (
    "no|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|sixteen"
    "|fifty|many"
)
_COUNTED = re.compile(rf"(?:[\d.,]+|{_NUMBERS}) (?P<what>[a-z].+)")
_COUNTING = (
    "how many {what} does {s} have",
    "how many {what} has {s} got",
    "how many {what} are there in {s}",
    "how many {what} make {s}",
    "what number of {what} does {s} have",
)
_ARTICLE = re.compile(r"^(?:the|an?) ")


def shipped(name: str) -> str:
    """A file of the package."""
    return (files("memnn.dialogue") / "data" / name).read_text(encoding="utf-8")


def world() -> list[Triple]:
    """The facts that ship with the package."""
    return [Triple(*line.split("\t")) for line in shipped(WORLD).splitlines()]


def wordings(text: str | None = None, source: str = WORDINGS) -> Wordings:
    """The shipped wordings, or those of a text of the same form."""
    found: dict[str, list[str]] = defaultdict(list)
    lines = (shipped(WORDINGS) if text is None else text).splitlines()
    for number, line in enumerate(lines, start=1):
        relations, tab, wording = line.partition("\t")
        if not tab or ("{s}" in wording) == ("{o}" in wording):
            raise FormatError(source, number, "a wording is: relation|relation TAB text with {s}")
        for relation in relations.split("|"):
            found[relation].append(wording)
    return found


def worded(triple: Triple, ways: Wordings) -> list[str]:
    """Every way to ask for the subject or the object of a triple."""
    subject, object = bare(triple.subject), bare(triple.object)
    asked = [way.format(s=subject, o=object) + "?" for way in ways.get(triple.relation, ())]
    counted = _COUNTED.fullmatch(triple.object)
    if counted:
        asked += [way.format(s=subject, what=counted["what"]) + "?" for way in _COUNTING]
    return asked


def questions(triples: Iterable[Triple], ways: Wordings, most: int, seed: int = 0) -> list[Asked]:
    """Up to `most` questions a triple."""
    chance = random.Random(seed)
    asked = []
    for triple in triples:
        texts = worded(triple, ways)
        asked += [Asked(text, triple) for text in chance.sample(texts, min(most, len(texts)))]
    return asked


def bare(name: str) -> str:
    return _ARTICLE.sub("", name)
