"""What the network learns: the paper's tables in small, on data it never saw, several seeds."""

from __future__ import annotations

import random
from statistics import mean

import pytest

import memnn
from memnn.errors import FormatError, TrainingError
from memnn.stories import babi
from memnn.stories.examples import first_questions
from memnn.types import Statement

SEEDS = range(5)
# The mean over all seeds is for `make soak`; the mean of two shows what is broken.
means = pytest.mark.parametrize(
    "seeds", [SEEDS[:2], pytest.param(SEEDS, marks=pytest.mark.soak)], ids=["two", "all"]
)


def accuracy(train, test, **recipe):
    return memnn.evaluate(memnn.train(train, memnn.Recipe(**recipe)), test).accuracy


@pytest.fixture(scope="module")
def test_story():
    return memnn.simulate(seed=1000)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_hops_with_time_solve_the_hardest_set(seed, test_story):
    result = memnn.evaluate(
        memnn.train(memnn.simulate(seed=seed), memnn.Recipe(seed=seed)), test_story
    )
    assert result.accuracy >= 0.995
    assert result.support_accuracy >= 0.99


@means
@pytest.mark.parametrize(("questions", "least"), [(500, 0.92), (1000, 0.98)])
def test_learning_from_few_questions(seeds, questions, least, test_story):
    results = []
    for seed in seeds:
        stories = first_questions(memnn.simulate(seed=seed), questions)
        assert sum(1 for story in stories for _ in story.questions) == questions
        results.append(accuracy(stories, test_story, seed=seed))
    assert mean(results) >= least


def test_one_hop_knows_where_people_are_but_not_where_they_were():
    train, test = memnn.simulate(seed=0, ask="actor"), memnn.simulate(seed=1, ask="actor")
    assert 0.55 <= accuracy(train, test, hops=1, first_supports=True) <= 0.70


def test_time_read_literally_is_useless(test_story):
    train = memnn.simulate(seed=0)
    assert accuracy(train, test_story, time="literal") < 0.4
    assert accuracy(train, test_story, time="none") < 0.4
    assert accuracy(train, test_story, time="index") < 0.4
    assert accuracy(train, test_story, time="signed") >= 0.995


DISTRACTORS = {
    "others": lambda rng: (
        f"{rng.choice(['Fred', 'Dan', 'Mike'])} "
        + rng.choice(
            [
                f"went to the {rng.choice(['kitchen', 'office', 'garden', 'bathroom'])}.",
                f"{rng.choice(['took', 'dropped', 'got', 'left'])} the football there.",
                "went back to the office.",
            ]
        )
    ),
    "unknown words": lambda rng: "Rain fell upon some distant hills.",
    "half-known": lambda rng: rng.choice(
        [
            f"Zorg went to the {rng.choice(['kitchen', 'office', 'moon'])}.",
            "Sauron dropped the ring there.",
            "Gollum picked up the pieces.",
            "The weather is nice.",
            "the the the",
        ]
    ),
}


@pytest.mark.parametrize("kind", DISTRACTORS)
def test_a_hundred_thousand_distractors_change_nothing(net, kind):
    """The walk may drift, a little per step: each memory between must lose on its own."""
    net.tell(
        "Joe went to the kitchen. Joe picked up the milk. Joe travelled to the office. "
        "Joe left the milk. Joe went to the bathroom."
    )
    questions = ("Where is the milk now?", "Where is Joe?", "Where was Joe before the office?")
    before = [net.ask(q) for q in questions]
    assert [a.text for a in before] == ["office", "bathroom", "kitchen"]
    rng = random.Random(0)
    for _ in range(100_000):
        net.G(Statement(DISTRACTORS[kind](rng)), net.memory)
    after = [net.ask(q) for q in questions]
    assert [a.text for a in after] == [a.text for a in before]
    assert [[h.id for h in a.evidence] for a in after] == [
        [h.id for h in a.evidence] for a in before
    ]


@means
@pytest.mark.parametrize(("task", "hops", "most"), [(1, 2, 0.01), (2, 2, 0.01), (3, 3, 0.02)])
def test_real_stories(shared_data, seeds, task, hops, most):
    (train,) = (shared_data / "babi" / "en").glob(f"qa{task}_*_train.txt")
    (test,) = (shared_data / "babi" / "en").glob(f"qa{task}_*_test.txt")
    errors = [
        1 - accuracy(babi.read(train), babi.read(test), hops=hops, seed=seed) for seed in seeds
    ]
    assert mean(errors) <= most


