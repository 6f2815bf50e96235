"""Passwords and codes as they were written: signs belong to them, which words do without."""

from __future__ import annotations

import re

SIGNS = frozenset("_#$%&*+=@^~|\\/<>")
"""Signs that stand in codes rather than in sentences."""
ENDS = ".,;:\"'“”‘’()[]"
"""What ends a sentence, or encloses a word; an exclamation mark may belong to a code."""
_MEASURE = re.compile(r"\d[\d.,:]*[a-z]{1,3}", re.IGNORECASE)


def as_written(words: str, text: str) -> str:
    """Words of a text as they stand in it, if they are part of a code there.

    >>> as_written("hunter2", "My password is hunter2!"), as_written("77 19", "It is 77#19#.")
    ('hunter2!', '77#19#')
    >>> as_written("7719", "My code is 7719!"), as_written("5pm", "We meet at 5pm!")
    ('7719', '5pm')
    """
    parts = r"\W+".join(map(re.escape, words.split()))
    found = re.search(rf"\S*(?<!\w){parts}(?!\w)\S*", text) if parts else None
    if found is None:
        return words
    whole = found[0].strip(ENDS)
    return whole if _is_code(whole.split()[-1]) else words


def _is_code(word: str) -> bool:
    bare = word.strip("!?")
    if _MEASURE.fullmatch(bare):
        return False
    mixed = any(map(str.isalpha, bare)) and any(map(str.isdigit, bare))
    return mixed or not SIGNS.isdisjoint(bare)
