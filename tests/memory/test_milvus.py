"""A memory in Milvus does what a memory in RAM does; the tests run on the real server."""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import memnn
from memnn.errors import InputError, MemoryStoreError, UnreadableMemory
from memnn.memory.milvus import claims, connection
from memnn.memory.milvus import fields as milvus_fields
from memnn.memory.milvus import memory as milvus
from memnn.memory.milvus import table as milvus_table
from memnn.memory.milvus.address import parse_address
from memnn.memory.milvus.filters import hash_words
from memnn.memory.milvus.memory import MilvusMemory
from memnn.memory.milvus.store import MilvusStore
from memnn.memory.milvus.table import Table
from memnn.memory.protocol import buckets_of
from memnn.testing import check_memory, check_store
from memnn.text.tokens import LONGEST_TEXT
from memnn.types import Slot, Turn

EXAMPLES = 12
PROMISED = connection.CONNECT_SECONDS


@pytest.fixture(scope="module")
def fresh(server):
    """New, empty memories. Milvus takes a while to make one, so many are made at once."""
    checks, tests = 15, 21

    def make(number: int) -> MilvusMemory:
        memory = MilvusMemory(server.address, f"fresh {number}")
        memory._hold()  # makes the collection, which else waits for the first write
        memory._writer.release()
        return memory

    with ThreadPoolExecutor(8) as pool:
        made = iter([pool.submit(make, n) for n in range(checks + EXAMPLES + tests)])
        yield lambda: next(made).result()


@pytest.fixture
def memory(fresh):
    memory = fresh()
    yield memory
    memory.close()


@pytest.fixture
def again():
    """Opens what another connection has open, on a connection of its own."""
    opened = []

    def again(memory, **options):
        opened.append(MilvusMemory(memory.where, memory.name, **options))
        return opened[-1]

    yield again
    for memory in opened:
        memory.close()


def test_memory(fresh):
    check_memory(fresh)


def test_store(server):
    numbers = count()
    check_store(lambda: MilvusStore(server.address.replace("/tests", f"/store{next(numbers)}")))


# The same as in RAM

TEXTS = st.sampled_from(["Joe went home.", "Dan took the MILK", "joe drank milk", "Ann", "…"])
BUCKETS = st.lists(st.sampled_from(["joe", "milk", "ann", "the", "Joe", "tea"]), max_size=3)
DAYS = st.integers(1, 28)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), TEXTS, st.integers(0, 3), DAYS),
        st.tuples(st.just("write_many"), st.lists(TEXTS, max_size=3)),
        st.tuples(st.just("delete"), st.lists(st.integers(0, 9), max_size=2)),
        st.tuples(st.just("read"), st.lists(st.integers(0, 9), max_size=3)),
        st.tuples(st.just("scan"), st.integers(0, 12)),
        st.tuples(st.just("candidates"), st.none() | st.integers(0, 12), st.none() | BUCKETS),
        st.tuples(st.just("candidates"), DAYS.map(lambda day: f"2100-01-{day:02}T00:00:00Z"),
                  st.none() | BUCKETS),
    ),
    min_size=4,
    max_size=16,
)  # fmt: skip


def run(memory, step):
    """What a call gives, or the error that it ends with."""
    kind, *arguments = step
    try:
        if kind == "write":
            text, gap, day = arguments
            id = memory.last_id + gap if gap else None
            return memory.write(text, id=id, time=f"2100-01-{day:02}T00:00:00Z")
        if kind == "write_many":
            return memory.write_many(arguments[0])
        if kind in ("delete", "read"):
            there = memory.candidates().tolist()
            ids = [there[i] if i < len(there) else 1000 + i for i in arguments[0]]
            return memory.delete(ids) if kind == "delete" else memory.read(ids)
        if kind == "scan":
            return list(memory.scan(after=arguments[0]))
        return memory.candidates(*arguments).tolist()
    except InputError as error:
        return str(error)


@settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate],
)  # fmt: skip
@given(STEPS)
def test_random_steps_end_as_in_ram(fresh, steps):
    ram, memory = memnn.RamMemory(), fresh()
    # From here on time is the same in both: it does not run backwards.
    for step in [("write", "Ann", 0, 1), *steps, ("scan", 0), ("candidates",)]:
        assert run(memory, step) == run(ram, step), step
        assert memory.last_id == ram.last_id, step
    assert len(memory) == len(ram)
    memory.close()


