"""Makes others.txt: two thousand sentences of other households, told while things are tried out.

python tests/data/dev/make_others.py > tests/data/dev/others.txt
"""

from __future__ import annotations

import random

PEOPLE = """
    Agnes Albin Bojana Caspar Dagmar Edith Farid Gerda Halima Ivo Jelena Kofi Ludmila Malik Noor
    Odile Pascal Quentin Rafaela Sunniva Tariq Ursula Vinzenz Wanda Xenia Yaw Zdenka Arvid Brigid
""".split()  # noqa: SIM905
THINGS = """
    suitcase guitar tent wheelbarrow kettle blender typewriter raincoat helmet scooter canoe ladder
    hammock stapler globe accordion rucksack thermos trolley lantern easel saddle kayak telescope
    tripod heater cradle mirror clock bookcase umbrella drum quilt basket toaster fan
""".split()  # noqa: SIM905
PLACES = (
    "in the hall", "under the stairs", "in the attic", "behind the sofa", "on the balcony",
    "in the cellar", "next to the stove", "in the garage", "at the office", "in the summer house",
    "on the top shelf", "beside the bath", "in the laundry room", "at the sailing club",
)  # fmt: skip
TIMES = (
    "on Monday", "on the second of April", "in November", "at half past four", "on Saturday night",
    "in the last week of May", "at noon", "early in spring", "on the thirtieth", "next Thursday",
)  # fmt: skip
TOWNS = "Turin Bergen Izmir Leeds Cádiz Gdansk Tartu Nantes Ostend Zadar Lima Kobe".split()  # noqa: SIM905
COLOURS = "red blue yellow green grey black white brown".split()  # noqa: SIM905
ANIMALS = "pony spaniel canary goat ferret donkey gecko kitten duck pig".split()  # noqa: SIM905
EVENTS = (
    "wedding", "exhibition", "parade", "dentist appointment", "choir practice", "auction",
    "language course", "inspection", "reunion", "flea market", "driving lesson", "summer fair",
)  # fmt: skip
DISHES = "stew omelette crumble goulash risotto lasagne chutney strudel pie curry".split()  # noqa: SIM905
JOBS = "carpenter notary gardener electrician accountant tailor caretaker".split()  # noqa: SIM905
FORMS = (
    "{p}'s {thing} is {place}", "The {colour} {thing} belongs to {p}",
    "{p} lent the {thing} to {q}",
    "The {thing} from {town} cost {n} euros", "{p} moved to {town} {time}",
    "{p}'s {animal} is called {q}", "The {event} in {town} is {time}",
    "{p} goes to the {event} with {q}",
    "The {event} was put off until {n} o'clock", "{p} is the {job} of {q}",
    "The {job} comes {time}", "{p} bought the {colour} {thing} in {town}",
    "{p}'s {dish} needs {n} eggs", "The {dish} is in the pot {place}", "{p} cannot stand {dish}",
    "The {animal} sleeps {place}", "{p} was born in {town}", "{p} pays {n} euros for the {thing}",
    "The key of the {thing} is {place}", "{p} repaired the {thing} {time}",
    "The {animal} of {p} weighs {n} kilos", "{p} takes bus {n} to {town}",
    "{p}'s door code is {n}{n}", "The bill of the {job} is due {time}",
    "{p} is learning to play the {thing}", "{p} wants a {colour} {thing} for Christmas",
)  # fmt: skip


def others(n: int = 2000, seed: int = 0) -> list[str]:
    chance = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < n:
        p, q = chance.sample(PEOPLE, 2)
        text = chance.choice(FORMS).format(
            p=p, q=q, thing=chance.choice(THINGS), place=chance.choice(PLACES),
            time=chance.choice(TIMES), town=chance.choice(TOWNS), colour=chance.choice(COLOURS),
            animal=chance.choice(ANIMALS), event=chance.choice(EVENTS), dish=chance.choice(DISHES),
            job=chance.choice(JOBS), n=chance.randrange(3, 60),
        )  # fmt: skip
        found[text] = None
    return list(found)


if __name__ == "__main__":
    print("\n".join(others()))
