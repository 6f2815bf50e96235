"""Names and frames of one's own, down to another language."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from memnn.errors import InputError
from memnn.simulator.twenty import TASKS, Vocabulary, simulate_tasks
from memnn.simulator.twenty.meaning import MEANINGS
from memnn.types import Question

CAST = {
    "people": ["Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gil"],
    "women": ["Ada", "Cleo", "Eve"],
    "places": ["attic", "barn", "cellar", "dune", "forge", "mill", "pier", "quay"],
    "things": ["lamp", "rope", "map", "coin"],
    "kinds": {"ox": "oxen", "goose": "geese", "fox": "foxes"},
    "colours": ["red", "black"],
    "shapes": ["green star", "ring", "black cross"],
    "sizes": [["pea"], ["nut", "plum"], ["cask"]],
    "feelings": {"cold": ["forge", "coal"], "lost": ["pier", "chart"]},
}
# A verb-final language with postpositions.
VERB_FINAL = """
people = ["Ravi", "Mina", "Asha", "Dev", "Tara"]
women = ["Mina", "Asha", "Tara"]
places = ["rasoi", "bagh", "kamra", "daftar", "gali", "chhat"]
[answers]
yes = "haan"
no = "nahin"
maybe = "shayad"
north = "u"
[terms]
she = "vah"
he = "vah"
[frames]
Go = ["{actor} {room} ko (gaya|pahuncha)."]
GoOn = ["phir {they} {room} ko gaya."]
WherePerson = ["{actor} kahan hai?"]
IsThere = ["kya {actor} {room} mein hai?"]
"""


def write(tmp_path, text):
    path = tmp_path / "words.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("number", TASKS)
def test_names_of_one_s_own(number):
    stories = simulate_tasks(number, questions=40, words=Vocabulary(CAST))
    english = simulate_tasks(number, questions=40)
    own, known = (" ".join(map(repr, each)) for each in (stories, english))
    for name in ("Mary", "kitchen", "milk", "mouse", "Mice", "white", "triangle", "box", "tired"):
        assert not re.search(rf"\b{name}\b", own), name
        if number not in (16,):
            assert own != known


def test_longer_lists_give_every_story_a_cast_of_its_own():
    for story in simulate_tasks(1, questions=100, words=Vocabulary(CAST)):
        people = {line.text.split()[0] for line in story.statements}
        assert len(people) <= 4
    everybody = {
        line.text.split()[0]
        for story in simulate_tasks(1, questions=100, words=Vocabulary(CAST))
        for line in story.statements
    }
    assert everybody == set(CAST["people"])


def test_another_language(tmp_path):
    words = Vocabulary.read(write(tmp_path, VERB_FINAL))
    story, *_ = simulate_tasks(11, questions=5, words=words)
    first, second, question, *_ = story.lines
    assert re.fullmatch(r"\w+ \w+ ko (gaya|pahuncha)\.", first.text)
    assert re.fullmatch(r"Phir vah \w+ ko gaya\.", second.text)
    assert re.fullmatch(r"\w+ kahan hai\?", question.text)
    answers = {q.answer for s in simulate_tasks(10, questions=60, words=words) for q in s.questions}
    assert answers == {"haan", "nahin", "shayad"}
    assert any("u" in q.answer for s in simulate_tasks(19, questions=9, words=words)
               for q in s.questions)  # fmt: skip


@pytest.mark.parametrize("number", TASKS)
def test_other_words_tell_the_same_story(number):
    """The frames take no part in what happens: supports and shapes stay."""
    frames = {name: [f"{name} {' '.join(_slots(name))}"] for name in MEANINGS}
    plain = simulate_tasks(number, questions=60, seed=9)
    other = simulate_tasks(number, questions=60, seed=9, words=Vocabulary({"frames": frames}))
    assert [_skeleton(story) for story in plain] == [_skeleton(story) for story in other]


def _slots(name):
    from memnn.simulator.twenty.words import slots

    return [f"{{{slot}}}" for slot in sorted(slots(name))]


def _skeleton(story):
    return [
        replace(line, text="") if isinstance(line, Question) else line.id for line in story.lines
    ]


def test_every_meaning_has_a_frame_and_every_frame_a_meaning():
    assert set(Vocabulary().of_task(1).frames) == set(MEANINGS)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("peoples = ['A']", "there is no entry in .* 'peoples'"),
        ("people = []", "people must be a list of names"),
        ("people = 'A'", "people must be a list of names"),
        ("people = ['A', 'A']", "people has 'A' twice"),
        ("people = [1]", "people must be text in one line"),
        ('people = ["A\\tB"]', "people must be text in one line"),
        ("sizes = ['a', 'b']", "sizes must be a list"),
        ("kinds = ['a']", "kinds must be a table"),
        ("[feelings]\nsad = ['home']", "feelings.sad must be a place and a thing"),
        ("[frames]\nGone = ['x']", "there is no entry of frames"),
        ("[frames]\nGo = ['{who} goes']", r"has \{who\}; it may have \{actor\}, \{room\}"),
        ("[frames]\nGo = ['{actor.__class__}']", "it may have"),
        ("[frames]\nGo = ['{actor']", "the frame"),
        ("[tasks.21]\npeople = ['A']", "there is no task in"),
        ("[tasks.1]\npeopel = ['A']", "there is no entry of tasks.1"),
        ("[answers]\nyes = ['a']", "answers.yes must be text"),
        ("people = [", "is not TOML"),
    ],
)
def test_what_is_no_words_file_is_said(text, problem, tmp_path):
    with pytest.raises(InputError, match=problem):
        Vocabulary.read(write(tmp_path, text))


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        Vocabulary.read(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes("people = ['J\u00fcrgen']".encode("latin-1"))
    with pytest.raises(InputError, match="UTF-8"):
        Vocabulary.read(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("number", "own", "problem"),
    [
        (1, {"places": ["a", "b"]}, "task 1 needs at least 3 places, not 2"),
        (5, {"people": ["A"]}, "task 5 needs at least 2 people, not 1"),
        (17, {"shapes": ["a", "b"]}, "task 17 needs at least 3 shapes, not 2"),
        (18, {"sizes": [["a", "b"]]}, "task 18 needs at least 3 sizes, not 2"),
    ],
)
def test_too_few_names_are_said(number, own, problem):
    with pytest.raises(InputError, match=problem):
        simulate_tasks(number, questions=5, words=Vocabulary(own))


@pytest.mark.parametrize("number", TASKS)
def test_the_fewest_names_suffice(number):
    task = TASKS[number]
    names = {
        key: [f"{key} {n}" for n in range(count)]
        for key, count in task.needs.items()
        if key not in ("kinds", "sizes")
    }
    if "kinds" in task.needs:
        names["kinds"] = {"cat": "cats", "dog": "dogs"}
    if "sizes" in task.needs:
        names["sizes"] = [["a", "b", "c"]]
    stories = simulate_tasks(number, questions=20, words=Vocabulary(names))
    assert sum(len(list(story.questions)) for story in stories) == 20
