"""O over paths in a large memory: the same as the full search, of a small part; and over time."""

from __future__ import annotations

from random import Random

import pytest

import memnn
from memnn.generalization import Append
from memnn.network import MemoryNetwork
from memnn.stories.forgetting import Oldest
from memnn.support_paths import organised
from memnn.support_paths.index import MentionIndex
from memnn.support_paths.network import network
from memnn.support_paths.train import fit, train
from memnn.types import Question, Statement, Story

PEOPLE = ("Joe", "Fred", "Dan", "Zork", "Bill")
THINGS = ("milk", "football", "frobozz")
ROOMS = ("kitchen", "garden", "office", "bathroom", "bedroom")


def told(n, seed=0):
    """Some of these names were never seen in training."""
    rng = Random(seed)
    for _ in range(n):
        who, what = rng.choice(PEOPLE), rng.choice(THINGS)
        yield rng.choice(
            [
                f"{who} went to the {rng.choice(ROOMS)}.",
                f"{who} travelled to the {rng.choice(ROOMS)}.",
                f"{who} took the {what}.",
                f"{who} dropped the {what}.",
            ]
        )


QUESTIONS = [
    *(f"Where is {who}?" for who in PEOPLE),
    *(f"Where is the {what}?" for what in THINGS),
    *(f"Where was {who} before the {room}?" for who in PEOPLE for room in ROOMS),
]


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """A memory is large soon."""
    monkeypatch.setattr(organised, "FEW", 100)


@pytest.fixture
def nets(over_paths):
    """The full search and the other, on one memory."""
    memory = memnn.RamMemory()
    model = over_paths.model
    return network(model, memory), network(model, memory, organised=True)


def shown(answer):
    return answer.text, answer.reason, [(hop.id, hop.score) for hop in answer.evidence]


@pytest.fixture(scope="module")
def well_trained():
    return fit(memnn.simulate(statements=2_100, questions=900, story_length=10, difficulty=2))


def test_the_same_as_the_full_search(well_trained):
    """Supports, one by one; `benchmarks.path_organised` measures it for the twenty tasks."""
    memory = memnn.RamMemory()
    full, part = network(well_trained, memory), network(well_trained, memory, organised=True)
    looked_at, differ = [], []
    (story,) = memnn.simulate(statements=1_500, questions=120, difficulty=2, seed=5)
    for line in story.lines:
        if isinstance(line, Question):
            mine = part.O(line, part.memory)
            theirs = full.O(line, full.memory)
            if [hop.id for hop in mine.hops] != [hop.id for hop in theirs.hops]:
                differ.append((line.text, full.R(theirs).text, part.R(mine).text))
            looked_at.append(mine.looked_at)
        else:
            full.memory.write(line.text)
    assert not differ
    assert max(looked_at) < 700
    assert full.O(Question("Where is Joe?"), full.memory).looked_at == 1_500


def test_what_follows_may_share_no_word():
    """That mice follow a mouse is learnt, not seen: such words are looked for, too."""
    kinds = [("mouse", "mice"), ("wolf", "wolves"), ("goose", "geese"), ("ox", "oxen")]
    rng, stories = Random(0), []
    for _ in range(60):
        animals, names = rng.sample(kinds, 4), rng.sample(PEOPLE, 4)
        feared = dict(zip(animals, rng.sample(animals, 4), strict=True))
        told = [f"{name} is a {one}." for name, (one, _) in zip(names, animals, strict=True)]
        told += [f"{many.capitalize()} are afraid of {of[1]}." for (_, many), of in feared.items()]
        order = rng.sample(range(8), 8)
        lines = [Statement(told[i]) for i in order]
        supports = (order.index(0) + 1, order.index(4) + 1)
        asked = f"What is {names[0]} afraid of?"
        answer = feared[animals[0]][1]
        stories.append(Story((*lines, Question(asked, answer=answer, supports=supports))))
    net = train(stories)
    memory = memnn.RamMemory()
    memory.write_many([f"Ann{i} is a mouse." for i in range(150)])
    memory.write_many(["Geese are afraid of oxen.", "Wolves are afraid of mice."])
    memory.write_many([f"Ann{i} is a wolf." for i in range(150, 300)])
    memory.write("Joe is a goose.")
    answer = network(net.model, memory, organised=True).ask("What is Joe afraid of?")
    assert (answer.text, [hop.id for hop in answer.evidence]) == ("oxen", [303, 151])


def test_few_statements_are_all_read(nets):
    full, part = nets
    full.memory.write_many(list(told(organised.FEW)))
    assert [shown(full.ask(q)) for q in QUESTIONS] == [shown(part.ask(q)) for q in QUESTIONS]


