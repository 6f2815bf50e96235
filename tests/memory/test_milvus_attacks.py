"""What a memory in Milvus withstands: silence, lost answers, writers that come between."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from memnn.errors import InputError, MemoryStoreError
from memnn.memory.milvus import claims, connection, fields, graves
from memnn.memory.milvus import table as milvus_table
from memnn.memory.milvus.memory import MilvusMemory
from memnn.memory.milvus.store import MilvusStore
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.conftest import Hashes
from tests.memory.unreliable import Line


@pytest.fixture(scope="module")
def fresh(server):
    """New memories with three statements, made at once because making one takes a while."""

    def make(number: int) -> str:
        with closing(MilvusMemory(server.address, f"attack {number}")) as memory:
            memory.write_many(["Joe left.", "Ann came.", "Dan slept."])
            return memory.name

    with ThreadPoolExecutor(8) as pool:
        made = pool.map(make, range(22))
        yield lambda: next(made)


@pytest.fixture
def opened(server, fresh):
    """Opens one memory as often as it is called, each time on a connection of its own."""
    name, memories = fresh(), []

    def opened(address=server.address, **options) -> MilvusMemory:
        memories.append(MilvusMemory(address, name, **options))
        return memories[-1]

    yield opened
    for memory in memories:
        memory.close()


@pytest.fixture
def hasty(monkeypatch):
    """Writers that are taken for dead soon."""
    monkeypatch.setattr(claims, "HOLD", 2.0)
    monkeypatch.setattr(claims, "LEASE", 2.5)


def texts(memory) -> list[str]:
    return [slot.text for slot in memory.scan()]


def whole(memory) -> bool:
    """No id stands twice: the engine counts rows, and gives of equal ids only one."""
    return len(memory) == len(list(memory.scan())) == len(set(memory.candidates().tolist()))


# What is read, and what is said


def test_which_vectors_there_are_is_read_from_one_row(opened, monkeypatch):
    memory = opened(embedder=Hashes())
    memory.write_many([f"fact {i}" for i in range(300)])
    assert memory.embed() == 0
    read, query = [], milvus_table.Table._query

    def counted(*arguments):
        found = query(*arguments)
        read.extend(row for row in found if row["id"] > 0)
        return found  # what is not a statement is read now and then by whoever keeps the claim

    monkeypatch.setattr(milvus_table.Table, "_query", counted)
    assert memory.embedded() == ("hashes", 303)
    assert len(read) == 1


def test_opening_after_a_writer_died_reads_few_rows(opened, monkeypatch):
    memory = opened()
    memory.write_many([f"fact {i}" for i in range(3_000)])
    memory._table.close()  # as if it had been killed
    read, query = [], milvus_table.Table._query

    def counted(*arguments):
        found = query(*arguments)
        read.extend(row for row in found if row["id"] > 0)
        return found  # claims are read again and again until the dead writer's has ended

    monkeypatch.setattr(milvus_table.Table, "_query", counted)
    assert opened().last_id == 3_003
    assert len(read) < 10


def test_to_delete_nothing_does_nothing(server, opened):
    memory = opened()
    before = memory.changes()
    memory.delete([])
    memory.delete(iter(()))
    assert memory.changes() == before
    with closing(MilvusMemory(server.address, "never begun")) as none:
        none.delete([])
        assert not none._table.look(), "no collection was made"


@pytest.mark.parametrize("begun", [True, False])
def test_the_same_missing_id_is_named(server, opened, tmp_path, begun):
    """By delete the least, by read the first in the order asked for."""
    with SqliteStore(tmp_path / "store.db") as store:
        far = opened() if begun else MilvusMemory(server.address, "not begun")
        memories = [store.memory(), far]
        if begun:
            memories[0].write_many(["Joe left.", "Ann came.", "Dan slept."])
        for call in ("delete", "read"):
            for ids in ([9, 7], [1, 8, 2, 7], [7, 7], [3, 99, 2**62 - 1, 4], [0], [2, -1], ["a"]):
                said = set()
                for memory in memories:
                    with pytest.raises(InputError) as caught:
                        getattr(memory, call)(ids)
                    said.add(str(caught.value))
                assert len(said) == 1, (call, ids, said)
        far.close()


def test_what_is_filtered_by_has_an_index(opened):
    """Milvus 2.3 knows indexes of texts, not of arrays."""
    memory = opened()
    indexed = set(memory._table.client.list_indexes(memory._table.collection))
    assert {"vector", "time", "model", "kind"} <= indexed
    assert set(milvus_table.FILTERED) == {
        "time",
        "model",
        "kind",
        "words",
        "more_words",
        "clusters",
        "supersedes",
    }


# Dropping


def quickly(call):
    """It does not wait until a writer is taken for dead, however slow the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "LEASE", 120.0)
        began = time.monotonic()
        call()
        assert time.monotonic() - began < claims.LEASE / 2


