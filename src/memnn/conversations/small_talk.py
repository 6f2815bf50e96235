"""Small talk: what is said to a memory and is neither told nor asked, and what is done about it.

"Thanks" gets a reply, "what have I told you about Anna?" a list, "forget that" deletes what was
told last and "forget my locker code" what it names, "why?" shows what an answer rests on, and "no,
it's Bristol" puts it right. Only conversations hear it: `tell` keeps what it is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memnn.as_json import TalkJson, slot_json
from memnn.conversations.asking import is_asked, put_right
from memnn.conversations.correcting import Doubted, alike, corrected, doubted_by
from memnn.conversations.intents import (
    CHOOSE,
    CORRECT,
    FORGET,
    FORGET_OTHER,
    NO_TALK,
    RECALL,
    RECALL_ALL,
    SURELY,
    UNDO,
    WHY,
    Intent,
    intent_of,
)
from memnn.conversations.listing import listed
from memnn.conversations.topics import Searchable, about, chosen, data, meant, present_ids
from memnn.conversations.updating import updated
from memnn.errors import InputError
from memnn.memory import AsOf, Memory
from memnn.memory.present import versions
from memnn.text.sentences import Sentences, is_question
from memnn.types import Answer, Slot

MOST_LISTED = 50
"""Statements that a recall lists."""
MOST_SENTENCES = 10
"""A text of more is not talk but something to keep, whatever its sentences look like."""


@dataclass(frozen=True)
class TalkReply:
    """What is said to talk; nothing was told or asked."""

    said: str
    intent: str
    """`reply`, `recall`, `recall all`, `forget`, `forget other` (listed, not deleted), `undo`,
    `correct` or `why`."""
    text: str
    slots: tuple[Slot, ...] = ()
    """What it lists, what was deleted, or what was written."""

    def to_json(self) -> TalkJson:
        return {
            "said": self.said,
            "intent": self.intent,
            "reply": self.text,
            "statements": [slot_json(slot) for slot in self.slots],
        }


class SmallTalk:
    """The talk of one conversation: it knows what was forgotten last, and said last."""

    def __init__(self) -> None:
        self._forgotten: tuple[Sequence[Slot], int] | None = None
        """And the last id at that time: what is told since is newer than what was forgotten."""
        self._last: Answer | Slot | Doubted | None = None
        """What a correction is about: an answer, what was told, or the last correction."""
        self._offered: Sequence[int] = ()
        """The ids of what was listed, where it was asked which of it is to be forgotten."""

    def follows(self, last: Answer | Slot | None) -> None:
        """What comes next follows this: what was told or answered just now."""
        self._last, self._offered = last, ()

    def forgot(self, slots: Sequence[Slot], memory: Memory) -> None:
        """These were deleted just now, and can be told again."""
        self.follows(None)
        self._forgotten = slots, memory.last_id

    def hears(self, text: str) -> Iterator[tuple[str, Intent]]:
        """The parts of a text, and what each wants: what was asked for may be chosen now."""
        ids = chosen(text, self._offered)
        if ids is None:
            return heard(text)
        return iter([(text, Intent(CHOOSE, " ".join(map(str, ids))))])

    def takes(self, intent: Intent) -> bool:
        """Whether it is talk here: a correction of nothing is told as it is."""
        if intent.name == CORRECT and not isinstance(self._last, Answer):
            return self._doubted(intent.topic) is not None
        return bool(intent.name)

    def __call__(
        self, net: Searchable, memory: Memory, said: str, intent: Intent, as_of: AsOf = None
    ) -> TalkReply:
        """Do what is wanted, and say so. `net` finds, and `memory` is changed."""
        name, offered, self._offered = intent.name, self._offered, ()
        if name == CHOOSE:
            ids = [id for id in map(int, intent.topic.split()) if id in offered]
            return self._forget(memory, said, ids, "forget kept")
        if name == UNDO:
            return self._undo(memory, said)
        if name == FORGET:
            return self._forget(memory, said, _newest(memory))
        if name == WHY:
            return self._why(said)
        if name == CORRECT:
            return self._correct(memory, said, intent.topic)
        if name == RECALL_ALL or (name == RECALL and not intent.topic):
            return _list(said, RECALL_ALL, *_told(memory, as_of))
        if name == FORGET_OTHER:
            return self._forget_what(net, memory, said, intent)
        if name == RECALL:
            found = about(net, intent.topic, as_of)
            return _list(said, name, len(found), found, intent.topic)
        return TalkReply(said, "reply", _texts().get(name, _texts()["remark"]))

    def _forget(
        self,
        memory: Memory,
        said: str,
        ids: Sequence[int],
        none: str = "forget none",
        alone: bool = False,
    ) -> TalkReply:
        """Delete these with what they replaced; `alone`, what they replaced holds again."""
        there = set(present_ids(memory)) if ids else set[int]()
        slots = memory.read([id for id in ids if id in there])
        if not slots:
            return TalkReply(said, FORGET, _texts()[none])
        gone = [slot.id for slot in slots]
        memory.delete(gone if alone else versions(memory, gone))
        self.forgot(slots, memory)
        return TalkReply(said, FORGET, _texts()["forget"].format(slots=_named(slots)), tuple(slots))

    def _forget_what(self, net: Searchable, memory: Memory, said: str, intent: Intent) -> TalkReply:
        """What is named, if it is surely one statement; otherwise it is asked which, or whether the
        last one."""
        found = meant(net, memory, intent.topic or " ".join(map(str, _newest(memory))))
        clear = found.numbered or intent.probability >= SURELY
        if found.surely and intent.topic and clear:
            return self._forget(memory, said, [slot.id for slot in found.slots])
        if found.numbered and intent.topic and not found.slots:
            return TalkReply(
                said, FORGET_OTHER, _texts()["forget no number"].format(n=intent.topic)
            )
        reply = _list(said, FORGET_OTHER, len(found.slots), found.slots, intent.topic)
        self._offered = [slot.id for slot in reply.slots]
        return reply

    def _why(self, said: str) -> TalkReply:
        """What the last answer rests on."""
        last, texts = self._last, _texts()
        if not isinstance(last, Answer):
            return TalkReply(said, WHY, texts["why none"])
        if last.abstained:
            return TalkReply(said, WHY, texts["why unknown"].format(reason=last.reason))
        told = tuple(hop.support for hop in last.evidence if hop.source != "world")
        if told or not last.evidence:
            return TalkReply(said, WHY, texts["why"], told)
        return TalkReply(said, WHY, texts["why world"].format(fact=last.evidence[-1].text))

    def _doubted(self, right: str) -> Doubted | None:
        last = self._last
        if isinstance(last, Slot):
            return alike(last, right)
        return doubted_by(last) if isinstance(last, Answer) else last

    def _correct(self, memory: Memory, said: str, right: str) -> TalkReply:
        """Write the statement that was wrong once more, put right; it supersedes the old one."""
        doubted = self._doubted(right)
        text = None if doubted is None or not right else corrected(doubted, right)
        if doubted is None or text is None:
            return TalkReply(said, "reply", _texts()["correct none"])
        try:
            statement = updated(memory, doubted.id, text)
        except InputError:  # it is gone, or was put right already
            return TalkReply(said, "reply", _texts()["correct none"])
        new = memory.write(statement.text, turn=statement.turn)
        self._last = Doubted(new.id, new.text, right)
        reply = _texts()["correct"].format(id=new.id, slot=new.text, was=doubted.id)
        return TalkReply(said, CORRECT, reply, (new,))

    def _undo(self, memory: Memory, said: str) -> TalkReply:
        """Put back what was forgotten last; if something was told since, that is taken back."""
        if self._forgotten is None or memory.last_id > self._forgotten[1]:
            return self._forget(memory, said, _newest(memory), alone=True)
        again = self._forgotten[0]
        new = [memory.write(slot.text, source=slot.source, turn=slot.turn) for slot in again]
        self._forgotten = None
        return TalkReply(said, UNDO, _texts()["undo"].format(slots=_named(new)), tuple(new))


def _newest(memory: Memory) -> list[int]:
    return [slot.id for slot in listed(memory, limit=1, newest=True)]


def _named(slots: Iterable[Slot]) -> str:
    return "; ".join(f"[{slot.id}] {slot.text}" for slot in slots)


def heard(text: str) -> Iterator[tuple[str, Intent]]:
    """The parts of a text: talk, sentence by sentence, and what lies between as it was said; but a
    question that lacks its mark has one."""
    sentences = [x.text for x in Sentences()(text)]
    parts = [(sentence, NO_TALK) for sentence in sentences]
    if len(sentences) <= MOST_SENTENCES:
        parts = list(_read(sentences))
    if parts == [(sentence, NO_TALK) for sentence in sentences]:
        yield text, NO_TALK
        return
    between: list[str] = []
    for sentence, intent in parts:
        if not intent.name:
            between.append(sentence)
            continue
        if between:
            yield "\n".join(between), NO_TALK
            between = []
        yield sentence, intent
    if between:
        yield "\n".join(between), NO_TALK


def _read(sentences: Sequence[str]) -> Iterator[tuple[str, Intent]]:
    """What each sentence wants; "That's wrong. It's green." is one."""
    place = 0
    while place < len(sentences):
        sentence, place = sentences[place], place + 1
        intent = _intent(sentence)
        if intent.name and place < len(sentences) and not is_question(sentence):
            both = f"{sentence} {sentences[place]}"
            if intent_of(both).name == CORRECT and not _intent(sentences[place]).name:
                sentence, intent, place = both, intent_of(both), place + 1
        if not intent.name and is_asked(sentence) and not is_question(sentence):
            sentence = _marked(sentence)
        yield sentence, intent if intent.name else NO_TALK


def _intent(sentence: str) -> Intent:
    """What is asked without its mark may be talk if it is so with slips and without."""
    if not is_asked(sentence):
        return intent_of(sentence)
    intent = intent_of(_marked(sentence))
    if intent.name == CORRECT:  # "Is it Bristol?" puts nothing right
        return NO_TALK
    return (
        intent
        if is_question(sentence) or (intent.name and intent_of(_marked(put_right(sentence))).name)
        else NO_TALK
    )


def _marked(question: str) -> str:
    return f"{question.rstrip('.! ')}?"


def _told(memory: Memory, as_of: AsOf) -> tuple[int, list[Slot]]:
    """How much was told, and the last of it."""
    ids = present_ids(memory, as_of)
    return len(ids), memory.read(ids[-MOST_LISTED:])


def _list(said: str, intent: str, n: int, slots: Sequence[Slot], topic: str = "") -> TalkReply:
    """A reply with the last of n statements."""
    many = f"{intent} many" if n > MOST_LISTED else intent
    text = _texts()[many if n else f"{intent} none"].format(n=f"{n:,}", topic=topic)
    return TalkReply(said, intent, text, tuple(slots[-MOST_LISTED:]))


def _texts() -> dict[str, str]:
    return data()["replies"]
