"""Search: BM25 by an obvious version, filters, neighbours, and scores that are sums of terms."""

from __future__ import annotations

import math
import random
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest

import memnn
from memnn.conversations import question as questions
from memnn.conversations import turn_reader as indices
from memnn.conversations.features import FEATURES
from memnn.conversations.index import lemmas_of
from memnn.conversations.rarity import shares
from memnn.conversations.scoring import Bm25, LinearScorer
from memnn.conversations.search import AS_READ, Filter, Finder
from memnn.text.tokens import words_1
from memnn.types import Turn


def lemmas(text):
    return [form for word in words_1(text) for form in lemmas_of(word)]


def slow_bm25(memory, question, k, allowed=lambda slot: True):
    """Word by word, as the formula stands in the books."""
    bags = {}
    for slot in memory.scan():
        spoken = slot.text if slot.speaker is None else f"{slot.speaker}: {slot.text}"
        bags[slot.id] = Counter(lemmas(spoken))
    mean = sum(bag.total() for bag in bags.values()) / len(bags)
    scored = []
    for slot in memory.scan():
        bag, total = bags[slot.id], 0.0
        for word in dict.fromkeys(lemmas(question)):
            held = max(sum(word in other for other in bags.values()), 1)
            general = 1 + 100 * shares().get(word, 0)
            idf = math.log(1 + (len(bags) + 100 - general + 0.5) / (general + 0.5))
            idf *= math.log(1 + (len(bags) - held + 0.5) / (held + 0.5))
            idf /= math.log(1 + (len(bags) - 0.5) / 1.5)
            tf = bag[word]
            total += idf * tf * 1.9 / (tf + 0.9 * (0.6 + 0.4 * bag.total() / mean)) if tf else 0.0
        if total and allowed(slot):
            scored.append((slot.id, total))
    return sorted(scored, key=lambda each: (-round(each[1], 9), -each[0]))[:k]


def told(seed, n, memory=None):
    rng = random.Random(seed)
    words = [f"word{i}" for i in range(60)] + ["went", "going", "Ann", "it's", "Mount-Doom"]
    memory = memory or memnn.RamMemory()
    texts, turns = [], []
    for _ in range(n):
        size = rng.randint(1, 12)
        texts.append(" ".join(words[min(int(rng.paretovariate(0.8)) - 1, 64)] for _ in range(size)))
        day = f"2023-0{rng.randint(1, 9)}-01T00:00:00Z"
        turns.append(
            Turn(rng.choice([None, "Ann", "Bob"]), rng.choice([None, day]), rng.choice("ab"))
        )
    memory.write_many(texts, turns=turns)
    return memory


@pytest.mark.parametrize("few", [0, 10_000], ids=["pruned", "at-once"])
@pytest.mark.parametrize("many", [1, 10_000], ids=["pages", "one-by-one"])
def test_it_is_bm25(monkeypatch, few, many):
    monkeypatch.setattr(questions, "FEW_TURNS", few)
    monkeypatch.setattr(indices, "MANY", many)
    monkeypatch.setattr(indices, "LEAST_JOINED", 50)
    finder = Finder(Bm25())
    memory = told(1, 150)
    rng = random.Random(2)
    for round in range(12):
        if round % 3 == 0:
            told(round, 20, memory)
        question = " ".join(rng.choice(["word1", "word2", "word9", "go", "Ann", "mount", "xyz"])
                            for _ in range(4))  # fmt: skip
        for k in (1, 5, 400):
            found = finder(memory, question, k)
            expected = slow_bm25(memory, question, k)
            assert [f.id for f in found] == [id for id, _ in expected]
            assert np.allclose([f.score for f in found], [score for _, score in expected])
        who = finder(memory, question, 7, Filter(speaker="Ann"))
        by_ann = slow_bm25(memory, question, 7, lambda slot: slot.speaker == "Ann")
        assert [f.id for f in who] == [id for id, _ in by_ann]
    memory.delete([1, 5])
    assert [f.id for f in finder(memory, "word1", 9)] == [
        id for id, _ in slow_bm25(memory, "word1", 9)
    ]


@pytest.fixture
def talk():
    memory = memnn.RamMemory()
    for day, (speaker, text) in enumerate(
        [("Ann", "Did you get a dog?"), ("Bob", "Yes!"), ("Ann", "A big one?"), ("Bob", "A dog is"
         " a dog."), (None, "Eve has a dog.")], start=1,
    ):  # fmt: skip
        said = f"2023-05-0{day}T12:00:00Z" if speaker else None
        session = "one" if day < 4 else "two"
        memory.write(
            text, turn=speaker and Turn(speaker, said, session, {"day": day, "tags": ["x"]})
        )
    return memory