def test_a_drop_waits_for_no_idle_writer(server, opened):
    """The other is the writer still, and notices at once: it neither reads nor writes the old."""
    writer, other = opened(), opened()
    writer.write("Eve ran.")
    deletions = writer.deletions
    quickly(other.drop)
    assert (writer.last_id, len(writer), texts(writer)) == (0, 0, [])
    assert writer.deletions > deletions
    assert writer.write("Eve ran again.").id == 1
    assert other.last_id == 1
    assert texts(other) == ["Eve ran again."]
    quickly(lambda: other.drop())
    with pytest.raises(InputError, match="no memory with id 1"):
        writer.delete([1])
    with pytest.raises(InputError, match="tell this memory something first"):
        writer.teach("Who ran?", [1])
    writer.unteach("Who ran?")
    writer.compact()
    assert other.write("Bob sat.").id == 1
    assert writer.write("Bob rose.").id == 2, "the new memory has its ids, and its writer"
    assert whole(other)


def test_a_drop_waits_for_no_dead_writer(server, opened):
    writer = opened()
    writer.write("Eve ran.")
    writer._table.close()  # as if it had been killed: its claim stays
    with MilvusStore(server.address) as store:
        quickly(lambda: store.drop(writer.name))
        assert writer.name not in store


def test_a_drop_waits_for_a_new_collection(opened):
    """Else the collection that is being filled could bring back what was dropped."""
    mover, other = opened(), opened()
    dropped = threading.Event()

    def drop():
        other.drop()
        dropped.set()

    with mover._writer.moving(mover._table.dim):
        threading.Thread(target=drop, daemon=True).start()
        assert not dropped.wait(1.0)
        mover._hold()
    assert dropped.wait(20)
    assert mover.last_id == 0
    assert not mover._table._generations()


def test_no_new_collection_is_filled_while_a_drop_has_begun(opened):
    mover, other = opened(embedder=Hashes(dim=6)), opened()
    mover._hold()
    other._writer._put_claim(claims.DROP)
    with pytest.raises(MemoryStoreError, match="dropping this memory"):
        mover.embed()
    assert len(mover._table._generations()) == 1


# Writers that come between


class Meanwhile(Hashes):
    """An embedder that is slow, and meanwhile something happens."""

    def __init__(self, happens, dim):
        super().__init__("meanwhile", dim)
        self.happens = happens

    def embed(self, texts):
        happens, self.happens = self.happens, None
        if happens is not None:
            happens()
        return super().embed(texts)


@pytest.mark.parametrize("dim", [milvus_table.NO_VECTOR, 6], ids=["same", "another collection"])
def test_vectors_bring_nothing_back_and_lose_nothing(opened, hasty, dim):
    other = opened()

    def happens():
        other.delete([2])
        assert other.write("Eve ran.").id == 4
        other.close()

    memory = opened(embedder=Meanwhile(happens, dim))
    memory.embed()
    assert texts(memory) == ["Joe left.", "Dan slept.", "Eve ran."]
    assert whole(memory)
    assert memory.write("Bob sat.").id == 5
    memory.embed()
    assert memory.embedded() == ("meanwhile", 4)


def test_a_batch_that_was_overtaken_has_other_ids(opened, hasty, monkeypatch):
    memory, other = opened(), opened()
    monkeypatch.setattr(milvus_table, "BATCH", 2)
    insert, calls = memory._table.insert, []

    def overtaken(rows, into=None):
        insert(rows, into)
        if any(row["text"] for row in rows):
            calls.append(rows)
        if len(calls) == 1:
            calls.append(None)
            other.write("Eve ran.")
            other.close()

    monkeypatch.setattr(memory._table, "insert", overtaken)
    told = memory.write_many(["a", "b", "c", "d", "e"])
    assert [slot.text for slot in memory.read([slot.id for slot in told])] == list("abcde")
    assert texts(memory) == ["Joe left.", "Ann came.", "Dan slept.", "Eve ran.", *"abcde"]
    assert whole(memory)


