"""The ensemble as users meet it: stories, told sentences, the world, and "I don't know"."""

from __future__ import annotations

import json
import shutil

import pytest

import memnn
from memnn.components import DONT_KNOW
from memnn.dialogue.examples import household
from memnn.dialogue.network import Ensemble
from memnn.errors import InputError, ModelError
from memnn.memory import RamMemory
from memnn.text.lemmas import closer_lemma

STORY = "Fred went to the kitchen. Fred picked up the milk. Fred travelled to the office."


@pytest.fixture
def talk(small) -> Ensemble:
    return Ensemble(small)


def test_each_network_answers_what_is_its_own(talk):
    talk.tell(STORY)
    talk.tell("The ladder hangs behind the garage door.")
    where = talk.ask("Where is the milk?")
    assert (where.text, where.source) == ("office", "story")
    ladder = talk.ask("Where does the ladder hang?")
    assert (ladder.text, ladder.source) == ("The ladder hangs behind the garage door.", "told")
    comes = talk.ask("Where does milk come from?")
    assert (comes.text, comes.source) == ("milk comes from cows", "world")
    assert comes.evidence[0].support.source == "world"
    assert talk.ask("Where was Fred before the office?").text == "kitchen"


def test_what_nothing_supports_is_not_answered(talk):
    talk.tell("The rent is paid on the first of the month.")
    for question in ("What is Zorblax's quibble?", "Who is the dentist of Vumbaro?"):
        answer = talk.ask(question)
        assert answer.abstained
        assert (answer.text, answer.score) == (DONT_KNOW, 0)
        assert answer.reason
    assert talk.ask("When is the rent paid?").text.startswith("The rent")


def test_an_empty_memory_still_knows_the_world(talk):
    assert talk.ask("Where does milk come from?").source == "world"
    assert talk.ask("Where is Fred?").abstained


def test_the_newest_of_two_that_contradict_each_other(talk):
    old, new = talk.tell(
        "The spare key lies under the flower pot. The spare key lies in the blue bowl."
    )
    assert talk.ask("Where is the spare key?").text == new.text
    assert talk.ask("Where is the spare key?", as_of=old.id).text == old.text
    talk.forget(new.id)
    assert talk.ask("Where is the spare key?").text == old.text


def test_what_another_process_tells_or_deletes_is_seen_at_once(small, tmp_path):
    address = str(tmp_path / "diary.db")
    here = Ensemble(small, memnn.open_memory(address))
    there = Ensemble(small, memnn.open_memory(address))
    question = "Where does the ladder hang?"
    here.tell("The ladder hangs behind the garage door.")
    assert there.ask(question).evidence[0].id == 1
    here.tell("The ladder hangs under the balcony.")
    assert there.ask(question).evidence[0].id == 2
    here.forget(2)
    assert there.ask(question).evidence[0].id == 1
    here.tell("The ladder hangs in the shed.")
    assert [there.ask(question, as_of=n).evidence[0].id for n in (1, 3)] == [1, 3]
    here.memory.close()
    there.memory.close()


def test_a_memory_that_grows_is_read_like_one_that_is_whole(small):
    texts = [said.statement for said in household()[:60]]
    questions = [said.question for said in household()[:60]]
    grown, whole = Ensemble(small), Ensemble(small)
    for text in texts:
        grown.memory.write(text)
        grown.ask(questions[0])
    whole.memory.write_many(texts)
    for question in questions:
        assert grown.ask(question).text == whole.ask(question).text


def test_stories_are_followed_among_sentences_of_every_kind(talk):
    home = [said.statement for said in household()]
    (story,) = memnn.simulate(statements=60, questions=30, seed=21)
    talk.memory.write_many(home)
    asked = right = 0
    for line in story.lines:
        if isinstance(line, memnn.Statement):
            talk.tell(line.text)
            talk.memory.write(home[(line.id or 0) % len(home)])
        else:
            asked += 1
            right += talk.ask(line.text).text == line.answer
    assert right > 0.9 * asked


def test_a_story_network_hears_what_is_of_its_kind(talk):
    sift = talk.members[0].filter
    hears = sift.understands
    assert hears("My sister went back to the summer house.")
    assert hears("Gollum dropped the ring there.")
    assert not hears("The tax return has to be sent by the end of July.")
    first, _, last = talk.tell("Joe went to the kitchen. The rent is due. Joe took the milk.")
    assert [slot.id for slot in sift(talk.memory).understood.scan()] == [first.id, last.id]
    talk.forget(first.id)
    assert [slot.id for slot in sift(talk.memory).understood.scan()] == [last.id]


def test_evidence_says_whether_it_was_told(talk):
    from memnn.as_json import answer_json

    talk.tell(STORY)
    for question, source, read_in in (
        ("Where is the milk?", "story", "told"),
        ("Where does milk come from?", "world", "world"),
    ):
        shape = answer_json(talk.ask(question))
        assert shape["source"] == source
        assert {hop["source"] for hop in shape["evidence"]} == {read_in}


def test_memories_are_apart(talk):
    other = talk.with_memory(RamMemory())
    talk.tell("The wifi password is bluehorse42.")
    assert talk.ask("What is the password of the wifi?").source == "told"
    assert other.ask("What is the password of the wifi?").abstained
    assert len(other.memory) == 0


