"""Which tests one worker runs, and what comes first: `pytest -n 3 --dist loadfile`.

That is for two cores: whoever runs what needs the Milvus server waits for it most of the time.

The marker `xdist_group` would say the same, but pytest 9.2 and xdist 3.8 ignore it silently.
"""

from __future__ import annotations

import pytest

# What runs longest begins first, so that no worker is left with it at the end.
LONG = (
    "milvus",
    "tests/cli/test_commands.py",
    "tests/stories/test_train.py",
    "tests/stories/test_recurrent.py",
    "tests/docs/test_docs.py",
    "tests/server/test_serve.py",
)


def group(nodeid: str) -> str:
    """What one worker runs: a file, whose fixtures are made once, or all on the Milvus server."""
    if nodeid.startswith("tests/memory/") and "milvus" in nodeid:
        return "milvus"
    return nodeid.partition("::")[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(group(item.nodeid), len(order)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Groups(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    config.option.loadscopereorder = False  # by their number of tests; the order above is better
    return Groups(config, log)
