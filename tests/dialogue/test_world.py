"""The world facts that ship and the questions that measure them are whole and fit together."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import memnn
from memnn import default
from memnn.dialogue.network import Ensemble
from memnn.dialogue.wordings import worded, wordings
from memnn.dialogue.written import unsupported, with_written, written
from memnn.facts.triples import Triple

WORLD = Path(memnn.__file__).parent / "dialogue" / "data" / "world.tsv"
DATA = Path(__file__).parent.parent / "data"
PACKAGE = WORLD.parent


def lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return text.splitlines()


def table(path: Path, header: str | None = None) -> list[tuple[str, ...]]:
    rows = [tuple(line.split("\t")) for line in lines(path)]
    if header is not None:
        assert rows.pop(0) == tuple(header.split())
    return rows


def questions(folder: Path) -> list[tuple[str, ...]]:
    return table(folder / "world-questions.tsv", "question narg1 nrel narg2")


def told(folder: Path) -> list[tuple[str, ...]]:
    return table(folder / "told.tsv", "statement question other")


def words(text: str) -> tuple[str, ...]:
    """A question up to case and punctuation."""
    return tuple(re.findall(r"\w+", text.lower()))


@pytest.fixture(scope="module")
def facts() -> list[tuple[str, ...]]:
    return table(WORLD)


def test_facts_are_three_clean_columns(facts):
    assert len(facts) >= 1_800
    for fact in facts:
        assert len(fact) == 3
        assert all(column and column == " ".join(column.split()) for column in fact)


def test_no_fact_stands_twice(facts):
    seen = Counter(tuple(map(words, fact)) for fact in facts)
    assert [fact for fact, times in seen.items() if times > 1] == []


def test_every_country_has_one_capital_and_one_place(facts):
    capitals = Counter(o for _, relation, o in facts if relation == "is the capital of")
    places = {s for s, relation, _ in facts if relation == "is a country in"}
    assert max(capitals.values()) == 1
    assert set(capitals) <= places
    assert len(places) >= 190


def test_languages_and_currencies_belong_to_known_countries(facts):
    places = {s for s, relation, _ in facts if relation == "is a country in"}
    for relation in ("is an official language of", "is spoken in", "is the currency of"):
        assert {o for _, r, o in facts if r == relation} <= places


@pytest.mark.parametrize(
    "question",
    [
        "Where does milk come from?",
        "What is a cow a type of?",
        "Where are cattle found?",
        "What does milk taste like?",
        "What does milk go well with?",
    ],
)
def test_the_dialogue_of_the_paper_has_its_facts(question):
    assert question in {row[0] for row in table(PACKAGE / "asked.tsv")}


@pytest.mark.parametrize(("folder", "count"), [(DATA, 200), (DATA / "dev", 200)])
def test_every_question_has_its_fact(facts, folder, count):
    rows = questions(folder)
    assert len({words(row[0]) for row in rows}) == count
    assert len(set(rows)) == len(rows)
    assert {row[1:] for row in rows} <= set(facts)


@pytest.mark.parametrize(("folder", "count"), [(DATA, 100), (DATA / "dev", 100)])
def test_unanswerable_questions_are_told_apart(folder, count):
    unanswerable = {words(line) for line in lines(folder / "unanswerable.txt")}
    answerable = {words(row[0]) for row in questions(folder)} | {
        words(row[1]) for row in told(folder)
    }
    assert len(unanswerable) == count
    assert not unanswerable & answerable


@pytest.mark.parametrize(
    ("folder", "count", "corrected"), [(DATA, 100, 20), (DATA / "dev", 100, 20)]
)
def test_told_statements(folder, count, corrected):
    rows = told(folder)
    assert len(rows) == count
    assert all(len(row) == 3 for row in rows)
    assert sum(bool(other) for _, _, other in rows) == corrected
    assert len({words(statement) for statement, _, _ in rows}) == count
    assert len({words(question) for _, question, _ in rows}) == count
    assert all(statement != other for statement, _, other in rows)


def test_others_say_something_else():
    others = [words(line) for line in lines(DATA / "others.txt")]
    assert len(others) == len(set(others)) == 2_000
    for folder in (DATA, DATA / "dev"):
        said = {words(text) for row in told(folder) for text in (row[0], row[2])}
        assert not said & set(others)


def test_what_calibrates_is_whole(facts):
    asked = table(PACKAGE / "asked.tsv")
    assert {row[1:] for row in asked} <= set(facts)
    unsupported = {words(line) for line in lines(PACKAGE / "unsupported.txt")}
    assert not unsupported & {words(row[0]) for row in asked}


def wording(text: str) -> tuple[str, ...]:
    """A question up to case, punctuation and articles."""
    return tuple(word for word in words(text) if word not in ("the", "a", "an"))


@pytest.fixture(scope="module")
def known(facts) -> set[tuple[str, ...]]:
    """Every question and sentence that trains, calibrates or is there to try ideas on."""
    triples = [Triple(*fact) for fact in facts]
    ways = with_written(wordings(), written())
    texts = {text for triple in triples for text in worded(triple, ways)}
    texts |= {each.question for each in written()} | {question for _, question in unsupported()}
    names = {name for triple in triples for name in (triple.subject, triple.object)}
    texts |= {way.format(x=x) for way in lines(PACKAGE / "unanswered.txt") for x in names}
    texts |= {row[0] for row in table(PACKAGE / "asked.tsv")}
    texts |= set(lines(PACKAGE / "unsupported.txt"))
    texts |= {text for row in table(PACKAGE / "told.tsv") for text in row}
    texts |= {row[0] for row in questions(DATA / "dev")}
    texts |= set(lines(DATA / "dev" / "unanswerable.txt"))
    texts |= {text for row in told(DATA / "dev") for text in row}
    return {wording(text) for text in texts if text}


@pytest.mark.parametrize(
    "measured",
    [
        lambda: [row[0] for row in questions(DATA)],
        lambda: lines(DATA / "unanswerable.txt"),
        lambda: [text for row in told(DATA) for text in row if text],
    ],
    ids=["world", "nothing supports", "told"],
)
def test_nothing_that_measures_trains_or_calibrates(known, measured):
    """No question, as it stands or as a wording of any fact, and no sentence: not even one."""
    assert [text for text in measured() if wording(text) in known] == []


def test_a_wording_is_recognised_articles_aside(known):
    """The rule above finds what a training wording makes of a fact."""
    assert wording("What is the capital of the Norway?") in known
    assert wording("Who was the first person to eat a brick?") not in known


@pytest.mark.parametrize(
    "question", ["What is 2+2?", "2+2?", "How much is 5 and 7?", "Is he in the kitchen?"]
)
def test_a_number_or_somebody_alone_asks_for_no_fact(question):
    """Helium has the atomic number 2, and food is cooked in the kitchen: neither was asked."""
    assert Ensemble(default.ensemble()).ask(question).abstained


def test_facts_with_a_number_are_still_found():
    net = Ensemble(default.ensemble())
    assert "helium" in net.ask("Which element has atomic number 2?").text
