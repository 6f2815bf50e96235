"""R as RNN and as LSTM: what it learns, what it is trained on, and that it can be kept."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load, save

from memnn.errors import FormatError, InputError, ModelError, TrainingError, UnknownName
from memnn.simulator import is_correct_answer, simulate
from memnn.types import Hop, Output, Question, Slot, Statement, Story

torch = pytest.importorskip("torch")

from memnn.stories.language_model import CELLS, LanguageModel, vocabulary  # noqa: E402
from memnn.stories.recipe import Recipe  # noqa: E402
from memnn.stories.recurrent import RecurrentResponse, read_aloud  # noqa: E402
from memnn.stories.train import fit  # noqa: E402
from memnn.stories.train_recurrent import ResponseSettings, loss, padded, train_response  # noqa: E402

SMALL = ResponseSettings(epochs=15)


def output(question: str, *supports: str) -> Output:
    hops = (Hop(h, Slot(h, text, ""), 1.0) for h, text in enumerate(supports, start=1))
    return Output(Question(question), tuple(hops))


def true_outputs(stories):
    """What a perfect O would hand to R, and the questions with their answers."""
    for story in stories:
        told = {line.id: line.text for line in story.statements}
        for q in story.questions:
            yield output(q.text, *(told[id] for id in q.supports)), q


@pytest.fixture(scope="module")
def stories():
    return simulate(statements=2300, questions=1000, sentences=True, seed=0)


@pytest.fixture(scope="module")
def responses(stories):
    return {cell: train_response(stories, cell, SMALL, seed=1) for cell in CELLS}


@pytest.fixture(scope="module")
def unseen():
    test = simulate(statements=700, questions=300, sentences=True, seed=9)
    return [list(column) for column in zip(*true_outputs(test), strict=True)]


@pytest.mark.parametrize(("cell", "least"), [("lstm", 0.97), ("rnn", 0.9)])
def test_it_words_the_right_answer(responses, unseen, cell, least):
    outputs, questions = unseen
    answers = responses[cell].respond(outputs)
    right = [is_correct_answer(a.text, q) for a, q in zip(answers, questions, strict=True)]
    assert np.mean(right) >= least
    assert [a.evidence for a in answers] == [o.hops for o in outputs]
    assert not any(a.abstained for a in answers)
    assert all(a.score < 0 for a in answers)


@pytest.mark.parametrize("cell", CELLS)
def test_many_at_once_are_answered_as_one_by_one(responses, unseen, cell):
    R, outputs = responses[cell], unseen[0][:40]
    for one, many in zip(map(R, outputs), R.respond(outputs), strict=True):
        assert one.text == many.text
        assert one.score == pytest.approx(many.score, abs=1e-4)


def test_the_score_is_the_mean_log_probability_of_what_is_said(responses, unseen):
    R = responses["lstm"]
    model, o = R.model, unseen[0][0]
    answer = R(o)
    said = [*model.words(answer.text), model.stop]
    sequence = R.sequence(o)
    logs = []
    with torch.no_grad():
        for word in said:  # read everything again for every word: slow and obvious
            h, _ = model.read(torch.tensor(sequence)[:, None])
            log = torch.log_softmax(model.scores(h[-1, 0]), -1)
            assert int(log.argmax()) == word
            logs.append(float(log[word]))
            sequence = [*sequence, word]
    assert answer.score == pytest.approx(np.mean(logs), abs=1e-4)


@pytest.fixture
def tiny():
    story = simulate(statements=20, questions=8, sentences=True, seed=3)
    return LanguageModel("lstm", vocabulary(story), dim=5, hidden=7, seed=2)


def test_the_input_is_the_question_then_its_supports_in_hop_order(tiny):
    sequence = read_aloud(tiny, "Where is Mike?", ["Mike went to the office.", "Mike left"])
    words = tiny.words
    assert sequence == [
        *words("where is mike"), tiny.bar, *words("mike went to the office"), tiny.bar,
        *words("mike left"), tiny.ask,
    ]  # fmt: skip


def test_the_loss_is_on_the_words_of_the_answer_alone(tiny):
    short = ([0, 1, tiny.bar, 2, tiny.ask], [3, tiny.stop])
    long = ([4, tiny.bar, 1, 2, 5, 3, tiny.bar, 0, tiny.ask], [1, 0, 4, tiny.stop])
    logs = []
    with torch.no_grad():
        for read, said in (short, long):
            h, _ = tiny.read(torch.tensor(read + said[:-1])[:, None])
            p = torch.log_softmax(tiny.scores(h[:, 0]), -1)[len(read) - 1 :]
            logs += [float(p[i, word]) for i, word in enumerate(said)]
    value = loss(tiny, *padded([short, long]))
    assert len(logs) == 6
    assert float(value.detach()) == pytest.approx(-np.mean(logs), abs=1e-5)


def test_the_same_seed_gives_the_same_weights_and_leaves_the_callers_chance_alone(stories):
    few = [replace(stories[0], lines=stories[0].lines[:100])]
    quick = replace(SMALL, epochs=2)
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    threads = torch.get_num_threads()
    first = train_response(few, "rnn", quick, seed=4).weights()
    again = train_response(few, "rnn", quick, seed=4).weights()
    other = train_response(few, "rnn", quick, seed=5).weights()
    assert torch.rand(1) == expected
    assert torch.get_num_threads() == threads
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["embed.weight"], other["embed.weight"])


@pytest.mark.parametrize("cell", CELLS)
def test_it_can_be_kept_as_json_and_safetensors(responses, unseen, cell):
    R, outputs = responses[cell], unseen[0][:50]
    settings = json.loads(json.dumps(R.settings()))
    restored = RecurrentResponse.from_weights(settings, load(save(R.weights())))
    assert restored.respond(outputs) == R.respond(outputs)


def test_an_answer_ends_when_it_is_as_long_as_any_it_learnt(responses, unseen):
    R, outputs = responses["rnn"], unseen[0][:30]
    short = RecurrentResponse(R.model, longest=2)
    for cut, whole in zip(short.respond(outputs), R.respond(outputs), strict=True):
        assert cut.text == " ".join(whole.text.split()[:2])
        assert cut.score < 0


def test_weights_that_do_not_fit_are_refused(responses):
    R = responses["rnn"]
    with pytest.raises(ModelError, match="do not fit"):
        RecurrentResponse.from_weights({**R.settings(), "hidden": 63}, R.weights())
    with pytest.raises(ModelError, match="do not fit"):
        RecurrentResponse.from_weights({**R.settings(), "cell": "lstm"}, R.weights())


def test_it_abstains_where_word_response_does(responses):
    R = responses["lstm"]
    assert R(Output(Question("Where is Joe?"), ())).abstained
    strange = R(output("Where is Zorg?", "Joe went to the kitchen."))
    assert strange.abstained
    assert "Zorg" in strange.reason
    moon = R(output("Where is Joe?", "Joe went to the moon."))
    assert moon.abstained
    assert "moon" in moon.reason
    assert not R(output("Where is Joe?", "Joe went to the kitchen.")).abstained


def test_answers_keep_their_form():
    def story(way: str, answer: str) -> Story:
        lines = (
            Statement(f"The way goes {way}.", 1),
            Question("How do you go?", 2, answer, (1,)),
        )
        return Story(lines)

    stories = [story("up", "n,s"), story("down", "Mount-Doom"), story("over", "living room")]
    R = train_response(stories, "rnn", replace(SMALL, epochs=60))
    for told in stories:
        statement, question = told.lines
        assert R(output(question.text, statement.text)).text == question.answer


def test_a_repeated_support_is_read_once_as_it_is_when_found():
    from memnn.stories import train_recurrent as recurrent

    told = (Statement("Joe went home.", 1), Statement("Joe sat.", 2))
    story = Story((*told, Question("Where is Joe?", 3, "home", (1, 1))))
    assert list(recurrent.response_examples([story], 2)) == [
        ("Where is Joe?", ["Joe went home."], "home")
    ]


def test_what_cannot_be_trained_is_said():
    with pytest.raises(UnknownName, match="lstm, rnn"):
        train_response(simulate(statements=5, questions=2), "gru")
    with pytest.raises(TrainingError, match="no question"):
        train_response(simulate(statements=5, questions=0), "rnn")
    later = Story((Question("Where is Joe?", 1, "home", (2,)), Statement("Joe went home.", 2)))
    with pytest.raises(FormatError, match="story:1: supporting statement 2 is not among"):
        train_response([later], "rnn")
    with pytest.raises(InputError, match="hidden must be between 1 and"):
        ResponseSettings(hidden=0)


def test_few_questions_are_read_more_often():
    assert ResponseSettings().epochs_for(3000) == 12
    assert ResponseSettings().epochs_for(500) == 30
    assert ResponseSettings().epochs_for(3) == 100
    assert ResponseSettings(epochs=5).epochs_for(3) == 5


def test_progress_and_card_show_the_loss_of_r_itself():
    """R learns after O: until then it has no loss, and then the one that `train_response` has."""
    few = simulate(statements=60, questions=30, seed=3)
    recipe = Recipe(response="lstm", epochs=2, response_epochs=3, response_size=8)
    heard, losses = [], []
    model = fit(few, recipe, heard.append)
    train_response(
        few, "lstm", ResponseSettings(hidden=8, epochs=3), progress=lambda *p: losses.append(p[2])
    )
    assert [(p.epoch, p.epochs) for p in heard] == [(i, 5) for i in range(1, 6)]
    assert all(np.isnan(p.loss_R) for p in heard[:2])
    assert [p.loss_R for p in heard[2:]] == losses
    assert [p.loss_O for p in heard[2:]] == [model.card["loss_O"]] * 3
    assert model.card["loss_R"] == losses[-1] > 0
    assert model.card["epochs"] == 2


def test_without_pytorch_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match=r"R as LSTM needs PyTorch: pip install 'memnn\[recurr"):
        train_response(simulate(statements=5, questions=2), "lstm")
