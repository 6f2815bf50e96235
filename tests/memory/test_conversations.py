"""What is told, updated, taught and searched for is the same in every kind of memory."""

from __future__ import annotations

import itertools
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memnn
from memnn.components import OutputMap
from memnn.conversations import question, turn_reader
from memnn.conversations.kept import NAME, Kept, pack
from memnn.conversations.listing import changed, duplicates, listed
from memnn.conversations.scoring import Bm25, LinearScorer
from memnn.conversations.search import Filter, Finder
from memnn.conversations.updating import updated
from memnn.errors import InputError
from memnn.generalization import Append
from memnn.memory.address import verify
from memnn.memory.milvus.store import MilvusStore
from memnn.memory.sqlite.database import Database
from memnn.memory.sqlite.store import SqliteStore
from memnn.network import MemoryNetwork
from memnn.text.sentences import Sentences
from memnn.types import Answer, Hop, Output, Turn
from tests.memory.older import take_back
from tests.memory.operations import plain
from tests.memory.test_congruence import connect_in_a_hurry

words = st.sampled_from(
    [
        "Ann",
        "dog",
        "dogs",
        "went",
        "going",
        "Grüße",
        "room 13",
        "?",
        "Bob",
        "last week",
        "in May 2023",
    ]
)
texts = st.lists(words, min_size=1, max_size=5).map(" ".join)
speakers = st.sampled_from([None, "Ann", "Bob", "Zoë"])
times = st.sampled_from(
    [None, "2023-05-08T13:56:00Z", "1066-10-14T00:00:00Z", "9999-12-31T23:59:59Z", "noon"]
)
metas = st.sampled_from([None, {"a": 1}, {"a": 2, "b": ["x", None]}, {"a": {"c": True}}])
turns = st.fixed_dictionaries(
    {"text": texts},
    optional={"speaker": speakers, "said": times, "meta": metas, "session": st.just("s")},
)
ids = st.integers(1, 12)
filters = st.builds(
    Filter,
    as_of=st.one_of(st.none(), st.none(), ids, st.just("2099-01-01T00:00:00Z")),
    since=st.sampled_from([None, None, "2023-05-08", "0999-01-01", "9999-01-01T00:00:00Z"]),
    until=st.sampled_from([None, None, "2023-05-08", "1066-10-14", "2099-01-01T00:00:00Z"]),
    speaker=st.one_of(st.none(), speakers),
    meta=st.sampled_from([None, None, {"a": 1}, {"b": ["x", None]}, {"a": 2, "b": ["x", None]}]),
    history=st.booleans(),
)
operation = st.one_of(
    st.tuples(st.just("tell"), st.lists(st.one_of(turns, texts), max_size=4)),
    st.tuples(st.just("tell"), st.lists(turns, min_size=2, max_size=4)),
    st.tuples(st.just("update"), ids, turns),
    st.tuples(st.just("forget"), ids),
    st.tuples(st.just("teach"), texts, st.lists(ids, max_size=2)),
    st.tuples(st.just("search"), texts, filters, st.integers(1, 6), st.integers(0, 2)),
    st.tuples(st.just("ask"), texts, st.one_of(st.none(), ids)),
    st.tuples(st.just("listed"), st.booleans(), st.booleans(), st.integers(0, 5)),
    st.tuples(st.just("duplicates"), ids),
    st.tuples(st.just("changed"), st.integers(0, 9)),
)
sequences = st.lists(operation, min_size=2, max_size=12)
WEIGHTS = {"turn": 1.0, "previous": 0.5, "speaker named": 0.25}


class NewestTold(OutputMap):
    """An O that finds what was told last, among what may be seen."""

    def __call__(self, x, memory, as_of=None):
        ids = memory.candidates(as_of)[-1:].tolist()
        return Output(x, tuple(Hop(1, slot, 1.0) for slot in memory.read(ids)))


def told(output):
    text = output.hops[-1].text if output.hops else "nothing"
    return Answer(text, 0.0, evidence=output.hops)


def network(memory):
    return MemoryNetwork(I=Sentences(), G=Append(), O=NewestTold(), R=told, memory=memory)


def answered(net, text, as_of):
    """What is asked for a time is answered with one, if a turn is dated."""
    said = net.ask(f"When {text.replace('?', '')}?", as_of=as_of)
    dated = None if not said.evidence or said.evidence[0].support.said is None else said.when
    return dated, said.text, [hop.id for hop in said.evidence]


def shown(found):
    slots = [(f.id, f.score, dict(f.terms), plain(f.neighbours)) for f in found]
    return found.probability, slots


def answer(net, call):
    """What a network says to a call, and what is in its memory then; a refusal is an answer."""
    memory, linear = net.memory, Finder(LinearScorer(WEIGHTS))
    calls = {
        "tell": lambda items: plain(net.tell(items)),
        "update": lambda id, turn: plain([net.update(id, **turn)]),
        "forget": net.forget,
        "teach": net.teach,
        "search": lambda text, which, k, near: [
            shown(finder(memory, text, k, which, near)) for finder in (net.finder, linear)
        ],
        "ask": lambda text, as_of: answered(net, text, as_of),
        "listed": lambda newest, history, n: plain(
            listed(memory, limit=n, newest=newest, history=history)
        ),
        "duplicates": lambda id: duplicates(memory, memory.read([id])),
        "changed": lambda after: [
            (plain(c.slots), dict(c.superseded), c.last_id, c.more, c.kept)
            for c in [changed(memory, after, None, 3)]
        ],
    }
    name, *arguments = call
    try:
        said = calls[name](*arguments)
    except InputError as error:
        said = f"refused: {error}"
    now = memory.supersessions(), memory.lessons(), plain(memory.newest(3))
    return said, *now, plain(memory.scan())