def test_the_past(nets, over_paths):
    """What was told later plays no part, whether it was read before or not."""
    _, part = nets
    texts = list(told(900, seed=1))
    part.memory.write_many(texts[:500])
    before = [shown(part.ask(q)) for q in QUESTIONS]
    part.memory.write_many(texts[500:])
    part.tell("Plugh went to the garden.")
    assert part.ask("Where is Plugh?").text == "garden"
    assert [shown(part.ask(q, as_of=500)) for q in QUESTIONS] == before
    assert part.ask("Where is Plugh?", as_of=500).reason == "nothing I was told mentions Plugh"


def test_later_texts_do_not_count():
    index = MentionIndex()
    for row in range(10):
        index.append(row, (1, 2, 10 + row), row)
    before = index.both(1, 2, 10, None)
    assert len(before) == 10
    for row in range(10, 1000):
        index.append(row, (1, 2, 10 + row), row)
    assert index.both(1, 2, 10, None) == before
    assert index.both(1, 2, 1000, None) == [], "too many to say anything"


def test_what_is_forgotten_is_gone(nets, over_paths):
    _, part = nets
    part.memory.write_many(list(told(400, seed=2)))
    assert part.ask("Where is Joe?").evidence
    for _ in range(3):
        part.forget(part.ask("Where is Joe?").evidence[0].id)
        twin = network(over_paths.model, organised=True)
        twin.memory.write_many([slot.text for slot in part.memory.scan()])
        for q in QUESTIONS[:12]:
            mine, other = part.ask(q), twin.ask(q)
            assert mine.text == other.text
            assert [(h.text, h.score) for h in mine.evidence] == [
                (h.text, h.score) for h in other.evidence
            ]


def test_a_full_memory_overwrites(nets, over_paths):
    """H forgets one with every statement; words that nothing mentions any more are unknown."""
    _, part = nets
    full = MemoryNetwork(I=part.I, G=Append(Oldest(250)), O=part.O, R=part.R, model=part.model)
    full.tell("Plugh went to the garden.")
    for text in told(255, seed=3):
        full.tell(text)
    assert len(full.memory) == 250
    assert full.ask("Where is Plugh?").abstained
    twin = network(over_paths.model, organised=True)
    twin.memory.write_many([slot.text for slot in full.memory.scan()])
    for q in QUESTIONS[:12]:
        assert full.ask(q).text == twin.ask(q).text


def test_a_store_may_be_organised(over_paths, tmp_path):
    """Others write to it, too; what is read grows with it."""
    place = str(tmp_path / "diary.db")
    memory = memnn.open_memory(place)
    assert not isinstance(network(over_paths.model, memory).O, organised.OrganisedPaths)
    net = network(over_paths.model, memory, organised=True)
    memory.write_many(list(told(300, seed=4)))
    assert net.ask("Where is Joe?").text
    other = memnn.open_memory(place)
    other.write_many(["Joe went to the office.", "Xyzzy took the lamp."])
    other.close()
    answer = net.ask("Where is Joe?")
    assert (answer.text, answer.evidence[0].id) == ("office", 301)
    assert net.O(Question("Where is Joe?"), memory).looked_at < 302
    memory.delete([301])
    twin = network(over_paths.model, organised=True)
    twin.memory.write_many([slot.text for slot in memory.scan()])
    assert net.ask("Where is Joe?").text == twin.ask("Where is Joe?").text
    memory.close()


def test_words_that_nothing_mentions(nets):
    _, part = nets
    part.memory.write_many(list(told(300)))
    assert part.ask("Where is Gollum?").abstained
    assert part.answer(Question("zork plugh?")).text
    assert part.answer(Question("?")).text


def test_the_index_knows_first_and_last_mentions():
    index = MentionIndex()
    for row in range(1_000):
        index.append(row, [1, 2 + row % 2, 4 + row % 3], row % 6)
    found = set(index.ends(2, 900))
    assert {0, 2, 898, 896} <= found
    assert max(found) < 900
    assert {398, 400, 402} <= set(index.beside(2, 900, 401))
    assert max(index.beside(2, 900, 899)) == 898
    assert list(index.ends(77, 900)) == list(index.beside(77, 900, 5)) == []
    both = index.both(2, 4, 900, 450)
    assert {0, 894, 450, 444, 456} <= set(both)
    assert all(row % 6 == 0 and row < 900 for row in both)
    assert index.both(2, 3, 900, None) == index.both(2, 77, 900, None) == []
