"""Questions whose words are replaced by others that mean the same: where hashing can differ.

A question that shares a rare word with its fact is found by word hash. Here content words are
replaced, by synonyms from a list written by hand and from paraphrases that differ in one word
alone. Word vectors are no source: clusters are made of them, and would find themselves again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from memnn.facts.triples import Asked

Normal = Callable[[str], list[str]]

GROUPS = """
write pen author | write compose | bear native | live reside dwell | work labour | city town |
country nation | publish print | begin start commence | end finish conclude | big large huge |
small little tiny | movie film | king monarch | buy purchase | sell vend | kill murder slay |
die perish | build construct erect | make create produce | show display exhibit | help assist
aid | doctor physician | lawyer attorney | child kid | man male | woman female | wife spouse |
car auto | road street | ship vessel | war conflict | fight battle | win triumph | defeat beat |
leader chief | found establish | marry wed | discover uncover | invent devise | receive get |
give grant | use employ utilize | call name term | company firm corporation | teach instruct |
student pupil | speak talk | say state | near close | fast quick rapid | old ancient | rich
wealthy | ill sick | job occupation profession | home house residence | money cash | law statute
| illness disease | ocean sea | mountain peak mount | river stream | area region zone | part
portion piece | often frequently | important significant | main principal | popular famous
renowned | include contain comprise | join enter | leave depart exit | return revert | travel
journey | send dispatch | grow increase | reduce decrease lessen | change alter modify | choose
select pick | need require | want desire | allow permit let | stop halt cease | keep retain |
hold grip | direct manage | own possess | cause provoke | attack assault | protect defend guard
| destroy ruin demolish | serve attend | play perform | actor performer | singer vocalist | song
tune | book volume | writer novelist | picture image photo | present gift | answer reply respond
| ask inquire | capital metropolis | locate situate | member fellow | president head | town
village | type kind sort | goal aim purpose | study research | cost price | teacher instructor |
weapon arm | food meal | scientist researcher | founder creator | born native
"""
"""Words of one group mean nearly the same."""


def written(normal: Normal) -> dict[str, list[str]]:
    """The list above, in the words of a normaliser."""
    found: dict[str, list[str]] = defaultdict(list)
    for group in GROUPS.split("|"):
        words = [word for text in group.split() for word in normal(text)]
        for word in words:
            found[word] += [w for w in words if w != word and w not in found[word]]
    return dict(found)


def aligned(
    pairs: Iterable[tuple[str, str]], normal: Normal, least: int = 2
) -> dict[str, list[str]]:
    """Words that stand for each other in pairs that differ in nothing else, the surest first."""
    together: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        a, b = (set(normal(text)) for text in pair)
        if len(a - b) == 1 and len(b - a) == 1 and len(a & b) >= 2:
            (u,), (v,) = a - b, b - a
            if min(len(u), len(v)) > 2 and not (u + v).isdigit():
                together[u, v] += 1
                together[v, u] += 1
    found: dict[str, list[str]] = defaultdict(list)
    for (u, v), n in sorted(together.items(), key=lambda item: (-item[1], item[0])):
        if n >= least:
            found[u].append(v)
    return dict(found)


def replaced(
    questions: Sequence[Asked], synonyms: dict[str, list[str]], normal: Normal
) -> list[tuple[Asked, Asked]]:
    """Questions of which every word that has a synonym is replaced, each beside its original.

    Only words that the fact holds are replaced, and only by words that it does not hold: else the
    question would not become harder.
    """
    pairs = []
    for asked in questions:
        fact = set(normal(str(asked.gold)))
        words = normal(asked.question)
        new = [
            next((s for s in synonyms.get(word, ()) if s not in fact), word)
            if word in fact
            else word
            for word in words
        ]
        if new != words:
            pairs.append((asked, Asked(" ".join(new), asked.gold)))
    return pairs
