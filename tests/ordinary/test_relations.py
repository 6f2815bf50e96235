"""What words have to do with each other, beside an obvious version of it."""

from __future__ import annotations

import numpy as np

from memnn.ordinary.heard import HeardTexts
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.passage import LinesInView
from memnn.ordinary.relations import NEAR, RELATIONS, WordPlaces, relations
from memnn.ordinary.words import is_content, stem_of, tokens
from memnn.text.vectors import english


def passage(texts, question, hearing):
    heard = HeardTexts(WordTable({}, english()), hearing)
    for text in texts:
        heard.hear(tokens(text))
    asked = heard.asked(tokens(question), len(texts))
    return heard, LinesInView(heard, asked, range(len(texts)), len(texts)).passage


def obvious(heard, texts, question):
    """One pair after the other."""
    words = [(-1, 0, at, token) for at, token in enumerate(tokens(question))]
    for text, told in enumerate(texts):
        part = 0
        for at, token in enumerate(tokens(told)):
            words.append((text, part, at, token))
            part += token.pause
    stems, meant = [], []
    for text, _, at, token in words:
        if text < 0:
            stems.append(stem_of(token.text) if is_content(token.text) else None)
            meant.append(set())
        else:
            known = heard.texts[text]
            stems.append(stem_of(token.text) if known.stems[at] >= 0 else None)
            meant.append(set(known.meant[at][-2:]))
    number = {stem: heard.table.known_stem(stem) for stem in stems if stem}
    found = np.zeros((len(words), len(words), len(RELATIONS)), np.float32)
    for i, (text, part, at, _) in enumerate(words):
        for j, (text_, part_, at_, _) in enumerate(words):
            told, step = text >= 0 and text_ >= 0, at_ - at
            known = stems[j] is not None and number[stems[j]] >= 0
            stands = known and number[stems[j]] in meant[i]
            is_meant = stems[i] is not None and number[stems[i]] in meant[j]
            found[i, j] = [
                known and stems[i] == stems[j],
                stands,
                is_meant,
                0,
                text == text_ and part == part_,
                text_ < 0,
                told and text_ < text,
                told and text_ > text,
                told and text_ == text - 1,
                told and text_ == text + 1,
                *(text == text_ and first <= step <= last for first, last in NEAR),
            ]
    return found


def test_relations_are_those_of_an_obvious_version(hearing):
    texts = [
        "Mary took the lamp, and Joe the milk.",
        "She went to the kitchen.",
        "Joe left the lamp there, too.",
    ]
    question = "Where did Mary take the lamp?"
    heard, found = passage(texts, question, hearing)
    assert any(each for text in heard.texts for each in text.meant), "no pronoun was understood"
    np.testing.assert_array_equal(relations(WordPlaces.of(found)), obvious(heard, texts, question))


def test_every_other_word_of_a_text_is_at_one_distance(hearing):
    told = ["Joe went to the kitchen and to the cellar and to the garden."]
    _, found = passage(told, "Where?", hearing)
    related = relations(WordPlaces.of(found))[..., -len(NEAR) :]
    k = found.shape[2]
    inside = related[k:, k:].sum(axis=2)
    np.testing.assert_array_equal(inside, 1.0 - np.eye(len(inside)))
