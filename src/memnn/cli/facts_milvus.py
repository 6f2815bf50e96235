"""`memnn facts` where an index is in Milvus."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from memnn.cli import screen
from memnn.facts.recipe import HashSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memnn.facts.evaluate import FactsEvaluation
    from memnn.facts.index import FactIndex
    from memnn.facts.lookup import Lookup
    from memnn.facts.model import FactsModel
    from memnn.facts.triples import Asked


def is_address(where: str) -> bool:
    """Whether facts are in Milvus; what looks like another address is said to be none."""
    from memnn.errors import InputError, UnknownName
    from memnn.memory.address import SCHEMES
    from memnn.memory.milvus.address import EXAMPLE

    scheme, found, _ = where.partition("://")
    if found and scheme not in SCHEMES:
        raise UnknownName("kind of store", scheme, SCHEMES)
    if not found and where.startswith("milvus+"):
        raise InputError(f"'{where}' is no address; one is like {EXAMPLE}")
    return bool(found)


def check_no_hash(hashing: HashSettings) -> None:
    from memnn.errors import InputError

    if hashing != HashSettings():
        raise InputError("--hash and --cap are for an index folder; in Milvus the engine chooses")


def candidates(
    model: Path, where: str, question: str
) -> tuple[FactsModel, FactIndex, Lookup, Sequence[int]]:
    """What Milvus finds for a question, as an index of its own."""
    from memnn.errors import InputError
    from memnn.facts import model as models
    from memnn.facts.milvus.index import MilvusFacts
    from memnn.loading import part

    trained = models.load(part(model, "facts"))
    with closing(MilvusFacts(where, trained)) as facts:
        found = facts.candidates(question)
    if found is None:
        raise InputError("no fact is left; write them again with memnn facts index")
    return trained, found.facts, trained.lookup(), found.ids


def evaluated(
    model: Path, where: str, bow: bool, asked: list[Asked]
) -> tuple[FactsModel, FactsEvaluation]:
    """Questions to facts in Milvus; gold triples that are not there count as wrong."""
    from memnn.facts import evaluate as evaluation
    from memnn.facts import model as models
    from memnn.facts.milvus.index import MilvusFacts, finder
    from memnn.loading import part

    trained = models.load(part(model, "facts"))
    places = {triple: n for n, triple in enumerate(dict.fromkeys(q.gold for q in asked))}
    with (
        closing(MilvusFacts(where, trained)) as facts,
        screen.counting_bar("Asking", len(asked)) as bar,
    ):
        find = finder(facts, trained.lookup(bow=bow, match=bow), places)
        return trained, evaluation.evaluate(find, asked, places, progress=bar)
