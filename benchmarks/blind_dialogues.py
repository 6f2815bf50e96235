"""Short dialogues in everyday English, written without sight of the project: `python -m
benchmarks.blind_dialogues [--set dev|final|second|third|…|tenth] [--model FOLDER] [--wrong KIND]
[-o FOLDER]`.

An answer is right if it holds one of the accepted words, or all of those wanted, and no rival; a
question that nothing told answers must be declined. Small talk is not asked here. Look at each set
but `dev` once, and write it into docs/log.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import memnn
from memnn import default, loading
from memnn.dialogue.network import Ensemble
from memnn.errors import InputError
from memnn.network import Network
from memnn.types import Answer

FOLDER = Path(__file__).parent / "blind"
NUMBERS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
]  # fmt: skip
SURE = 0.9


class Outcome(NamedTuple):
    case: dict[str, Any]
    answer: Answer
    right: bool


def cases(name: str) -> list[dict[str, Any]]:
    with gzip.open(FOLDER / f"dialogues-{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [case for case in found if case["kind"] != "small talk"]


def holds(text: str, words: str) -> bool:
    """Whether these words stand in a text, whatever their case and punctuation."""
    return f" {_plain(words)} " in f" {_plain(text)} "


def _plain(text: str) -> str:
    spaced = re.sub(r"'s\b|[^\w$€£%:./-]+", " ", text.lower().replace("’", "'"))
    return " ".join(word.strip(".") for word in spaced.split())


def is_right(case: dict[str, Any], answer: Answer) -> bool:
    if case["decline"] or answer.abstained:
        return bool(case["decline"] and answer.abstained)
    accept = [word.lower() for word in case["accept"]]
    if accept and accept[0] in ("yes", "no"):
        return _plain(answer.text).split()[:1] == accept[:1]
    if any(holds(answer.text, rival) for rival in case["reject"]):
        return False
    if case["all"]:
        return all(holds(answer.text, word) for word in case["all"])
    both = {word: str(number) for number, word in enumerate(NUMBERS)}
    both |= {figure: word for word, figure in both.items()}
    accept += [both[word] for word in accept if word in both]
    return any(holds(answer.text, word) for word in accept)


def outcomes(new: Callable[[], Network], chosen: list[dict[str, Any]]) -> Iterator[Outcome]:
    for case in chosen:
        net = new()
        for text in case["told"]:
            with suppress(InputError):  # what is refused is not there, as for anybody
                net.tell(text)
        answer = net.ask(case["question"])
        yield Outcome(case, answer, is_right(case, answer))


def summary(found: list[Outcome]) -> dict[str, Any]:
    asked = Counter(each.case["kind"] for each in found)
    right = Counter(each.case["kind"] for each in found if each.right)
    supported = [each for each in found if not each.case["decline"]]
    sure = [e for e in given(found) if (e.answer.probability or 0.0) >= SURE]
    return {
        "kinds": {kind: {"cases": n, "right": right[kind]} for kind, n in asked.items()},
        "right": round(100 * right.total() / len(found), 1),
        "supported_declined": round(
            100 * sum(each.answer.abstained for each in supported) / max(1, len(supported)), 1
        ),
        "sure": len(sure),
        "sure_but_wrong": sum(not each.right for each in sure),
        "calibration_error": round(_calibration_error(given(found)), 3),
    }


def given(found: list[Outcome]) -> list[Outcome]:
    """Those that were answered, with a probability."""
    return [e for e in found if e.answer.probability is not None and not e.answer.abstained]


def _calibration_error(given: list[Outcome]) -> float:
    """How far probabilities are from what is right, in ten steps."""
    steps: dict[int, list[Outcome]] = {}
    for each in given:
        steps.setdefault(min(9, int(10 * (each.answer.probability or 0.0))), []).append(each)
    gaps = [
        abs(sum((each.answer.probability or 0.0) - each.right for each in step))
        for step in steps.values()
    ]
    return sum(gaps) / max(1, len(given))


def main() -> None:
    parser = argparse.ArgumentParser(description="Short dialogues in everyday English.")
    parser.add_argument(
        "--set",
        choices=[
            "dev",
            "final",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
        ],
        default="dev",
    )
    parser.add_argument("--model", help="the folder of a model; the default network unless given")
    parser.add_argument("--wrong", help="show what is wrong of this kind, or of `all`")
    parser.add_argument("-o", "--output", type=Path, help="a folder for what was measured")
    options = parser.parse_args()
    if options.model:
        net: Network = loading.load(options.model)
    else:
        net = Ensemble(default.ensemble())
    found = list(outcomes(lambda: net.with_memory(memnn.RamMemory()), cases(options.set)))
    for case, answer, right in found:
        if not right and options.wrong in (case["kind"], "all"):
            wanted = case["accept"] or case["all"] or "I don't know"
            print(" / ".join(case["told"]), "|", case["question"], "|", wanted, "|", answer.text)
    shown = summary(found)
    print(json.dumps(shown, indent=1))
    if options.output:
        said = [(round(e.answer.probability or 0.0, 4), e.right) for e in given(found)]
        file = options.output / f"dialogues-{options.set}.json"
        file.write_text(json.dumps({**shown, "said": said}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
