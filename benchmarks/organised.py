"""A huge memory: how much of it an answer looks at, and whether the full walk answers the same.

    python -m benchmarks.organised [-o DIR] [--statements N] [--actors N] [--questions N]

A million statements of the simulated world's grammar about 10,000 actors and 1,000 things in five
rooms. Questions ask in turn where an actor is, where an actor was before a room, and where a thing
is; every tenth is asked as of a moment in the past. The full walk (`stories.supports.Supports`) is
the oracle: the same answer, score and evidence, or it counts as different.

new    the model that `demo` and `chat` use: it has never seen most of the names
known  a model trained on stories about these names, a tenth as many (recipe `match`: without
       matching features the embedding model itself does not learn to tell so many names apart)
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import memnn
from benchmarks import report
from benchmarks.machine import machine
from benchmarks.processes import command, on_one_thread
from memnn import default
from memnn.kernels import story_train_warm_up, story_warm_up
from memnn.network import MemoryNetwork
from memnn.simulator import PAPER_WORLD, WorldSpec, simulate
from memnn.simulator.actions import Drop, Get, Go
from memnn.simulator.grammar import ask_in_words, say
from memnn.simulator.questions import WhereActor, WhereBefore, WhereObject
from memnn.stories.model import Model
from memnn.stories.network import network
from memnn.stories.train import fit
from memnn.types import Answer, Output, Question

SEED = 7
THINGS = 1000
KINDS = ("where is an actor", "where was an actor before", "where is a thing")
SYLLABLES = re.findall("..", "badefigokulameniporusateviwoxuza")


def names(n: int, kind: str) -> tuple[str, ...]:
    """Words that nobody has seen: "Badeku", and for things "obadeku"."""
    found = []
    for i in range(n):
        word = "".join(SYLLABLES[(i >> shift) & 15] for shift in (0, 4, 8, 12))
        found.append(word.capitalize() if kind == "actor" else f"o{word}")
    return tuple(found)


def big_world(actors: int, things: int) -> WorldSpec:
    paper = PAPER_WORLD
    return WorldSpec(
        actors=(*paper.actors, *names(actors - len(paper.actors), "actor")),
        objects=(*paper.objects, *names(things - len(paper.objects), "thing")),
    )


class BigStory:
    """The acts of `simulator.simulate`, with indices in place of searches through the world."""

    def __init__(self, spec: WorldSpec, rng: Random) -> None:
        self.spec, self.rng = spec, rng
        self.trail: dict[str, list[str]] = {actor: [] for actor in spec.actors}
        self.held: dict[str, list[str]] = {actor: [] for actor in spec.actors}
        self.lying: dict[str, list[str]] = {room: [] for room in spec.rooms}
        self.handled: list[str] = []
        for thing in spec.objects:
            self.lying[rng.choice(spec.rooms)].append(thing)

    def statements(self, n: int) -> Iterator[str]:
        for _ in range(n):
            yield f"{self._act(self.rng.choice(self.spec.actors))}."

    def _act(self, actor: str) -> str:
        rng, trail, held = self.rng, self.trail[actor], self.held[actor]
        here = self.lying[trail[-1]] if trail else []
        kind = rng.choice(["go", *["get"] * bool(here), *["drop"] * bool(held)])
        if kind == "go" or not trail:
            room = rng.choice([r for r in self.spec.rooms if not trail or r != trail[-1]])
            been = room in trail
            trail.append(room)
            return say(Go(actor, room), self.spec, rng=rng, been_there=been)
        source, target = (here, held) if kind == "get" else (held, here)
        place = rng.randrange(len(source))
        source[place], source[-1] = source[-1], source[place]
        thing = source.pop()
        target.append(thing)
        self.handled.append(thing)
        act = Get(actor, thing) if kind == "get" else Drop(actor, thing)
        return say(act, self.spec, rng=rng)

    def questions(self, n: int) -> Iterator[tuple[str, str]]:
        rng = self.rng
        movers = [actor for actor in self.spec.actors if len(self.trail[actor]) > 1]
        for i in range(n):
            kind = KINDS[i % len(KINDS)]
            actor = rng.choice(movers)
            if kind == KINDS[0]:
                yield kind, ask_in_words(WhereActor(actor), rng=rng)
            elif kind == KINDS[1]:
                room = rng.choice(self.trail[actor][1:])
                yield kind, ask_in_words(WhereBefore(actor, room), rng=rng)
            else:
                yield kind, ask_in_words(WhereObject(rng.choice(self.handled)), rng=rng)


def timed(net: MemoryNetwork, question: str, as_of: int | None) -> tuple[Output, Answer, float]:
    start = time.perf_counter()
    output = net.O(Question(question), net.memory, as_of)
    answer = net.R(output)
    return output, answer, time.perf_counter() - start


def same(one: Answer, two: Answer) -> bool:
    """The same words for the same reasons; what an abstention rested on is no matter."""
    if one.abstained and two.abstained:
        return one.reason == two.reason
    facts = [[(hop.id, hop.score) for hop in answer.evidence] for answer in (one, two)]
    return (one.text, one.score, facts[0]) == (two.text, two.score, facts[1])


def measure(model: Model, spec: WorldSpec, statements: int, questions: int) -> dict[str, Any]:
    rng = Random(SEED)
    story = BigStory(spec, rng)
    memory = memnn.RamMemory()
    memory.write_many(story.statements(statements))
    full, organised = network(model, memory), network(model, memory, organised=True)
    first = {}
    for name, net in (("full", full), ("organised", organised)):
        first[name] = timed(net, "Where is Joe?", None)[2]
    rows = []
    for i, (kind, question) in enumerate(story.questions(questions)):
        as_of = rng.randrange(statements // 2, statements) if i % 10 == 9 else None
        _, expected, slow = timed(full, question, as_of)
        output, answer, fast = timed(organised, question, as_of)
        rows.append((kind, as_of, same(expected, answer), answer.abstained, output, slow, fast))
    groups = {"all": rows} | {kind: [r for r in rows if r[0] == kind] for kind in KINDS}
    groups["as of a past moment"] = [r for r in rows if r[1] is not None]
    return {
        "statements": statements,
        "actors": len(spec.actors),
        "seconds to the first answer": first,
        "questions": {name: _summary(group, statements) for name, group in groups.items()},
    }


def _summary(rows: list[Any], statements: int) -> dict[str, float]:
    looked = [row[4].looked_at / statements for row in rows]
    return {
        "questions": len(rows),
        "different": sum(not row[2] for row in rows),
        "abstained": sum(row[3] for row in rows),
        "widened": sum(row[4].widened for row in rows),
        "looked at, mean": statistics.mean(looked),
        "looked at, most": max(looked),
        "full walk, ms": 1000 * statistics.median(row[5] for row in rows),
        "organised, ms": 1000 * statistics.median(row[6] for row in rows),
    }


def table(results: dict[str, Any]) -> str:
    columns = ["names", "questions", "asked", "different", "widened", "looked at, mean", "most"]
    rows = [
        (
            name, kind, s["questions"], s["different"], s["widened"],
            f"{s['looked at, mean']:.4%}", f"{s['looked at, most']:.4%}",
            f"{s['full walk, ms']:.1f} ms", f"{s['organised, ms']:.1f} ms",
        )
        for name, result in results.items()
        for kind, s in result["questions"].items()
    ]  # fmt: skip
    return "\n".join(report.table([*columns, "full walk", "organised"], rows, left=2))


def run(statements: int, actors: int, questions: int, told: int = 50_000) -> dict[str, Any]:
    """Names that are new to the model, then names that it knows from `told` lines of stories."""
    story_warm_up.warm_up()
    story_train_warm_up.warm_up()
    new = fit(simulate(**default.SIMULATION), default.RECIPE)  # type: ignore[arg-type]
    results = {"new": measure(new, big_world(actors, THINGS), statements, questions)}
    few = big_world(actors // 10, THINGS // 10)
    stories = simulate(spec=few, statements=7 * told // 10, questions=3 * told // 10, seed=SEED)
    known = fit(stories, memnn.Recipe(match=True))
    return results | {"known": measure(known, few, statements, questions)}


def main() -> None:
    parser = argparse.ArgumentParser(description="how much of a huge memory an answer looks at")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--statements", type=int, default=1_000_000)
    parser.add_argument("--actors", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=600)
    args = parser.parse_args()
    on_one_thread("benchmarks.organised")
    results = run(args.statements, args.actors, args.questions)
    print(table(results))
    if args.output:
        about = {"machine": machine("numpy", "numba"), "results": results}
        report.write_json(args.output / "organised.json", about)
        report.write_text(
            args.output / "organised.md",
            f"# Organised memory\n\n`python -m benchmarks.organised --statements {args.statements} "
            f"--actors {args.actors} --questions {args.questions}`. Times are medians of one "
            f"process on one thread.\n\n{table(results)}\n",
        )


if __name__ == "__main__":
    command(main)
