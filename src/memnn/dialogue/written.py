"""Questions that were written for the world's facts, and what they teach of other facts.

Where a question names the subject or the object of its fact and not the other part, the rest of it
is a way to ask for any fact with that relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from memnn.dialogue.wordings import Wordings, bare, shipped
from memnn.facts.triples import Triple

WRITTEN, UNSUPPORTED = "written.tsv", "written-unsupported.tsv"


class Written(NamedTuple):
    """A question, who wrote it, and the fact that answers it."""

    writer: str
    question: str
    triple: Triple


def written() -> list[Written]:
    rows = (line.split("\t") for line in shipped(WRITTEN).splitlines())
    return [Written(writer, question, Triple(*fact)) for writer, question, *fact in rows]


def unsupported() -> list[tuple[str, str]]:
    """Who wrote it, and a question that no fact answers."""
    rows = (line.split("\t") for line in shipped(UNSUPPORTED).splitlines())
    return [(writer, question) for writer, question in rows]


def as_wording(question: str, triple: Triple) -> str | None:
    """The question with {s} or {o} for the part that it names; None where it names both or none.

    >>> as_wording("What do the cows eat all day?", Triple("a cow", "eats", "grass"))
    'What do {s} eat all day'
    """
    named = {slot: _named(name) for slot, name in (("{s}", triple.subject), ("{o}", triple.object))}
    found = [slot for slot, name in named.items() if name.search(question)]
    if len(found) != 1 or "{" in question or "}" in question:
        return None
    return named[found[0]].sub(found[0], question, count=1).rstrip("?. ")


def with_written(ways: Wordings, questions: Iterable[Written]) -> dict[str, list[str]]:
    """The wordings, and those that the questions are."""
    found = {relation: dict.fromkeys(texts) for relation, texts in ways.items()}
    for _, question, triple in questions:
        wording = as_wording(question, triple)
        if wording is not None:
            found.setdefault(triple.relation, {}).setdefault(wording)
    return {relation: list(texts) for relation, texts in found.items()}


def _named(name: str) -> re.Pattern[str]:
    """A name in any case, with or without an article; of things, one or many."""
    name = bare(name)
    forms = [name]
    if name[:1].islower():
        forms += [name[:-1]] if name.endswith("s") else [f"{name}es", f"{name}s"]
    any_form = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:(?:the|an?) )?(?:{any_form})(?!\w)", re.IGNORECASE)
