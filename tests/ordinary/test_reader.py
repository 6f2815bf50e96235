"""The reader: NumPy and PyTorch agree, and what it reads is what was told."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.ordinary.examples import encode
from memnn.ordinary.growing import grow
from memnn.ordinary.heard import MOST, HeardTexts
from memnn.ordinary.hearing import SCALARS, Hearing
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.parameters import ACROSS, ReaderSize, shapes
from memnn.ordinary.passage import MARKS, PATH_MARKS, LinesInView, carried
from memnn.ordinary.reader import PassageReader
from memnn.ordinary.search import find_path
from memnn.ordinary.words import tokens
from memnn.simulator.ordinary import stories
from memnn.text.vectors import english
from memnn.types import Question, Statement, Story

LITERALS = {"the": 1, "to": 2, "is": 3, "where": 4}
NOBODY = Hearing(english(), np.zeros((0, english().dim + SCALARS), np.float32))


def parameters(seed=0):
    """Random ones, of the size that learnt ones have: of larger ones float32 loses decimals."""
    rng = np.random.default_rng(seed)
    sizes = shapes(len(LITERALS), english().dim, 4)
    return {name: rng.normal(0, 0.12, size).astype(np.float32) for name, size in sizes.items()}


def heard(*texts):
    found = HeardTexts(WordTable(LITERALS, english()), NOBODY)
    for text in texts:
        found.hear(tokens(text))
    return found


def lines(texts, question):
    asked = texts.asked(tokens(question), len(texts))
    return LinesInView(texts, asked, texts.in_view(asked, len(texts)), len(texts))


@pytest.mark.parametrize("seed", [0, 1])
def test_numpy_and_pytorch_read_alike(seed, hearing):
    torch = pytest.importorskip("torch")
    from memnn.ordinary.torch_batches import PassageBatch, PathBatch, WordTensors
    from memnn.ordinary.torch_reader import TorchReader

    numbers = parameters(seed)
    reader = PassageReader(numbers)
    twin = TorchReader(len(LITERALS), english().dim, 4, 0.1, 0.1).eval()
    twin.take(numbers)
    assert {name: value.shape for name, value in twin.numbers().items()} == {
        name: value.shape for name, value in numbers.items()
    }
    table = WordTable(LITERALS, english())
    small = Story((Statement("Go!"), Question("Who?", 2, "Go", (1,))))
    many = [Statement(f"Person{n} lives in City{n}.") for n in range(15)]
    large = Story((*many, Question("Where does Person3 live?", 16, "City3", (4,))))
    told = [*stories(seed=seed, questions=30), small, large]
    examples = encode(told, table, hearing, {"yes": 1}, 4)
    assert any((e.lines.passage.means >= 0).any() for e in examples), "no pronoun stands for a word"
    paths = [(i, path) for i, e in enumerate(examples) for path in ((), e.path or (0,))]
    x = PassageBatch.of([e.lines.passage for e in examples])
    marked = PathBatch.of([(i, examples[i].lines.marked(path)) for i, path in paths], x)
    with torch.no_grad():
        passages = twin(x, WordTensors.of(table.arrays()))
        batch = twin.paths(passages, marked)
    for row, (i, path) in enumerate(paths):
        lines = examples[i].lines
        read = reader.over(lines).read(list(path))
        n, length = lines.size
        close = {"rtol": 1e-3, "atol": 1e-3}
        np.testing.assert_allclose(read.scores, batch.scores[row, :n].numpy(), **close)
        np.testing.assert_allclose(read.stop, batch.stop[row].item(), **close)
        np.testing.assert_allclose(read.say, batch.say[row].numpy(), **close)
        np.testing.assert_allclose(read.supported, passages.supported[i].item(), **close)
        if path:
            np.testing.assert_allclose(read.judged, batch.judged[row].item(), **close)
        there = lines.passage.there
        np.testing.assert_allclose(
            read.inside[there], batch.inside[row, :n, :length].numpy()[there], **close
        )
        if path:
            np.testing.assert_allclose(
                read.signs[list(path)][there[list(path)]],
                batch.signs[row, list(path), :length].numpy()[there[list(path)]], **close,
            )  # fmt: skip


@pytest.mark.parametrize(
    ("size", "close"),
    [
        (ReaderSize(again=()), 1e-3),
        (ReaderSize(across=ACROSS[:3], more=256), 1e-3),
        (ReaderSize(hidden=96, heads=6, more=384), 0.25),  # new units count where they are normed
    ],
)
def test_a_reader_that_grows_reads_as_before(size, close):
    """Layers and units that it lacked say nothing until they have learnt."""
    pytest.importorskip("torch")
    from memnn.ordinary.torch_reader import TorchReader

    sizes = shapes(len(LITERALS), english().dim, 4, size)
    rng = np.random.default_rng(3)
    small = {name: rng.normal(0, 0.12, size).astype(np.float32) for name, size in sizes.items()}
    grown = TorchReader(len(LITERALS), english().dim, 4, 0.1, 0.1)
    grown.take(small)
    told = lines(heard("Joe is in the cellar.", "Ann is in the park."), "Where is Joe?")
    before, after = (
        PassageReader(numbers).over(told).read([0]) for numbers in (small, grown.numbers())
    )
    for name in ("content", "newer", "free", "stop", "inside", "say", "judged", "supported"):
        one, other = getattr(before, name), getattr(after, name)
        np.testing.assert_allclose(one, other, rtol=close, atol=close)


def test_marks_say_what_words_share():
    texts = heard("Joe took the lamp.", "Ann slept.", "Joe is in the cellar.")
    found = lines(texts, "Where is the lamp?")
    passage, marked = found.passage, found.marked([0])
    last, newer = PATH_MARKS.index("last support"), MARKS.index("newer mention")
    joe = (2, 0)
    assert marked.marks[joe][last] == 1
    assert passage.marks[(0, 0)][newer] == 1
    assert passage.marks[joe][newer] == 0
    assert passage.same[0, 3, 3]
    assert marked.path.tolist() == [True, False, False]
    assert not found.marked([]).marks[joe][last]


def test_a_pronoun_carries_on_what_was_told():
    texts = heard("Joe bought a boat.", "It is blue.", "Ann slept.")
    asked = texts.asked(tokens("What colour is the boat?"), 3)
    about = [carried(texts, row, asked)[-1] for row in range(3)]
    assert about[0] == 1.0
    assert 0.0 < about[1] < 1.0
    assert about[2] == 0.0


def test_of_a_long_memory_what_a_question_is_about_is_in_view():
    texts = heard(*(f"Person{i} is in room {i}." for i in range(300)), "Person7 took the lamp.")
    asked = texts.asked(tokens("Where is Person7?"), len(texts))
    view = texts.in_view(asked, len(texts))
    assert view == sorted(view)
    assert len(view) <= MOST
    assert {7, 300} <= set(view)
    assert 300 not in texts.in_view(asked, 300)


@pytest.mark.parametrize(
    "told", [["Joe."], ["!!!", "Joe left."], ["a " * 3000, "Joe left the " + "x" * 500 + "."]]
)
def test_strange_statements_are_read(told):
    texts = heard(*told)
    found = find_path(PassageReader(parameters()).over(lines(texts, "Who?")), 4, 3)
    assert 1 <= len(found.path) <= 4
    assert len(set(found.path)) == len(found.path)
    assert np.isfinite(found.score)


def test_the_best_path_is_found():
    """A narrow beam finds no better path than a wide one, but for how it is rounded: that depends
    on how many paths are read at once."""
    texts = heard("Joe took the lamp.", "Ann slept.", "Joe is in the cellar.", "Ann left.")
    reading = PassageReader(parameters(3)).over(lines(texts, "Where is the lamp?"))
    narrow, wider, wide = (find_path(reading, 3, beam).score for beam in (1, 3, 100))
    assert narrow <= wider + 1e-4
    assert wider <= wide + 1e-4


def test_several_paths_are_read_as_each_of_them():
    texts = heard("Joe took the lamp.", "Ann slept.", "Joe is in the cellar.")
    reading = PassageReader(parameters(3)).over(lines(texts, "Where is the lamp?"))
    paths = [(), (0,), (0, 2), (2, 0, 1)]
    for path, read in zip(paths, reading.read_all(paths), strict=True):
        alone = reading.read(path)
        for name in ("scores", "stop", "inside", "say", "judged"):
            one, other = getattr(read, name), getattr(alone, name)
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_a_reader_of_before_does_not_judge_all_statements():
    size = ReaderSize(hidden=96, heads=6, across=ACROSS[:3], more=192, supported=False)
    sizes = shapes(len(LITERALS), english().dim, 4, size)
    rng = np.random.default_rng(3)
    before = {name: rng.normal(0, 0.12, size).astype(np.float32) for name, size in sizes.items()}
    told = lines(heard("Joe is in the cellar."), "Where is Joe?")
    assert PassageReader(before).over(told).read([0]).supported == 0.0


def test_a_larger_reader_does_not_begin_where_a_smaller_one_stands():
    sizes = [ReaderSize(), ReaderSize(hidden=96, heads=6, more=384)]
    large, small = (
        {n: np.zeros(s, np.float32) for n, s in shapes(4, 64, 4, z).items()} for z in sizes
    )
    with pytest.raises(ValueError, match="shape"):
        grow(large, small)


def test_heads_part_the_units():
    numbers = parameters()
    numbers[f"{ACROSS[0]}_related"] = np.zeros((18, 7), np.float32)
    with pytest.raises(ValueError, match="7 heads do not part 128 units"):
        ReaderSize.of(numbers)
