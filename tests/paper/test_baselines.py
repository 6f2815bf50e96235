"""The RNN and LSTM baselines: what they read, what they are trained on, and that they learn."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from memnn.errors import InputError, TrainingError, UnknownName
from memnn.simulator import WorldSpec, simulate
from memnn.types import Question, Statement, Story

torch = pytest.importorskip("torch")

from memnn.paper.baselines import (  # noqa: E402
    BaselineSettings,
    evaluate_baseline,
    language,
    train_baseline,
)
from memnn.paper.baselines.language import loss  # noqa: E402
from memnn.paper.baselines.stream import IGNORE, encode  # noqa: E402
from memnn.stories.language_model import LanguageModel, vocabulary  # noqa: E402

SMALL_WORLD = WorldSpec(actors=("Joe", "Ann"), objects=(), rooms=("kitchen", "garden", "office"))
QUICK = BaselineSettings(hidden=24, dim=12, bptt=20, lr=0.02, epochs=4, streams=8)


def world(seed: int, *, sentences: bool = False, questions: int = 300) -> list[Story]:
    return simulate(
        statements=2 * questions, questions=questions, difficulty=1, ask="actor-now", seed=seed,
        stream=True, sentences=sentences, spec=SMALL_WORLD,
    )  # fmt: skip


STORY = Story(
    (
        Statement("Joe went to the kitchen", 1),
        Question("Where is Joe?", 2, "the kitchen", (1,)),
        Statement(", then Ann left", 3),
    )
)


@pytest.fixture
def tiny():
    return LanguageModel("lstm", vocabulary([STORY]), dim=5, hidden=7, seed=2)


def test_the_stream_has_statements_questions_and_answers_in_order(tiny):
    words, targets = encode([STORY], tiny)
    told, asked, said = (tiny.words(t) for t in ("Joe went to the kitchen", "Where is Joe", "the"))
    kitchen = tiny.words("kitchen")
    rest = tiny.words("then Ann left")
    assert words.tolist() == [
        tiny.bar, *told, *asked, tiny.ask, *said, *kitchen, tiny.stop, *rest,
    ]  # fmt: skip
    expected = [IGNORE] * len(words)
    start = words.tolist().index(tiny.ask)
    expected[start : start + 3] = [*said, *kitchen, tiny.stop]
    assert targets.tolist() == expected


def test_questions_can_be_predicted_too(tiny):
    _, targets = encode([STORY], tiny, "questions+answers")
    predicted = [int(t) for t in targets if t != IGNORE]
    assert predicted == [*tiny.words("where is joe the kitchen"), tiny.stop]
    assert targets[5] == tiny.words("where")[0]  # after "Joe went to the kitchen"
    with pytest.raises(UnknownName, match=r"known: answers, questions\+answers"):
        encode([STORY], tiny, "everything")


def test_the_loss_is_on_answer_words_alone(tiny):
    words, targets = (torch.from_numpy(a)[:, None] for a in encode([STORY], tiny))
    value, _ = loss(tiny, words, targets)
    with torch.no_grad():
        h, _ = tiny.read(words)
        logs = torch.log_softmax(tiny.scores(h[:, 0]), -1)
    at = words[:, 0].tolist().index(tiny.ask)
    said = [*tiny.words("the kitchen"), tiny.stop]
    expected = -np.mean([float(logs[at + i, word]) for i, word in enumerate(said)])
    assert float(value.detach()) == pytest.approx(expected, abs=1e-5)
    # What is said after the answer cannot matter to it, nor be trained by it.
    value.backward()
    gradient = tiny.net["embed"].weight.grad
    assert not gradient[tiny.words("ann left")].any()
    assert gradient[tiny.words("joe kitchen")].any(dim=1).all()
    assert loss(tiny, words[:4], targets[:4])[0] is None


def test_the_state_is_carried_over_and_the_gradient_is_not(tiny):
    words, targets = (torch.from_numpy(a)[:, None] for a in encode([STORY], tiny))
    _, half = loss(tiny, words[:5], targets[:5])
    assert not any(s.requires_grad for s in half)
    value, state = loss(tiny, words[5:], targets[5:], half)
    whole_value, whole = loss(tiny, words, targets)
    assert float(value.detach()) == pytest.approx(float(whole_value.detach()), abs=1e-6)
    assert torch.allclose(state[1], whole[1])
    value.backward()
    assert not tiny.net["embed"].weight.grad[tiny.words("went")].any()


@pytest.mark.parametrize(("cell", "epochs"), [("rnn", 5), ("lstm", 15)])
def test_it_learns_where_somebody_just_went(cell, epochs):
    settings = replace(QUICK, cell=cell, epochs=epochs)
    baseline = train_baseline(world(0, questions=500), settings, seed=1)
    result = evaluate_baseline(baseline, world(1))
    assert result.questions == 300
    assert result.accuracy >= 0.95


class Says:
    """A baseline that answers every question with the same sentence."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def respond(self, story):
        return ((question, self.sentence) for question in story.questions)


