"""How a script writes a step (Appendix A): a pattern, and what the names in it are."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Role: TypeAlias = Literal["actor", "room", "thing", "container"]

NAME = r"(?:the )?([^\s;?]+)"
"""A name in a pattern, with or without its article."""


class Form(NamedTuple):
    """One form a step may take."""

    example: str
    """As the error shows it when a step is not understood."""
    pattern: str
    """A regular expression with one group a name."""
    roles: tuple[Role | Literal["word", "any"], ...]
    """What each group is: a name in a role, a word that is no name, or any name of the story."""
