"""When something was: dates from turns, questions about a time."""

from __future__ import annotations

from datetime import date

import pytest

import memnn
from memnn.as_json import answer_json
from memnn.components import OutputMap
from memnn.conversations.labelled import ours
from memnn.conversations.search import Finder
from memnn.conversations.train_when import fits, time_examples, train_when
from memnn.conversations.when import dated, default_weights, when, when_told
from memnn.generalization import Append
from memnn.memory import RamMemory
from memnn.text.sentences import Sentences
from memnn.text.times import TimeSpan
from memnn.types import Answer, Hop, Output, Slot, Turn

SAID = "2023-05-08T13:56:00Z"


def slot(text, said=SAID):
    return Slot(1, text, "2024-01-01T00:00:00Z", turn=Turn("Ann", said) if said else None)


@pytest.mark.parametrize(
    ("question", "text", "answer", "words"),
    [
        ("When did Ann see the vet?", "I saw the vet yesterday.", "7 May 2023", "yesterday"),
        ("When does Ann leave?", "We will leave on Saturday.", "13 May 2023", "on Saturday"),
        ("When did Ann leave?", "We left on Saturday.", "6 May 2023", "on Saturday"),
        ("In which year did Ann move?", "I moved here on 3 June 2019.", "2019", "on 3 June 2019"),
        ("When did Ann paint the sun?", "I painted the sun last year.", "2022", "last year"),
        ("When did Ann finish?", "I have just finished it!", "8 May 2023", ""),
        ("When is the talk?", "We fly on 3 June. The talk is on 7 July.", "7 July 2023", "7 July"),
    ],
)  # fmt: skip
def test_the_time_that_a_turn_gives(question, text, answer, words):
    found = when_told(question, slot(text))
    assert found.text == answer
    assert found.words.removeprefix("on ") == words.removeprefix("on ")


def test_a_statement_without_a_date_is_not_dated_by_its_writing():
    assert when_told("When is the meeting?", slot("The meeting is in room 5.", None)) is None
    found = when_told("When is the meeting?", slot("The meeting is tomorrow at three.", None))
    assert found.text == "2 January 2024"
    assert when_told("Where is the meeting?", slot("It is tomorrow.")) is None


def test_answers_become_dates_and_keep_their_evidence():
    told = slot("I saw the dentist yesterday.")
    answer = Answer(told.text, 1.0, evidence=(Hop(1, told, 1.0),))
    found = dated("When did Ann see the dentist?", answer)
    assert (found.text, found.when.words, found.evidence) == (
        "7 May 2023",
        "yesterday",
        answer.evidence,
    )
    assert answer_json(found)["when"] == {
        "text": "7 May 2023", "first": "2023-05-07", "last": "2023-05-07", "unit": "day",
        "words": "yesterday", "about": False,
    }  # fmt: skip
    assert answer_json(answer)["when"] is None
    for other in (
        Answer("kitchen", 1.0, evidence=(Hop(1, told, 1.0),)),
        Answer(told.text, 1.0, evidence=(Hop(1, told, 1.0, source="world"),)),
        Answer(told.text, 0.0, abstained=True, evidence=(Hop(1, told, 1.0),)),
    ):
        assert dated("When did Ann see the dentist?", other) is other
    plain = slot("I see the dentist tomorrow at three.", None)
    kept = dated("When is it?", Answer(plain.text, 1.0, evidence=(Hop(1, plain, 1.0),)))
    assert (kept.text, kept.when.text) == (plain.text, "2 January 2024")


def test_search_looks_at_the_time_that_a_question_names():
    memory = RamMemory()
    turns = [
        ("I bought a tent.", "2023-05-08T10:00:00Z"),
        ("We saw two herons.", "2023-05-21T10:00:00Z"),
        ("I sold the tent.", "2024-05-08T10:00:00Z"),
        ("What a lovely autumn!", "2023-10-08T10:00:00Z"),
    ]
    memory.write_many([text for text, _ in turns], turns=[Turn("Ann", said) for _, said in turns])
    finder = Finder()

    def found(question, k):
        return {each.id for each in finder(memory, question, k)}

    assert found("What did Ann do in May 2023?", 2) == {1, 2}
    assert found("What did Ann do in May?", 3) == {1, 2, 3}
    assert found("What did Ann say in October 2023?", 1) == {4}
    assert found("What did Ann do with the tent in 2024?", 1) == {3}
    assert "said then" in finder(memory, "What did Ann do in May 2023?", 1)[0].terms


def test_times_at_the_ends_of_the_calendar_are_searched():
    memory = RamMemory()
    said = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1969-07-20T20:17:00Z"]
    memory.write_many(["It happened."] * 3, turns=[Turn("Ann", s) for s in said])
    for question in ("What happened in May?", "What happened in 1969?", "What happened yesterday?"):
        assert len(Finder()(memory, question, 3)) == 3
    assert Finder()(memory, "What happened in July 1969?", 1)[0].id == 3
    for slot in memory.scan(0):
        for text in ("When was it two weeks ago?", "When was it?"):
            assert when_told(text, slot).text


def test_the_weights_are_those_that_training_gives():
    weights = train_when()
    assert weights == default_weights()
    assert all(len(each) > 150 for each in time_examples(ours()))


def test_learnt_choices_hold_on_other_conversations():
    talks = ours()
    weights = train_when(talks[::2])
    asked = [(c, q) for c in talks[1::2] for q in c.questions if q.when]
    right = 0
    for talk, q in asked:
        text, turn = talk.turns[q.supports[0]]
        found = when(q.question, text, date.fromisoformat(turn.said[:10]), weights)
        span = TimeSpan(date.fromisoformat(found.first), date.fromisoformat(found.last), found.unit)
        right += fits(span, q.when)
    assert right / len(asked) > 0.7


class Newest(OutputMap):
    """An O that finds what was told last."""

    def __call__(self, question, memory, as_of=None):
        return Output(question, (Hop(1, memory.newest(1)[0], 1.0),))


def test_networks_give_dates():
    def told(output):
        return Answer(output.hops[-1].text, 1.0, evidence=output.hops)

    net = memnn.MemoryNetwork(I=Sentences(), G=Append(), O=Newest(), R=told)
    net.tell("I saw the vet yesterday.", speaker="Ann", said=SAID)
    assert net.ask("When did Ann see the vet?").text == "7 May 2023"
    assert net.ask("Whom did Ann see?").text == "I saw the vet yesterday."
