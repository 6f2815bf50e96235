"""Unseen words by their contexts, and the stories they make answerable (§3.5, §3.6)."""

from __future__ import annotations

import memnn
from memnn.paper.figures import FIGURE_3, ask_all, rename
from memnn.stories.contexts import LexiconReader
from memnn.stories.dictionary import Dictionary

WORDS = Dictionary(("went", "to", "the", "took", "where", "is"), ("went", "to", "the"))


def neighbours(lexicon, word):
    """The known words left and right of an unseen one."""
    contexts = lexicon.contexts()
    j = lexicon.words.index(word)

    def side(k):
        rows = contexts.words[contexts.ptr[k] : contexts.ptr[k + 1]]
        return {lexicon.dictionary.words[row] for row in rows}

    return side(2 * j), side(2 * j + 1)


def test_contexts_are_the_known_words_on_either_side():
    reader = LexiconReader(WORDS, unseen=True)
    assert reader.read("Bilbo went to the Shire.", 1) == [6, 0, 1, 2, 7]
    before = reader.now()
    reader.read("bilbo took the ring to Frodo", 2)
    lexicon = reader.now()
    assert lexicon.words == ["Bilbo", "Shire", "ring", "Frodo"]
    assert neighbours(lexicon, "Bilbo") == (set(), {"went", "to", "the", "took"})
    assert neighbours(lexicon, "Shire") == ({"went", "to", "the"}, set())
    assert neighbours(lexicon, "ring") == ({"took", "the"}, {"to"})
    assert lexicon.tokens("Where is Gollum or Bilbo?") == [4, 5, 6]
    assert lexicon.unknown("Where is Gollum?") == ["Gollum"]
    for past in (before, reader.until(1)):  # it does not change when more is read
        assert past.words == ["Bilbo", "Shire"]
        assert past.unknown("Frodo or Bilbo?") == ["Frodo", "or"]
        assert past.tokens("Frodo is Bilbo") == [5, 6]
        assert neighbours(past, "Bilbo") == (set(), {"went", "to", "the"})


def test_without_unseen_words_they_are_left_out():
    reader = LexiconReader(WORDS, unseen=False)
    assert reader.read("Bilbo went to the Shire.", 1) == [0, 1, 2]
    lexicon = reader.now()
    assert lexicon.unknown("Bilbo is") == ["Bilbo"]
    assert len(lexicon.contexts().rows) == len(WORDS)


def test_the_lord_of_the_rings(unseen, trained):
    values = ask_all(unseen, *FIGURE_3)
    assert [said["answer"] for said in values["said"]] == ["Mount-Doom", "Grey-havens", "Shire"]
    assert values["said"][0]["evidence"] == [
        "Frodo dropped the ring there.",
        "Frodo journeyed to Mount-Doom.",
    ]
    assert ask_all(trained, *FIGURE_3)["accuracy"] == 0, "without unseen words it must fail"


def test_names_nobody_has_seen(unseen):
    test = memnn.simulate(seed=1, statements=1400, questions=600)
    assert memnn.evaluate(unseen, test).accuracy >= 0.99
    renamed = rename(test)
    texts = " ".join(line.text for line in renamed[0].lines)
    assert not any(name in texts for name in ("Joe", "milk", "kitchen"))
    assert memnn.evaluate(unseen, renamed).accuracy >= 0.95
    short = rename(memnn.simulate(seed=2, statements=1400, questions=600, story_length=20))
    assert memnn.evaluate(unseen, short).accuracy >= 0.9


def test_one_s_own_story_and_the_past(unseen):
    net = unseen.with_memory(memnn.RamMemory())
    net.tell("Anna went to the harbour. Anna took the lantern. Anna moved to the lighthouse.")
    assert net.ask("Where is the lantern?").text == "lighthouse"
    assert net.ask("Where is the lantern?", as_of=2).text == "harbour"
    assert net.ask("Where was Anna before the lighthouse?").text == "harbour"
    gandalf = net.ask("Where is Gandalf?")
    assert gandalf.abstained
    assert gandalf.reason == "nothing I was told mentions Gandalf"


def test_deleting_takes_a_word_s_context_away(unseen):
    net = unseen.with_memory(memnn.RamMemory())
    net.tell("Anna went to the harbour. Bert went to the market.")
    assert net.ask("Where is Anna?").text == "harbour"
    net.forget(1)
    assert net.ask("Where is Anna?").abstained


def test_letters_that_change_their_number_when_lower_case(unseen):
    net = unseen.with_memory(memnn.RamMemory())
    net.tell("Anna went to İstanbul.")
    assert net.ask("Where is Anna?").text == "İstanbul"


def test_contexts_of_the_past_are_those_of_the_past(unseen):
    net = unseen.with_memory(memnn.RamMemory())
    net.tell("Anna went to the harbour.")
    then = net.ask("Where is Anna?")
    net.tell("Anna took the lantern. Bert moved to Anna.")
    assert net.ask("Where is Anna?", as_of=1) == then