# The network runs on it unchanged

STORY = """Joe went to the kitchen. Fred went to the kitchen. Joe picked up the milk.
Joe travelled to the office. Joe left the milk. Joe went to the bathroom."""
QUESTIONS = ["Where is the milk?", "Where is Joe?", "Where was Joe before the office?"]


def said(answer):
    evidence = [
        (hop.id, hop.text, hop.score, hop.decisive and hop.decisive.against.id)
        for hop in answer.evidence
    ]
    return answer.text, answer.score, answer.abstained, evidence


def test_a_network_answers_as_in_ram(net, memory):
    far = net.with_memory(memory)
    for n in (net, far):
        n.tell(STORY)
    for question in QUESTIONS:
        assert said(far.ask(question)) == said(net.ask(question))
        assert said(far.ask(question, as_of=4)) == said(net.ask(question, as_of=4))
    assert far.ask("Where is the milk?").text == "office"
    assert far.ask("Where is the milk?", as_of=4).evidence
    for n in (net, far):
        n.forget(6)
    for question in QUESTIONS:
        assert said(far.ask(question)) == said(net.ask(question))
    assert far.ask("Where is Joe?").text == "office"


def test_entity_buckets_feed_the_walk_and_the_best_k_do_not(net, memory, again):
    facts = ["Joe went to the kitchen.", "Fred went to the garden.", "Dan went to the office."]
    texts = [facts[i % 3] for i in range(150)]
    texts += ["Joe travelled to the bathroom.", "Fred moved to the bedroom."]
    memory.write_many(texts)
    memory.close()
    memory = again(memory, embedder=Words())
    net.memory.write_many(texts)
    full = net.ask("Where is Joe?")
    assert full.text == "bathroom"

    def walk(ids):
        part = memnn.RamMemory()
        for slot in memory.read(ids):
            part.write(slot.text, id=slot.id)
        return net.with_memory(part).ask("Where is Joe?")

    entity = memory.candidates(buckets=["joe"])
    assert 0 < len(entity) < len(memory) / 2
    assert said(walk(entity.tolist()))[0] == full.text
    assert [hop.id for hop in walk(entity.tolist()).evidence] == [hop.id for hop in full.evidence]
    # Every memory of Joe has the same inner product with the question: the newest comes last.
    best, _ = memory.search(Words().embed(["Where is Joe?"])[0], 20)
    assert walk(sorted(best.tolist())).text != full.text


# Strong consistency, also between connections


def test_what_is_told_is_found_by_the_next_question(net, memory, again):
    reader = again(memory)
    teller, asker = net.with_memory(memory), net.with_memory(reader)
    for place in ("kitchen", "garden", "office", "bathroom"):
        slot = teller.tell(f"Joe went to the {place}.")[0]
        assert reader.last_id == slot.id
        assert asker.ask("Where is Joe?").text == place
    before = reader.deletions
    teller.forget(slot.id)
    assert reader.deletions > before
    assert asker.ask("Where is Joe?").text == "office"
    assert len(reader) == 3