def test_same_seed_same_model():
    stories = memnn.simulate(statements=200, questions=80, seed=0)
    one, two, other = (
        memnn.train(stories, memnn.Recipe(seed=seed, epochs=2)).model for seed in (7, 7, 8)
    )
    assert one.id == two.id != other.id


def test_answers_of_several_words_are_one_unit():
    text = "1 It rains.\n2 What now?\tstay in, sleep\t1\n3 It shines.\n4 What now?\tgo out\t3\n"
    net = memnn.train(babi.loads(text))
    net.tell("It rains.")
    assert net.ask("What now?").text == "stay in, sleep"
    net.tell("It shines.")
    assert net.ask("What now?").text == "go out"


def test_answers_keep_their_surface_form():
    text = "1 frodo is at mount-doom.\n2 where is frodo?\tMount-Doom\t1\n"
    net = memnn.train(babi.loads(text))
    net.tell("Frodo is at Mount-Doom.")
    assert net.ask("Where is Frodo?").text == "Mount-Doom"


def test_the_memory_as_response(test_story):
    net = memnn.train(memnn.simulate(seed=0), memnn.Recipe(response="memory"))
    net.tell("Joe went to the kitchen. Joe took the milk. Fred went to the office.")
    assert net.ask("Where is the milk?").text == "Joe went to the kitchen."
    assert memnn.evaluate(net, test_story).accuracy >= 0.995


def test_sentences_are_judged_by_their_meaning(test_story):
    train, test = (memnn.simulate(seed=seed, sentences=True) for seed in (0, 1))
    result = memnn.evaluate(memnn.train(train), test)
    assert result.support_accuracy >= 0.99
    assert result.accuracy >= 0.95  # ranked as units; word for word hardly any would be the same


def test_supports_that_do_not_fit_the_hops():
    text = "1 a\n2 b\n3 c\n4 where?\tc\t3 1 2\n"
    with pytest.raises(TrainingError, match=r"story:4: .* --hops 3"):
        memnn.train(babi.loads(text))
    memnn.train(babi.loads(text), memnn.Recipe(first_supports=True))


def test_stories_that_teach_nothing():
    with pytest.raises(TrainingError, match="no question"):
        memnn.train(babi.loads("1 a\n"))
    with pytest.raises(TrainingError, match="nothing to learn"):
        memnn.train([])
    with pytest.raises(FormatError, match=r"story:2: .* third column"):
        memnn.train(babi.loads("1 a\n2 b?\tc\n"))


def test_one_shared_dictionary_is_worse(test_story):
    """As the paper says of it, without figures."""
    assert 0.4 < accuracy(memnn.simulate(seed=0), test_story, shared=True) < 0.9
    for wrong in ({"unseen": True}, {"match": True}, {"time": "index"}):
        with pytest.raises(memnn.InputError, match="shared dictionary"):
            memnn.Recipe(shared=True, **wrong)


def test_units_and_indices_do_not_meet():
    """Answers of several words have rows of their own, also where indices are features."""
    text = "1 It rains.\n2 What now?\tstay in, sleep\t1\n3 It shines.\n4 What now?\tgo out\t3\n"
    net = memnn.train(babi.loads(text), memnn.Recipe(time="index"))
    assert memnn.evaluate(net, babi.loads(text)).accuracy == 1.0


def test_a_vocabulary_that_no_network_could_hold():
    lines = [memnn.Statement(" ".join(f"w{i}x{j}" for i in range(900))) for j in range(4)]
    story = memnn.Story((*lines, memnn.Question("where is w1x1?", None, "w2x1", (2,))))
    with pytest.raises(memnn.InputError, match="too many for a story network"):
        memnn.train(story, memnn.Recipe(unseen=True, match=True, epochs=1))


def test_divergence_is_said():
    with pytest.raises(TrainingError, match="diverged"):
        memnn.train(memnn.simulate(statements=200, questions=80), memnn.Recipe(lr=1e6))
