"""`memnn search` and `memnn teach`: find what was told, and say what should be found."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from memnn.cli import screen
from memnn.cli.options import History, Json, Meta, Name, Speaker, StorePath, meta_option
from memnn.cli.stores import open_memory_at
from memnn.errors import InputError
from memnn.types import FoundSlot


def search(
    store: StorePath,
    question: Annotated[str, typer.Argument(help="What is looked for.")],
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="At most so many.")] = 10,
    since: Annotated[str | None, typer.Option(help="Said on this date or later.")] = None,
    until: Annotated[str | None, typer.Option(help="Said on this date or before.")] = None,
    speaker: Speaker = None,
    meta: Meta = None,
    as_of: Annotated[
        str | None, typer.Option(help="Look at the past: the id or time of the last memory to see.")
    ] = None,
    history: History = False,
    neighbours: Annotated[
        int, typer.Option(min=0, max=10, help="Show so many before and after each.")
    ] = 0,
    name: Name = "main",
    json: Json = False,
) -> None:
    """Find what was told about something, the best first, with what its score is made of.

    Example: memnn search diary.db "Where does Ann live?" --since 2023-05-01
    """
    from memnn import default
    from memnn.as_json import search_json
    from memnn.conversations.search import Filter, Finder
    from memnn.memory.present import superseded
    from memnn.ordinary.answering import OrdinaryPaths

    which = Filter(as_of, since, until, speaker, meta_option(meta), history)
    with open_memory_at(store, name) as m:
        finder = Finder(reads=OrdinaryPaths(default.ordinary()).among)
        found = finder(m, question, k, which, neighbours)
        by = superseded(m)
    if json:
        screen.print_json(search_json(found, by))
        return
    if not found:
        screen.say("nothing was told about this")
    for each in found:
        _show(each)


def _show(found: FoundSlot) -> None:
    near = {slot.id: slot for slot in found.neighbours} | {found.id: found.slot}
    for id, slot in sorted(near.items()):
        head = f"{found.score:6.2f}  " if id == found.id else "        "
        line = Text.assemble(head, (f"[{id}] ", "dim"))
        if slot.speaker is not None:
            line.append(f"{slot.speaker}: ", style="bold")
        line.append(slot.text, style="cyan" if id == found.id else "dim")
        line.append(f"  {slot.said or slot.time}", style="dim")
        screen.out.print(line)
    terms = sorted(found.terms.items(), key=lambda term: -abs(term[1]))[:5]
    screen.out.print(Text(f"        {', '.join(f'{n} {v:+.2f}' for n, v in terms)}", style="dim"))


def teach(
    store: StorePath,
    question: Annotated[str, typer.Argument(help="A question.")],
    ids: Annotated[list[int] | None, typer.Argument(help="The statements that answer it.")] = None,
    none: Annotated[bool, typer.Option("--none", help="Nothing that was told answers it.")] = False,
    name: Name = "main",
    json: Json = False,
) -> None:
    """Keep which statements answer a question; it goes when one of them is deleted.

    Example: memnn teach diary.db "Where does Ann live?" 12
    """
    from memnn.as_json import lesson_json

    if bool(ids) == none:
        raise InputError("name the ids that answer it, or give --none")
    with open_memory_at(store, name) as m:
        m.read(ids or [])  # one that is not there is named as such
        lesson = m.teach(question, ids or [])
        count = len(m.lessons())
    if json:
        screen.print_json(lesson_json(lesson))
    else:
        screen.out.print(f"{screen.count(count, 'lesson')} kept in '{name}'")


def learn(
    store: StorePath,
    forget: Annotated[
        bool, typer.Option("--forget", help="Search as before anything was learnt; lessons stay.")
    ] = False,
    name: Name = "main",
    json: Json = False,
) -> None:
    """Learn from what was taught: weights of search that the store keeps, if they are better.

    Example: memnn learn diary.db
    """
    from dataclasses import asdict

    from memnn.conversations.search import Finder

    finder = Finder()
    with open_memory_at(store, name) as m:
        if forget:
            finder.unlearn(m)
            screen.say("search uses the weights that came with memnn")
            return
        learnt = finder.learn(m)
    if json:
        screen.print_json(asdict(learnt))
        return
    n = learnt.lessons
    screen.out.print(
        f"{screen.count(n, 'lesson')}, each ranked by what the others taught: right first "
        f"{learnt.first_after} (before: {learnt.first_before}), "
        f"mean 1/rank {learnt.mean_after:.3f} (before: {learnt.mean_before:.3f})"
    )
    if learnt.none:
        screen.say(
            f"{screen.count(learnt.none, 'lesson')} that nothing answers: not used for ranks"
        )
    screen.say(
        f"kept with '{name}', and used from now on"
        if learnt.kept
        else "not better by more than chance: search stays as it came with memnn"
    )
