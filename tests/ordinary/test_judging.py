"""When an answer counts as right."""

from __future__ import annotations

from memnn.ordinary import judging


def test_words_with_an_apostrophe_are_two_forms_and_one_word():
    assert judging._last(["at", "Kinko", "'s"]) == "kinko's"
    assert judging._last(["Paul"]) == "paul"
    assert judging._last(["the", "Old", "Mill"]) == "mill"