# What the engine brings back


def everything(memory) -> list[dict]:
    names = [*milvus_table.SLOT, "words", "more_words", "clusters", "vector", "model"]
    table = memory._table
    return table._query("id > 0 or kind == 'lesson'", [*names, "kind", "state"], 1_000)


def bring_back(memory, rows) -> None:
    """As a server may do that was killed."""
    for row in rows:
        row["vector"] = [float(x) for x in row["vector"]]
    memory._table.insert(rows)


def test_what_the_engine_brings_back_stays_deleted(server, opened):
    memory, follower = opened(), opened()
    memory.write("Eve ran.")
    memory.teach("Who ran?", [4])
    memory.teach("Who slept?", [3])
    memory.teach("Who slept?", [3, 1])
    before = everything(memory)
    memory.delete([2, 4])
    memory.unteach("Who slept?")
    assert follower.last_id == 4
    bring_back(memory, [row for row in before if row["id"] in (2, 4) or row["id"] < 0])
    assert len(memory._table._query("id > 0", ["id"], 10)) == 4, "it is there again"
    newcomer = opened()
    for reader in (memory, follower, newcomer):
        assert texts(reader) == ["Joe left.", "Dan slept."]
        assert len(reader) == 2
        assert reader.candidates().tolist() == [1, 3]
        assert reader.candidates(buckets=["eve", "ann", "joe"]).tolist() == [1]
        assert reader.frequencies(["eve", "joe"]) == {"eve": 0, "joe": 1}
        assert reader.lessons() == []
        with pytest.raises(InputError, match="no memory with id 4"):
            reader.read([4])
    with MilvusStore(server.address) as store:
        assert store.sizes(limit=1_000)[memory.name] == 2
    with pytest.raises(InputError, match="no memory with id 2"):
        memory.delete([2])
    assert memory.write("Bob sat.").id == 5
    memory.delete([1])
    assert [row["id"] for row in memory._table._query("id > 0", ["id"], 10)] == [3, 5]


def test_a_row_0_of_before_gives_no_id_and_no_count_again(opened):
    memory = opened()
    old = memory._table._query("id == 0", [*milvus_table.SLOT, "vector", "kind", "state"], 1)
    memory.write_many(["Eve ran.", "Bob sat."])
    memory.delete([4, 5])
    deletions = memory.deletions
    memory.close()
    other = opened()
    other._table.replace([fields.blank(0, other._table.dim) | row for row in old])
    newcomer = opened()
    assert newcomer.last_id == 5
    assert newcomer.deletions >= deletions - 1, "the second count of a deletion changes nothing"
    assert newcomer.write("Al rose.").id == 6


def test_vectors_and_a_new_collection_leave_out_what_is_back(opened, monkeypatch):
    memory, follower = opened(embedder=Hashes(dim=6)), opened()
    memory.embed()
    before = everything(memory)
    memory.delete([2])
    bring_back(memory, [row for row in before if row["id"] == 2])
    ids, _ = memory.search([1.0] * 6, 3)
    assert sorted(ids.tolist()) == [1, 3]
    assert memory.embedded() == ("hashes", 2)
    monkeypatch.setattr(graves, "MANY", 0)
    memory.compact()
    assert len(memory._table._query("id > 0", ["id"], 10)) == 2, "the new collection is without it"
    assert texts(follower) == texts(opened()) == ["Joe left.", "Dan slept."]
    assert not memory._table.graves.crowded
    memory.delete([1])
    memory.close()
    other = opened()
    other.delete([3])
    for reader in (follower, other, opened()):
        assert (texts(reader), len(reader)) == ([], 0)
    assert other.write("Eve ran.").id == 4


def test_a_memory_begun_anew_has_no_old_deletions(opened):
    memory, follower = opened(), opened()
    memory.delete([1, 2])
    assert texts(follower) == ["Dan slept."]
    memory.drop()
    memory.write_many(["a", "b", "c"])
    assert texts(follower) == texts(memory) == ["a", "b", "c"]
    assert len(follower) == 3
    memory.delete([3])
    assert texts(follower) == ["a", "b"]


