"""Pairs of related words from WordNet: `python -m benchmarks.related_words FOLDER`.

FOLDER holds WordNet's files (`data.noun`, `index.noun`, `noun.exc` and so on; on Debian the package
`wordnet-base` puts them into /usr/share/wordnet). Writes `src/memnn/text/related.npz`, see
`memnn.text.related`.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from memnn.text.related import FULL
from memnn.text.vectors import english, same_words

FILE = Path(__file__).parents[1] / "src" / "memnn" / "text" / "related.npz"
PARTS = ("noun", "verb", "adj", "adv")
PART_OF = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
SYNONYM = 1.0
NEAR = {"@": 0.4, "+": 0.8, "\\": 0.8, "&": 0.5, "^": 0.5, "$": 0.5}
"""How near words are that a pointer joins: wider ones, derivations, adjectives of nouns, similar
ones, ones beside it, verbs of one group."""
FORM = 1.0
LEAST = 0.12
"""Pairs less near than this are left out."""
UNRANKED = 9
ENDINGS = {
    "noun": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
             ("shes", "sh"), ("men", "man"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""),
             ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
"""How WordNet takes endings off."""
DOUBLED = re.compile(r"(.*)([bdfgklmnprtz])\2(ed|ing)$")


class Pointer(NamedTuple):
    kind: str
    synset: tuple[str, str]
    mine: int
    """Which of the synset's words it begins at, counted from 1; 0 is all of them."""
    its: int


class Dictionary:
    """What WordNet's files say."""

    def __init__(self, folder: Path) -> None:
        self.words: dict[tuple[str, str], list[str]] = {}
        self.pointers: dict[tuple[str, str], list[Pointer]] = {}
        self.rank: dict[tuple[str, str, str], int] = {}
        """Of each sense of a word, the most common one being 0."""
        self.parts: dict[str, set[str]] = defaultdict(set)
        self.irregular: dict[str, list[str]] = defaultdict(list)
        for part in PARTS:
            for line in _lines(folder / f"data.{part}"):
                self._synset(part, line)
            for line in _lines(folder / f"index.{part}"):
                word, _, senses, pointers, *rest = line.split()
                self.parts[word].add(part)
                for rank, offset in enumerate(rest[int(pointers) + 2 :][: int(senses)]):
                    self.rank[word, part, offset] = rank
            for line in _lines(folder / f"{part}.exc"):
                form, base, *_ = line.split()
                self.irregular[form].append(base)

    def _synset(self, part: str, line: str) -> None:
        fields = line.split("|")[0].split()
        offset, count = fields[0], int(fields[3], 16)
        words = [fields[4 + 2 * i].lower().split("(")[0] for i in range(count)]
        at = 4 + 2 * count
        found = []
        for i in range(int(fields[at])):
            kind, other, its_part, ends = fields[at + 1 + 4 * i : at + 5 + 4 * i]
            synset = PART_OF[its_part], other
            found.append(Pointer(kind, synset, int(ends[:2], 16), int(ends[2:], 16)))
        self.words[part, offset], self.pointers[part, offset] = words, found

    def share(self, word: str, synset: tuple[str, str]) -> float:
        """The first sense of a word is what it mostly means."""
        return 1 / (1 + self.rank.get((word, *synset), UNRANKED))

    def bases(self, form: str) -> set[str]:
        """Words that this may be a form of."""
        found = set(self.irregular[form])
        for part, endings in ENDINGS.items():
            for ending, instead in endings:
                base = form.removesuffix(ending) + instead
                if form.endswith(ending) and len(form) > len(ending) + 1:
                    found |= {base} if part in self.parts.get(base, ()) else set()
        match = DOUBLED.match(form)
        if not found and match and "verb" in self.parts.get(match[1] + match[2], ()):
            found.add(match[1] + match[2])
        return found

    def pairs(self) -> Iterator[tuple[str, str, float]]:
        for synset, words in self.words.items():
            for i, word in enumerate(words):
                for other in words[i + 1 :]:
                    near = self.share(word, synset) * self.share(other, synset)
                    yield word, other, SYNONYM * near
            for pointer in self.pointers[synset]:
                if pointer.kind not in NEAR or pointer.synset not in self.words:
                    continue
                others = self.words[pointer.synset]
                for word in words[pointer.mine - 1 : pointer.mine] if pointer.mine else words:
                    for other in others[pointer.its - 1 : pointer.its] if pointer.its else others:
                        near = self.share(word, synset) * self.share(other, pointer.synset)
                        yield word, other, NEAR[pointer.kind] * near


def _lines(file: Path) -> Iterator[str]:
    with file.open(encoding="latin-1") as lines:
        for line in lines:
            if not line.startswith(" "):  # the licence
                yield line


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=FILE)
    options = parser.parse_args()
    dictionary = Dictionary(options.folder)
    row = {word: i for i, word in enumerate(english().words)}
    nearest: dict[tuple[int, int], float] = {}
    forms = ((w, base, FORM) for w in row for base in dictionary.bases(w))
    for source in (dictionary.pairs(), forms):
        for word, other, near in source:
            if near >= LEAST and word != other and word in row and other in row:
                pair = min(row[word], row[other]), max(row[word], row[other])
                nearest[pair] = max(near, nearest.get(pair, 0.0))
    first, second = np.array(sorted(nearest), np.uint16).T
    weight = np.array([round(FULL * nearest[pair]) for pair in sorted(nearest)], np.uint8)
    words = np.uint32(same_words(english()))
    np.savez_compressed(options.output, first=first, second=second, weight=weight, words=words)
    print(f"{len(weight):,} pairs of {len(np.union1d(first, second)):,} words: {options.output}")


if __name__ == "__main__":
    main()
