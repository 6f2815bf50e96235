"""A made-up world of triples and questions, for where there is no real data.

People write books, are born and live in cities, and have jobs. Half of the wordings of a question
share no word with the relation ("Who is the author of …?" for "wrote"), so that there is
something to learn. Names are made of syllables; the same seed gives the same world.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from memnn.facts.triples import Asked, Triple

ASKED = {
    "was born in": ("Where was {s} born?", "What is the birthplace of {s}?"),
    "lives in": ("Where does {s} live?", "In which town is the home of {s}?"),
    "works as": ("What does {s} work as?", "What is the job of {s}?"),
    "wrote": ("Who wrote {o}?", "Who is the author of {o}?"),
    "was published in": ("When was {s} published?", "When did {s} come out?"),
    "is a city in": ("In which country is the city {s}?", "What nation does {s} belong to?"),
}
JOBS = ("baker", "doctor", "painter", "pilot", "farmer", "teacher", "judge", "sailor")
SYLLABLES = (
    *("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu"),
    *("va", "we", "xi", "yo", "zu", "bra", "cle", "dri", "flo", "gru"),
)


@dataclass(frozen=True)
class Toy:
    """Triples, and questions about them of which no triple is in two parts."""

    triples: list[Triple]
    train: list[Asked]
    valid: list[Asked]
    test: list[Asked]


def nicknamed(people: int = 200, seed: int = 0) -> tuple[Toy, list[tuple[str, str]]]:
    """People by nicknames that no triple has, and paraphrases that say who is meant.

    Training questions ask by nickname for a person's other facts; test questions share no name
    with their fact. This is where word hash must fail and clusters may help.
    """
    world, rng = toy(people, seed), random.Random(seed)
    subjects = dict.fromkeys(t.subject for t in world.triples if t.relation == "works as")
    nick = {person: f"Nick{i}" for i, person in enumerate(subjects)}
    train, test = [], []
    for triple in world.triples:
        if triple.subject not in nick or triple.relation == "wrote":
            continue
        wording = rng.choice(ASKED[triple.relation])
        if triple.relation != "works as":
            train.append(Asked(wording.format(s=nick[triple.subject]), triple))
        elif rng.random() < 0.5:  # how to ask for a job is learned from people by their names
            train.append(Asked(wording.format(s=triple.subject), triple))
        else:
            test.append(Asked(wording.format(s=nick[triple.subject]), triple))
    pairs = [(f"who is {short}", f"who is {person}") for person, short in nick.items()]
    half = len(test) // 2
    return Toy(world.triples, train, test[:half], test[half:]), pairs


def toy(people: int = 200, seed: int = 0) -> Toy:
    """About five triples a person, and a question for each."""
    rng = random.Random(seed)
    used: set[str] = set()

    def name(syllables: int) -> str:
        tries = 0
        while True:
            made = "".join(rng.choices(SYLLABLES, k=syllables + tries // 50)).capitalize()
            if made not in used:
                used.add(made)
                return made
            tries += 1  # where short names run out, longer ones are taken

    cities = [name(3) for _ in range(max(2, people // 10))]
    countries = [name(4) for _ in range(max(2, people // 50))]
    triples = [Triple(city, "is a city in", rng.choice(countries)) for city in cities]
    last_names = [name(3) for _ in range(max(2, people // 2))]
    for _ in range(people):
        person, book = f"{name(2)} {rng.choice(last_names)}", f"The {name(3)} of {name(2)}"
        triples += [
            Triple(person, "was born in", rng.choice(cities)),
            Triple(person, "lives in", rng.choice(cities)),
            Triple(person, "works as", rng.choice(JOBS)),
            Triple(person, "wrote", book),
            Triple(book, "was published in", str(rng.randint(1900, 2020))),
        ]
    rng.shuffle(triples)
    asked = [
        Asked(rng.choice(ASKED[t.relation]).format(s=t.subject, o=t.object), t) for t in triples
    ]
    tenth = len(asked) // 10
    return Toy(triples, asked[2 * tenth :], asked[:tenth], asked[tenth : 2 * tenth])