def test_writers_take_turns(memory, again):
    """Several writers at once: none fails, none loses a statement, no id is given twice."""
    told = []

    def tell(who):
        writer = again(memory)
        for i in range(5):
            told.append(writer.write(f"{who} {i}"))
            time.sleep(0.02)
        told.extend(writer.write_many([f"{who} 5", f"{who} 6"]))
        writer.close()

    threads = [threading.Thread(target=tell, args=(who,)) for who in ("Ann", "Joe", "Dan")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 21
    assert sorted(told, key=lambda slot: slot.id) == list(memory.scan())
    assert memory.last_id == 21


def test_a_writer_that_died_leaves_no_id_to_be_given_twice(memory, again, monkeypatch):
    memory.write("a")
    memory.delete([1])
    memory.write_many(["b", "c"])
    memory._table.close()  # the connection ends, and the claim stays
    writer = again(memory)
    before = writer.deletions
    monkeypatch.setattr(claims, "PATIENCE", 0.1)
    with pytest.raises(MemoryStoreError, match="another process is writing"):
        writer.write("d")
    monkeypatch.setattr(claims, "PATIENCE", 30.0)
    monkeypatch.setattr(claims, "LEASE", 0.3)
    assert writer.write("d").id == 4
    assert [slot.text for slot in writer.scan()] == ["b", "c", "d"]
    assert writer.deletions > before, "it may have died between a deletion and its count"


def test_a_writer_that_paused_looks_again(memory, again, monkeypatch):
    monkeypatch.setattr(claims, "HOLD", 1.5)
    monkeypatch.setattr(claims, "LEASE", 2.0)
    other = again(memory)
    for i in range(1, 6):
        assert (memory if i % 2 else other).write(f"fact {i}").id == i
    assert len(memory) == 5


def test_copies_keep_ids_times_and_sources(memory):
    slots = [
        Slot(3, "a", "2020-01-01T00:00:00.000000Z", "a book"),
        Slot(9, "b", "2020-01-02T00:00:00.000000Z"),
    ]
    assert memory.write_slots(slots) == slots
    assert list(memory.scan()) == slots
    with pytest.raises(InputError, match="after 10"):
        memory.write_slots([Slot(10, "c", slots[0].time), Slot(9, "d", slots[0].time)])
    assert memory.last_id == 9


def test_opening_reads_no_slots(memory, again, monkeypatch):
    memory.write_many([f"fact {i}" for i in range(300)])
    memory.close()
    read, query = [], milvus_table.Table._query

    def counted(*arguments):
        read.extend(found := query(*arguments))
        return found

    monkeypatch.setattr(milvus_table.Table, "_query", counted)
    far = again(memory)
    assert far.last_id == 300
    assert len(read) < 10


# What belongs to slots, and formats of before


def test_what_goes_with_a_slot(memory, again):
    memory.write_many(["Joe left", "Ann came"], turns=[Turn("Joe", session="s"), None])
    memory.teach("Who left?", [1])
    memory.teach("Who came?", [2])
    data = os.urandom(200_000)
    memory.keep("overview", data, memory.deletions)
    for n in range(6):
        memory.keep(f"model-{n}", b"data", memory.deletions)
    reader = again(memory)
    assert [reader.kept(f"model-{n}") for n in range(6)] == [None, None, *[b"data"] * 4]
    assert reader.kept("overview") == data, "another kind"
    reader.keep("overview", data, reader.deletions)
    assert memory.kept("overview") == data, "who only reads may keep, too"
    memory.delete([1])
    assert [lesson.question for lesson in reader.lessons()] == ["Who came?"]
    assert reader.kept("overview") is None
    left = list(reader._table.rows("id != 0", ["id", "text", "speaker", "kind", "meta"]))
    assert not any(row["kind"] == "kept" or "Joe" in str(row) for row in left)
    assert "left" not in str(left)


def test_a_model_of_another_dimension_takes_turns_and_lessons_along(memory, again):
    memory.write("Joe left", turn=Turn("Ann", "1999-01-01T00:00:00Z", meta={"a": 1}))
    memory.teach("Who left?", [1])
    memory.close()
    far = again(memory, embedder=Words())
    before = list(far.scan()), far.lessons()
    assert far.embed() == 1
    assert far._table.dim == 64
    assert (list(far.scan()), far.lessons()) == before


def of_format_1(server, name):
    """A memory as it was made before there were turns."""
    address = parse_address(server.address, name)
    line = connection.Connection(address)
    kinds, client = line.kinds, line.client
    about = json.dumps({"memory": name})
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False, description=about)
    schema.add_field("id", kinds.INT64, is_primary=True)
    for field, size in (("text", 65_535), ("time", 32), ("source", 4_096)):
        schema.add_field(field, kinds.VARCHAR, max_length=size)
    for field in ("words", "more_words", "clusters"):
        schema.add_field(field, kinds.ARRAY, element_type=kinds.INT64, max_capacity=4_096)
    schema.add_field("vector", kinds.FLOAT_VECTOR, dim=64)
    schema.add_field("model", kinds.VARCHAR, max_length=256)
    schema.add_field("state", kinds.VARCHAR, max_length=1_024)
    index = client.prepare_index_params()
    index.add_index("vector", index_type="FLAT", metric_type="IP", params={})
    collection = address.collection + "_g00000000"
    client.create_collection(collection, schema=schema, consistency_level="Strong")
    client.create_index(collection, index, sync=False)
    rows = []
    for id, text in ((0, ""), (2, "Joe left"), (5, "Ann took the milk")):
        vector = Words().embed([text])[0].astype(float).tolist()
        words = hash_words(sorted(buckets_of(text)))
        rows.append({
            "id": id, "text": text, "time": f"2020-01-0{id + 1}T00:00:00.000000Z", "source": "book",
            "words": words, "more_words": [], "clusters": [], "vector": vector, "model": "words",
            "state": "",
        })  # fmt: skip
    rows[0] |= {"time": "", "source": "", "model": ""}
    rows[0]["state"] = json.dumps({"last_id": 2, "last_time": "", "deletions": 4, "format": 1})
    client.insert(collection, rows)
    client.create_alias(collection, address.collection)
    line.close()
    slots = [(r["id"], r["text"], r["time"], r["source"]) for r in rows[1:]]
    return lambda: MilvusMemory(server.address, name), [Slot(*slot) for slot in slots]


