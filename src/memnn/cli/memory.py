"""`memnn memory`: what a store holds, added to, corrected, moved and checked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from memnn.cli import screen
from memnn.cli.options import Json, Name
from memnn.errors import InputError, MemoryStoreError
from memnn.paths import read_file
from memnn.text.printable import printable_json

if TYPE_CHECKING:
    from memnn.memory import Memory, Store

memory = typer.Typer(
    name="memory",
    help="Look after a store: add, list, delete, move and check what it remembers.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)


@memory.callback()
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


StorePath = Annotated[
    str, typer.Argument(help="A path, or milvus+http://host:19530/name.", metavar="STORE")
]


@memory.command()
def add(
    store: StorePath,
    text: Annotated[str, typer.Argument(help="One statement a line; - is stdin.")] = "-",
    name: Name = "main",
    source: Annotated[str, typer.Option(help="Where this comes from, kept beside it.")] = "",
    json: Json = False,
) -> None:
    """Remember statements: all of them, or none if one cannot be; done when on the disk.

    Example: memnn memory add diary.db "Joe went to the kitchen."
    """
    lines = [line for line in (_stdin() if text == "-" else text).splitlines() if line.strip()]
    if not lines:
        raise InputError("the text holds nothing to remember")
    with _open(store, name, create=True) as m:
        slots = m.write_many(lines, source=source)
        last = slots[-1].id
    if json:
        screen.print_json({"written": len(slots), "last_id": last})
    else:
        screen.out.print(f"{screen.count(len(slots), 'statement')} written, the last as [{last}]")


@memory.command("list")
def list_(
    store: StorePath,
    name: Name = "main",
    after: Annotated[int, typer.Option(min=0, help="Only those after this id.")] = 0,
    limit: Annotated[int | None, typer.Option(min=0, help="At most so many.")] = None,
    json: Json = False,
) -> None:
    """Show what was told, in write order.

    Example: memnn memory list diary.db --after 100 --limit 10
    """
    from itertools import islice

    from memnn.memory.copy import as_json

    with _open(store, name) as m:
        slots = list(islice(m.scan(after=after), limit))
    if json:
        screen.print_json({"statements": [as_json(slot) for slot in slots]})
        return
    for slot in slots:
        screen.out.print(
            Text.assemble((f"[{slot.id}] ", "dim"), slot.text, (f"  {slot.time}", "dim"))
        )


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
    """Delete statements for good; `compact` then removes their bytes from the files.

    Example: memnn memory delete diary.db 3 5
    """
    if bool(ids) == everything:
        raise InputError("name the ids to delete, or give --all for the whole memory")
    with _open_store(store) as s:
        m = _memory(s, store, name)
        before = len(m)
        if everything:
            s.drop(name)
        else:
            m.delete(ids or [])
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
    with _open_lasting(store) as s:
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

    Example: memnn memory copy diary.db milvus+http://localhost:19530/diary
    """
    from memnn.memory import copy as copying

    written = 0
    with _open_store(source) as there, _open_lasting(target, create=True) as here:
        names = there.names() if name is None else [name]
        for one in names:
            m = _memory(there, source, one)
            with screen.counting_bar(f"Copying '{one}'", len(m)) as moved:
                written += copying.copy(m, here.memory(one), moved)
    if json:
        screen.print_json({"written": written, "names": names})
    else:
        what = screen.count(written, "statement")
        screen.out.print(f"{what} copied, in {screen.count(len(names), 'memory')}")


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

    with _open_lasting(store) as s:
        trained = load(part(model, "story"))
        vectors_of = embedder(trained)
        m = _memory(s, store, name)
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
    with _open_store(store) as s:
        _memory(s, store, name)
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


@memory.command()
def export(
    store: StorePath,
    output: Annotated[str, typer.Option("--output", "-o", help="A file; - is stdout.")] = "-",
    name: Name = "main",
) -> None:
    """Write what was told as lines of JSON.

    Example: memnn memory export diary.db -o diary.jsonl
    """
    from memnn.memory.copy import to_lines
    from memnn.paths import private

    with _open(store, name) as m:
        if output == "-":
            sys.stdout.writelines(map(printable_json, to_lines(m)))
            return
        try:
            with open(output, "w", encoding="utf-8", newline="\n", opener=private) as file:
                file.writelines(to_lines(m))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"cannot write {output}: {why}") from None


@memory.command("import")
def import_(
    store: StorePath,
    file: Annotated[str, typer.Argument(help="Lines of JSON; - is stdin.")] = "-",
    name: Name = "main",
    json: Json = False,
) -> None:
    """Remember lines of JSON, as `export` writes them: all of them, or none if one is wrong.

    Ids and times are kept where a line has them.

    Example: memnn memory import diary.db diary.jsonl
    """
    from memnn.memory.copy import from_lines, write_lines

    text, called = (_stdin(), "<stdin>") if file == "-" else (_file(file), file)
    with _open(store, name, create=True) as m:
        lines = from_lines(text.split("\n"), called, m.last_id)
        write_lines(m, lines)
        written, last = len(lines.slots), m.last_id
    if json:
        screen.print_json({"written": written, "last_id": last})
    else:
        screen.out.print(f"{screen.count(written, 'statement')} written, the last as [{last}]")


MOST_NAMED = 20
"""Memories that an error lists."""


@contextmanager
def _open(store: str, name: str, create: bool = False) -> Iterator[Memory]:
    with _open_store(store, create) as s:
        yield s.memory(name) if create else _memory(s, store, name)


@contextmanager
def _open_store(store: str, create: bool = False) -> Iterator[Store]:
    from memnn.memory import open_store

    with open_store(store, create=create) as s:
        if not s.lasts:
            screen.say("':memory:' is empty and ends with this command; a path would last")
        yield s


@contextmanager
def _open_lasting(store: str, create: bool = False) -> Iterator[Store]:
    """A store that is still there after this command."""
    from memnn.memory import open_store

    with open_store(store, create=create) as s:
        if not s.lasts:
            raise MemoryStoreError(
                "this needs a persistent store: give a path instead of ':memory:'"
            )
        yield s


def _memory(s: Store, store: str, name: str) -> Memory:
    """A memory that is there; `main` may be empty."""
    m = s.memory(name)
    if name != "main" and name not in s:
        some = [f"'{one}'" for one in s.names(limit=MOST_NAMED + 1)]
        known = ", ".join([*some[:MOST_NAMED], *(["…"] if some[MOST_NAMED:] else [])]) or "none"
        raise InputError(f"there is no memory '{name}' in {store}; there is: {known}")
    return m


def _embed_again(store: str, model: Path) -> None:
    from memnn.loading import part
    from memnn.stories.model import embedder, load

    vectors_of = embedder(load(part(model, "story")))
    with _open_lasting(store) as s:
        for name in s.names():
            if s.info(name).model == vectors_of.id:
                s.memory(name).embed(vectors_of)


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the input is not UTF-8 text") from None


def _file(path: str) -> str:
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {path}: {why}") from None