def ids(found):
    return [f.id for f in found]


@pytest.mark.parametrize(
    ("which", "found"),
    [
        ({}, {1, 4, 5}), ({"speaker": "Bob"}, {4}), ({"speaker": "Nobody"}, set()),
        ({"since": "2023-05-02"}, {4, 5}), ({"until": "2023-05-01"}, {1}),
        ({"until": "2023-05-01T11:59:59Z"}, set()),
        ({"since": "2023-05-04", "until": "2024-01-01"}, {4}),
        ({"as_of": 4}, {1, 4}), ({"as_of": 0}, set()), ({"meta": {"day": 4}}, {4}),
        ({"meta": {"tags": ["x"]}}, {1, 4}), ({"meta": {"day": 4, "tags": ["y"]}}, set()),
        ({"since": datetime(2023, 5, 4, tzinfo=UTC), "speaker": "Bob"}, {4}),
        ({"as_of": "2001-01-01T00:00:00Z"}, set()),
    ],
)  # fmt: skip
def test_filters(talk, which, found):
    assert set(ids(Finder(Bm25())(talk, "dog", which=Filter(**which)))) == found
    learnt = set(ids(Finder()(talk, "dog", which=Filter(**which))))
    assert found <= learnt <= found | {2}, "that is the answer to whether there is a dog"


def test_neighbours_stay_in_the_session(talk):
    first, *_ = Finder(Bm25())(talk, "Did you get one?", 1, neighbours=5)
    assert (first.id, [slot.id for slot in first.neighbours]) == (1, [2, 3])


def test_idf_follows_the_memory_and_not_the_future():
    """Words that talk in general does not have: how rare they are is of this memory alone."""
    memory, finder = memnn.RamMemory(), Finder(Bm25())
    memory.write_many(["A dorg.", "The dorg.", "A bigg one.", "My dorg."])
    before = finder(memory, "bigg dorg", which=Filter(as_of=4))
    assert ids(before)[0] == 3
    memory.write_many(["A bigg house."] * 40)
    assert finder(memory, "bigg dorg", which=Filter(as_of=4)) == before
    assert ids(finder(memory, "bigg dorg"))[0] in (1, 2, 4), "bigg is common now"


@pytest.mark.parametrize("n", [0, 10_000], ids=["best-and-neighbours", "all"])
def test_terms_add_up_to_the_score(monkeypatch, n):
    monkeypatch.setattr(questions, "FEW_TURNS", n)
    memory = told(3, 80)
    scorer = LinearScorer({name: 0.5 + i for i, name in enumerate(FEATURES)})
    for finder in (Finder(), Finder(scorer)):
        found = finder(memory, "What did Ann say of word3 and word7?", 20)
        assert len(found) == 20
        assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
        for f in found:
            assert f.score == sum(f.terms.values())
            assert memory.read([f.id]) == [f.slot]


def test_a_neighbour_without_a_word_of_the_question_can_be_found():
    memory = memnn.RamMemory()
    texts = ["Where did you buy the lamp?", "In the old market hall.", "Nice."]
    memory.write_many(texts, turns=[Turn(speaker) for speaker in ("Ann", "Bob", "Ann")])
    found = Finder(LinearScorer({"turn": 1.0, "previous": 2.0}))(memory, "Where is the lamp from?")
    assert ids(found)[0] == 2
    assert found[0].terms["previous"] > 0
    facts = memnn.RamMemory()
    facts.write_many(texts)
    assert ids(Finder()(facts, "Where is the lamp from?"))[0] == 1, "nobody talks there"


