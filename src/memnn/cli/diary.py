"""Where `memnn chat` keeps what it is told, when nobody says: asked once, on a terminal."""

from __future__ import annotations

import json
from pathlib import Path

from platformdirs import user_config_path, user_data_path

from memnn.cli import screen
from memnn.paths import private, private_folder

RAM = ":memory:"
GONE_AT_THE_END = "What is told now is gone when this ends"
PROMPT = "Yes, or no to forget it at the end [Y/n] "
YES = frozenset({"", "y", "yes", "yep", "yeah", "sure", "ok", "okay", "please", "yes please"})
NO = frozenset({"n", "no", "nope", "nah", "no thanks", "no thank you"})


def settled() -> str | None:
    """What was answered before: the diary's path, `:memory:`, or None if nothing was asked."""
    try:
        kept = json.loads(_file().read_text(encoding="utf-8"))["diary"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return kept if isinstance(kept, str) else None


def offer() -> tuple[str, list[str]]:
    """The address to use, as settled or as the user says now; and what was said instead of yes or
    no, which is not lost."""
    store, said = settled(), list[str]()
    if store is None:
        store, said = _ask(user_data_path("memnn") / "diary.db")
    if store != RAM:
        private_folder(Path(store).parent)
        screen.say(f"Your diary is {store} (--store :memory: talks without it)")
    else:
        screen.say(GONE_AT_THE_END)
    return store, said


def _ask(place: Path) -> tuple[str, list[str]]:
    from memnn.conversations.telling import shorten

    screen.err.print(f"Shall I keep what you tell me, in {place}?")
    said: list[str] = []
    while (keep := _yes(answer := input(PROMPT).strip())) is None:
        said.append(answer)
        screen.say(f"I shall hear “{shorten(answer)}” next; first yes or no, please.")
    store = str(place) if keep else RAM
    try:
        private_folder(_file().parent)
        with open(_file(), "w", encoding="utf-8", opener=private) as file:
            json.dump({"diary": store}, file)
        screen.say(f"I shall not ask again; {_file()} has your answer")
    except OSError:
        pass  # then it is asked again next time
    return store, said


def _yes(answer: str) -> bool | None:
    """Enter is yes; None for what is neither yes nor no."""
    word = answer.lower().rstrip(".! ")
    return word in YES if word in YES | NO else None


def _file() -> Path:
    return user_config_path("memnn") / "chat.json"
