"""Why people do what they do: task 20."""

from __future__ import annotations

from memnn.simulator.actions import Get, Go
from memnn.simulator.twenty.meaning import Feels, WhereNext, WhyGot, WhyWent, name
from memnn.simulator.twenty.plot import Plot, Scene


def motives(scene: Scene) -> Plot:
    """Somebody feels something, goes where it leads, and gets what is there unless it is gone.

    After every fact there is a question; its support is the feeling.
    """
    rng, plot = scene.rng, Plot()
    feelings = {p: rng.choice(list(scene.words.feelings)) for p in scene.words.people}
    felt: dict[str, int] = {}
    went: set[str] = set()
    gone: set[str] = set()
    busy = list(feelings)
    while busy:
        person = rng.choice(busy)
        feeling = feelings[person]
        place, thing = scene.words.feelings[feeling]
        if person not in felt:
            felt[person] = plot.tell(Feels(person, feeling))
            plot.ask(WhereNext(person), name(place), felt[person])
        elif person not in went:
            plot.tell(Go(person, place))
            went.add(person)
            plot.ask(WhyWent(person, place), name(feeling), felt[person])
        else:
            busy.remove(person)
            if thing not in gone:
                gone.add(thing)
                plot.tell(Get(person, thing))
                plot.ask(WhyGot(person, thing), name(feeling), felt[person])
    return plot
