"""The features of turns against a slow, obvious version of each."""

from __future__ import annotations

import math

import numpy as np
import pytest

from memnn.conversations import features, question
from memnn.conversations.index import lemmas_of
from memnn.conversations.labelled import Conversation, memories, ours, told
from memnn.conversations.layout import NOBODY
from memnn.conversations.question import TurnQuestion
from memnn.conversations.rarity import BEFORE, shares
from memnn.conversations.turn_reader import TurnReader
from memnn.memory import RamMemory
from memnn.memory.follow import Following
from memnn.text.english import FUNCTION_WORDS
from memnn.text.related import related_english
from memnn.text.tokens import words_1
from memnn.types import Turn

K1, B = 0.9, 0.4


class Slow:
    """A turn and a question, word by word."""

    def __init__(self, asked: str, talk: list[Conversation], end: int) -> None:
        self.turns = [turn for each in talk for turn in each.turns][:end]
        self.texts = [
            f"{turn.speaker}: {text}" if turn.speaker else text for text, turn in self.turns
        ]
        self.words = [[f for w in words_1(text) for f in lemmas_of(w)] for text in self.texts]
        self.names = {
            form
            for _, turn in (t for each in talk for t in each.turns)
            if turn.speaker
            for word in words_1(turn.speaker)
            for form in lemmas_of(word)
        }
        every = list(dict.fromkeys(f for w in words_1(asked) for f in lemmas_of(w)))
        held = {word for words in self.words for word in words}
        self.asked = [word for word in every if word in held]
        self.every = every
        counting = [word for word in self.asked if word not in self.names]
        self.counting = counting or self.asked
        self.untold = [word for word in every if word not in held]
        self.telling = [w for w in self.counting if w not in FUNCTION_WORDS]
        if not self.telling and FUNCTION_WORDS.issuperset(self.untold):
            self.telling = self.counting
        self.mean = max(sum(map(len, self.words)) / max(end, 1), 1.0)
        self.known = {w for each in talk for t in texts_of(each) for w in t}

    def idf(self, word: str) -> float:
        n, general = len(self.turns), 1 + BEFORE * shares().get(word, 0.0)
        held = max(sum(word in words for words in self.words), 1)
        local = math.log1p((n - held + 0.5) / (held + 0.5)) / math.log1p((n - 0.5) / 1.5)
        return local * math.log1p((n + BEFORE - general + 0.5) / (general + 0.5))

    def bm25(self, places: list[int], words: list[str]) -> float:
        text = [word for place in places for word in self.words[place]]
        norm = K1 * (1 - B + B * len(text) / self.mean)
        return sum(
            self.idf(w) * text.count(w) * (K1 + 1) / (text.count(w) + norm) / 5 for w in words
        )

    def window(self, place: int, words: list[str]) -> float:
        near = [p for p in (place - 1, place, place + 1) if p == place or self.joined(place, p)]
        text = [word for p in near for word in self.words[p]]
        norm = K1 * (1 - B + B * len(text) / (3 * self.mean))
        return sum(
            self.idf(w) * text.count(w) * (K1 + 1) / (text.count(w) + norm) / 5 for w in words
        )

    def joined(self, place: int, other: int) -> bool:
        if not 0 <= other < len(self.turns):
            return False
        one, two = self.turns[place][1], self.turns[other][1]
        return bool(one.speaker and two.speaker) and one.session == two.session

    def beside(self, place: int, offset: int) -> float:
        other = place + offset
        return self.bm25([other], self.counting) if self.joined(place, other) else 0.0

    def share(self, place: int, words: list[str]) -> float:
        untold = [w for w in self.untold if words is self.counting or w not in FUNCTION_WORDS]
        total = sum(map(self.idf, [*words, *untold]))
        return sum(self.idf(w) for w in words if w in self.words[place]) / max(total, 1e-9)

    def near(self, place: int) -> float:
        got = total = 0.0
        for word in self.every:
            if word in self.names or word in FUNCTION_WORDS:
                continue
            total += self.idf(word)
            if word not in self.words[place]:
                got += self.idf(word) * self.nearest(word, place)
        return got / (total + 1e-9)

    def nearest(self, word: str, place: int) -> float:
        vector = related_english().of(word)
        if vector is None:
            return 0.0
        cosines = {}
        for other in self.known - FUNCTION_WORDS:
            its = related_english().of(other)
            if its is not None:
                cosines[other] = float(vector @ its)
        closest = sorted((c for c in cosines.items() if c[1] > 0.45), key=lambda c: -c[1])[:12]
        found = [
            (c - 0.45) / 0.5 for other, c in closest if other != word and other in self.words[place]
        ]
        return min(max(found, default=0.0), 1.0)


