"""A damaged store is never a silent answer: it says so in a line, or nothing has changed."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

import memnn
from memnn.errors import DamagedStore
from memnn.memory.address import verify
from memnn.memory.sqlite import buckets, sealed, state, vectors
from memnn.memory.sqlite import memory as memories
from memnn.memory.sqlite.store import SqliteStore
from memnn.stories.network import network
from memnn.types import Turn
from tests.memory.conftest import Hashes

FEW, MANY = 60, 1_000
PEOPLE, ROOMS = ("Joe", "Fred", "Bill", "Dan"), ("kitchen", "garden", "office", "bathroom")


@pytest.fixture
def full(path, monkeypatch, trained):
    """A store with all there can be: pages, chunks, a tail, turns, lessons, vectors, outlines."""
    monkeypatch.setattr(buckets, "EVERY", 50)
    monkeypatch.setattr(buckets, "CHUNK", 20)
    monkeypatch.setattr(sealed, "ROWS", 30)
    rng = random.Random(5)
    with SqliteStore(path) as store:
        for name in ("main", "other"):
            memory = store.memory(name)
            told = [f"{rng.choice(PEOPLE)} went to the {rng.choice(ROOMS)}." for _ in range(300)]
            memory.write_many(told[:200], source="diary")
            memory.vectors(Hashes())
            memory.delete([7, 100])
            network(trained.model, memory).O.prepare(memory)
            memory.write_many(told[200:270], turns=[Turn("Ann", session="s")] * 70)
            memory.write_many(told[270:], turns=[Turn("Ann", session="s")] * 30)
            assert memory.state().indexed == 270, "the rest is the tail"
            for number in range(10):
                memory.teach(f"Who was in room {number}?", [number + 1] if number != 6 else [])
    return path


@dataclass
class Read:
    """What a store says: texts and answers must never change silently."""

    told: dict[str, object] = field(default_factory=dict)
    rest: dict[str, object] = field(default_factory=dict)


def read(path, model):
    found = Read()
    with SqliteStore(path, create=False) as store:
        for name in ("main", "other"):
            memory = store.memory(name)
            slots = list(memory.scan())
            ids = [slot.id for slot in slots]
            found.told[name] = (
                slots,
                memory.read(ids[::7]),
                [id for some, _ in memory.pages() for id in some.tolist()],
                "".join(texts for _, texts in memory.pages()),
                list(memory.scan(after=250)),
                len(memory), memory.last_id, memory.candidates().tolist(),
                memory.candidates(slots[150].time).tolist() if slots else [],
                [answer_of(model, memory, who) for who in PEOPLE],
            )  # fmt: skip
            found.rest[name] = (
                [memory.candidates(buckets=[b]).tolist() for b in ("joe", "garden", "the")],
                memory.frequencies(["joe", "garden", "the"]),
                memory.lessons(),
                [part.tolist() for part in memory.vectors(Hashes())],
            )
        found.rest["names"] = store.sizes()
    return found


def answer_of(model, memory, who):
    answer = network(model, memory).ask(f"Where is {who}?")
    return answer.text, [(hop.id, hop.text) for hop in answer.evidence]


def write(path):
    """What a user goes on with; only errors of ours may come out."""
    with suppress(memnn.MemnnError), SqliteStore(path, create=False) as store:
        for name in ("main", "other"):
            memory = store.memory(name)
            with suppress(memnn.MemnnError):
                memory.write_many(["Joe went to the garden."] * 60)
            with suppress(memnn.MemnnError):
                memory.delete([3, 250, 299])
            with suppress(memnn.MemnnError):
                memory.teach("Who left?", [4])
            with suppress(memnn.MemnnError):
                memory.vectors(Hashes())
        store.compact()
    with suppress(memnn.MemnnError):
        verify(path, repair=True)


def damage(rng, data):
    """One flipped bit, mostly; or a cut, more bytes, a hole of zeros, or noise."""
    bad, kind = bytearray(data), rng.choice(["flip"] * 6 + ["cut", "longer", "zeros", "noise"])
    place = rng.randrange(len(bad))
    if kind == "flip":
        bad[place] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del bad[place:]
    elif kind == "longer":
        bad += rng.randbytes(rng.randrange(1, 10_000))
    else:
        size = rng.choice([4, 64, 4096])
        bad[place : place + size] = bytes(size) if kind == "zeros" else rng.randbytes(size)
    return kind, bytes(bad)


def attack(full, model, count, seed):
    """How each of many damages ended."""
    rng, expected = random.Random(seed), read(full, model)
    files = [full, *sorted(full.parent.glob("*-vectors-*"))]
    good = {file: file.read_bytes() for file in files}
    ends = dict.fromkeys(("said when read", "harmless", "said by verify alone"), 0)
    for number in range(count):
        for left in full.parent.glob(f"{full.name}*"):
            left.unlink()
        for file, data in good.items():
            file.write_bytes(data)
        file = full if rng.random() < 0.8 else rng.choice(files)
        kind, bad = damage(rng, good[file])
        file.write_bytes(bad)
        case = f"{number}: {kind} of {file.name}, seed {seed}"
        try:
            found = read(full, model)
        except memnn.MemnnError as error:
            ends["said when read"] += 1
            lines = str(error).count("\n") + 1
        else:
            lines = 0
        assert lines <= 1, case
        if not lines:
            assert found.told == expected.told, case
            same = found.rest == expected.rest
            ends["harmless" if same else "said by verify alone"] += 1
            assert same or said_by_verify(full), case
        try:
            write(full)
        except Exception as error:
            raise AssertionError(case) from error
    return ends


def said_by_verify(path):
    try:
        return verify(path).problems
    except memnn.MemoryStoreError as error:
        return [str(error)]


def test_damage_is_said_or_harmless(full, trained):
    ends = attack(full, trained.model, FEW, seed=1)
    assert ends["said when read"] > FEW // 4, ends


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
def test_a_thousand_damages(full, trained, part):
    print(attack(full, trained.model, MANY // 4, seed=100 + part))


@pytest.mark.parametrize("start", range(2, 34))
def test_a_row_without_its_head(path, monkeypatch, start):
    """It may have no id then: whoever puts it into buckets says so."""
    monkeypatch.setattr(buckets, "EVERY", 50)
    with SqliteStore(path) as store:
        store.memory().write_many([f"Joe went to room {n}." for n in range(40)])
    data = bytearray(path.read_bytes())
    place = data.index(b"Joe went to room 17.")
    data[place - start : place - start + 4] = bytes(4)
    path.write_bytes(data)
    with suppress(memnn.MemnnError), SqliteStore(path, create=False) as store:
        store.memory().write_many(["Joe left."] * 60)
    with suppress(memnn.MemnnError), SqliteStore(path, create=False) as store:
        store.memory().delete([18, 19])


@pytest.mark.parametrize("id", ["NULL", "'x'", "x'00'", "1.5"])
@pytest.mark.parametrize("which", [1, 20, 300], ids=["first", "middle", "last"])
def test_an_id_that_is_no_number(full, which, id):
    """As when the head of a row is damaged; the schema would not take it."""
    with sqlite3.connect(full) as connection:
        columns = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'slots'")
        (sql,) = columns.fetchone()
        loose = sql.replace("slots", "loose", 1).replace("id INTEGER NOT NULL", "id BLOB")
        loose = re.sub(r",\s*PRIMARY KEY.*", ")", loose, flags=re.DOTALL)
        connection.execute(loose)
        connection.execute("INSERT INTO loose SELECT * FROM slots")
        connection.execute("DROP TABLE slots")
        connection.execute("ALTER TABLE loose RENAME TO slots")
        connection.execute(f"UPDATE slots SET id = {id} WHERE id = {which} AND memory = 1")
        assert connection.total_changes
    connection.close()
    with SqliteStore(full) as store:
        memory = store.memory()
        for reader in (
            lambda: list(memory.scan()),
            lambda: list(memory.pages()),
            memory.candidates,
            lambda: memory.newest(5),
            lambda: memory.write_many(["Joe left."] * 60),
            lambda: memory.delete([2, 21, 299]),
            lambda: memory.vectors(Hashes()),
        ):
            with suppress(memnn.MemoryStoreError):
                reader()
        with pytest.raises(DamagedStore):
            list(memory.scan())
    with suppress(memnn.MemoryStoreError):
        verify(full, repair=True)


CHANGES = {
    "a text in a page": ("UPDATE slots SET text = 'Joe went to the moon.' WHERE id = 20", "20"),
    "a text in the tail": ("UPDATE slots SET text = 'Joe went to the moon.' WHERE id = 300", "300"),
    "a time": ("UPDATE slots SET time = time + 1 WHERE id = 20", "20"),
    "a source": ("UPDATE slots SET source = 'gossip' WHERE id = 20", "20"),
    "a speaker": ("UPDATE turns SET speaker = 'Dan' WHERE id = 290", "290"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_statement_is_named(full, what):
    change, id = CHANGES[what]
    with sqlite3.connect(full) as connection:
        connection.execute(f"{change} AND memory = 1")
    connection.close()
    with SqliteStore(full) as store:
        memory = store.memory()
        readers = [lambda: memory.read([int(id)]), lambda: list(memory.scan())]
        readers.append(lambda: list(memory.scan(after=10)))
        if "text" in what:
            readers.append(lambda: list(memory.pages()))
        for reader in readers:
            with pytest.raises(DamagedStore) as caught:
                reader()
            said = str(caught.value)
            assert f"statement {id} of memory 'main' was changed" in said
            assert "\n" not in said
        assert memory.read([21])[0].id == 21, "the others are read as ever"
        assert len(list(store.memory("other").scan())) == 298
        memory.delete([int(id)])  # as the message says
        assert len(list(memory.scan())) == sum(len(ids) for ids, _ in memory.pages()) == 297
        assert memory.candidates(buckets=["the"]).tolist() == memory.candidates().tolist()
    assert verify(full).problems == []


TEXTS = ("'no'", "'Joe' || char(0) || 'left'", "CAST(x'4a6fe5' AS TEXT)", "x'ff00'", "5", "''")


@pytest.mark.parametrize("id", [20, 290], ids=["page", "tail"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_changed_statement_can_be_told_of_and_embedded_around(full, text, id):
    """A space whose bit flips is a NUL, which no text has."""
    with sqlite3.connect(full) as connection:
        connection.execute(f"UPDATE slots SET text = {text} WHERE id = {id} AND memory = 1")
    connection.close()
    with SqliteStore(full) as store:
        memory = store.memory()
        if id == 290:  # the vectors of the other are there already
            with pytest.raises(DamagedStore, match=f"statement {id}"):
                memory.vectors(Hashes())
        memory.write_many([f"Joe went to room {n}." for n in range(120)])
        with pytest.raises(DamagedStore, match=f"statement {id}"):
            list(memory.pages())
        memory.delete([id])
        memory.vectors(Hashes())
    assert verify(full).problems == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE memories SET last_id = last_id + 5", "row of memory 'main'"),
        ("UPDATE lessons SET ids = '[3]' WHERE ids = '[1]'", "lesson"),
        ("UPDATE buckets SET ids = x'0102' WHERE bucket = 'joe'", "buckets"),
        ("DELETE FROM buckets WHERE bucket = 'joe' AND first > 60", "buckets"),
        ("UPDATE bucket_sizes SET count = count + 1", "buckets"),
        ("UPDATE vector_blocks SET crc = crc + 1", "vectors"),
        ("UPDATE vector_gaps SET id = 8 WHERE id = 7", "vectors"),
        ("UPDATE slots SET id = 1000 WHERE id = 20", "statement 1000|statements of memory"),
        ("DELETE FROM slots WHERE id = 290", "statements of memory 'main'"),
    ],
)
def test_what_else_was_changed_is_said(full, trained, change, message):
    with sqlite3.connect(full) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(DamagedStore, match=message):
        read(full, trained.model)


def test_names_are_listed_beside_a_memory_that_cannot_be_read(full):
    with sqlite3.connect(full) as connection:
        connection.execute("UPDATE memories SET last_id = last_id + 5 WHERE name = 'main'")
    connection.close()
    with SqliteStore(full) as store:
        assert store.sizes() == {"main": None, "other": 298}
        assert store.names() == store.info("other").names == ["main", "other"]
        with pytest.raises(DamagedStore, match="row of memory 'main'"):
            store.memory().changes()
        store.memory("other").write("Joe left.")
        assert store.sizes("main") == {"other": 299}
    assert verify(full, repair=True).problems == []
    with SqliteStore(full) as store:
        assert store.sizes() == {"main": 298, "other": 299}


@pytest.mark.parametrize("name", ["x'ff00'", "CAST(x'ff00' AS TEXT)"])
def test_a_name_that_is_no_text(full, name):
    with sqlite3.connect(full) as connection:
        connection.execute(f"UPDATE memories SET name = {name} WHERE name = 'main'")
    connection.close()
    with SqliteStore(full) as store, pytest.raises(DamagedStore, match=r"name|UTF-8"):
        store.sizes()


def test_an_answer_does_not_miss_what_a_lost_bucket_held(full, trained):
    """The bucket of a name is gone, as when a bit of the word flips."""
    before = read(full, trained.model)
    shutil.copy(full, full.with_name("copy.db"))
    with sqlite3.connect(full) as connection:
        connection.execute("DELETE FROM buckets WHERE bucket = 'joe'")
        connection.execute("DELETE FROM bucket_sizes WHERE bucket = 'joe'")
    connection.close()
    assert read(full, trained.model).told == before.told
    assert verify(full).problems


def test_compacting_takes_over_no_changed_vectors(full):
    with SqliteStore(full) as store:
        store.memory().delete([5])
        (_, expected) = store.memory().vectors(Hashes())
        expected = expected.copy()
    file = next(full.parent.glob("*-vectors-1-*"))
    data = bytearray(file.read_bytes())
    data[300] ^= 64
    file.write_bytes(data)
    with SqliteStore(full) as store:
        store.compact()
        assert (store.memory().vectors(Hashes())[1] == expected).all()


NEVER_ENDS = {
    "what is noted is lost": ("_claim", lambda *_: None),
    "the file is never usable": ("is_usable", lambda *_: False),
    "the same rows again": ("fetch", lambda *_: [(1, "Joe left."), (1, "Joe left.")]),
}


@pytest.mark.parametrize("what", NEVER_ENDS)
def test_embedding_a_damaged_store_comes_to_an_end(path, monkeypatch, what):
    """Rows that lead back, or a table that keeps nothing, as damaged trees have them."""
    monkeypatch.setattr(vectors, *NEVER_ENDS[what])
    with SqliteStore(path) as store:
        store.memory().write("Joe left.")
        with pytest.raises(DamagedStore, match="changed on disk"):
            store.memory().vectors(Hashes())


@pytest.mark.parametrize("reader", ["scan", "pages"])
def test_reading_rows_that_lead_back_comes_to_an_end(path, monkeypatch, reader):
    monkeypatch.setattr(memories, "PAGE", 1)
    monkeypatch.setattr(memories.SqliteMemory._page, "__defaults__", (1,))
    real = memories.fetch

    def back(connection, query, values):
        return real(connection, query.replace("id > ?", "id > ? * 0"), values)

    with SqliteStore(path) as store:
        store.memory().write_many(["Joe left.", "Ann came."])
        monkeypatch.setattr(memories, "fetch", back)
        monkeypatch.setattr(sealed, "checked_rows", lambda c, s, *_: state.checked_rows(c, s, 0, 1))
        with pytest.raises(DamagedStore, match="changed on disk"):
            list(getattr(store.memory(), reader)())


def test_a_store_without_its_count_of_deletions(path):
    with SqliteStore(path) as store:
        store.memory().write("Joe left.")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM changes")
    connection.close()
    with SqliteStore(path) as store:
        for call in (lambda: store.memory().delete([1]), store.memory("new").changes):
            with pytest.raises(DamagedStore, match="count of deletions"):
                call()


def test_times_that_no_calendar_has(full):
    from memnn.memory.sqlite.state import slot_crc

    with sqlite3.connect(full) as connection:
        for id, time in ((20, 2**62), (21, -(2**60))):
            crc = slot_crc(id, time, "diary", "x")
            connection.execute(
                "UPDATE slots SET time = ?, text = 'x', crc = ? WHERE id = ? AND memory = 1",
                (time, crc, id),
            )
    connection.close()
    with SqliteStore(full) as store:
        for id in (20, 21):
            with pytest.raises(DamagedStore, match="out of range"):
                store.memory().read([id])


def test_names_of_tables_that_are_no_text(full):
    full.write_bytes(full.read_bytes().replace(b"bucket_sizes", b"buck\xe5t_sizes", 1))
    with pytest.raises(DamagedStore, match="not UTF-8"):
        SqliteStore(full)


def test_a_name_that_its_index_has_lost(full):
    data = full.read_bytes()
    assert data.count(b"\tmain") == 1, "the entry of the index"
    full.write_bytes(data.replace(b"\tmain", b"\tmaip"))
    with SqliteStore(full) as store, pytest.raises(DamagedStore, match="index of names"):
        store.memory().last_id  # noqa: B018
