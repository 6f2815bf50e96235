"""Stories from the simulation: actors act at random, and are asked about (Section 5.2, App. A)."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from random import Random

from memnn.errors import InputError
from memnn.simulator.actions import Action, Go, apply, valid_actions
from memnn.simulator.grammar import USUAL, Wording, ask_in_words, connect, say
from memnn.simulator.knowledge import Knowledge
from memnn.simulator.question_sets import QuestionSet, choose, question_set
from memnn.simulator.questions import StoryQuestion
from memnn.simulator.world import FURNISHED_WORLD, PAPER_WORLD, World, WorldSpec
from memnn.types import Question, Statement, Story

MOST = 100_000_000


class Teller:
    """Writes a story down while it happens: the world moves, the reader learns, a line is added."""

    def __init__(
        self,
        world: World,
        rng: Random,
        *,
        wording: Wording = USUAL,
        stream: bool = False,
        sentences: bool = False,
        reports: bool = False,
    ) -> None:
        self.world = world
        self.knowledge = Knowledge()
        self._rng = rng
        self._wording = wording
        self._stream = stream
        self._sentences = sentences
        self._reports = reports
        self._lines: list[Statement | Question] = []

    def tell(self, action: Action) -> str | None:
        """Carry out an action and write it down; the report if it is an act of looking."""
        been_there = isinstance(action, Go) and self.world.has_been(action.actor, action.room)
        report = apply(self.world, action)
        text = say(
            action,
            self.world.spec,
            rng=self._rng,
            wording=self._wording,
            been_there=been_there,
        )
        if report is not None and self._reports:
            text = f"{text}: {report}"
        id = len(self._lines) + 1
        self.knowledge.learn(action, id)
        self._lines.append(Statement(self._written(text), id))
        return report

    def _written(self, text: str) -> str:
        if not self._stream:
            return f"{text}."
        # A question ends a sentence, so what follows it begins a new one.
        follows = bool(self._lines) and isinstance(self._lines[-1], Statement)
        return connect(text, self._rng) if follows else text

    def ask(self, question: StoryQuestion) -> None:
        """Write down a question with its true answer and supports; InputError if unanswerable."""
        answer = question.answer(self.world, self.knowledge)
        supports = question.supports(self.knowledge)
        if answer is None or supports is None:
            raise InputError(f"the story so far does not answer '{ask_in_words(question)}'")
        if self._sentences and (ways := question.sentences(answer, self.world.spec)):
            answer = self._rng.choice(ways)
        text = ask_in_words(question, rng=self._rng, wording=self._wording)
        self._lines.append(Question(text, len(self._lines) + 1, answer, supports))

    def story(self, source: str) -> Story:
        return Story(tuple(self._lines), source)


def random_action(world: World, among: str, rng: Random) -> Action:
    """An actor, then one of the types of action open to them, then one action of that type."""
    actor = rng.choice(world.spec.actors)
    if world.room_of(actor) is None:
        # Everybody enters the story by going somewhere, so whoever acts can be asked about.
        among = "go"
    valid = valid_actions(world, actor, among)
    return rng.choice(valid[rng.choice(list(valid))])


def _questions_after(statements: int, questions: int, rng: Random) -> list[int]:
    """How many questions follow each statement: equally likely everywhere, exact in total."""
    each, rest = divmod(questions, statements) if statements else (0, 0)
    counts = [each] * statements
    for position in rng.sample(range(statements), rest):
        counts[position] += 1
    return counts


def _check(statements: int, questions: int, difficulty: int, story_length: int | None) -> None:
    for number in (statements, questions, difficulty, 1 if story_length is None else story_length):
        if not isinstance(number, int) or isinstance(number, bool) or number > MOST:
            raise InputError(
                "statements, questions, difficulty and story_length are whole numbers "
                f"up to {MOST:,}"
            )
    if statements < 0 or questions < 0:
        raise InputError("statements and questions must be 0 or more")
    if questions and not statements:
        raise InputError("questions need at least one statement to be about")
    if difficulty < 1:
        raise InputError(f"difficulty must be 1 or more, not {difficulty}")
    if story_length is not None and story_length < 1:
        raise InputError(f"story_length must be 1 or more, not {story_length}")


def _check_world(spec: WorldSpec) -> None:
    if not spec.actors:
        raise InputError("a world needs at least one actor")
    if len(spec.rooms) < 2:
        raise InputError("a world needs at least two rooms, or nobody could go anywhere")


def simulate(
    *,
    statements: int = 7000,
    questions: int = 3000,
    difficulty: int = 5,
    ask: str = "actor+object",
    seed: int = 0,
    story_length: int | None = None,
    stream: bool = False,
    sentences: bool = False,
    spec: WorldSpec | None = None,
    article_omission: float = 0.1,
    there: float = 0.1,
    before_moves: int | None = 2,
) -> list[Story]:
    """Random stories with labelled questions: exactly as many of each as asked for.

    One long story, or stories of `story_length` statements, each in a world of its own. With
    `stream` a statement's text begins with what joins it to the one before, so that the texts in
    a row are the word stream; with `sentences` the answers are sentences. `before_moves` limits
    "where was A before R?" to the rooms of that many latest moves of A: with 1 the latest move is
    all one needs to know, with 2 supports lie about as far back as the paper's; None is no limit.
    """
    _check(statements, questions, difficulty, story_length)
    if not isinstance(seed, int):
        raise InputError(f"seed must be a whole number, not {type(seed).__name__}")
    if before_moves is not None and before_moves < 1:
        raise InputError(f"before_moves must be 1 or more, not {before_moves}")
    asked = replace(question_set(ask), before_moves=before_moves)
    if spec is None:
        spec = FURNISHED_WORLD if asked.actions == "everything" else PAPER_WORLD
    _check_world(spec)
    for name, probability in (("article_omission", article_omission), ("there", there)):
        if not 0 <= probability <= 1:
            raise InputError(f"{name} must be between 0 and 1, not {probability}")
    rng = Random(seed)
    counts = _questions_after(statements, questions, rng)
    length = story_length or max(statements, 1)
    stories = []
    for start in range(0, statements, length):
        teller = Teller(
            World.scattered(spec, rng),
            rng,
            wording=Wording(article_omission, there),
            stream=stream,
            sentences=sentences,
        )
        _improvise(teller, counts[start : start + length], asked, difficulty, rng)
        stories.append(teller.story(f"simulation {ask}, seed {seed}"))
    return stories


def _improvise(
    teller: Teller, counts: list[int], ask: QuestionSet, difficulty: int, rng: Random
) -> None:
    """One statement for every count, and that many questions after it."""
    recent: deque[Action] = deque(maxlen=difficulty)
    for count in counts:
        action = random_action(teller.world, ask.actions, rng)
        teller.tell(action)
        recent.append(action)
        for _ in range(count):
            teller.ask(choose(recent, ask, teller.world, teller.knowledge, rng))