def test_a_memory_of_format_1_is_read_as_it_is_and_moves_when_written_to(server, monkeypatch):
    opened, slots = of_format_1(server, "format 1")
    with closing(opened()) as reader:
        assert (list(reader.scan()), reader.changes()) == (slots, (5, 4))
        assert (reader.lessons(), reader.kept("x")) == ([], None)
        assert reader.candidates(buckets=["milk"]).tolist() == [5]
        reader.keep("x", b"nowhere to be kept", 4)
        writer = opened()
        move = claims.Writer.move

        def dies(self, new, dim):
            self.table.insert(self.own_rows(dim), into=new)
            raise KeyboardInterrupt

        monkeypatch.setattr(claims.Writer, "move", dies)
        with pytest.raises(KeyboardInterrupt):
            writer.write("Dan slept")
        writer.close()
        monkeypatch.setattr(claims.Writer, "move", move)
        with closing(opened()) as half_way:
            assert list(half_way.scan()) == slots
            assert not half_way._table.current
            row_0 = half_way._table.rows("id == 0", ["state"], own=True)
            asked = [row["state"] for row in row_0]
            assert json.loads(asked[0]).keys() == {"last_id", "last_time", "deletions", "format"}
        with closing(opened()) as writer:
            new = writer.write("Dan slept", turn=Turn(speaker="Dan"))
            assert new.id == 6
            assert list(writer.scan()) == list(reader.scan()) == [*slots, new]
            assert reader.deletions == 4
            assert len(writer._table._generations()) == 1, "what was left half-way is gone"
            assert writer.teach("Who slept?", [6]).as_of == 6
        with closing(MilvusMemory(server.address, "format 1", embedder=Words())) as far:
            found = far.search(Words().embed(["milk"])[0], 1)[0]
            assert (found.tolist(), far.embed()) == ([5], 0)
    opened().drop()


# All or nothing, windows, long texts


def test_a_failed_write_leaves_nothing_and_gives_its_ids_to_nobody(memory, again, monkeypatch):
    memory.write("a")
    insert, calls = memory._table.insert, []

    def fail(rows, into=None):
        calls.append(rows)
        if len(calls) == 2:
            raise MemoryStoreError("no")
        insert(rows, into)

    monkeypatch.setattr(milvus_table, "BATCH", 3)
    monkeypatch.setattr(memory._table, "insert", fail)
    with pytest.raises(MemoryStoreError, match="no"):
        memory.write_many("bcdefgh")
    assert len(calls) == 3, "the last says what was taken back"
    assert [slot.text for slot in again(memory).scan()] == ["a"]
    monkeypatch.undo()
    assert memory.write("z").id == 9


def test_results_longer_than_a_window(memory, monkeypatch):
    for module in (milvus, milvus_table):
        monkeypatch.setattr(module, "WINDOW", 500)
    n = 1_100
    memory.write_many(f"fact {i} is even" if i % 2 else f"fact {i}" for i in range(n))
    assert memory.candidates().tolist() == list(range(1, n + 1))
    assert [slot.id for slot in memory.scan()] == list(range(1, n + 1))
    assert len(memory.candidates(buckets=["fact"])) == n
    assert memory.candidates(buckets=["even"]).tolist() == list(range(2, n + 1, 2))
    assert len(memory) == n
    assert [slot.text for slot in memory.read(range(n, 0, -1))][-1] == "fact 0"


def test_texts_too_long_for_one_message_of_many(memory, monkeypatch):
    monkeypatch.setattr(milvus_table, "BATCH_BYTES", 100_000)
    texts = [chr(0x1F600 + i) * LONGEST_TEXT for i in range(12)]
    memory.write_many(texts)
    assert [slot.text for slot in memory.scan()] == texts


