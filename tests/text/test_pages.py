"""Many texts read at once leave behind what reading them one by one does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memnn
from memnn.stories import view as output
from memnn.stories.dictionary import Dictionary
from memnn.stories.overview import OverviewReader
from memnn.stories.recipe import Recipe
from memnn.stories.view import StoryReader
from memnn.text.pages import Page
from memnn.text.tokens import surface_words, words_1

WORDS = ["Joe", "joe", "went", "to", "the", "Kitchen", "Mount-Doom", "it's", "a_b", "7", "Grüße"]
WORDS += [
    "İstanbul",
    "ΣΑΣ",
    "’",
    "-",
    "...",
    "x--y",
    "-z",
    "q'",
    "\1",
    "日本",
    "anna",
    "took",
    "milk",
]
texts = st.lists(
    st.one_of(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join),
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1),
        st.text("abAB-'_ 1.", min_size=1),
    ),
    min_size=1,
    max_size=12,
)


@given(texts)
@settings(deadline=None, max_examples=300)
def test_words_of_a_page(told):
    page = Page("".join(text + "\0" for text in told))
    surfaces = {}
    for i, text in enumerate(told):
        numbers = page.words[page.ptr[i] : page.ptr[i + 1]].tolist()
        assert [page.vocabulary[n] for n in numbers] == words_1(text)
        for n, surface in zip(numbers, surface_words(text), strict=True):
            surfaces.setdefault(n, (surface, i))
    assert {n: (page.surface(n), page.first_text[n]) for n in surfaces} == surfaces
    assert list(surfaces) == list(range(len(page.vocabulary))), "numbered as they came"


def state(view):
    """Everything a reader knows, in its order."""
    known = [view.mentioned, view.lexicon.to_json()]
    if isinstance(view, OverviewReader):
        return [*known, view.first_id, view.last_id, view.mentions, view.bounds.to_json()]
    seen = view.view()
    return [*known, [seen.bag(i).tolist() for i in range(len(seen.ids))], seen.ids.tolist()]


@pytest.mark.parametrize("kind", [StoryReader, OverviewReader])
@pytest.mark.parametrize("unseen", [False, True])
@pytest.mark.parametrize("match", [False, True])
def test_reading_in_pages_is_reading_one_by_one(kind, unseen, match, monkeypatch):
    dictionary = Dictionary(
        words=("joe", "went", "to", "the", "kitchen", "milk", "took"),
        answers=("Joe", "went", "to", "the", "kitchen", "milk", "took"),
        entities=frozenset({"joe", "kitchen", "milk"}),
    )
    recipe = Recipe(unseen=unseen, match=match)

    @given(texts, texts)
    @settings(deadline=None, max_examples=60)
    def run(before, after):
        memory = memnn.RamMemory()
        views = [kind(dictionary, recipe) for _ in range(2)]
        last = 0
        for told in (before, after):
            for text in told:
                if text.strip():
                    memory.write(text)
            for view, many in zip(views, (1, 10**9), strict=True):
                monkeypatch.setattr(output, "MANY", many)
                assert view.read_on(memory, last) == memory.last_id
            last = memory.last_id
        assert state(views[0]) == state(views[1])

    run()


def test_a_page_of_too_many_neighbours_is_read_in_parts(monkeypatch):
    """One text may have more pairs of words than there is room for at once."""
    from memnn.stories import contexts

    monkeypatch.setattr(contexts, "ROOM", 64)
    dictionary = Dictionary(words=("to", "the"), answers=("to", "the"))
    memory = memnn.RamMemory()
    for n in range(40):
        memory.write(" ".join(f"w{n}-{i % 30} to the" for i in range(20)))
    views = []
    for many in (1, 10**9):
        monkeypatch.setattr(output, "MANY", many)
        views.append(StoryReader(dictionary, Recipe(unseen=True)))
        views[-1].read_on(memory, 0)
    assert state(views[0]) == state(views[1])


def test_pages_of_a_store(tmp_path, monkeypatch):
    from memnn.memory.sqlite import buckets, sealed

    monkeypatch.setattr(buckets, "EVERY", 11)
    monkeypatch.setattr(sealed, "ROWS", 7)
    monkeypatch.setattr(sealed, "MOST_BYTES", 200)
    monkeypatch.setattr(sealed, "NEWEST", 3)
    ram, disk = memnn.RamMemory(), memnn.open_memory(tmp_path / "store.db")
    assert list(disk.pages()) == list(ram.pages()) == []
    for memory in (ram, disk):
        memory.write_many([f"Grüße {n}" * (n % 5 + 1) for n in range(60)])
        memory.delete([1, 7, 8, 30, 60])
        memory.write_many(["Grüße"] * 9)
    for after in (0, 5, 59, 99):
        read = [
            [(id, text) for ids, texts in m.pages(after) for id, text in
             zip(ids.tolist(), texts.split("\0")[:-1], strict=True)]
            for m in (ram, disk)
        ]  # fmt: skip
        assert read[0] == read[1] == [(s.id, s.text) for s in ram.scan(after)]
    disk.close()
