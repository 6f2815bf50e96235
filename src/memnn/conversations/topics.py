"""What was told about something: what a recall lists, and what somebody wants forgotten."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple, Protocol

from memnn.conversations.index import lemmas_of
from memnn.memory import AsOf, Memory
from memnn.memory.present import hidden
from memnn.text.english import FUNCTION_WORDS
from memnn.text.tokens import words_1
from memnn.types import FoundSlot, Slot

MOST_FOUND = 1_000
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)


class Searchable(Protocol):
    """What a recall needs of a network."""

    @property
    def memory(self) -> Memory: ...

    def search(self, question: str, k: int = 10, *, as_of: AsOf = None) -> list[FoundSlot]: ...


class Meant(NamedTuple):
    """Statements that may be meant by a topic."""

    slots: list[Slot]
    surely: bool
    """Whether it is one, and it has all words of the topic."""
    numbered: bool = False
    """Whether the topic is the number of a statement, or could be one."""


def about(net: Searchable, topic: str, as_of: AsOf = None) -> list[Slot]:
    """What was told about something, by id: whatever shares a word that carries the topic, and
    what follows such a statement and begins with a pronoun."""
    wanted = _content(topic)
    found = net.search(" ".join(sorted(wanted)), MOST_FOUND, as_of=as_of)
    ids = {each.id for each in found if wanted & _lemmas(each.text)}
    told = present_ids(net.memory, as_of) if ids else []
    return _with_pronouns(net.memory, told, ids)


def meant(net: Searchable, memory: Memory, topic: str) -> Meant:
    """What somebody wants forgotten: a statement by its number, or what says most of the topic."""
    number, there = _NUMBER.fullmatch(topic.strip(" []#.")), set(present_ids(memory))
    if number and int(number[0]) in there:
        return Meant(memory.read([int(number[0])]), surely=True, numbered=True)
    words = words_1(topic)
    wanted = [_forms(word) for word in words if word not in FUNCTION_WORDS] or [_content(topic)]
    said = {s.id: (s, _lemmas(s.text)) for s in about(net, topic) if s.id in there}
    whole = [slot for slot, has in said.values() if all(forms & has for forms in wanted)]
    for group in persons():  # "my code" is mine where there are several
        mine = [s for s in whole if group.intersection(words) and group & said[s.id][1]]
        whole = mine or whole
    found = whole or [slot for slot, _ in said.values()]
    return Meant(found, surely=len(whole) == 1, numbered=number is not None)


def chosen(text: str, offered: Collection[int]) -> list[int] | None:
    """Which of the statements that were offered a reply names: "3", "1 and 2", "both", "none";
    None where it is no such reply."""
    ids = list(map(int, _NUMBER.findall(text)))
    words = set(words_1(_NUMBER.sub(" ", text)))
    says = {name: frozenset(line.split()) for name, line in data()["choice"].items()}
    if not offered or not words <= frozenset().union(*says.values()):
        return None
    if ids:
        wanted = words <= says["beside"] and set(ids) <= set(offered)
        return list(dict.fromkeys(ids)) if wanted else None
    if words & says["none"]:
        return []
    return list(offered) if words & says["all"] else None


def present_ids(memory: Memory, as_of: AsOf = None) -> list[int]:
    gone = hidden(memory, as_of)
    return [id for id in memory.candidates(as_of).tolist() if id not in gone]


def _with_pronouns(memory: Memory, told: Sequence[int], ids: set[int]) -> list[Slot]:
    """These statements, each with those after it that go on about it."""
    pronouns, found = frozenset(data()["persons"]["others"].split()), []
    for place, id in enumerate(told):
        before = place > 0 and told[place - 1] in ids
        if id in ids:
            found += memory.read([id])
        elif before:
            (slot,) = memory.read([id])
            if pronouns.intersection(words_1(slot.text)[:1]):
                found.append(slot)
                ids.add(id)
    return found


def _content(topic: str) -> frozenset[str]:
    """The words that carry a topic; of "my family" the family, of "me" all words for me."""
    words = _lemmas(topic)
    content = words - FUNCTION_WORDS
    if content:
        return content
    return frozenset().union(*(group for group in persons() if group & words)) or words


def _lemmas(text: str) -> frozenset[str]:
    return frozenset[str]().union(*map(_forms, words_1(text)))


def _forms(word: str) -> frozenset[str]:
    return frozenset([word, *lemmas_of(word)])


def persons() -> list[frozenset[str]]:
    return [frozenset(data()["persons"][who].split()) for who in ("speaker", "speakers")]


@cache
def data() -> dict[str, dict[str, str]]:
    """replies.toml: what is said to talk, and the words that it turns on."""
    place = files("memnn.conversations") / "data" / "replies.toml"
    return tomllib.loads(place.read_text("utf-8"))
