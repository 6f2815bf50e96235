"""R, the response of §2: from [x, m_o1, m_o2, ...] to an answer."""

from __future__ import annotations

import numpy as np

from memnn.components import abstain
from memnn.kernels.arrays import Floats
from memnn.kernels.phi import Contexts
from memnn.kernels.story_infer import rank
from memnn.layout import Layout
from memnn.stories.contexts import Lexicon
from memnn.stories.dictionary import Dictionary
from memnn.stories.invariants import Habits
from memnn.stories.recipe import Recipe
from memnn.types import Answer, Output, StoryWords

NO_HABITS = Habits()


class MemoryResponse:
    """The simplest R: return m_ok, the sentence that was told."""

    def __init__(self, dictionary: Dictionary, habits: Habits = NO_HABITS) -> None:
        self.dictionary = dictionary
        self.habits = habits

    def __call__(self, output: Output) -> Answer:
        problem = unsupported(output, self.dictionary, self.habits)
        if problem:
            return abstain(output, problem)
        last = output.hops[-1]
        return Answer(last.support.text, last.score, evidence=output.hops)


class WordResponse:
    """Eq. 4: rank every word and every answer unit seen in training with s_R.

    With unseen words (§3.5) the story's own words are candidates too.
    """

    def __init__(
        self,
        dictionary: Dictionary,
        layout: Layout,
        U_R: Floats,
        recipe: Recipe,
        habits: Habits = NO_HABITS,
    ) -> None:
        self.dictionary = dictionary
        self.recipe = recipe
        self.habits = habits
        self.A = layout.bilinear(U_R)
        self.blocks, self.columns = layout.blocks, layout.columns

    def __call__(self, output: Output) -> Answer:
        problem = unsupported(output, self.dictionary, self.habits, final=True)
        if problem:
            return abstain(output, problem)
        lexicon = lexicon_of(output, self.dictionary)
        x = lexicon.tokens(output.question.text, output.question.id)
        m: list[int] = []
        hops = output.hops
        as_sets = self.recipe.match or self.recipe.bow > 0  # as O reads them
        # As in training: after the stop the last support repeats.
        for hop in (*hops, *hops[-1:] * (self.recipe.hops - len(hops))):
            tokens = lexicon.tokens(hop.text, hop.id)
            m += set(tokens) if as_sets else tokens
        answers = self.dictionary.answers
        scores = np.empty(len(answers) + len(lexicon.words), np.float32)
        contexts: Contexts = lexicon.contexts()
        best = rank(
            self.A, self.blocks, self.columns, len(self.dictionary.words), len(answers),
            np.array(x, np.int64), np.array(m, np.int64), *contexts, scores,
        )  # fmt: skip
        text = answers[best] if best < len(answers) else lexicon.words[best - len(answers)]
        problem = self.habits.unheard(
            self.dictionary, output.question.text, [hop.text for hop in hops], text
        )
        if problem:
            return abstain(output, problem)
        return Answer(text, float(scores[best]), evidence=hops)


def lexicon_of(output: Output, dictionary: Dictionary) -> StoryWords:
    """The words of the story as O read them; another O may not keep them."""
    return output.lexicon or Lexicon(dictionary, unseen=False)


def unsupported(
    output: Output, dictionary: Dictionary, habits: Habits = NO_HABITS, *, final: bool = False
) -> str:
    """Why nothing supports an answer; empty if something does.

    `final` looks at the last support too: R cannot answer with a word it does not know.
    """
    if not output.hops and output.lexicon is None:
        return "I have not been told anything yet"
    lexicon = lexicon_of(output, dictionary)
    new = lexicon.unknown(output.question.text)
    if new and lexicon.unseen:
        return f"nothing I was told mentions {' or '.join(new)}"
    if new:
        return f"the question has words I never learned: {', '.join(new)}"
    if output.missing:
        return f"nothing I was told mentions {' or '.join(output.missing)}"
    if final:
        new = lexicon.unknown(output.hops[-1].text)
        if new:
            return f"the supporting fact has words I never learned: {', '.join(new)}"
    texts, ids = [hop.text for hop in output.hops], [hop.id for hop in output.hops]
    return habits.broken(dictionary, output.question.text, texts, ids)