def texts_of(talk: Conversation) -> list[list[str]]:
    return [
        [f for w in words_1(f"{turn.speaker}: {t}" if turn.speaker else t) for f in lemmas_of(w)]
        for t, turn in talk.turns
    ]


@pytest.mark.parametrize("few", [5_000, 5])
@pytest.mark.parametrize("kind", ["talks", "one talk", "notes"])
def test_features_are_what_they_say(few, kind, monkeypatch):
    monkeypatch.setattr(question, "FEW_TURNS", few)
    talks = {"talks": ours()[3:5], "one talk": ours()[20:21], "notes": memories()[:1]}[kind]
    index = Following(TurnReader)(told(talks))
    rng = np.random.default_rng(5)
    every = [q.question for talk in talks for q in talk.questions]
    for text in [str(q) for q in rng.choice(every, 4)]:
        end = int(rng.integers(6, len(index) + 1))
        slow, asked = Slow(text, talks, end), TurnQuestion(text, index, end)
        assert asked.few == (end <= few)
        found = dict(zip(features.FEATURES, features.measured(asked, np.arange(end)), strict=True))
        for place in rng.permutation(end)[:6].tolist():
            wanted = {
                "turn": slow.bm25([place], slow.counting),
                "previous": slow.beside(place, -1),
                "next": slow.beside(place, 1),
                "window": slow.window(place, slow.counting),
                "turn, telling words": slow.bm25([place], slow.telling),
                "window, telling words": slow.window(place, slow.telling),
                "share": slow.share(place, slow.counting),
                "share, telling words": slow.share(place, slow.telling),
                "words held": math.log1p(sum(w in slow.words[place] for w in slow.telling)),
                "near words": slow.near(place),
                "near words, previous": slow.near(place - 1)
                if slow.joined(place, place - 1)
                else 0,
                "length": math.log1p(len(slow.words[place])),
                "answers": float(slow.joined(place, place - 1) and "?" in slow.turns[place - 1][0]),
            }
            nobodys = index.speaker[place] == NOBODY
            newer = [slow.share(p, slow.telling) + slow.near(p) for p in range(place + 1, end)]
            mine = slow.share(place, slow.telling) + slow.near(place)
            wanted["newer, nobody's"] = min(max(newer, default=0.0), mine) * nobodys
            for name, value in wanted.items():
                assert found[name][place] == pytest.approx(value, abs=1e-5), (name, text, place)


def test_of_some_turns_they_are_the_same_as_of_all():
    talks = ours()[:3]
    index = Following(TurnReader)(told(talks))
    some = np.arange(3, len(index), 7)
    for q in talks[1].questions[:5]:
        asked = TurnQuestion(q.question, index, len(index))
        every = features.measured(asked, np.arange(len(index)))
        assert (features.measured(asked, some) == every[:, some]).all()


def test_a_question_for_a_time_looks_for_turns_that_speak_of_one():
    memory = RamMemory()
    for text in (
        "I fly in the second week.",
        "I may fly on Mondays",
        "See you, Monday.",
        "Tonight!",
    ):
        memory.write(text, turn=Turn("Ann"))
    index = Following(TurnReader)(memory)

    def named(question):
        turns = features.CandidateTurns(TurnQuestion(question, index, 4), np.arange(4))
        return turns.measured(["time asked, named"])[0].tolist()

    assert named("When does Ann fly?") == named("Which day does Ann fly?") == [1, 0, 1, 1]
    assert named("Where does Ann fly?") == [0, 0, 0, 0]
