"""`memnn`: the commands, and how their failures look: one plain line and an exit code."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from memnn.cli.ask import ask
from memnn.cli.bench import bench
from memnn.cli.chat import chat
from memnn.cli.demo import demo
from memnn.cli.doctor import doctor
from memnn.cli.evaluate import evaluate
from memnn.cli.facts import app as facts
from memnn.cli.mcp import mcp
from memnn.cli.memory_files import memory
from memnn.cli.options import CommandGroup, GroupedCommand
from memnn.cli.reproduce import reproduce
from memnn.cli.search import learn, search, teach
from memnn.cli.serve import serve
from memnn.cli.simulate import simulate
from memnn.cli.train import train
from memnn.errors import Interrupted, MemnnError
from memnn.text.printable import printable
from memnn.version import __version__

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

# Typer carries its own copy of click; these are that copy's exceptions, whichever it is.
UsageError = typer.BadParameter.__mro__[1]
ClickException = UsageError.__mro__[1]

app = typer.Typer(
    name="memnn",
    cls=CommandGroup,
    help="A memory you can talk to: tell it what happens, ask, see the facts it used.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    demo,
    simulate,
    train,
    evaluate,
    ask,
    chat,
    search,
    teach,
    learn,
    serve,
    mcp,
    doctor,
    reproduce,
    bench,
):
    app.command(cls=GroupedCommand)(command)
app.add_typer(facts)
app.add_typer(memory)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memnn {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit: 0, 2 for bad input, 1 for a failure, 130 for Ctrl-C."""
    _open_streams()
    code = run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        # A reader that went away (`memnn … | head`) is no reason for a traceback at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError) and code == OK:  # else one line was said
            code = _complain(f"failed: {error.strerror}", FAILED)
    sys.exit(code)


def run(arguments: list[str] | None = None) -> int:
    try:
        code = app(arguments, prog_name="memnn", standalone_mode=False)
        if code == INTERRUPTED:  # how Typer hands on a KeyboardInterrupt
            return _complain("interrupted", INTERRUPTED)
        return code if isinstance(code, int) else OK
    except Interrupted as error:
        return _complain(str(error), INTERRUPTED)
    except MemnnError as error:
        return _complain(str(error), BAD_INPUT)
    except (typer.Abort, KeyboardInterrupt):
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        return FAILED
    except Exception as error:
        if isinstance(error, ClickException):
            return _complain(_meant(error.format_message()), BAD_INPUT)  # type: ignore[attr-defined]
        if os.environ.get("MEMNN_DEBUG"):
            raise
        what = str(error) or type(error).__name__
        return _complain(f"failed: {what} (MEMNN_DEBUG=1 shows where)", FAILED)


def _meant(message: str) -> str:
    """A question typed where a command belongs was meant for `memnn ask`."""
    asked = message.startswith("No such command '") and " " in message[17:].partition("'.")[0]
    return f'{message} To ask, type: memnn ask "…" --store diary.db' if asked else message


def _complain(message: str, code: int) -> int:
    print(f"memnn: {printable(' '.join(message.split()))}", file=sys.stderr)
    return code


def _open_streams() -> None:
    """A stream that the shell closed (`<&-`) is empty; what stdout cannot show becomes `?`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
