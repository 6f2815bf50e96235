"""Options that several commands share, and options made from settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import Field, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from memnn.errors import InputError
from memnn.settings import BaseSettings, about

Model = Annotated[Path, typer.Argument(help="A model folder.")]
_STORE = typer.Option(help="Where the memory is: a path, or milvus+http://host:19530/name.")
Store = Annotated[str, _STORE]
StoreOrNone = Annotated[str | None, _STORE]
StorePath = Annotated[
    str, typer.Argument(help="A path, or milvus+http://host:19530/name.", metavar="STORE")
]
Name = Annotated[str, typer.Option(help="Which of the store's named memories.")]
Organised = Annotated[
    bool | None,
    typer.Option(
        help="Look only at the part of the memory that the question is about.",
        show_default="where a store is named",
    ),
]
Superseding = Annotated[
    bool, typer.Option("--superseding", help="What was told last about somebody is what holds now.")
]
World = Annotated[
    bool, typer.Option("--world/--no-world", help="Answer with facts of the world, too.")
]
History = Annotated[bool, typer.Option("--history", help="With what was superseded, too.")]
Speaker = Annotated[str | None, typer.Option(help="Who said it.")]
Said = Annotated[
    str | None, typer.Option(help="When it was said, for example 2023-05-08T13:56:00Z.")
]
Session = Annotated[str | None, typer.Option(help="The conversation it belongs to.")]
Meta = Annotated[
    str | None, typer.Option(help='JSON of your own, for example \'{"channel": "mail"}\'.')
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

Command = Callable[..., None]


def options_of(
    settings: type[BaseSettings], *, leave_out: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Options in place of a command's parameter of this type, one for each of its settings."""

    def decorate(command: Command) -> Command:
        given = signature(command, eval_str=True)
        (place,) = (p.name for p in given.parameters.values() if p.annotation is settings)
        kinds = get_type_hints(settings)
        options = [
            _option(each, kinds[each.name])
            for each in fields(settings)
            if each.name not in leave_out
        ]

        @wraps(command)
        def run(**values: Any) -> None:
            chosen = settings(**{option.name: values.pop(option.name) for option in options})
            command(**values, **{place: chosen})

        parameters: list[Parameter] = []
        for parameter in given.parameters.values():
            parameters += options if parameter.name == place else [parameter]
        # Typer reads these two, and nothing of the command itself.
        run.__signature__ = given.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _option(field: Field[Any], kind: Any) -> Parameter:
    """A field as a parameter that Typer makes an option of; the settings check its value."""
    said = about(field)
    flag = "--" + field.name.replace("_", "-")
    if field.default is True:
        flag += "/--no-" + flag.removeprefix("--")
    option = typer.Option(
        flag, help=said.text, show_default=said.unset or True, rich_help_panel=said.group or None
    )
    return Parameter(
        field.name,
        Parameter.POSITIONAL_OR_KEYWORD,
        default=field.default,
        annotation=Annotated[kind, option],
    )


def given(context: typer.Context, names: Iterable[str]) -> list[str]:
    """Those of a command's options that were said, whatever their values are."""
    sources = {name: context.get_parameter_source(name) for name in names}
    return [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]


class GroupedCommand(TyperCommand):
    """Help with options under the headings of their settings, the command's own first."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            own = "Arguments" if parameter.param_type_name == "argument" else "Options"
            group = getattr(parameter, "rich_help_panel", None) or own
            sections.setdefault(group, []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


class CommandGroup(TyperGroup):
    """Help that names every command with the first sentence of its own, whole."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                text = " ".join((command.help or "").split("\n\n")[0].split())
                rows.append((name, text))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def meta_option(text: str | None) -> dict[str, Any] | None:
    """The JSON of an option."""
    if text is None:
        return None
    try:
        meta = json.loads(text)
    except (ValueError, RecursionError):
        meta = None
    if not isinstance(meta, dict):
        raise InputError('--meta must be a JSON object such as {"channel": "mail"}')
    return meta