def test_respond_remembers_and_answers(talk):
    slot, answer = talk.respond("The plumber comes on Tuesday. When does the plumber come?")
    assert answer.evidence[0].id == slot.id


def test_the_others_are_there_to_be_asked_why(talk):
    talk.tell(STORY)
    answer = talk.ask("Where does milk come from?")
    assert {other.source for other in answer.others} == {"story", "told"}
    assert all(0 <= other.score <= 1 for other in answer.others)


def test_the_paper_s_rule_answers_with_the_highest_score(small):
    net = Ensemble.of_the_paper(small)
    net.tell(STORY)
    for question in ("Where is the milk?", "Where does milk come from?"):
        answer = net.ask(question)
        scores = [o.score for o in answer.others if not o.abstained]
        assert answer.score == max([answer.score, *scores])


def test_one_question_at_a_time(talk):
    with pytest.raises(InputError, match="one question"):
        talk.ask("Where is Joe? Where is Fred?")
    with pytest.raises(InputError, match="ask it instead"):
        talk.tell("Where is Joe?")


def test_a_folder_of_folders(small, tmp_path):
    folder = Ensemble(small).save(tmp_path / "m")
    assert {p.name for p in folder.iterdir()} == {
        "model.json", "weights.safetensors", "story", "facts",
    }  # fmt: skip
    net = memnn.load(folder)
    assert isinstance(net, Ensemble)
    assert net.model.id == small.id
    before, after = Ensemble(small).ask("Where does milk come from?"), None
    after = net.ask("Where does milk come from?")
    assert (after.text, after.score) == (before.text, before.score)
    Ensemble(small).save(folder)  # a model may be written again
    story = memnn.load(folder / "story")
    assert isinstance(story, memnn.MemoryNetwork)
    sentences = memnn.load(folder / "facts", ":memory:")
    sentences.tell("The ladder hangs behind the garage door.")
    assert sentences.ask("Where does the ladder hang?").evidence


def test_a_damaged_ensemble_is_found(small, tmp_path):
    folder = Ensemble(small).save(tmp_path / "m")
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    about = json.loads((other / "model.json").read_text())
    (other / "model.json").write_text(json.dumps(about | {"facts": "0" * 32}))
    with pytest.raises(ModelError, match="not the ones it was built from"):
        memnn.load(other)
    (other / "model.json").write_text(json.dumps(about | {"features": {}}))
    with pytest.raises(ModelError, match="damaged"):
        memnn.load(other)
    (other / "model.json").write_text(json.dumps(about | {"kind": "oracle"}))
    with pytest.raises(ModelError, match="oracle"):
        memnn.load(other)
    shutil.rmtree(folder / "facts")
    with pytest.raises(ModelError):
        memnn.load(folder)
    (folder / "story" / "notes.txt").write_text("mine")
    with pytest.raises(ModelError, match="not just a model"):
        Ensemble(small).save(folder)


def test_an_ensemble_is_evaluated_like_a_network(small):
    result = memnn.evaluate(Ensemble(small), memnn.simulate(statements=60, questions=30, seed=3))
    assert result.questions == 30
    assert result.accuracy > 0.5


@pytest.mark.parametrize(
    ("word", "form"),
    [("thinking", "think"), ("growing", "grow"), ("developed", "develop"), ("hoping", "hope"),
     ("cutting", "cut"), ("baking", "bake"), ("king", "king"), ("spring", "spring")],
)  # fmt: skip
def test_closer_lemmas(word, form):
    assert closer_lemma(word) == form


def test_a_sentence_whose_words_speak_against_it_is_no_crash(talk):
    words = [word for word in talk.model.facts.dictionary.words if word.isalpha()][::37]
    talk.tell(f"The key is {' '.join(words[:80])}.")
    for question in ("Which key?", "Where is the key?", "What of the key?"):
        assert talk.ask(question).text


def test_things_that_differ_by_an_s_are_found(talk):
    talk.tell("The gizmo is in the attic.")
    assert talk.ask("Where are the gizmos?").text == "The gizmo is in the attic."


def test_what_it_won_over_is_said_as_it_was(talk):
    first, second = talk.tell("The ladder hangs in the shed. The ladder hangs on the wall.")
    hop = talk.ask("Where does the ladder hang?").evidence[0]
    assert (hop.id, hop.decisive.against.id) == (second.id, first.id)
    assert hop.decisive.margin >= 0
    assert hop.decisive.margin == pytest.approx(hop.decisive.content + hop.decisive.write_time)


def test_as_of_is_checked_though_nothing_was_told(talk):
    with pytest.raises(InputError):
        talk.ask("Where is Oslo?", as_of="garbage")


def test_in_a_huge_memory_stories_are_still_stories(talk, monkeypatch):
    monkeypatch.setattr("memnn.dialogue.story.LARGEST_COPY", 5)
    talk.memory.write_many([said.statement for said in household()[:40]])
    for question in ("Where is the ring?", "Where is my bike?"):
        assert talk.ask(question).source != "story"
    talk.tell(STORY)
    assert talk.ask("Where is Fred?").text in ("office", "Fred travelled to the office.")
