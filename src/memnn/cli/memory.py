"""`memnn memory`: what a store holds, added to, corrected, moved and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from memnn.cli import screen
from memnn.cli.options import CommandGroup, History, Json, Name, StorePath
from memnn.cli.stores import memory_in, open_lasting, open_memory_at, open_store_at, show_slots
from memnn.errors import DamagedStore, InputError, UnreadableMemory

memory = typer.Typer(
    name="memory",
    cls=CommandGroup,
    help="Look after a store: add, list, delete, move and check what it remembers.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)


@memory.callback()
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@memory.command("list")
def list_(
    store: StorePath,
    name: Name = "main",
    after: Annotated[int, typer.Option(min=0, help="Only those after this id.")] = 0,
    limit: Annotated[int | None, typer.Option(min=0, help="At most so many.")] = None,
    before: Annotated[int | None, typer.Option(min=1, help="Only those before this id.")] = None,
    newest: Annotated[bool, typer.Option("--newest", help="The newest first.")] = False,
    history: History = False,
    json: Json = False,
) -> None:
    """Show what was told, in write order or the newest first.

    Example: memnn memory list diary.db --after 100 --limit 10
    """
    from memnn.conversations.listing import listed
    from memnn.memory.present import superseded

    with open_memory_at(store, name) as m:
        slots = listed(m, limit=limit, after=after, before=before, newest=newest, history=history)
        show_slots(slots, superseded(m), json)


@memory.command()
def show(
    store: StorePath,
    ids: Annotated[list[int], typer.Argument(help="The ids of statements.")],
    name: Name = "main",
    json: Json = False,
) -> None:
    """Show single statements, also such as were superseded.

    Example: memnn memory show diary.db 3
    """
    from memnn.memory.present import superseded

    with open_memory_at(store, name) as m:
        show_slots(m.read(ids), superseded(m), json)


@memory.command()
def delete(
    store: StorePath,
    ids: Annotated[list[int] | None, typer.Argument(help="The ids of statements.")] = None,
    name: Name = "main",
    everything: Annotated[
        bool, typer.Option("--all", help="The whole named memory instead of some ids.")
    ] = False,
    json: Json = False,
) -> None:
    """Delete statements for good, and what they replaced.

    `compact` then removes their bytes from the files.

    Example: memnn memory delete diary.db 3 5
    """
    from memnn.memory.present import versions

    if bool(ids) == everything:
        raise InputError("name the ids to delete, or give --all for the whole memory")
    with open_store_at(store) as s:
        m = memory_in(s, store, name)
        before = len(m)
        if everything:
            s.drop(name)
        else:
            m.delete(versions(m, ids or []))
        gone = before - len(m)
    if json:
        screen.print_json({"deleted": gone})
    else:
        screen.out.print(f"{screen.count(gone, 'statement')} deleted")


@memory.command()
def compact(store: StorePath, json: Json = False) -> None:
    """Rewrite the files of a store, so that the bytes of what was deleted are gone.

    A store that is kept by an engine asks it to do so.

    Example: memnn memory compact diary.db
    """
    with open_lasting(store) as s:
        before = s.size()
        s.compact()
        after = s.size()
    freed = None if before is None or after is None else before - after
    if json:
        screen.print_json({"bytes": after, "freed": freed})
    elif freed is None:
        screen.out.print("The engine was asked to remove the bytes of what was deleted")
    else:
        screen.out.print(f"{after:,} bytes, {freed:,} less than before")


@memory.command()
def copy(
    source: Annotated[str, typer.Argument(help="The store to copy from.", metavar="FROM")],
    target: Annotated[str, typer.Argument(help="The store to copy to.", metavar="TO")],
    name: Annotated[
        str | None, typer.Option(help="Only this memory.", show_default="all of them")
    ] = None,
    json: Json = False,
) -> None:
    """Copy memories from store to store, ids and times kept; run it again if it was stopped.

    One that cannot be read is named and left out, and the exit code is 1.

    Example: memnn memory copy diary.db milvus+http://localhost:19530/diary
    """
    from memnn.memory import copy as copying

    written, names, unread = 0, [], []
    with open_store_at(source) as there, open_lasting(target, create=True) as here:
        for one in there.names() if name is None else [name]:
            try:
                m = memory_in(there, source, one)
                with screen.counting_bar(f"Copying '{one}'", len(m)) as moved:
                    written += copying.copy(m, here.memory(one), moved)
                names.append(one)
            except (UnreadableMemory, DamagedStore) as error:  # the others are to be saved
                unread.append(one)
                screen.err.print(Text(f"'{one}' was not copied: {error}", style="red"))
    if json:
        screen.print_json({"written": written, "names": names, "unreadable": unread})
    else:
        what = screen.count(written, "statement")
        screen.out.print(f"{what} copied, in {screen.count(len(names), 'memory')}")
    if unread:
        raise typer.Exit(1)


@memory.command()
def embed(
    store: StorePath,
    model: Annotated[Path, typer.Option(help="A model folder.")],
    name: Name = "main",
    json: Json = False,
) -> None:
    """Build what a model needs: its vectors, and the outline from which it answers at once.

    Another model's vectors are replaced. If it was stopped, run it again and it goes on.

    Example: memnn memory embed diary.db --model model
    """
    from memnn.loading import part
    from memnn.stories.model import embedder, load
    from memnn.stories.organised import Organised

    with open_lasting(store) as s:
        trained = load(part(model, "story"))
        vectors_of = embedder(trained)
        m = memory_in(s, store, name)
        before = s.info(name)
        if before.model not in (None, vectors_of.id):
            screen.say(f"The vectors of model {before.model} are replaced by those of {model}")
        with screen.counting_bar("Embedding", before.statements) as moved:
            m.embed(vectors_of, lambda done, _: moved(done))
        count = len(m)
        Organised(trained.dictionary, trained.layout_O, trained.U_O, trained.recipe).prepare(m)
    if json:
        screen.print_json({"vectors": count, "dim": vectors_of.dim, "model": vectors_of.id})
    else:
        screen.out.print(f"{screen.count(count, 'vector')} of model {vectors_of.id}")


@memory.command()
def info(store: StorePath, name: Name = "main", json: Json = False) -> None:
    """How much there is.

    Example: memnn memory info diary.db --json
    """
    with open_store_at(store) as s:
        memory_in(s, store, name)
        about = s.info(name)
    if json:
        screen.print_json(about._asdict())
        return
    size = "" if about.bytes is None else f", {about.bytes:,} bytes"
    screen.out.print(f"{screen.count(about.statements, 'statement')} in '{name}'{size}")
    if about.model:
        screen.out.print(f"{screen.count(about.vectors, 'vector')} of model {about.model}")
    screen.out.print(f"Memories: {', '.join(about.names) or 'none'}", highlight=False)


@memory.command()
def verify(
    store: StorePath,
    repair: Annotated[
        bool, typer.Option("--repair", help="Make anew what can be: vectors, buckets, counts.")
    ] = False,
    model: Annotated[
        Path | None, typer.Option(help="With --repair: the model to make the vectors with, now.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare every byte that matters with its checksum; exit code 1 if something is wrong.

    Example: memnn memory verify diary.db
    """
    from memnn.memory.address import verify as check

    found = check(store, repair=repair)
    if repair and model is not None and found.ok:
        _embed_again(store, model)
    if json:
        screen.print_json({"ok": found.ok, "problems": found.problems, "repaired": found.repaired})
    else:
        for line in found.repaired:
            screen.out.print(Text(f"repaired: {line}"))
        for line in found.problems:
            screen.out.print(Text(line, style="red"))
        if found.ok:
            screen.out.print("Everything is as it was written")
    if not found.ok:
        raise typer.Exit(1)


def _embed_again(store: str, model: Path) -> None:
    from memnn.loading import part
    from memnn.stories.model import embedder, load

    vectors_of = embedder(load(part(model, "story")))
    with open_lasting(store) as s:
        for name in s.names():
            if s.info(name).model == vectors_of.id:
                s.memory(name).embed(vectors_of)
