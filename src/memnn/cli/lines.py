"""What people type: a prompt with history and completion, pasted text whole, Ctrl-C, or a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import TextIOWrapper

from memnn.cli import screen
from memnn.errors import InputError

PASTED = 0.05
"""Seconds: nobody types the next line that fast, so it was pasted with this one."""
WRAPPED = 50
"""Characters: a line that is longer and ends no sentence was cut by its margin."""
ENDS = (".", "!", "?", "…", "。", "！", "？", ":", ";")


def lines(commands: Sequence[str] = ()) -> Iterator[str]:
    """What the user types, or what is piped in; `commands` are completed with Tab.

    On a terminal Ctrl-C drops a line that has begun, and on an empty one ends the talk.
    """
    typed = sys.stdin.isatty()
    if typed:
        remember_lines(commands)
    elif isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="strict")
    while True:
        try:
            text = whole(read_typed()) if typed else input()
        except EOFError:
            if typed:
                screen.err.print()  # the shell's prompt gets a line of its own
            return
        except KeyboardInterrupt:
            if typed:
                screen.err.print()
            if not typed:
                raise
            if not half_typed():
                return
            continue
        except UnicodeDecodeError:
            raise InputError("the input is not UTF-8 text") from None
        if text.strip():
            yield text.strip()


def read_typed() -> str:
    """A line, and what came with it at once."""
    read = [input("> ")]
    while waiting():
        read.append(input())
    return "\n".join(read)


def half_typed() -> bool:
    """Whether Ctrl-C ended a line that had begun."""
    readline = sys.modules.get("readline")
    return readline is not None and bool(readline.get_line_buffer())


def waiting() -> bool:
    """Whether there is another line already, as after a paste."""
    if os.name != "posix":
        return False
    import select

    return bool(select.select([sys.stdin], [], [], PASTED)[0])


def whole(text: str) -> str:
    """Pasted text with the lines of a paragraph joined again, where only a margin had cut them."""
    joined: list[str] = []
    open_end = False  # whether the last line ended no sentence
    for line in (line.strip() for line in text.splitlines()):
        goes_on = open_end and line and (line[0].islower() or len(joined[-1]) >= WRAPPED)
        if goes_on:
            joined[-1] += f" {line}"
        elif line:
            joined.append(line)
        open_end = bool(line) and not line.rstrip("\"'”’)]").endswith(ENDS)
    return "\n".join(joined)


def remember_lines(commands: Sequence[str] = ()) -> None:
    """Editing, completion and history for input(), kept from one conversation to the next."""
    try:
        import readline
    except ModuleNotFoundError:  # Windows
        return
    import atexit

    from platformdirs import user_cache_path

    from memnn.paths import private

    file = user_cache_path("memnn") / "history"

    def keep() -> None:
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "ab", opener=private):  # before there is anything to read in it
                file.chmod(0o600)
            readline.write_history_file(file)

    def complete(start: str, number: int) -> str | None:
        found = [f"{command} " for command in commands if command.startswith(start)]
        return found[number] if start.startswith("/") and number < len(found) else None

    with suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(1000)
    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    readline.parse_and_bind("set enable-bracketed-paste on")
    atexit.register(keep)
