"""More of `memnn memory`: what brings statements into a store, and takes them out as a file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.memory import memory
from memnn.cli.options import (
    Json,
    Meta,
    Name,
    Said,
    Session,
    Speaker,
    StorePath,
    meta_option,
)
from memnn.cli.stores import file_text, open_memory_at, stdin_text
from memnn.errors import FormatError, InputError
from memnn.text.printable import printable, printable_json

__all__ = ["memory"]  # with the commands that follow


@memory.command()
def add(
    store: StorePath,
    text: Annotated[str, typer.Argument(help="One statement a line; - is stdin.")] = "-",
    name: Name = "main",
    source: Annotated[str, typer.Option(help="Where this comes from, kept beside it.")] = "",
    speaker: Speaker = None,
    said: Said = None,
    session: Session = None,
    meta: Meta = None,
    json: Json = False,
) -> None:
    """Remember statements: all of them, or none if one cannot be; done when on the disk.

    With a speaker, a time, a session or metadata each line is a turn of a conversation.

    Example: memnn memory add diary.db "Joe went to the kitchen."
    """
    from memnn.conversations.listing import MOST_COMPARED, duplicates
    from memnn.conversations.telling import turn_about

    lines = [line for line in (stdin_text() if text == "-" else text).splitlines() if line.strip()]
    if not lines:
        raise InputError("the text holds nothing to remember")
    turn = turn_about(speaker, said, session, meta_option(meta))
    with open_memory_at(store, name, create=True) as m:
        slots = m.write_many(
            lines, source=source, turns=None if turn is None else [turn] * len(lines)
        )
        same = duplicates(m, slots) if len(slots) <= MOST_COMPARED else {}
    _written(len(slots), slots[-1].id, json, same=same)


@memory.command()
def update(
    store: StorePath,
    id: Annotated[int, typer.Argument(help="The statement that no longer holds.")],
    text: Annotated[str, typer.Argument(help="What holds instead.")],
    name: Name = "main",
    speaker: Speaker = None,
    said: Said = None,
    session: Session = None,
    meta: Meta = None,
    json: Json = False,
) -> None:
    """Supersede a statement; the old one is seen only as of a moment before, or with --history.

    Example: memnn memory update diary.db 3 "Joe went to the garden."
    """
    from memnn.conversations.telling import turn_about
    from memnn.conversations.updating import updated

    given = turn_about(speaker, said, session, meta_option(meta))
    with open_memory_at(store, name) as m:
        new = updated(m, id, text, given)
        slot = m.write(new.text, turn=new.turn)
    if json:
        from memnn.as_json import slot_json

        screen.print_json(slot_json(slot))
    else:
        screen.out.print(f"[{id}] is superseded by [{slot.id}]")


@memory.command()
def export(
    store: StorePath,
    output: Annotated[str, typer.Option("--output", "-o", help="A file; - is stdout.")] = "-",
    name: Name = "main",
    form: Annotated[
        str, typer.Option("--format", help="jsonl, or log: 'Speaker: text' and no more.")
    ] = "jsonl",
) -> None:
    """Write what was told as lines of JSON, or as a log.

    Example: memnn memory export diary.db -o diary.jsonl
    """
    from memnn.conversations.files import to_log
    from memnn.errors import UnknownName
    from memnn.memory.copy import as_json, to_lines
    from memnn.paths import private

    if form not in ("jsonl", "log"):
        raise UnknownName("format", form, ["jsonl", "log"])
    with open_memory_at(store, name) as m:
        lines = to_lines(m) if form == "jsonl" else to_log(map(as_json, m.scan()))
        if output == "-":
            shown = printable_json if form == "jsonl" else printable
            sys.stdout.writelines(map(shown, lines))
            return
        try:
            with open(output, "w", encoding="utf-8", newline="\n", opener=private) as file:
                file.writelines(lines)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"cannot write {output}: {why}") from None


@memory.command("import")
def import_(
    store: StorePath,
    file: Annotated[str, typer.Argument(help="A file; - is stdin.")] = "-",
    name: Name = "main",
    form: Annotated[
        str, typer.Option("--format", help="jsonl, log, locomo or plain.", show_default="its look")
    ] = "auto",
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Leave out what cannot be used, and name it.")
    ] = False,
    json: Json = False,
) -> None:
    """Remember a file: all of it, or nothing if a line is wrong.

    Lines of JSON, as `export` writes them (ids and times are kept where a line has them), a log of
    lines such as "Ann: Hello.", LoCoMo's JSON, or plain lines.

    Example: memnn memory import diary.db diary.jsonl
    """
    from memnn.conversations.files import all_broken, read_lines
    from memnn.memory.copy import write_lines

    text, called = (stdin_text(), "<stdin>") if file == "-" else (file_text(file), file)
    broken: list[FormatError] = []
    with open_memory_at(store, name, create=True) as m:
        with screen.counting_bar("Reading", text.count("\n") + 1) as moved:
            lines = read_lines(text, called, m.last_id, form, broken)
            moved(text.count("\n") + 1)
        if broken and not skip_broken:
            raise all_broken(broken)
        for problem in broken:
            screen.err.print(f"left out: {problem}")
        with screen.counting_bar("Writing", len(lines.slots)) as moved:
            write_lines(m, lines)
            moved(len(lines.slots))
        written, last = len(lines.slots), m.last_id
    _written(written, last, json, [problem.line for problem in broken])


def _written(
    written: int,
    last: int,
    json: bool,
    skipped: list[int] | None = None,
    same: Mapping[int, int] | None = None,
) -> None:
    twice = [{"id": id, "duplicate_of": other} for id, other in (same or {}).items()]
    if json:
        about: dict[str, object] = {"written": written, "last_id": last}
        about |= {"skipped": skipped} if skipped else {}
        screen.print_json(about | ({"duplicates": twice} if twice else {}))
        return
    screen.out.print(f"{screen.count(written, 'statement')} written, the last as [{last}]")
    if twice:
        first, more = twice[0], f", and {len(twice) - 1:,} more" if twice[1:] else ""
        screen.say(f"[{first['id']}] says the same as [{first['duplicate_of']}]{more}")
