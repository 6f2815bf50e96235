"""The word stream of §3.2 from end to end: learnt from supporting facts, read in any chunks."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memnn
from memnn.errors import InputError, ModelError, TrainingError, UnknownName
from memnn.simulator import read_aloud, simulate
from memnn.stories.examples import first_questions
from memnn.stories.recipe import Recipe
from memnn.stories.train import fit
from memnn.stories.train_segmenter import (
    Fact,
    SegmenterSettings,
    known_facts,
    train_segmenter,
    unfinished,
)
from memnn.text import stream as stream_module
from memnn.text.cutting import segment, segmented
from memnn.text.stream import Segmenter, WordStream, stream_tokens
from memnn.text.tokens import LONGEST_TEXT, words_1
from memnn.types import Question, Statement, Story

FIGURE_2 = (
    "Joe went to the garden then Fred picked up the milk; Joe moved to the bathroom and Fred "
    "dropped the milk, and then Dan moved to the bedroom. Where is Dan? Where is Joe? "
    "Joe took the milk there, after that Mike travelled to the office"
)
FIGURE_2_TOLD = [
    Statement("Joe went to the garden"),
    Statement("Fred picked up the milk"),
    Statement("Joe moved to the bathroom"),
    Statement("Fred dropped the milk"),
    Statement("Dan moved to the bedroom"),
    Question("Where is Dan?"),
    Question("Where is Joe?"),
    Statement("Joe took the milk there"),
    Statement("Mike travelled to the office"),
]


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    return simulate(stream=True, seed=100, statements=3500, questions=1500)


@pytest.fixture(scope="module")
def segmenter(stories) -> Segmenter:
    return train_segmenter(stories)


def told(segmenter, *chunks):
    stream = WordStream(segmenter)
    return [x for chunk in chunks for x in stream(chunk)] + stream.flush()


def texts(segmenter, *chunks):
    return [x.text for x in told(segmenter, *chunks)]


# Reading


def test_figure_2(segmenter):
    assert told(segmenter, FIGURE_2) == FIGURE_2_TOLD


def test_word_by_word(segmenter):
    assert told(segmenter, *FIGURE_2.split()) == FIGURE_2_TOLD
    assert told(segmenter, *stream_tokens(FIGURE_2)) == FIGURE_2_TOLD


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_the_same_words_in_any_chunks_give_the_same(segmenter, data):
    vocabulary = [*segmenter.words, "Bilbo", "Mount-Doom", "?", "where", "!", '"', "what", "Joe,"]
    words = data.draw(st.lists(st.sampled_from(vocabulary), max_size=40))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(words)), max_size=8)))
    places = [0, *cuts, len(words)]
    chunks = [" ".join(words[a:b]) for a, b in pairwise(places)]
    whole = told(segmenter, " ".join(words))
    assert told(segmenter, *chunks) == whole
    # Nothing is lost or said twice but what joins facts.
    kept = [w for w in words_1(" ".join(x.text for x in whole)) if w not in segmenter.joining]
    assert kept == [w for w in words_1(" ".join(words)) if w not in segmenter.joining]


def test_a_statement_comes_out_with_the_word_that_follows(segmenter):
    stream = WordStream(segmenter)
    assert list(stream("Joe left the milk")) == []
    assert list(stream("there")) == []
    assert list(stream(",")) == [Statement("Joe left the milk there")]
    assert list(stream("then Fred")) == []
    assert stream.flush() == [Statement("Fred")]
    assert stream.flush() == []


def test_all_of_the_text_is_read_whoever_looks(segmenter):
    stream = WordStream(segmenter)
    stream("Joe went to the kitchen. Fred")  # the result is thrown away, the words are not
    first, _ = stream("went to the office. Where is Fred?")
    assert first == Statement("Fred went to the office")
    assert stream.fresh().flush() == []


def test_a_stream_that_ends_in_the_middle(segmenter):
    assert told(segmenter, "Joe went to the kitchen, then Fred picked") == [
        Statement("Joe went to the kitchen"),
        Statement("Fred picked"),
    ]
    assert told(segmenter, "where is the") == [Question("where is the")]
    assert told(segmenter, "") == told(segmenter, " \n") == told(segmenter, ". ,;") == []


def test_questions(segmenter):
    assert told(segmenter, "Joe went to the kitchen where is Joe?") == [
        Statement("Joe went to the kitchen"),
        Question("where is Joe?"),
    ]
    assert texts(segmenter, "and where is the milk now?") == ["and where is the milk now?"]
    assert told(segmenter, "Joe picked up where is Joe ? Fred went to the office") == [
        Statement("Joe picked up"),
        Question("where is Joe?"),
        Statement("Fred went to the office"),
    ]
    assert told(segmenter, "The End. Where is Joe. Fred got the milk") == [
        Statement("The End"),
        Question("Where is Joe."),
        Statement("Fred got the milk"),
    ]
    assert told(segmenter, "is it Joe?") == [Question("is it Joe?")]


def test_text_is_kept_as_it_was_written(segmenter):
    assert texts(segmenter, "Joe  got\tthe (red) milk-can,\nthen") == [
        "Joe got the (red) milk-can",
    ]


def test_words_never_seen(segmenter):
    """The story of Figure 3; only what is like no fact at all runs into its neighbour."""
    story = (
        "Bilbo travelled to the cave. Gollum dropped the ring there, then Bilbo took the ring; "
        "Bilbo went back to the Shire and Bilbo left the ring there, later Frodo got the ring, "
        "Frodo journeyed to Mount-Doom, and then Frodo dropped the ring there. "
        "Frodo went back to the Shire, next Bilbo travelled to the Grey-havens. Sauron died. "
        "Where is the ring?"
    )
    assert texts(segmenter, story) == [
        "Bilbo travelled to the cave",
        "Gollum dropped the ring there",
        "Bilbo took the ring",
        "Bilbo went back to the Shire",
        "Bilbo left the ring there",
        "Frodo got the ring",
        "Frodo journeyed to Mount-Doom",
        "Frodo dropped the ring there",
        "Frodo went back to the Shire",
        "Bilbo travelled to the Grey-havens",
        "Sauron died",
        "Where is the ring?",
    ]


@pytest.mark.parametrize(
    ("word", "by"),
    [("joe", 1), ("joe", 1000), ("where", 1000), ("the", 100_000), (",", 100_000), ("n-ew", 100)],
)
def test_a_hundred_thousand_words_without_an_end(segmenter, word, by, monkeypatch):
    """No word is looked at again and again while the end is awaited."""
    never = replace(segmenter, threshold=1e9)
    scanned, looked_at, scan, look = [], count(), stream_module.find_breaks, stream_module.is_word

    def counted_scan(scores, V, threshold, rows, *rest):
        scanned.append(len(rows))
        return scan(scores, V, threshold, rows, *rest)

    def counted_look(token):
        next(looked_at)
        return look(token)

    monkeypatch.setattr(stream_module, "find_breaks", counted_scan)
    monkeypatch.setattr(stream_module, "is_word", counted_look)
    chunk = " ".join([word] * by)
    pieces = told(never, *[chunk] * (100_000 // by))
    assert sum(scanned) == 100_000
    assert next(looked_at) <= 6 * 100_000
    assert sum(len(stream_tokens(x.text)) for x in pieces) == (0 if word == "," else 100_000)
    assert all(len(x.text) <= LONGEST_TEXT for x in pieces)
    assert len(pieces) <= 1 + 100_000 * (len(word) + 1) // (LONGEST_TEXT - len(word))


def test_a_word_longer_than_a_memory(segmenter):
    stream = WordStream(segmenter)
    list(stream("Joe went"))
    with pytest.raises(InputError, match="is this text"):
        stream("x" * (LONGEST_TEXT + 1))
    assert [*stream("to the kitchen"), *stream.flush()] == [Statement("Joe went to the kitchen")]


def test_weights_and_back(segmenter):
    settings = json.loads(json.dumps(segmenter.settings()))
    again = Segmenter.from_weights(settings, segmenter.weights())
    assert told(again, FIGURE_2) == FIGURE_2_TOLD
    with pytest.raises(ModelError, match="fit"):
        Segmenter.from_weights({**settings, "words": ["joe"]}, segmenter.weights())
    with pytest.raises(ModelError, match="stream-0"):
        Segmenter.from_weights({**settings, "tokeniser": "stream-0"}, segmenter.weights())


# Learning


def test_new_streams_are_cut_exactly(segmenter):
    _, boundaries = segment(simulate(stream=True, seed=200), segmenter)
    assert boundaries.exact == 1.0
    assert boundaries.supports_exact == 1.0


@pytest.mark.parametrize("ask", ["actor-now", "actor-now+object"])
def test_questions_about_the_last_statement_alone(ask):
    """There a question follows every supporting fact: what else may follow was never seen."""
    stories = simulate(stream=True, seed=101, ask=ask, difficulty=1, statements=2000, questions=800)
    test = simulate(stream=True, seed=201, ask=ask, difficulty=1, statements=2000, questions=800)
    assert segment(test, train_segmenter(stories))[1].exact == 1.0


def test_a_hundred_questions_will_do(stories):
    segmenter = train_segmenter(first_questions(stories, 100))
    test = simulate(stream=True, seed=202, statements=2000, questions=800)
    assert segment(test, segmenter)[1].exact > 0.98


def test_the_papers_bag_fires_at_once(stories):
    """A bag alone does not wait for "there", which only ever ended facts and fires by itself."""
    bag = train_segmenter(stories, SegmenterSettings(last_word=False, worsened=0))
    assert bag.U_S.shape[0] == bag.V
    stream = WordStream(bag)
    assert list(stream("Joe left the milk")) == [Statement("Joe left the milk")]
    assert list(stream("there, then Fred went to the office")) == [
        Statement("there"),
        Statement("Fred went to the office"),
    ]
    test = simulate(stream=True, seed=203, there=0.0)
    assert segment(test, bag)[1].exact > 0.99


def test_the_papers_segmenter_is_a_recipe_s_choice(stories):
    """Section 3.2 as it stands: a bag, γ, and what joins statements is kept."""
    plain = train_segmenter(stories, SegmenterSettings.of_the_paper())
    assert plain.U_S.shape[0] == plain.V
    assert (plain.threshold, plain.joining) == (0.1, frozenset())
    said = [x.text for x in WordStream(plain)("Joe left the milk and then Fred went to the office")]
    assert said == ["Joe left the milk", "and then Fred went to the office"]
    few = first_questions(stories, 50)
    model = fit(few, Recipe(stream=True, segmenter="bag", epochs=1, habits=False))
    alone = train_segmenter(few, SegmenterSettings.of_the_paper())
    assert np.array_equal(model.segmenter.U_S, alone.U_S)
    assert model.segmenter.threshold == 0.1
    with pytest.raises(UnknownName, match="no segmenter 'other'; known: bag, next-word"):
        Recipe(segmenter="other")


def test_the_same_seed_gives_the_same(stories):
    few = first_questions(stories, 50)
    a, b = train_segmenter(few), train_segmenter(few)
    c = train_segmenter(few, SegmenterSettings(seed=1))
    assert np.array_equal(a.U_S, b.U_S)
    assert not np.array_equal(a.U_S, c.U_S)


def test_only_supporting_facts_are_looked_at(stories):
    """The other statements may be joined and cut anyhow: nothing changes."""
    (story,) = first_questions(stories, 60)
    supports = {id for q in story.questions for id in q.supports}
    lines, others = list(story.lines), 0
    for i, (line, after) in enumerate(pairwise(story.lines)):
        if isinstance(line, Statement) and not {line.id, line.id - 1, after.id} & supports:
            lines[i] = Statement("; Nobody knows", line.id)
            others += 1
    assert others > 5
    changed = train_segmenter([replace(story, lines=tuple(lines))])
    assert np.array_equal(changed.U_S, train_segmenter([story]).U_S)


def test_a_beginning_that_may_be_a_fact_is_no_negative():
    def fact(text):
        return Fact(tuple(text.split()))

    there = fact(", joe left the milk there")
    assert unfinished([there])[0] == [1, 2, 3, 4, 5]
    # Told of somebody else, after another word: "left the milk" ends a fact.
    assert unfinished([there, fact("then fred left the milk")])[0] == [1, 2, 3, 4]
    # Another verb: too little is known of "left the milk" to call it unfinished …
    assert unfinished([there, fact("fred got the milk")])[0] == [1, 2, 3, 4]
    # … until it went on every time.
    assert unfinished([there, there, there, fact("fred got the milk")])[0] == [1, 2, 3, 4, 5]


def test_nothing_to_learn_from():
    with pytest.raises(TrainingError, match="supporting"):
        train_segmenter([Story((Statement("Joe went home", 1), Question("Where is Joe?", 2)))])
    with pytest.raises(InputError, match="omitted"):
        SegmenterSettings(omitted=2)


# Stories as the segmenter sees them


def test_stories_keep_their_questions_and_supports(stories, segmenter):
    again = segmented(stories, segmenter)
    for old, new in zip(stories, again, strict=True):
        assert [line.id for line in new.lines] == list(range(1, len(new.lines) + 1))
        for before, after in zip(old.lines, new.lines, strict=True):
            told = [w for w in words_1(before.text) if w not in segmenter.joining]
            assert words_1(after.text) == told
            if isinstance(before, Question):
                assert (after.supports, after.answer) == (before.supports, before.answer)


def test_a_story_reads_as_its_stream_does(stories, segmenter):
    """Told word by word, questions and all, the stream gives the lines that `segmented` gives."""
    (story,) = first_questions(stories, 40)
    (again,) = segmented([story], segmenter)
    stream = WordStream(segmenter)
    read = [x for line in story.lines for x in stream(line.text)] + stream.flush()
    assert [(type(x), x.text) for x in read] == [(type(x), x.text) for x in again.lines]
    aloud = read_aloud(line.text for line in list(story.lines)[:3])
    assert len(told(segmenter, aloud)) == 3


def test_supports_of_merged_segments(segmenter):
    never = replace(segmenter, threshold=1e9)
    story = Story(
        (
            Statement("Joe went to the kitchen", 1),
            Statement(", then Joe got the milk", 2),
            Question("Where is the milk?", 3, "kitchen", (2, 1)),
            Statement("Dan went to the office", 4),
            Question("Where is Dan?", 5, "office", (4,)),
        )
    )
    (again,), boundaries = segment([story], never)
    assert again.lines == (
        Statement("Joe went to the kitchen, then Joe got the milk", 1),
        Question("Where is the milk?", 2, "kitchen", (1,)),
        Statement("Dan went to the office", 3),
        Question("Where is Dan?", 4, "office", (3,)),
    )
    assert (boundaries.statements, boundaries.exact_statements) == (3, 1)
    assert (boundaries.supports, boundaries.exact_supports) == (3, 1)


def test_known_facts_as_they_occur():
    story = Story(
        (
            Statement("Joe went to the kitchen", 1),
            Statement(", then Dan got the milk", 2),
            Question("Where is Joe?", 3, "kitchen", (1,)),
        )
    )
    assert known_facts([story]) == [
        Fact(("joe", "went", "to", "the", "kitchen"), (",",), begins=True)
    ]


def test_what_joins_facts_is_learnt(segmenter, stories):
    joining = {"and", "then", "later", "after", "that", "next"}
    assert segmenter.joining == joining
    for n in (5, 20, 100):
        assert train_segmenter(first_questions(stories, n)).joining <= joining
    plain = simulate(seed=100, statements=300, questions=100)
    assert train_segmenter(plain).joining == frozenset()


@pytest.fixture(scope="module")
def streaming(streaming_folder):
    return memnn.load(streaming_folder)


def test_a_refused_question_loses_nothing_that_was_told(streaming):
    net = streaming.with_memory(memnn.RamMemory())
    assert net.tell("Joe went to the kitchen") == []
    with pytest.raises(memnn.InputError, match="is a question"):
        net.tell("Where is Joe?")
    assert [slot.text for slot in net.memory.scan()] == ["Joe went to the kitchen"]


def test_a_question_without_a_mark_is_answered_when_the_input_ends(streaming):
    net = streaming.with_memory(memnn.RamMemory())
    said = [*net.respond("Joe went to the kitchen. where is Joe"), *net.flush()]
    assert [type(x) for x in said] == [memnn.Slot, memnn.Answer]
    assert said[1].text == "kitchen"


def test_words_in_any_chunks_are_told_and_asked_about(streaming):
    net = streaming.with_memory(memnn.RamMemory())
    words = "Joe went to the kitchen and Fred took the milk then Joe moved to the garden"
    for word in words.split():
        net.tell(word)
    assert net.ask("Where is Joe?").text == "garden"
    assert [slot.text for slot in net.memory.scan()] == [
        "Joe went to the kitchen", "Fred took the milk", "Joe moved to the garden",
    ]  # fmt: skip
