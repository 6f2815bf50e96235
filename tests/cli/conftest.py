"""Commands in an empty folder, and a model for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import Commands


@pytest.fixture
def memnn(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, compiled: None) -> Commands:
    """Commands of a user who has trained nothing yet."""
    return Commands(tmp_path, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def model(trained_folder: Path) -> Path:
    """What `memnn simulate` and `memnn train` make: seed 0, the default recipe."""
    return trained_folder
