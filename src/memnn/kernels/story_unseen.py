"""The dropout of §3.5: words that an example treats as unseen, known by their contexts alone."""

from __future__ import annotations

from memnn.kernels.arrays import Ints
from memnn.kernels.jit import kernel
from memnn.kernels.phi import Contexts
from memnn.kernels.rng import State, below
from memnn.kernels.story_examples import Scratch, Texts, tick


@kernel
def hide(
    entities: Ints,
    texts: Texts,
    first: int,
    last: int,
    supports: Ints,
    contexts: Contexts,
    dropout: int,
    state: State,
    s: Scratch,
) -> None:
    """The dropout of §3.5: treat some words as unseen throughout this example.

    Their contexts come from a stretch of the story of random length, as if it had begun there,
    and from the supports; hidden words are no context.
    """
    rate = below(state, 1001) if dropout < 0 else dropout
    now = tick(s)
    hidden = 0
    for t in entities:
        contexts.rows[t] = -1
        if below(state, 1000) < rate:
            contexts.rows[t] = hidden
            hidden += 1
    if not hidden:
        return
    span = 4 << below(state, 7)
    span += below(state, span)
    for i in range(max(first, last - span), last):
        _note_neighbours(texts, i, contexts, now, s)
    for o in supports:
        _note_neighbours(texts, o, contexts, now, s)
    n = 0
    contexts.ptr[0] = 0
    for j in range(hidden):
        for side in range(2):
            seen = s.left if side == 0 else s.right
            for w in range(seen.shape[1]):
                if seen[j, w] == now:
                    contexts.words[n] = w
                    n += 1
            contexts.ptr[2 * j + side + 1] = n


@kernel
def _note_neighbours(texts: Texts, i: int, contexts: Contexts, now: int, s: Scratch) -> None:
    """Mark the known words left and right of every hidden word of text i."""
    words = texts.in_order[texts.in_order_ptr[i] : texts.in_order_ptr[i + 1]]
    for a in range(words.shape[0]):
        j = contexts.rows[words[a]]
        if j >= 0:
            for b in range(words.shape[0]):
                if contexts.rows[words[b]] < 0:
                    if b < a:
                        s.left[j, words[b]] = now
                    else:
                        s.right[j, words[b]] = now
