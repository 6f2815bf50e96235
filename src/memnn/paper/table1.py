"""Table 1 of the paper: question answering over triples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memnn.facts.evaluate import Find, finder, sign_test
from memnn.facts.lookup import Found, Lookup
from memnn.facts.reading import Reading
from memnn.paper.facts import EVERYTHING, RERANKED, load, measure_system, recipe, trained
from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.paper.rivals import has_bm25, tf_idf, tuned_bm25
from memnn.paper.shown import bullets, of_cells, table

MEMNN1 = ("MemNN: embedding", "MemNN: embedding + λ·BoW", "MemNN: embedding + matching")
TFIDF, BM = "TF-IDF", "BM25, tuned on validation"


def measure_table1(cell: Cell, size: Size) -> Values:
    data = load(size)
    plain, index, reading = trained(data, recipe(size, cell.seed))
    match, _, match_reading = trained(data, recipe(size, cell.seed, match=True))
    places = index.places()
    lookups: dict[str, tuple[Lookup, Reading]] = {
        MEMNN1[0]: (plain.lookup(bow=False), reading),
        MEMNN1[1]: (plain.lookup(), reading),
        MEMNN1[2]: (match.lookup(), match_reading),
    }
    finders: dict[str, Find] = {TFIDF: tf_idf(index, plain.dictionary)}
    notes = []
    if has_bm25():
        tuned = tuned_bm25(index, plain.dictionary, data.valid)
        finders[BM] = tuned.find
        notes.append(f"BM25: k1 = {tuned.k1}, b = {tuned.b}, chosen on validation")
    else:
        notes.append("BM25 was not measured: it needs the library bm25s (pip install bm25s)")
    finders |= {name: finder(*both) for name, both in lookups.items()}
    measured = {name: measure_system(find, data, places) for name, find in finders.items()}
    systems = [name for name in (TFIDF, BM, MEMNN1[2]) if name in measured]

    def union(question: str) -> np.ndarray:
        tops = [measured[name].tops.get(question, []) for name in systems]
        return np.unique(np.array([place for top in tops for place in top], np.int32))

    rows = {}
    for name, one in measured.items():
        rows[name] = dict(one.values)
        if BM in measured and name != BM:
            rows[name]["p"] = sign_test(one.evaluation.outcomes, measured[BM].evaluation.outcomes)
        if name in lookups:
            again = measure_system(reranker(*lookups[name], union), data, places)
            rows[name] |= {f"reranked {key}": again.values[key] for key in ("f1", "hit@1")}
            rows[name]["reranked candidates"] = again.values["candidates"]
    return {
        "accuracy": rows[MEMNN1[2]]["hit@1"],
        "data": data.about,
        "notes": notes,
        "rows": rows,
    }


def reranker(lookup: Lookup, reading: Reading, union: Callable[[str], np.ndarray]) -> Find:
    def find(question: str) -> tuple[Sequence[Found], int]:
        search = lookup.search(question, reading, k=100, places=union(question))
        return search.found, search.candidates

    return find


PAPER1 = {
    "Paralex (Fader et al. 2013), as quoted in the paper": "0.54",
    "Bordes et al. 2014b, as quoted in the paper": "0.73",
}
PAPER1_OURS = {MEMNN1[0]: "0.72", MEMNN1[1]: "0.82"}


def show_table1(cells: list[dict[str, Any]]) -> list[str]:
    quoted = [[name, f1, *["–"] * 7] for name, f1 in PAPER1.items()]
    rows = [
        [
            row,
            PAPER1_OURS.get(row, "–"),
            *(of_cells(cells, row, key) for key in ("f1", "hit@1", "hit@10", "mrr")),
            worst_p(cells, row),
            *(of_cells(cells, row, f"reranked {key}") for key in ("f1", "hit@1")),
        ]
        for row in (TFIDF, BM, *MEMNN1)
    ]
    head = [
        "", "F1 in the paper", "F1", "hit@1", "hit@10", "MRR", "p against BM25",
        "re-ranked F1", "re-ranked hit@1",
    ]  # fmt: skip
    notes = dict.fromkeys(note for cell in cells for note in cell["notes"])
    return [f"Measured on {cells[0]['data']}.", table(head, [*quoted, *rows]), *bullets(notes)]


def worst_p(cells: list[dict[str, Any]], row: str) -> str:
    """The largest p over the seeds: none of them may lean on another's luck."""
    values = [cell["rows"][row]["p"] for cell in cells if "p" in cell["rows"].get(row, {})]
    return f"{max(values):.2g}" if values else "–"


TABLE1 = Experiment(
    "table1",
    "Table 1: question answering over triples",
    [EVERYTHING],
    [EVERYTHING],
    measure_table1,
    show=show_table1,
    topic="Facts",
    notes=[
        "Not comparable with the paper: it re-ranks candidates of 14M ReVerb triples that people "
        "labelled right or wrong (Paralex), learns from 35M paraphrases, and its labels allow "
        "several right facts. Here a question has one right fact, among all triples, and another "
        "one that answers as well counts as wrong. The paper's figures are quoted for the pattern: "
        "embedding, then with word matches.",
        "F1: a system answers where its score passes the threshold with the best F1 on validation "
        "questions; P = right/answered, R = right/all. Ties count in expectation.",
        f"Re-ranked: of the union of the first {RERANKED} of TF-IDF, BM25 and + matching.",
        "p: two-sided sign test over questions on hit@1, the largest of the seeds.",
    ],
)