def test_a_text_of_very_many_words(memory):
    words = [chr(0x4E00 + i) for i in range(5_000)]
    memory.write(" ".join(words))
    memory.write("x" * 9_000)
    for word in (words[0], words[2_500], words[-1]):
        assert memory.candidates(buckets=[word]).tolist() == [1]
    assert memory.candidates(buckets=["x" * 9_000]).tolist() == [2]


# Vectors


class Words:
    """A toy model: a bag of words, and the first letters as clusters."""

    def __init__(self, id="words", dim=64):
        self.id, self.dim = id, dim

    def embed(self, texts):
        out = np.zeros((len(texts), self.dim), np.float16)
        for row, text in zip(out, texts, strict=True):
            for word in set(text.lower().strip(".?").split()):
                row[sum(word.encode()) % self.dim] += 1
        return out

    def clusters(self, texts):
        return [{ord(word[0]) for word in text.lower().split()} for text in texts]


def test_search_by_inner_product(memory, again):
    memory.write_many(["Joe took the milk", "Dan took milk", "Joe slept"])
    memory.write("told by someone else", source="a book", time="2100-01-01T00:00:00Z")
    memory.close()
    words = Words()
    far = again(memory, embedder=words)  # the first model: another dimension, a new collection
    assert len(far.write_many(["Ann took the milk home", "milk"])) == 2
    question = words.embed(["who took the milk"])[0]
    texts = [slot.text for slot in far.scan()]
    scores = words.embed(texts).astype(np.float32) @ question.astype(np.float32)
    order = sorted(range(6), key=lambda i: (-scores[i], i))
    ids, found = far.search(question, 6)
    assert ids.tolist() == [i + 1 for i in order]
    assert found.tolist() == [scores[i] for i in order]
    assert far.search(question, 2)[0].tolist() == ids[:2].tolist()
    assert far.search(question, 9, ["joe"])[0].tolist() == [1, 3]
    assert far.search(question, 9, ["milk"], as_of=2)[0].tolist() == [1, 2]
    assert far.search(question, 9, as_of="2050-01-01T00:00:00Z")[0].tolist() == [1, 2, 3]
    assert far.search(question, 9, [])[0].tolist() == []
    assert far.search(question, 9, clusters=[ord("a")])[0].tolist() == [5]
    assert far.candidates(clusters=[ord("j"), ord("a")]).tolist() == [1, 3, 5]
    assert far.candidates(3, ["joe"], [ord("s")]).tolist() == [3]
    far.delete([1])
    assert 1 not in far.search(question, 9)[0]


def test_a_retrained_model_makes_new_vectors(memory, again):
    memory.close()
    first = again(memory, embedder=Words("one"))
    first.write_many(["Joe took the milk", "Dan slept"])
    first.close()
    plain = again(memory)  # without a model: its statements get their vectors later
    plain.write("Ann slept", time="2100-01-01T00:00:00Z")
    slots = list(plain.scan())
    plain.close()
    steps = []
    for model in (Words("two"), Words("three", dim=32)):
        other = again(memory, embedder=model)
        assert other.embed(progress=lambda done, total: steps.append((done, total))) == 3
        assert other.embed() == 0
        assert other.search(model.embed(["slept"])[0], 9, ["slept"])[0].tolist() == [2, 3]
        assert list(other.scan()) == slots
        assert other.last_id == 3
        other.close()
    assert steps == [(3, 3), (3, 3)]
    assert plain_id(again(memory)) == 4


def plain_id(memory):
    """A writer without a model fits itself to the vectors that are there."""
    return memory.write("and on").id


def test_bad_searches_say_what_is_wrong(memory, again):
    with pytest.raises(InputError, match="embedder"):
        memory.search([1.0, 2.0], 3)
    with pytest.raises(InputError, match="embedder"):
        memory.embed()
    memory.close()
    far = again(memory, embedder=Words())
    for vector, k in (([1.0], 3), ([np.nan] * 64, 3), ([1.0] * 64, 0), ([1.0] * 64, 20_000)):
        with pytest.raises(InputError, match="search"):
            far.search(vector, k)


# Names, deletion, spread


