"""How honest the probabilities of the reader are, and how long an answer takes.

    python -m benchmarks.ordinary_answers -o docs/results/ordinary

Honesty: questions about written stories that it has not learnt from, and what `python -m
benchmarks.blind_dialogues -o …` has kept of the dialogues. Speed: processor time of an answer, with
simulated stories of everyday language told one after the other.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import memnn
from benchmarks import written_stories
from benchmarks.report import can_plot, plotted
from memnn import default
from memnn.dialogue.network import Ensemble
from memnn.errors import InputError
from memnn.network import Network
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.network import network
from memnn.paper.style import COLOURS, label_ends
from memnn.simulator.ordinary import stories

STEPS = 10
SIZES = (100, 10_000)
FEW = 20
"""Questions in a step below which its share is not drawn."""
Said = Sequence[tuple[float, bool]]
"""A probability, and whether the answer was right."""


def steps(said: Said) -> list[dict[str, float]]:
    """Questions by what was said of them, in ten steps."""
    found: dict[int, list[tuple[float, bool]]] = {}
    for p, right in said:
        found.setdefault(min(STEPS - 1, int(STEPS * p)), []).append((p, right))
    return [
        {
            "questions": len(of),
            "said": round(sum(p for p, _ in of) / len(of), 4),
            "right": round(sum(right for _, right in of) / len(of), 4),
        }
        for _, of in sorted(found.items())
    ]


def calibration_error(found: Sequence[dict[str, float]]) -> float:
    """The expected calibration error: how far what is said is from what is right."""
    total = sum(step["questions"] for step in found)
    gaps = (step["questions"] * abs(step["said"] - step["right"]) for step in found)
    return round(sum(gaps) / max(1, total), 4)


def honesty(model: OrdinaryModel, every: int) -> Said:
    """Of written stories: what nothing answers counts as wrong, whatever is said."""
    found = written_stories.trials(model, written_stories.kept_back(every))
    return [(model.judgement(trial.measured), trial.right) for trial in found]


def speed(net: Network, size: int, questions: int) -> float:
    """Milliseconds of processor time for an answer, the median."""
    told, asked = list[str](), list[str]()
    for story in stories(seed=5, questions=max(200, size // 2)):
        told += [line.text for line in story.statements]
        asked += [line.text for line in story.questions]
        if len(told) >= size and len(asked) >= questions:
            break
    mine = net.with_memory(memnn.RamMemory())
    for text in told[:size]:
        with suppress(InputError):  # what is taken for a question is not told
            mine.tell(text)
    for question in asked[:3]:
        mine.ask(question)
    took = []
    for question in asked[:questions]:
        start = time.process_time_ns()
        mine.ask(question)
        took.append((time.process_time_ns() - start) / 1e6)
    return round(median(took), 2)


def draw(found: dict[str, Any], file: Path) -> None:
    """The reliability diagram."""
    with plotted(file, size=(6, 4.5)) as axes:
        axes.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle="--")
        ends = {"as said": (0.97, "#999999")}
        for (name, each), colour in zip(found.items(), COLOURS, strict=False):
            drawn = [step for step in each["steps"] if step["questions"] >= FEW]
            if not drawn:
                continue
            said, right = ([step[key] for step in drawn] for key in ("said", "right"))
            axes.plot(said, right, color=colour)
            axes.scatter(said, right, [8 + 2 * s["questions"] ** 0.5 for s in drawn], color=colour)
            ends[name] = (right[-1], colour)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="probability said", ylabel="share right")
        axes.set_title("Answers that are right, by what was said of them")
        label_ends(axes, ends)


def run(every: int, sizes: Sequence[int], questions: int, folder: Path | None) -> dict[str, Any]:
    model = default.ordinary()
    said: dict[str, Said] = {"written stories": honesty(model, every)}
    for name, file in (("dialogues, development", "dev"), ("dialogues, the other half", "final")):
        kept = folder / f"dialogues-{file}.json" if folder else None
        if kept is not None and kept.exists():
            said[name] = [(p, right) for p, right in json.loads(kept.read_text("utf-8"))["said"]]
    honest = {name: {"questions": len(of), "steps": steps(of)} for name, of in said.items()}
    for each in honest.values():
        each["calibration_error"] = calibration_error(each["steps"])  # type: ignore[arg-type]
    nets: dict[str, Network] = {"reader": network(model), "ensemble": Ensemble(default.ensemble())}
    return {
        "model": model.id,
        "honesty": honest,
        "milliseconds": {
            name: {str(size): speed(net, size, questions) for size in sizes}
            for name, net in nets.items()
        },
        "training": {key: model.card[key] for key in ("stories", "questions", "seconds")},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="A folder for what was measured.")
    parser.add_argument("--every", type=int, default=12, help="Ask one of so many files.")
    options = parser.parse_args()
    found = run(options.every, SIZES, 200, options.output)
    print(json.dumps(found, indent=1))
    if options.output:
        (options.output / "answers.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        if can_plot():
            draw(found["honesty"], options.output / "reliability.png")


if __name__ == "__main__":
    main()
