"""`memnn.open`: the default network on a store, in one call."""

from __future__ import annotations

import logging
import os

from memnn import default
from memnn.dialogue.network import Ensemble
from memnn.memory import open_memory

log = logging.getLogger("memnn")


def open(
    where: str | os.PathLike[str] = ":memory:", name: str = "main", *, world: bool = True
) -> Ensemble:
    """The default network on a store, which is made if it is not there.

    `:memory:` ends with the process. A store may hold several memories, by name. Threads may
    share what this returns; `with` closes the store at the end. With `world=False` it answers from
    what was told alone.

    >>> import memnn
    >>> with memnn.open() as net:
    ...     slots = net.tell("Joe went to the kitchen. Joe picked up the milk.")
    ...     net.ask("Where is the milk?").text
    'kitchen'
    """
    memory = open_memory(where, name)
    if log.isEnabledFor(logging.DEBUG):  # to count a memory that is far away takes time
        log.debug("opened %r of %s: %d statements", name, where, len(memory))
    return Ensemble(default.ensemble(), memory, world=world)
