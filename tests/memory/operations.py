"""Random operations on memories, and what they answer: every memory must answer the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from memnn.errors import InputError
from memnn.memory import Memory
from memnn.types import Slot, Turn

WORDS = ("joe", "Joe", "milk", "MILK", "Grüße", "ΣΑΣ", "Mount-Doom", "it's", "7", "...", "İ")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
odd_texts = st.one_of(texts, texts, st.sampled_from(["", " ", "a\0b", "x" * 10_001, "x" * 9_999]))
times = st.sampled_from(
    [None, "2001-01-01T00:00:00Z", "2002-01-01T00:00:00+01:00", "2003-06-01T12:00:00.5Z", "noon"]
)
ids = st.one_of(st.none(), st.integers(-1, 30), st.sampled_from([2**40, 2**62 - 1, 2**62]))
as_ofs = st.one_of(
    st.none(), st.integers(0, 30), st.just("2002-06-01T00:00:00Z"), st.just("2099-01-01T00:00:00Z")
)
buckets = st.one_of(
    st.none(), st.lists(st.sampled_from([w.lower() for w in WORDS] + ["Joe", "i", ""]), max_size=3)
)
turns = st.builds(
    Turn,
    speaker=st.sampled_from([None, "Joe", "Ann", ""]),
    said=times,
    meta=st.sampled_from([None, {}, {"a": 1.5, "b": ["Grüße", None]}]),
    supersedes=st.sampled_from([None, 1, 2, 30]),
)
some_ids = st.lists(st.integers(0, 12), max_size=4)

operation = st.one_of(
    st.tuples(st.just("write"), odd_texts, ids, times),
    st.tuples(st.just("write"), texts, st.none(), st.none()),
    st.tuples(st.just("write_turn"), texts, turns),
    st.tuples(st.just("teach"), texts, st.lists(st.integers(1, 12), max_size=2)),
    st.tuples(st.just("frequencies"), st.lists(st.sampled_from(["joe", "milk", "tea"]))),
    st.tuples(st.just("write_many"), st.lists(odd_texts, max_size=4)),
    st.tuples(st.just("write_many"), st.lists(texts, min_size=3, max_size=6)),
    st.tuples(st.just("delete"), some_ids),
    st.tuples(st.just("read"), some_ids),
    st.tuples(st.just("scan"), st.integers(0, 12)),
    st.tuples(st.just("candidates"), as_ofs, buckets),
    st.tuples(st.just("reopen")),
)
sequences = st.lists(operation, min_size=1, max_size=14)


def answer(memory: Memory, call: tuple[Any, ...]) -> Any:
    """What a memory says to an operation, and then about itself; a refusal is an answer."""
    calls: dict[str, Callable[..., Any]] = {
        "write": lambda text, id, time: plain([memory.write(text, id=id, time=time)]),
        "write_many": lambda many: plain(memory.write_many(many)),
        "write_turn": lambda text, turn: plain([memory.write(text, turn=turn)]),
        "teach": memory.teach,
        "frequencies": memory.frequencies,
        "delete": memory.delete,
        "read": lambda some: plain(memory.read(some)),
        "scan": lambda after: plain(memory.scan(after=after)),
        "candidates": lambda as_of, some: memory.candidates(as_of, some).tolist(),
    }
    name, *arguments = call
    try:
        said = calls[name](*arguments)
    except InputError:  # which of several reasons is named may differ
        said = "refused"
    now = len(memory), memory.last_id, memory.candidates().tolist(), memory.lessons()
    return said, *now, plain(memory.scan())


def plain(slots: Any) -> list[tuple[int, str, str, Turn | None]]:
    """Slots as values; the present is another one in each memory."""
    return [(s.id, s.text, _time(s), s.turn) for s in slots]


def _time(slot: Slot) -> str:
    return "now" if slot.time > "2025" else slot.time
