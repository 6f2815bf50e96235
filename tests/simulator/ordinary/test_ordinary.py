"""Stories in ordinary language: supports entail answers, grammar is right, thirds are kept out."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from memnn.errors import InputError, UnknownName
from memnn.simulator.ordinary import Annotated, HoldOut, annotated, languages, stories
from memnn.simulator.ordinary.grammar import Rules
from memnn.simulator.ordinary.language import PARTS, load, third_of
from memnn.stories import babi
from tests.simulator.ordinary.replay import answer

QUESTIONS = 3000
LISTS = ("who-at", "count-at", "what-has", "count-has", "what-in", "count-in", "with-whom")


@pytest.fixture(scope="module")
def many() -> list[Annotated]:
    return list(annotated(seed=5, questions=QUESTIONS))


def test_exactly_as_many_questions_as_asked_for(many: list[Annotated]) -> None:
    assert sum(len(each.asked) for each in many) == QUESTIONS


def test_the_whole_story_and_its_supports_alone_give_the_answer(many: list[Annotated]) -> None:
    for each in many:
        for asked in each.asked:
            question = asked.question
            if asked.meaning == ("unknown",):
                assert (question.answer, question.supports) == ("", ())
                continue
            assert question.supports, asked
            assert question.id is not None
            before = [told for told in each.told if told.id < question.id]
            facts = [fact for told in before for fact in told.facts]
            assert answer(facts, asked.meaning) == question.answer, asked
            supports = [told for told in before if told.id in question.supports]
            taught = [fact for told in supports for fact in told.facts]
            if asked.meaning[0] not in LISTS:  # somebody named there may have left since
                assert answer(taught, asked.meaning) == question.answer, asked


def test_no_support_is_superfluous(many: list[Annotated]) -> None:
    for each in many:
        for asked in each.asked:
            ids = asked.question.supports
            assert len(set(ids)) == len(ids)
            joined = any(len(told.facts) > 1 for told in each.told if told.id in ids)
            if len(ids) < 2 or joined or asked.meaning[0] in LISTS:
                continue
            if asked.kind in ("whether-any", "whether-over", "who-more"):
                continue  # a yes, or who has more, is often the same without one change
            if asked.kind in ("value-2", "whether-value", "where-person-2", "whether-at"):
                continue  # another name is known from a statement of its own
            for left_out in ids:
                told = [each for each in each.told if each.id in ids and each.id != left_out]
                facts = [fact for one in told for fact in one.facts]
                assert answer(facts, asked.meaning) != asked.question.answer, asked


def test_every_kind_is_asked_and_a_fifth_is_unsupported(many: list[Annotated]) -> None:
    kinds = Counter(asked.kind for each in many for asked in each.asked)
    for kind in [
        "where-person",
        "where-thing",
        "where-thing-2",
        "before",
        "whether-at",
        "who-at",
        "list-at",
        "with-whom",
        "who-has",
        "list-has",
        "count-has",
        "whether-has",
        "who-gave",
        "who-received",
        "what-gave",
        "in-what",
        "what-in",
        "where-put",
        "value-home",
        "value-price",
        "value-date",
        "whether-value",
        "value-2",
        "who-is",
        "where-then",
        "why",
        "deed-who",
        "deed-when",
        "deed-why",
        "deed-what",
        "whether-did",
        "unsupported-attribute",
        "unsupported-holder",
        "unsupported-reason",
        "unsupported-deed",
        "unsupported-person",
        "unsupported-time",
        "unsupported-number",
        "amount",
        "whether-any",
        "whether-over",
        "who-more",
        "together",
        "list-in",
    ]:
        assert kinds[kind], kind
    unsupported = sum(count for kind, count in kinds.items() if kind.startswith("unsupported"))
    assert 0.18 < unsupported / QUESTIONS < 0.28
    answers = Counter(asked.question.answer for each in many for asked in each.asked)
    assert 0.5 < answers["yes"] / answers["no"] < 2


def test_lengths_are_mostly_short(many: list[Annotated]) -> None:
    lengths = sorted(len(each.told) for each in many)
    assert lengths[len(lengths) // 2] <= 8
    assert lengths[-1] >= 25
    words = sorted(len(told.text.split()) for each in many for told in each.told)
    assert words[len(words) * 99 // 100] <= 20


def test_pronouns_come_with_what_they_stand_for(many: list[Annotated]) -> None:
    resolved = [
        told for each in many for told in each.told if told.text != told.resolved
    ]  # fmt: skip
    assert len(resolved) > 300
    for told in resolved:
        assert re.search(r"\b(he|she|it|they|him|her|them|his|their|there)\b", told.text, re.I)


def test_grammar(many: list[Annotated]) -> None:
    wrong = re.compile(
        r"\b(a [aeio]\w|an [bcdfgjklmnpqrstvwyz]\w|I (is|are|has|goes|lives|works|were)\b"
        r"|(he|she) (are|have|go|live|am)\b|they (is|has|was|am)\b|you (is|am|has|was)\b"
        r"|[A-Z]\w+ and [A-Z]\w+ (is|has|was) |the the|to to|in in)\b"
    )
    for each in many:
        for line in each.story.lines:
            found = wrong.search(line.text)
            assert found is None or found.group().startswith("a one"), line.text
            assert line.text[0].isupper() or not line.text[0].isalpha(), line.text
            assert line.text[-1] in ".?!", line.text
            assert "  " not in line.text, line.text
            assert not set("{}[]<>|~_") & set(line.text), line.text


def test_the_same_seed_gives_the_same_stories() -> None:
    assert stories(seed=3, questions=200) == stories(seed=3, questions=200)
    assert stories(seed=3, questions=200) != stories(seed=4, questions=200)


def test_a_file_reads_back(tmp_path: Path) -> None:
    made = stories(seed=1, questions=300)
    babi.write(tmp_path / "made.txt", made)
    read = babi.read(tmp_path / "made.txt")
    assert [story.lines for story in read] == [story.lines for story in made]
    assert any(question.answer == "" for story in read for question in story.questions)


@pytest.mark.parametrize("what", PARTS)
def test_thirds_share_no_wording(what: str) -> None:
    rest, held = load("english", HoldOut(what)), load("english", HoldOut(what, only=True))
    shared = 0
    if what == "names":
        for name, nouns in held.nouns.items():
            shared += len({noun.word for noun in nouns} & {each.word for each in rest.nouns[name]})
        assert {noun.word for noun in held.nouns["person"]}.isdisjoint(
            noun.word for noun in rest.nouns["person"]
        )
    else:
        for rule, entries in held.rules.entries.items():
            texts = {getattr(entry, "text", None) or str(entry) for entry in entries}
            others = {getattr(e, "text", None) or str(e) for e in rest.rules.entries[rule]}
            if texts == others:
                continue  # too short to divide, or of another part
            assert all(re.fullmatch(r"<[\w-]+>", text) for text in texts & others), rule
        rule = "ask-where-person-direct" if what == "questions" else "be-near"
        assert {each.text for each in held.rules.entries[rule]}.isdisjoint(
            each.text for each in rest.rules.entries[rule]
        )
    assert shared <= 60


def test_names_held_out_are_not_in_the_stories() -> None:
    held = {noun.word for noun in load().nouns["person"] if third_of(noun.word) == 0}
    rest = stories(seed=2, questions=300, hold_out="names")
    words = {
        word for story in rest for line in story.lines for word in re.findall(r"\w+", line.text)
    }
    ordinary = {"April", "May", "June", "Hope", "Grace", "Joy", "Art", "Olive", "Felix", "August"}
    assert (held & words) - ordinary == set()
    only = stories(seed=2, questions=300, hold_out=HoldOut("everything", only=True))
    names = {each.word for each in load().nouns["person"]} - held - ordinary
    told = {word for story in only for line in story.statements for word in line.text.split()}
    assert names & told - {"Florence", "Milan", "Victoria", "Carol", "Sydney", "Paris"} == set()


def test_every_entry_of_the_files_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rule is used, and every one of its entries is chosen sooner or later."""
    language = load("english", None)
    seen: set[tuple[str, int]] = set()
    choose = Rules.choose

    def spied(self: Rules, rule: str, rng: object) -> object:
        entry = choose(self, rule, rng)  # type: ignore[arg-type]
        seen.add((rule, id(entry)))
        return entry

    monkeypatch.setattr(Rules, "choose", spied)
    for _ in islice(annotated(seed=9, questions=35_000), 20_000):
        pass
    entries = {
        (rule, id(entry)) for rule, every in language.rules.entries.items() for entry in every
    }
    unused = {rule for rule, _ in entries} - {rule for rule, _ in seen}
    assert not unused
    assert len(entries - seen) < 0.12 * len(entries)


