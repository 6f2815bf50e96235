"""Small talk: `python -m benchmarks.small_talk [--set dev|final] [--folds] [--asked] [--wrong]`.

Without `--folds`, the small talk of the blind dialogues: whether it does what the writers expected.
With it, the sentences of talk.txt, each read by what was learnt from the others, in five parts; and
how often ordinary sentences are taken for talk (stories, and pairs of what was told and asked).
With `--asked`, what the written stories (benchmarks/stories) tell and ask, without marks and
capitals: how much of each is asked.
Look at `final` once, and write it into docs/log.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from importlib.resources import files
from typing import Any

import numpy as np

from benchmarks.blind_dialogues import FOLDER, holds
from memnn.conversations import train_intents
from memnn.conversations.asking import is_asked
from memnn.conversations.intents import ACTS, ORDINARY, Intent, IntentModel, intent_of
from memnn.conversations.search import Filter, Finder
from memnn.conversations.small_talk import SmallTalk, TalkReply
from memnn.memory import AsOf, RamMemory
from memnn.simulator import ordinary, simulate
from memnn.text.sentences import QUESTION_WORDS, Sentences, is_question, split_sentences
from memnn.text.vectors import english
from memnn.types import FoundSlot, Statement

FOLDS = 5


class Notebook:
    """A memory in conversation; questions are only counted."""

    def __init__(self, told: list[str]) -> None:
        self.memory, self.finder, self.talk = RamMemory(), Finder(), SmallTalk()
        for text in told:
            self.memory.write(text)
        self.asked = 0
        self.replies: list[TalkReply] = []

    def search(self, question: str, k: int = 10, *, as_of: AsOf = None) -> list[FoundSlot]:
        return self.finder(self.memory, question, k, Filter(as_of))

    def say(self, text: str) -> None:
        for part, intent in self.talk.hears(text):
            if self.talk.takes(intent):
                self.replies.append(self.talk(self, self.memory, part, intent))
                continue
            for x in Sentences()(part):
                if isinstance(x, Statement):
                    self.talk.follows(self.memory.write(x.text))
                else:
                    self.asked += 1


def is_right(case: dict[str, Any]) -> tuple[bool, Notebook]:
    notebook = Notebook(case["told"])
    notebook.say(case["say"])
    texts = [slot.text for slot in notebook.memory.scan()]
    new, intents = texts[len(case["told"]) :], [reply.intent for reply in notebook.replies]
    same = texts == case["told"]
    listed = " ".join(slot.text for reply in notebook.replies for slot in reply.slots)
    if case["expect"] == "store":
        right = bool(new) and all(holds(" ".join(new), word) for word in case["about"])
    elif case["expect"] == "forget last":
        right = texts == case["told"][:-1] and "forget" in intents
    elif case["expect"] == "reply":
        right = same and bool(intents) and not notebook.asked
    else:
        wanted = all(holds(listed, word) for word in case["about"])
        right = same and case["expect"] in intents and wanted
    return right, notebook


def blind(name: str, wrong: bool) -> dict[str, Any]:
    with gzip.open(FOLDER / f"dialogues-{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        cases = [case for case in map(json.loads, lines) if case["kind"] == "small talk"]
    cases_of: Counter[str] = Counter()
    right_of: Counter[str] = Counter()
    for case in cases:
        right, notebook = is_right(case)
        cases_of[case["expect"]] += 1
        right_of[case["expect"]] += right
        if wrong and not right:
            print(case, notebook.replies, [slot.text for slot in notebook.memory.scan()])
    kinds = {kind: f"{right_of[kind]} of {n}" for kind, n in cases_of.items()}
    return {"right": f"{right_of.total()} of {len(cases)}", "kinds": kinds}


def group(intent: str) -> str:
    return intent if intent in ACTS else "ordinary" if intent in ("", *ORDINARY) else "reply"


def folds(wrong: bool) -> dict[str, Any]:
    said, vectors = train_intents.talk(), english()
    order = np.random.default_rng(0).permutation(len(said))
    found: Counter[tuple[str, str]] = Counter()
    topics = 0
    for fold in range(FOLDS):
        held = set(order[fold::FOLDS].tolist())
        rest = [each for place, each in enumerate(said) if place not in held]
        model: IntentModel = train_intents.train(rest + train_intents.questions(), vectors)
        for place in held:
            each = said[place]
            read: Intent = intent_of(each.text, model)
            wanted, got = group(each.intent), group(read.name)
            found[wanted, got] += 1
            if each.topic is not None:
                topic = model.topic(each.text, each.intent, vectors)
                topics += topic == each.text[slice(*each.topic)]
            if wrong and wanted != got:
                print(wanted, "taken for", got, "|", each.text)
    total = Counter({kind: sum(n for (k, _), n in found.items() if k == kind) for kind, _ in found})
    return {
        "right": {kind: f"{found[kind, kind]} of {n}" for kind, n in total.items()},
        "ordinary_taken_for_talk": total["ordinary"] - found["ordinary", "ordinary"],
        "wrongly_deleted": {k: n for (k, got), n in found.items() if got == "forget" != k},
        "topics_right": f"{topics} of {sum(each.topic is not None for each in said)}",
    }


def false_alarms(wrong: bool) -> dict[str, str]:
    pairs = (files("memnn.dialogue") / "data" / "told.tsv").read_text("utf-8").splitlines()
    asked = [q.text for q in train_intents.questions(offset=1)]
    sources = {
        "told.tsv": [text for line in pairs for text in line.split("\t")[:2]],
        "questions about conversations": asked,
        "ordinary stories": [
            x.text for story in ordinary.stories(seed=5, questions=1_500) for x in story.lines
        ],
        "stories of the paper's world": [
            x.text
            for story in simulate(statements=700, questions=300, difficulty=5, seed=5)
            for x in story.lines
        ],
    }
    shown = {}
    for name, texts in sources.items():
        different = list(dict.fromkeys(texts))
        alarms = [text for text in different if intent_of(text).name]
        shown[name] = f"{len(alarms)} of {len(different)}"
        if wrong:
            print(name, *alarms, sep="\n  ")
    return shown


def typed(text: str) -> str:
    """As people type it in a hurry."""
    return text.rstrip("?.! ").lower()


def with_slip(text: str, chance: np.random.Generator) -> str:
    """A letter inside the first word is missing."""
    first, _, rest = text.partition(" ")
    gone = int(chance.integers(1, len(first) - 1))
    return f"{first[:gone]}{first[gone + 1 :]} {rest}"


def asked(wrong: bool) -> dict[str, str]:
    told: set[str] = set()
    questions: set[str] = set()
    for file in sorted((FOLDER.parent / "stories").glob("c*.txt")):
        for line in file.read_text("utf-8").splitlines():
            text = line.partition(" ")[2]
            if "\t" in text:
                questions.add(text.partition("\t")[0])
            elif not is_question(text):
                told.update(each for each in split_sentences(text) if not is_question(each))
    chance = np.random.default_rng(0)
    long = [q for q in sorted(map(typed, questions)) if len(q.partition(" ")[0]) > 3]
    slips = [with_slip(q, chance) for q in long if q.partition(" ")[0] in QUESTION_WORDS]
    taken = [text for text in sorted(told) if is_asked(typed(text))]
    if wrong:
        print("asked:", *taken, sep="\n  ")
    return {
        "statements": f"{len(taken)} of {len(told)}",
        "questions": f"{sum(is_asked(typed(q)) for q in questions)} of {len(questions)}",
        "by their question word": str(sum(is_question(typed(q)) for q in questions)),
        "with a slip in it": f"{sum(map(is_asked, slips))} of {len(slips)}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="What small talk is taken for.")
    parser.add_argument("--set", choices=["dev", "final"], default="dev")
    parser.add_argument("--folds", action="store_true", help="the file it learns from, in parts")
    parser.add_argument("--wrong", action="store_true", help="show what is wrong")
    parser.add_argument("--asked", action="store_true", help="questions without their marks")
    options = parser.parse_args()
    found: dict[str, Any]
    if options.asked:
        found = asked(options.wrong)
    elif options.folds:
        found = {**folds(options.wrong), "false_alarms": false_alarms(options.wrong)}
    else:
        found = blind(options.set, options.wrong)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