def test_memories_of_one_store_are_apart(server):
    shards = MilvusMemory(server.address + "?shards=2&index=hnsw", "../apart é_1")
    other = MilvusMemory(server.address, "é" * 150)
    shards.write_many([f"fact {i}" for i in range(50)])
    other.write("b")
    assert shards.candidates().tolist() == list(range(1, 51))
    assert [slot.text for slot in other.scan()] == ["b"]
    with MilvusStore(server.address) as store:
        assert {"../apart é_1", "é" * 150} <= set(store.names())
        with MilvusStore(server.address.replace("/tests", "/test")) as another:
            assert another.names() == []
        shards.compact()
        assert len(shards) == 50
        shards.drop()
        assert "../apart é_1" not in store.names()
        assert [slot.text for slot in other.scan()] == ["b"]
        with closing(MilvusMemory(server.address, "../apart é_1")) as fresh:
            assert (len(fresh), fresh.last_id) == (0, 0)
        assert "../apart é_1" not in store.names(), "to look makes no memory"
    shards.close()
    with pytest.raises(MemoryStoreError, match="closed"):
        shards.write("c")
    other.drop()
    other.close()


def test_a_memory_that_another_process_drops_is_empty_and_begins_anew(memory, again):
    memory.write_many(["a", "b"])
    memory.close()
    one, other = again(memory), again(memory)
    before = one.changes()
    other.drop()
    assert (one.last_id, len(one), list(one.scan()), one.candidates().tolist()) == (0, 0, [], [])
    gone = one.deletions
    assert gone > before.deletions
    assert other.write("c").id == 1
    assert one.last_id == 1
    assert one.deletions > gone, "no cache takes the new memory for the old"
    assert [slot.text for slot in one.scan()] == ["c"]
    other.close()
    assert one.write("d").id == 2


def test_different_names_are_different_collections():
    pairs = [("a", "b"), ("a_sb", "c"), ("a", "b_sc"), ("a_s", "b"), ("a", "_sb"), ("ab", "c")]
    pairs += [("a", "bc"), ("A", "b"), ("a", "b_g00000000"), ("a", "é"), ("a", "_c3_a9")]
    pairs += [("a", "é" * 150), ("a", "é" * 151), ("a", "../b"), ("a", "b\\c"), ("..", "b")]
    found = {parse_address(f"milvus+http://h/{store}", name).collection for store, name in pairs}
    assert len(found) == len(pairs)
    assert all(name.isascii() and name.replace("_", "").isalnum() for name in found)


def test_addresses():
    address = parse_address("milvus+https://joe:p%40ss@[::1]:1953/diary?shards=2&replicas=3", "m")
    assert (address.uri, address.token) == ("https://[::1]:1953", "joe:p@ss")
    assert (address.shards, address.replicas, address.index) == (2, 3, "FLAT")
    assert parse_address("milvus+http://h/diary", "main").uri == "http://h:19530"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("milvus+http://", "m"), ("milvus+http://h", "m"), ("milvus+http://h/", "m"),
        ("milvus+http://h/a/b", "m"), ("milvus+http://h/a%2Fb", "m"),
        ("milvus+http://h/a%00b", "m"),
        ("milvus+http://h:port/a", "m"), ("milvus+http://h:99999/a", "m"), ("http://h/a", "m"),
        ("milvus+http://h/a?shards=0", "m"), ("milvus+http://h/a?shards=many", "m"),
        ("milvus+http://h/a?copies=2", "m"), ("milvus+http://h/a?index=magic", "m"),
        ("milvus+http://h/a?shards", "m"), ("milvus+http://h/a#b", "m"), (5, "m"),
        ("milvus+http://h/a", ""), ("milvus+http://h/a", " "),
        ("milvus+http://h/a", "b\nc"), ("milvus+http://h/a", "b\0c"), ("milvus+http://h/a", None),
        ("milvus+http://h/a", "é" * 201), ("milvus+http://h/" + "é" * 60, "m"),
        ("milvus+http://[::1/a", "m"),
    ],
)  # fmt: skip
def test_bad_addresses_and_names(address, name):
    with pytest.raises(MemoryStoreError) as caught:
        MilvusMemory(address, name)
    assert "\n" not in str(caught.value)


# Servers that are not there


def one_line(call):
    """The error that a call ends with by itself, which is awaited with patience."""
    ended = Future()

    def run():
        try:
            ended.set_result(call())
        except BaseException as error:
            ended.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    error = ended.exception(timeout=120)
    assert isinstance(error, MemoryStoreError), error
    assert "\n" not in str(error)
    return str(error)