def test_weights_are_a_file(tmp_path):
    path = LinearScorer({"turn": 1.0, "next": -0.25}).save(tmp_path / "weights.json")
    assert LinearScorer.load(path).weights == {"turn": 1.0, "next": -0.25}
    path.write_text('{"format": 9, "weights": {}}')
    with pytest.raises(memnn.ModelError, match="format 9"):
        LinearScorer.load(path)
    path.write_text("[]")
    with pytest.raises(memnn.ModelError, match="weights of a scorer"):
        LinearScorer.load(path)
    with pytest.raises(memnn.InputError, match=r"no feature 'tune'; did you mean turn"):
        LinearScorer({"tune": 1.0})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"k": 0}, "k must be"), ({"k": True}, "k must be"), ({"k": 1_001}, "1,000"),
        ({"neighbours": 11}, "neighbours"), ({"question": " "}, "nothing"),
        ({"which": Filter(since="soon")}, "not a time"),
        ({"which": Filter(as_of="soon")}, "RFC 3339"),
        ({"which": Filter(until=datetime(2023, 1, 1))}, "not a time"),
        ({"which": Filter(meta={"a": object()})}, "JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_searched_for_is_one_line(talk, wrong, said):
    with pytest.raises(memnn.InputError, match=said) as error:
        Finder()(**{"memory": talk, "question": "dog"} | wrong)
    assert "\n" not in str(error.value)


def test_nothing_is_found_in_nothing():
    assert Finder()(memnn.RamMemory(), "Where is Joe?") == []
    memory = memnn.RamMemory()
    memory.write("...")
    assert Finder()(memory, "Where is Joe?") == []
    assert Finder(LinearScorer({"turn": 1.0}))(memory, "...") == []


def test_a_memory_can_go(tmp_path):
    """What is kept of a memory that was updated does not keep the memory."""
    import gc
    import weakref

    from memnn.memory.present import present

    memory = memnn.RamMemory()
    memory.write("a")
    memory.write("b", turn=Turn(supersedes=1))
    assert list(present(memory).candidates()) == [2]
    gone = weakref.ref(memory)
    del memory
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("question", ["Oslo", "move", "moved", "Bob, Oslo?", "Where did Bob move?"])
def test_in_a_small_memory_the_turn_with_the_word_is_first(question):
    """A neighbour that answers is not: in three turns no word is rare by counting alone."""
    memory = memnn.RamMemory()
    memory.write("Where do you live now? Rome?", turn=Turn("Ann"))
    memory.write("I moved to Oslo. And you?", turn=Turn("Bob", session="call 7"))
    memory.write("Still here!", turn=Turn("Ann", session="call 7"))
    assert Finder()(memory, question)[0].id == 2


def test_of_what_nobody_said_the_newer_goes_first():
    memory = memnn.RamMemory()
    memory.write_many(
        ["The user lives in Rome.", "The user plays chess.", "The user lives in Oslo."]
    )
    assert [f.id for f in Finder()(memory, "Where does the user live?")][:2] == [3, 1]
    assert Finder()(memory, "What does the user play?")[0].id == 2


def test_what_is_not_found_makes_nothing_look_outdated():
    """A newer statement that was superseded, or that a filter leaves out, is as if not told."""
    memory = memnn.RamMemory()
    memory.write("Ann lives in Rome.")
    memory.write("Good morning.")
    finder, asked = Finder(), "Where does Ann live?"
    alone = finder(memory, asked)[0]
    assert "newer, nobody's" not in alone.terms
    memory.write("Ann lives in Oslo.", turn=Turn(session="later"))
    assert finder(memory, asked, which=Filter(history=True))[-1].terms["newer, nobody's"] < 0
    memory.write("Hm.", turn=Turn(supersedes=3))
    assert "newer, nobody's" not in finder(memory, asked)[0].terms
    assert "newer, nobody's" not in finder(memory, asked, which=Filter(as_of=2))[0].terms


NOTES = [
    "User drives an old Volvo.", "User's son plays the cello.", "User is allergic to nuts.",
    "User's flat is on the third floor.", "User prefers tea in the morning.",
]  # fmt: skip


@pytest.mark.parametrize("speaker", [None, "Ann"])
def test_notes_are_read_too(speaker):
    """What the reader of ordinary language says of statements that nobody said is one term more."""
    net = memnn.open()
    net.tell([{"text": text, "speaker": speaker} for text in NOTES] if speaker else NOTES)
    found = net.search("What does the user's son play?")
    assert found[0].id == 2
    for each in found:
        assert each.score == pytest.approx(sum(each.terms.values()))
    assert (AS_READ in found[0].terms) is (speaker is None)


def test_what_is_read_is_of_its_moment():
    net = memnn.open()
    net.tell(["Ann lives in Rome.", "Hm.", "Ann lives in Oslo."])
    assert net.search("Where does Ann live?", k=1)[0].id == 3
    assert net.search("Where does Ann live?", k=1, as_of=2)[0].id == 1
    assert AS_READ in net.search("Where does Ann live?", k=1, as_of=2)[0].terms
