"""A command on a real terminal: what is typed goes in, what is shown comes out."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

from tests.commands import Commands

PATIENCE = 120.0
CTRL_C = "\x03"
STYLES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\x07")


class Terminal:
    """`memnn …` whose three streams are one terminal."""

    def __init__(self, memnn: Commands, *arguments: object, **env: str) -> None:
        self.mine, theirs = pty.openpty()
        self.process = subprocess.Popen(
            memnn.argv(*arguments), cwd=memnn.folder, stdin=theirs, stdout=theirs, stderr=theirs,
            env=memnn.env | {"TERM": "xterm"} | env, start_new_session=True,
            preexec_fn=_own_terminal,
        )  # fmt: skip
        os.close(theirs)
        self.raw, self.seen = "", 0

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.mine)

    def type(self, keys: str) -> None:
        if keys == CTRL_C:
            self._until_it_waits()
        os.write(self.mine, keys.encode())

    def _until_it_waits(self) -> None:
        """A signal between two keys is noticed with the next key only: nobody types that fast."""
        stat, quiet = Path(f"/proc/{self.process.pid}/stat"), 0
        while quiet < 5 and stat.exists():
            waits = stat.read_text().rpartition(")")[2].split()[0] == "S"
            quiet = quiet + 1 if waits else 0
            time.sleep(0.02)

    def until(self, text: str) -> str:
        """What is shown until a text that was not seen before is shown."""
        end = time.monotonic() + PATIENCE
        while text not in self.shown[self.seen :]:
            assert time.monotonic() < end, f"{text!r} is not in {self.shown!r}"
            assert self._read(0.2) or self.process.poll() is None, self.shown
        part = self.shown[self.seen :]
        self.seen += part.index(text) + len(text)
        return part

    def end(self) -> int:
        """Read until the process ends; its code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, self.shown
            self._read(0.1)
        while self._read(0):
            pass
        return self.process.returncode

    @property
    def shown(self) -> str:
        return STYLES.sub("", self.raw)

    def _read(self, seconds: float) -> bool:
        if not select.select([self.mine], [], [], seconds)[0]:
            return False
        try:
            self.raw += os.read(self.mine, 65536).decode(errors="replace")
        except OSError:  # nobody is left at the other end
            return False
        return True


def _own_terminal() -> None:
    """Ctrl-C reaches those whose terminal it is."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
