"""For the site: examples in docstrings (`>>>`) are shown as code."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!>>>|\n).+\n?)*)+", re.MULTILINE)


class Doctests(griffe.Extension):
    """Puts each run of examples into a block of its own."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring and ">>>" in obj.docstring.value:
            text = obj.docstring.value
            obj.docstring.value = EXAMPLE.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text
            )