def test_there_is_much_to_say() -> None:
    language = load()
    assert len(language.nouns["person"]) >= 1000
    assert len(language.nouns["place"]) + len(language.nouns["city"]) >= 300
    assert len(language.nouns["thing"]) >= 400
    moving = [rule for rule in language.rules.entries if re.match(r"(move|be|past|group)-", rule)]
    verbs = ["walk", "step", "travel", "stay", "stay_far", "arrive", "reach"]
    ways = sum(len(language.rules.entries[rule]) for rule in moving)
    assert ways + sum(len(language.rules.entries[f"verb {verb}"]) for verb in verbs) >= 200


def test_german_is_a_folder() -> None:
    assert languages() == ["english", "german"]
    told = list(annotated(seed=1, questions=300, language="german"))
    texts = [line.text for each in told for line in each.story.lines]
    assert any(text.startswith("Wo ") for text in texts)
    assert not any(re.search(r"\b(the|is|where)\b", text) for text in texts)
    for each in told:
        for asked in each.asked:
            facts = [f for one in each.told if one.id < (asked.question.id or 0) for f in one.facts]
            if asked.meaning[0] in ("where", "value", "who-has", "in-what", "was-at"):
                assert answer(facts, asked.meaning) == asked.question.answer


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    source = Path(str(__import__("memnn").__file__)).parent / "simulator/ordinary/data/german"
    text = (source / "german.toml").read_text("utf-8")
    (tmp_path / "own.toml").write_text(text.replace("Jonas", "Wotan"), "utf-8")
    assert any("Wotan" in str(each) for each in stories(questions=400, language=tmp_path))


def test_what_cannot_be_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="english"):
        stories(language="klingon")
    with pytest.raises(UnknownName, match="frames"):
        stories(hold_out="verbs")
    with pytest.raises(InputError, match="0, 1 or 2"):
        HoldOut("names", third=3)
    with pytest.raises(InputError, match="whole number"):
        stories(questions=0)
    (tmp_path / "bad.toml").write_text("rules = [", "utf-8")
    with pytest.raises(InputError, match="not TOML"):
        stories(language=tmp_path)