def test_many_deletions_fit_into_rows(opened):
    memory = opened()
    far = 2**62 - 4_000
    memory.write("a", id=far)
    memory.write_many([f"fact {n}" for n in range(3_000)])
    memory.delete(range(far, far + 3_000, 2))
    memory.delete([far + 1, far + 3])
    reader = opened()
    assert reader._table.graves.gone == memory._table.graves.gone
    assert len(memory._table.graves.gone) == 1_502
    assert len(reader) == 3 + 3_001 - 1_502 == len(texts(reader))


def test_ranges():
    assert graves.ranges([]) == []
    assert graves.ranges([3, 1, 2, 7, -5, -4, 7]) == [(-5, 2), (1, 3), (7, 1)]


# Servers that are silent, lines that lose answers


@pytest.fixture
def line(server):
    with Line(server.port) as line:
        yield line


def behind(server, line) -> str:
    return server.address.replace(str(server.port), str(line.port))


PROMISED = max(connection.READ_SECONDS, connection.WRITE_SECONDS, connection.CONNECT_SECONDS)


def test_a_silent_server_is_reported_within_seconds(server, opened, line, monkeypatch):
    assert PROMISED <= 10
    for seconds in ("READ_SECONDS", "WRITE_SECONDS", "CONNECT_SECONDS", "CHANGE_SECONDS"):
        monkeypatch.setattr(connection, seconds, 2.0)
    where = behind(server, line)
    memories = [opened(where) for _ in range(9)]
    store = MilvusStore(where)
    memories[0].write("Eve ran.")
    calls = [
        lambda: memories[0].write("Bob sat."), memories[1].candidates,
        lambda: memories[2].read([1]), lambda: len(memories[3]),
        lambda: memories[4].delete([1]), memories[5].drop, memories[6].compact,
        lambda: list(memories[7].scan()), lambda: memories[8].frequencies(["joe"]),
        lambda: opened(where), store.names, store.sizes, lambda: "x" in store,
    ]  # fmt: skip

    def said(call):
        began = time.monotonic()
        with pytest.raises(MemoryStoreError) as caught:
            call()
        assert "\n" not in str(caught.value)
        return time.monotonic() - began

    line.silent.set()
    with ThreadPoolExecutor(len(calls)) as pool:
        seconds = list(pool.map(said, calls))
    line.silent.clear()
    assert min(seconds) > 1.9, "each was given the time that was set, by a clock that is right"
    assert max(seconds) < 10, seconds
    line.cut()
    for last in (False, False, True):  # the first call may meet what was left of the cut line
        try:
            assert texts(opened(where))[:3] == ["Joe left.", "Ann came.", "Dan slept."]
            break
        except connection.NoAnswer:
            assert not last
    store.close()


def test_a_write_whose_answer_is_lost_stands_at_most_once(server, opened, line):
    memory = opened(behind(server, line))
    memory.write("Eve ran.")
    line.deaf.set()

    def mend():
        line.deaf.clear()
        line.cut()

    threading.Timer(0.5, mend).start()
    with pytest.raises(MemoryStoreError):
        memory.write("Bob sat.")
    assert memory.write("Bob rose.").id == 6
    reader = opened()
    assert whole(reader)
    assert texts(reader) == ["Joe left.", "Ann came.", "Dan slept.", "Eve ran.", "Bob rose."]


def test_a_server_at_its_limit_is_given_time(opened, monkeypatch):
    from pymilvus import MilvusException

    memory = opened()
    memory.write("Eve ran.")
    client, refused = memory._table.client, []
    insert = client.insert

    def limited(*arguments, **named):
        if len(refused) < 2:
            refused.append(arguments)
            raise MilvusException(code=8, message="rate limit exceeded")
        return insert(*arguments, **named)

    monkeypatch.setattr(client, "insert", limited)
    assert memory.write("Bob sat.").id == 5
    refused.clear()
    monkeypatch.setattr(milvus_table, "BUSY", ())
    with pytest.raises(MemoryStoreError, match="rate limit"):
        memory.write("Bob rose.")