@pytest.mark.parametrize(
    ("sentence", "by_rule", "by_word"),
    [
        ("The kitchen", 1.0, 1.0),
        ("I think he is in the kitchen", 1.0, 0.0),
        ("it is in the kitchen", 0.0, 0.0),
        ("he is in the garden", 0.0, 0.0),
    ],
)
def test_sentences_are_judged_by_the_rule_of_appendix_f(sentence, by_rule, by_word):
    says = Says(sentence)
    by_the_rule = evaluate_baseline(says, [STORY], sentences=True, spec=SMALL_WORLD)
    assert (by_the_rule.questions, by_the_rule.accuracy) == (1, by_rule)
    assert evaluate_baseline(says, [STORY]).accuracy == by_word
    with pytest.raises(InputError, match="no question"):
        evaluate_baseline(says, [])


def test_it_says_sentences_where_it_learnt_sentences():
    baseline = train_baseline(world(0, sentences=True), replace(QUICK, epochs=3))
    heard = []
    evaluate_baseline(
        baseline, world(1, sentences=True, questions=20), sentences=True, spec=SMALL_WORLD,
        on_answer=lambda question, said: heard.append(said.split()),
    )  # fmt: skip
    assert len(heard) == 20
    assert np.mean([len(words) for words in heard]) > 1.5
    assert max(len(words) for words in heard) <= baseline.longest == 7


@pytest.fixture(scope="module")
def half_trained():
    return train_baseline(world(0), replace(QUICK, epochs=2), seed=1)


def test_true_answers_are_never_read(half_trained):
    (story,) = world(1, questions=60)
    lines = [
        replace(line, answer="office", supports=()) if isinstance(line, Question) else line
        for line in story.lines
    ]
    blind = replace(story, lines=tuple(lines))
    said = [text for _, text in half_trained.respond(story)]
    assert said == [text for _, text in half_trained.respond(blind)]
    assert len(set(said)) > 1


def test_it_hears_its_own_answers(half_trained):
    (story,) = world(1, questions=15)
    model, heard = half_trained.model, [half_trained.model.bar]
    for line in story.lines:
        heard += model.words(line.text)
        if isinstance(line, Statement):
            continue
        heard.append(model.ask)
        said = []
        with torch.no_grad():
            while len(said) < half_trained.longest:
                h, _ = model.read(torch.tensor(heard + said)[:, None])
                word = int(model.scores(h[-1, 0]).argmax())
                if word == model.stop:
                    break
                said.append(word)
        heard += [*said, model.stop]
        spoken = {q.id: text for q, text in half_trained.respond(story)}
        assert spoken[line.id] == model.text(said)


def test_the_same_seed_gives_the_same_baseline():
    stories = world(0, questions=50)
    first, again, other = (
        train_baseline(stories, QUICK, seed=seed).model.weights() for seed in (3, 3, 4)
    )
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["out.weight"], other["out.weight"])


def test_what_cannot_be_trained_is_said(monkeypatch):
    with pytest.raises(UnknownName, match="known: lstm, rnn"):
        BaselineSettings(cell="gru")
    with pytest.raises(InputError, match="bptt must be between 1 and"):
        BaselineSettings(bptt=0)
    with pytest.raises(TrainingError, match="no question has an answer"):
        train_baseline([Story((Statement("Joe left.", 1),))])
    with pytest.raises(InputError, match="lr must be between"):
        BaselineSettings(lr=float("inf"))
    monkeypatch.setattr(language, "step", lambda *_: float("nan"))
    with pytest.raises(TrainingError, match="smaller lr"):
        train_baseline(world(0, questions=20), QUICK)


def test_without_pytorch_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match=r"the LSTM baseline needs PyTorch: pip install 'memnn\["):
        train_baseline([STORY])