def compare(store, n):
    """Random sequences, each in a memory of its own, and the same in RAM."""
    numbers = itertools.count()

    @settings(
        max_examples=n, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(sequences)
    def run(sequence):
        ram, other = network(memnn.RamMemory()), network(store.memory(f"c{next(numbers)}"))
        for call in sequence:
            assert answer(other, call) == answer(ram, call), call

    run()
    assert next(numbers) >= n


@pytest.mark.parametrize("n", [100, pytest.param(1_000, marks=pytest.mark.soak)])
def test_ram_and_sqlite_answer_the_same(tmp_path, monkeypatch, n):
    monkeypatch.setattr(Database, "_connect", connect_in_a_hurry)
    monkeypatch.setattr(turn_reader, "LEAST_JOINED", 10)
    monkeypatch.setattr(question, "FEW_TURNS", 6)
    with SqliteStore(tmp_path / "a.db") as store:
        compare(store, n)
    assert verify(tmp_path / "a.db").problems == []


@pytest.mark.parametrize("n", [4, pytest.param(1_000, marks=pytest.mark.soak)])
def test_ram_and_milvus_answer_the_same(server, n):
    with MilvusStore(server.address.replace("/tests", "/talk")) as store:
        compare(store, n)


@pytest.mark.parametrize("version", [4, 5])
def test_a_store_of_an_older_version_does_it_all(tmp_path, version):
    """It is opened, changed to the new form, and can be told turns, searched, updated, taught."""
    with SqliteStore(tmp_path / "a.db") as store:
        store.memory().write_many(["Joe left.", "Ann lives in Rome.", "We met on 3 May 2021."])
        with store.database.writing() as connection:
            take_back(connection, version)
    with SqliteStore(tmp_path / "a.db") as store:
        net = network(store.memory())
        assert net.search("Where does Ann live?")[0].id == 2
        assert net.ask("When did we meet?").when.text == "3 May 2021"
        net.tell("I moved last Friday.", speaker="Ann", said="2023-05-08T10:00:00Z")
        assert net.ask("When did Ann move?").text == "5 May 2023"
        assert net.update(2, "Ann lives in Oslo.").id == 5
        assert net.teach("Where does Ann live?", [5]).ids == (5,)
        assert [slot.id for slot in listed(net.memory, newest=True)] == [5, 4, 3, 1]
        assert duplicates(net.memory, net.tell("Joe left.")) == {6: 1}
    assert verify(tmp_path / "a.db").problems == []


def test_an_update_is_seen_by_another_process_and_lasts(tmp_path):
    with SqliteStore(tmp_path / "a.db") as one, SqliteStore(tmp_path / "a.db") as two:
        first, second = network(one.memory()), network(two.memory())
        first.tell("Ann lives in Rome.", speaker="Ann")
        assert [f.id for f in second.search("Rome")] == [1]
        first.update(1, "Ann lives in Rome, Italy.")
        assert [f.id for f in second.search("Rome")] == [2]
        first.memory.delete([2])
        assert [f.id for f in second.search("Rome")] == [1], "the update is taken back"
        first.forget(first.update(1, "Ann lives in Rome, Italy.").id)
        assert [f.id for f in second.search("Rome")] == [], "nothing is left of what it replaced"
    with SqliteStore(tmp_path / "a.db") as store:
        assert store.memory().supersessions() == []


def test_very_many_speakers(tmp_path):
    with SqliteStore(tmp_path / "a.db") as store:
        memory = store.memory()
        turns = [Turn(f"speaker {n}") for n in range(20_000)]
        memory.write_many(["Hello there."] * 20_000, turns=turns)
        found = Finder()(memory, "hello", 5, Filter(speaker="speaker 12345"))
        assert [f.id for f in found] == [12_346]


def test_an_update_needs_something_to_update():
    with pytest.raises(InputError, match="no memory with id 1"):
        updated(memnn.RamMemory(), 1, "x")


def test_the_index_of_a_large_memory_is_kept(tmp_path, monkeypatch):
    """A store that is opened again is not read again, and answers the same."""
    monkeypatch.setattr(turn_reader, "LEAST_KEPT", 50)
    texts = [f"dog number {n} of Ann {'?' * (n % 3)}" for n in range(200)]
    turns = [Turn("Ann" if n % 2 else None, session="s", meta={"n": n % 5}) for n in range(200)]
    which = Filter(speaker="Ann", meta={"n": 1})
    with SqliteStore(tmp_path / "a.db") as store:
        memory = store.memory()
        memory.write_many(texts, turns=turns)
        first = Finder()(memory, "Ann's dog 101", 5, which)
        assert first
    with SqliteStore(tmp_path / "a.db") as store:
        memory = store.memory()
        monkeypatch.setattr(memory, "scan", lambda after=0: pytest.fail("read again"))
        assert Finder()(memory, "Ann's dog 101", 5, which) == first
    with SqliteStore(tmp_path / "a.db") as store:
        memory = store.memory()
        memory.write("A dog of Ann.", turn=Turn("Ann", meta={"n": 1}))
        assert Finder(Bm25())(memory, "Ann dog", 1, which)[0].id == 201, "it reads on from there"
        memory.delete([first[0].id])
        assert memory.kept(NAME) is None
        assert first[0].id not in [f.id for f in Finder()(memory, "Ann's dog 101", 5, which)]


def test_what_is_no_index_is_not_taken_for_one(tmp_path):
    with SqliteStore(tmp_path / "a.db") as store:
        memory = store.memory()
        memory.write("A dog.")
        for data in (b"", b"x" * 50, zlib.compress(b"x"), pack(Kept({}, [], [], [], []))):
            memory.keep(NAME, data, memory.deletions)
            assert [f.id for f in Finder()(memory, "dog")] == [1]