def test_an_unreachable_server(capfd, monkeypatch):
    """The promise is five seconds: pymilvus is told how long, and here it is told less."""
    import pymilvus

    assert PROMISED < 5
    given, really = [], pymilvus.MilvusClient

    def client(uri, *, timeout, **named):
        given.append(timeout)
        return really(uri, timeout=timeout, **named)

    monkeypatch.setattr(pymilvus, "MilvusClient", client)
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
        # It takes the connection and never says a word.
        silent = one_line(lambda: MilvusMemory(f"milvus+http://127.0.0.1:{port}/a"))
    closed = one_line(lambda: MilvusMemory(f"milvus+http://joe:pw@127.0.0.1:{port}/a"))
    assert given == [0.5, 0.5]
    for message in (silent, closed):
        assert f"127.0.0.1:{port}" in message
        assert "pw" not in message
    assert capfd.readouterr().err == ""


def test_a_server_that_takes_too_long(memory, monkeypatch):
    """pymilvus passes on what its own connection says about that."""
    import grpc

    class Late(grpc.RpcError):
        def code(self):
            return grpc.StatusCode.DEADLINE_EXCEEDED

        def details(self):
            return "Deadline\nExceeded"

    def late(*arguments, **named):
        raise Late

    memory.write("a")
    monkeypatch.setattr(memory._table.client, "insert", late)
    assert "Deadline Exceeded" in one_line(lambda: memory.write("b"))
    monkeypatch.undo()
    assert memory.write("c").id == 3
    assert [slot.text for slot in memory.scan()] == ["a", "c"]


def test_without_pymilvus(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymilvus", None)
    with pytest.raises(MemoryStoreError, match=r"pip install 'memnn\[milvus\]'"):
        MilvusMemory("milvus+http://127.0.0.1/a")


def test_a_newer_format(memory, again):
    memory.write("a")
    about = {"state": json.dumps({"format": claims.FORMAT + 1})}
    memory._table.replace([milvus_fields.blank(0, memory._table.dim) | about])
    memory._writer._until = 0.0
    try:
        with pytest.raises(MemoryStoreError, match="newer memnn"):
            again(memory)
    finally:
        memory._table.drop()


STATES = {
    "newer": json.dumps({"format": claims.FORMAT + 1}),
    "no JSON": "{",
    "no object": "[1]",
    "no format": "{}",
    "no number": '{"format": "two"}',
}


@pytest.mark.parametrize("what", STATES)
def test_names_are_listed_beside_a_memory_that_cannot_be_read(server, what):
    where = server.address.replace("/tests", f"/unread{list(STATES).index(what)}")
    with MilvusStore(where) as store:
        for name in ("a", "b"):
            store.memory(name).write("Joe left.")
    with closing(Table(parse_address(where, "a"))) as table:  # no writer notes its state meanwhile
        table.replace([milvus_fields.blank(0, table.dim) | {"state": STATES[what]}])
    with MilvusStore(where) as store:
        try:
            assert store.sizes() == {"a": None, "b": 1}
            assert store.names() == store.info("b").names == ["a", "b"]
            with pytest.raises(UnreadableMemory, match=r"newer memnn|use a backup") as said:
                store.memory("a")
            assert "\n" not in str(said.value)
            with pytest.raises(UnreadableMemory, match=r"^'a' was not compacted: ") as said:
                store.compact()
            assert "'b'" not in str(said.value)
        finally:
            Table(parse_address(where, "a")).drop()
            store.drop("b")


@pytest.mark.soak
def test_everything_survives_a_restart_of_the_server(server, memory, capfd):
    """The last one: it ends the server that the others use, and starts it again."""
    memory.write_many(["a", "b", "c", "d"])
    memory.delete([2, 4])
    slots, deletions = list(memory.scan()), memory.deletions
    server.stop()
    try:
        one_line(memory.candidates)
        one_line(lambda: memory.write("lost"))
        memory.close()
        assert logging.getLogger("pymilvus").level > logging.CRITICAL
        assert capfd.readouterr().err == ""
    finally:
        server.start()
    memory = MilvusMemory(server.address, memory.name)
    assert list(memory.scan()) == slots
    assert memory.deletions == deletions
    assert memory.last_id >= 4
    assert memory.write("e").id > 4
    memory.close()
