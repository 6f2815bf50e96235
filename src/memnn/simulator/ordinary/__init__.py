"""A world that speaks as people do: the same meanings said and asked in very many ways.

A story is made of facts (`meaning`; `moving`, `having` and `telling_of` make them happen on the
`stage`), told with the wordings of a language (`telling`, `grammar`; the words are in
`data/<language>/*.toml`), and asked about from what a reader knows (`knowledge`, `asking`, and an
`about_` module for each kind; `unsupported`). Supports come for free.
"""

from memnn.simulator.ordinary.language import HoldOut, languages
from memnn.simulator.ordinary.meaning import Annotated, AskedLine, ToldLine
from memnn.simulator.ordinary.story import annotated, stories

__all__ = ["Annotated", "AskedLine", "HoldOut", "ToldLine", "annotated", "languages", "stories"]
