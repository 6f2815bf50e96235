"""Where `memnn chat` keeps what it is told, when nobody says: asked once, on a terminal."""

from __future__ import annotations

import json
from pathlib import Path

from platformdirs import user_config_path, user_data_path

from memnn.cli import screen
from memnn.paths import private, private_folder

RAM = ":memory:"


def settled() -> str | None:
    """What was answered before: the diary's path, `:memory:`, or None if nothing was asked."""
    try:
        kept = json.loads(_file().read_text(encoding="utf-8"))["diary"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return kept if isinstance(kept, str) else None


def offer() -> str:
    """The address to use: as settled, or as the user says now."""
    store = settled()
    if store is None:
        store = _ask(user_data_path("memnn") / "diary.db")
    if store != RAM:
        private_folder(Path(store).parent)
        screen.say(f"Your diary is {store} (--store :memory: talks without it)")
    return store


def _ask(place: Path) -> str:
    screen.err.print(f"Shall I keep what you tell me, in {place}?")
    answer = input("Yes, or no to forget it at the end [Y/n] ").strip().lower()
    store = RAM if answer.startswith("n") else str(place)
    try:
        private_folder(_file().parent)
        with open(_file(), "w", encoding="utf-8", opener=private) as file:
            json.dump({"diary": store}, file)
        screen.say(f"I shall not ask again; {_file()} has your answer")
    except OSError:
        pass  # then it is asked again next time
    return store


def _file() -> Path:
    return user_config_path("memnn") / "chat.json"
