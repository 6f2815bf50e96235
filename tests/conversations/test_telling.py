"""`tell`: plain statements as ever, turns kept whole, lists told at once; updates and lessons."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import memnn
from memnn.components import abstain
from memnn.dialogue.network import Ensemble
from memnn.generalization import Append
from memnn.memory.present import present
from memnn.memory.sqlite.store import SqliteStore
from memnn.network import MemoryNetwork
from memnn.text.sentences import Sentences
from memnn.types import Answer, Hop, Output, Turn

TURN = "Really? I moved. Where to? Paris!"


class Last:
    """An O that finds what was told last."""

    def __call__(self, question, memory, as_of=None):
        ids = memory.candidates(as_of)
        slots = memory.read(ids[-1:].tolist())
        return Output(question, tuple(Hop(1, slot, 1.0) for slot in slots))


def says(output):
    return Answer(output.hops[0].text, 1.0) if output.hops else abstain(output, "nothing was told")


def network(memory=None):
    return MemoryNetwork(I=Sentences(), G=Append(), O=Last(), R=says, memory=memory)


@pytest.fixture(params=["ram", "sqlite"])
def net(request, tmp_path):
    if request.param == "ram":
        yield network()
        return
    with SqliteStore(tmp_path / "a.db") as store:
        yield network(store.memory())


def test_a_turn_is_one_slot_kept_whole(net):
    (slot,) = net.tell(TURN, speaker="Ann", said="2019-05-01T09:00:00+02:00", meta={"a": 1})
    assert slot.text == TURN
    assert (slot.speaker, slot.said) == ("Ann", "2019-05-01T07:00:00.000000Z")
    assert (slot.session, slot.meta) == (None, {"a": 1})
    for about in ({"session": "s"}, {"said": datetime(1066, 10, 14, tzinfo=UTC)}, {"meta": {}}):
        (slot,) = net.tell(TURN, **about)
        assert slot.text == TURN
    with pytest.raises(memnn.InputError, match="is a question"):
        net.tell(TURN)
    assert [slot.turn for slot in net.tell("Joe left. Ann came.")] == [None, None]


def test_a_list_is_told_as_a_whole(net):
    slots = net.tell(
        ["Joe left. Ann came.", {"text": "Who?", "speaker": "Bob"}, {"text": "Eve sat."}]
    )
    assert [slot.text for slot in slots] == ["Joe left.", "Ann came.", "Who?", "Eve sat."]
    assert [slot.id for slot in slots] == [1, 2, 3, 4]
    slots = net.tell(["Hello?", {"text": "Yes?", "speaker": "Bob"}], speaker="Ann", session="7")
    assert [(s.speaker, s.session) for s in slots] == [("Ann", "7"), ("Bob", "7")]
    assert net.tell([]) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["Fine.", "Who?"], "item 2: .*question"), ([{"speaker": "Ann"}], "item 1"),
        ([{"text": "a", "name": "b"}], "no 'name' to tell"), ([7], "item 1: .*not int"),
        ([{"text": "a", "said": "noon"}], "item 1: said must be an RFC 3339 time"),
        ([{"text": "x" * 100_000, "speaker": "Ann"}], "item 1: .*100,000 characters"),
        ([{"text": "a", "meta": {"m": "x" * 1_000_000}}], "item 1: meta has 1,000,00. bytes"),
        ([{"text": "a", "said": "12023-01-01T00:00:00Z"}], "year 1 to 9999"),
        ([{"text": "a", "said": datetime(2023, 1, 1)}], "time zone"), (7, "must be a str"),
        ([{"text": "a", "speaker": "x" * 1_000}], "1 to 200"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_one_line_and_nothing_is_written(net, wrong, said):
    with pytest.raises(memnn.InputError, match=said) as error:
        net.tell(wrong)
    assert "\n" not in str(error.value)
    assert len(net.memory) == 0


def test_times_said_leave_the_time_of_writing_alone(net):
    before = datetime.now(UTC).isoformat()[:19]
    for said in ("9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1969-12-31T00:00:00Z"):
        net.tell("Hello.", said=said)
    (slot,) = net.tell("Joe left.")
    assert before <= slot.time < "9999"
    assert [f.said[:4] for f in net.search("hello", until="1970-01-01")] == ["1969", "0001"]
    assert [f.said[:4] for f in net.search("hello", since="9999-01-01")] == ["9999"]


@pytest.mark.parametrize("n", [5_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_as_many_speakers_as_turns(net, n):
    """Each is found by name and by filter; a name that all of them share names nobody."""
    for first in range(0, n, 100_000):
        some = range(first, min(first + 100_000, n))
        net.tell([{"text": f"I have dog {i}.", "speaker": f"User {i}"} for i in some])
    assert [f.id for f in net.search("dog", speaker=f"User {n - 1}")] == [n]
    assert net.search("Which dog does user 77 have?", k=1)[0].speaker == "User 77"
    assert net.search("Which dog does the user have?", k=1)
    assert net.search("dog", speaker="Nobody") == []


def test_an_update_supersedes(net):
    net.tell("Ann lives in Rome.", speaker="Ann", said="2019-05-01T09:00:00Z", session="s")
    net.tell("Joe left.")
    new = net.update(1, "Ann lives in Oslo.")
    assert new.turn == Turn("Ann", "2019-05-01T09:00:00.000000Z", "s", supersedes=1)
    assert net.ask("Where?").text == "Ann lives in Oslo."
    assert net.ask("Where?", as_of=1).text == "Ann lives in Rome."
    assert [f.id for f in net.search("Ann lives")] == [3]
    assert [f.id for f in net.search("Ann lives", as_of=2)] == [1]
    assert [f.id for f in net.search("Ann lives", history=True)] == [3, 1]
    with pytest.raises(memnn.InputError, match="superseded by 3"):
        net.update(1, "Ann lives in Bern.")
    with pytest.raises(memnn.InputError, match="no memory with id 9"):
        net.update(9, "Ann lives in Bern.")
    last = net.update(3, "Ann lives in Bern?", said="2020-01-01T00:00:00Z")
    assert last.said == "2020-01-01T00:00:00.000000Z"
    assert [f.id for f in net.search("Ann lives")] == [4]
    net.forget(2)
    net.memory.delete([4])
    assert net.ask("Where?").text == "Ann lives in Oslo.", "the last update is taken back"


def test_what_was_replaced_does_not_come_back(net):
    net.tell("Ann lives in Rome. Joe left.")
    net.update(1, "Ann lives in Oslo.")
    net.update(3, "Ann lives in Bern.")
    net.forget(4)
    assert [slot.id for slot in net.memory.scan()] == [2]
    net.update(2, "Joe came.")
    net.forget(2)
    assert [slot.text for slot in net.memory.scan()] == ["Joe came."], "the newer one stays"
    with pytest.raises(memnn.InputError, match="no memory with id 2"):
        net.forget(2)


def test_the_newest_is_asked_where_the_older_is_hidden(net):
    net.tell("Joe left.")
    net.tell("Ann came.")
    net.update(2, "Ann went.")
    net.memory.delete([3])
    net.update(2, "Eve went.")
    net.forget(1)
    assert net.ask("Who?").text == "Eve went."
    assert net.ask("Who?", as_of=3).text == "Ann came."


def test_what_was_superseded_can_be_deleted(net):
    net.tell("Ann lives in Rome. Joe left.")
    net.update(1, "Ann lives in Oslo.")
    net.update(2, "Joe came.")
    net.forget(1)
    now = present(net.memory)
    assert [slot.text for slot in now.scan()] == ["Ann lives in Oslo.", "Joe came."]
    assert len(now) == 2
    assert now.frequencies(["ann", "joe", "left"]) == {"ann": 1, "joe": 1, "left": 0}
    assert net.ask("Where?").text == "Joe came."


def test_lessons_go_with_what_they_name(net):
    net.tell("Ann lives in Rome. Joe left.")
    lesson = net.teach("Where does Ann live?", [1])
    assert (lesson.ids, lesson.as_of) == ((1,), 2)
    net.teach("Where does Eve live?", [])
    with pytest.raises(memnn.InputError, match="no memory with id 9"):
        net.teach("Where?", [9])
    net.forget(1)
    assert [lesson.question for lesson in net.memory.lessons()] == ["Where does Eve live?"]


def test_every_network_takes_turns(small, trained, facts_model, over_paths):
    from memnn.facts.network import network as facts_network

    for net in (Ensemble(small), trained, facts_network(facts_model), over_paths):
        net = net.with_memory(memnn.RamMemory())
        net.tell("Joe went to the kitchen. Joe went to the garden.")
        net.tell("Hm? Well, why not!", speaker="Ann", said="2023-05-08T13:56:00Z")
        net.update(2, "Joe went to the office.")
        answer = net.ask("Where is Joe?")
        assert all(hop.id in (1, 4, 3) for hop in answer.evidence if hop.source == "told")
        assert [f.id for f in net.search("Where is Joe?")] == [4, 1]
    assert trained.with_memory(net.memory).ask("Where is Joe?").text == "office"
    assert trained.with_memory(net.memory).ask("Where is Joe?", as_of=3).text == "garden"


def test_a_stream_takes_turns_too(streaming_folder):
    net = memnn.load(streaming_folder)
    net.tell("joe went to the kitchen")
    slots = net.tell(["fred", {"text": "Hm? Well.", "speaker": "Ann"}])
    assert slots[-1].text == "Hm? Well."
    assert slots[-1].speaker == "Ann"
