"""Every example in the documentation runs, and every command is documented.

In a console block a line with `$ ` is run, and the lines below it must come out in this order;
`…` stands for anything, and lines with `> ` are typed into the command. A python block is run as
it stands. The README is typed into a shell; of the other pages, what is but a command with its
input runs in this process, since it is quicker.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memnn.cli.app import app
from tests.commands import Commands, Result

ROOT = Path(__file__).parent.parent.parent
OWN = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*OWN, *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:(printf '[^']*') \| )?memnn ([^|<>&;$]*)")


def blocks(language):
    for page in PAGES:
        for number, (kind, text) in enumerate(BLOCK.findall(page.read_text()), start=1):
            if kind == language:
                yield pytest.param(text, id=f"{page.name}-{number}")


@pytest.fixture
def user(tmp_path, tmp_path_factory, compiled):
    """A user in an empty folder, with `memnn` on the path and `make demo` at hand."""
    bin = tmp_path / ".bin"
    bin.mkdir()
    (bin / "memnn").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memnn "$@"\n')
    # Setting up an environment is what CI does; here `make demo` is what follows it.
    (bin / "make").write_text('#!/bin/sh\n[ "$1" = demo ] && exec memnn demo\nexit 9\n')
    for tool in bin.iterdir():
        tool.chmod(0o755)
    commands = Commands(tmp_path, tmp_path_factory.mktemp("cache"))
    commands.env["PATH"] = f"{bin}:{commands.env['PATH']}"
    return commands


def typed(memnn, line):
    """What a line in a shell says."""
    done = subprocess.run(
        line,
        shell=True,
        executable="/bin/bash",
        cwd=memnn.folder,
        env=memnn.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def quickly(memnn, line):
    """The same, without a process if it is but a command and what is printed into it."""
    found = COMMAND.fullmatch(line)
    if found is None:
        return typed(memnn, line)
    printed, arguments = found.groups()
    told = typed(memnn, printed).out if printed else ""
    return memnn(*shlex.split(arguments), stdin=told)


def commands(text):
    """Pairs of a command and the output shown below it; what is typed is piped into it."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], [], []])
        elif line.startswith("> "):
            found[-1][1].append(line[2:])
        elif found:
            found[-1][2].append(line)
    for command, keys, shown in found:
        piped = f"printf '%s\\n' {shlex.join(keys)} | " if keys else ""
        yield piped + command, shown


def not_found(lines, text):
    """The first part of these lines that does not follow the ones before; "…" is anything."""
    at = 0
    for part in (part for line in lines for part in line.rstrip().split("…")):
        found = text.find(part, at)
        if found < 0:
            return part
        at = found + len(part)
    return None


@pytest.mark.parametrize("text", list(blocks("console")))
def test_console(text, user, request):
    run = typed if "README" in request.node.name else quickly
    for command, shown in commands(text):
        said = run(user, command)
        assert said.code == 0, (command, said.err)
        assert not_found(shown, said.out) is None, (command, not_found(shown, said.out), said.out)


@pytest.mark.parametrize("text", list(blocks("python")))
def test_python(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "documentation", "exec"), {"__name__": "documentation"})


def test_every_command_is_documented():
    everything = "\n".join(page.read_text() for page in PAGES)
    for command in app.registered_commands:
        assert re.search(rf"memnn {command.callback.__name__}\b", everything), command
    for group in app.registered_groups:
        for command in group.typer_instance.registered_commands:
            name = command.name or command.callback.__name__
            full = f"memnn {group.typer_instance.info.name} {name}"
            assert full in everything, full


def test_links_lead_somewhere():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not link.startswith("http"):
                assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_nothing_is_left_to_fill_in():
    for page in PAGES:
        assert not re.search(r"@[A-Z]+@", page.read_text()), page.name


def test_the_map_of_the_paper_names_real_files():
    source = ROOT / "src" / "memnn"
    rows = (ROOT / "docs" / "paper-map.md").read_text()
    names = re.findall(r"`([\w./]+\.py)(?:: ([\w, ]+))?`", rows)
    assert len(names) > 20
    for name, functions in names:
        path = next((p for p in (source / name, ROOT / name) if p.exists()), None)
        assert path, name
        for function in functions.split(", ") if functions else []:
            assert re.search(rf"(def|class) {function}\b", path.read_text()), (name, function)
