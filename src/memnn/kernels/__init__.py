"""Arrays in, arrays out: the loops of the embedding model, compiled by numba.

Kernels are compiled on first use and kept on disk. The `…_warm_up` modules compile those that are
needed together: `compiled` tells whether that has happened, `warm_up` makes it happen, so that a
program can say what it is waiting for. Answering from stories, answering from facts, training on
stories and path networks are apart: nobody waits for what they do not use.
"""
