"""What is known of English where there are too few facts to learn it: `english.toml`.

Among a few thousand facts "all" or "down" is rare and would weigh like a name. Where there are
millions, how rare a word is says it well enough, and this list is not used.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files

TEXT = (files("memnn.text") / "english.toml").read_text(encoding="utf-8")
_ENGLISH = tomllib.loads(TEXT)
FUNCTION_WORDS: frozenset[str] = frozenset(_ENGLISH["function_words"].split())
"""Words that carry little by themselves."""
AUXILIARIES: frozenset[str] = frozenset(_ENGLISH["auxiliaries"].split())
"""Verbs that stand second in a question."""


def synonyms() -> dict[str, str]:
    """Words that stand for others: the first of a line for the rest."""
    groups = [line.split() for line in _ENGLISH["synonyms"].split("\n") if line]
    return {word: group[0] for group in groups for word in group[1:]}
