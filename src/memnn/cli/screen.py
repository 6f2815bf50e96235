"""What commands show: progress on stderr, answers with their evidence, JSON on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from math import isnan
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from memnn.text.printable import printable, printable_json
from memnn.types import Answer, Hop, Reason, When

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from memnn.as_json import AnswerJson
    from memnn.facts.build import BuildProgress
    from memnn.facts.train import FactsProgress
    from memnn.stories.train import Progress as Epoch


class Screen(Console):
    """A console that shows what it is given: no control characters, no markup."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, soft_wrap=True, markup=False)

    def print(self, *objects: Any, **how: Any) -> None:
        super().print(*map(_printable, objects), **how)


def _printable(shown: Any) -> Any:
    if isinstance(shown, str):
        return printable(shown)
    if isinstance(shown, Text):
        shown.plain = printable(shown.plain)  # as long as before, so its styles fit
    return shown


out = Screen()
err = Screen(stderr=True)


def say(message: str) -> None:
    """A line about what is happening; stdout is for results."""
    err.print(Text(message, style="dim"))


def print_json(value: Mapping[str, object]) -> None:
    ascii = "utf" not in sys.stdout.encoding.lower()
    sys.stdout.write(printable_json(json.dumps(value, ensure_ascii=ascii)) + "\n")


def answer_json(answer: Answer) -> AnswerJson:
    """The shape that commands share with the services."""
    from memnn.as_json import answer_json

    return answer_json(answer)


def count(n: int, noun: str) -> str:
    """1 question, 3,000 questions, 2 stories."""
    if n != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun}"


KERNELS = {
    "story": ("story_warm_up",),
    "facts": ("facts_warm_up",),
    "ensemble": ("story_warm_up", "facts_warm_up"),
    "paths": ("path_warm_up",),
    "training": ("story_warm_up", "story_train_warm_up"),
}
"""What is compiled for a kind of model, and for training on stories."""


def prepare_kernels(kind: str = "ensemble") -> None:
    """Compile once per machine, and say so: otherwise the first seconds look like a hang."""
    modules = [import_module(f"memnn.kernels.{name}") for name in KERNELS.get(kind, ())]
    needed = [module for module in modules if not module.compiled()]
    if needed:
        waiting = "Compiling the kernels for this machine, once (10 to 60 seconds) …"
        with err.status(waiting):
            if not err.is_terminal:
                say(waiting)
            for module in needed:
                module.warm_up()


def _bar(*columns: str, transient: bool = False, disable: bool = False) -> Progress:
    """A bar on stderr: "bar", "count" and "elapsed" are columns of that kind, others are text."""
    from rich import progress  # most commands show none, and it takes a while to import

    kinds: dict[str, Callable[[], ProgressColumn]] = {
        "bar": lambda: progress.BarColumn(bar_width=30),
        "count": progress.MofNCompleteColumn,
        "elapsed": progress.TimeElapsedColumn,
    }
    shown = [
        kinds[name]() if name in kinds else progress.TextColumn(name, markup=False)
        for name in columns
    ]
    return progress.Progress(*shown, console=err, transient=transient, disable=disable)


@contextmanager
def _stopped(bar: Progress) -> Iterator[None]:
    """For a bar that starts with the first news: at the end it stops, if it ever started."""
    try:
        yield
    finally:
        if bar.live.is_started:
            bar.stop()


@contextmanager
def training_bar(title: str) -> Iterator[Callable[[Epoch], None]]:
    """A bar that moves with the epochs: the losses of O and R, and what is right on stories
    held back.

    It appears with the first epoch: data that cannot be learnt from is an error and nothing else.
    """
    losses = "epochs  loss of O {task.fields[o]}  of R {task.fields[r]}{task.fields[right]}"
    bar = _bar("{task.description}", "bar", "count", losses, "elapsed")
    task = bar.add_task(title, total=None, o="–", r="–", right="")

    def shown(value: float, form: str = ".4f") -> str:
        return "–" if isnan(value) else format(value, form)

    def moved(epoch: Epoch) -> None:
        o, r, right = shown(epoch.loss_O), shown(epoch.loss_R), ""
        if not (isnan(epoch.supports) and isnan(epoch.answers)):
            supports, answers = shown(epoch.supports, ".1%"), shown(epoch.answers, ".1%")
            right = f"  right: supports {supports}  answers {answers}"
        bar.update(
            task, description=epoch.stage or title, completed=epoch.epoch, total=epoch.epochs,
            o=o, r=r, right=right,
        )  # fmt: skip
        bar.start()

    with _stopped(bar):
        yield moved


@contextmanager
def counting_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    hidden = not err.is_terminal
    with _bar(
        "{task.description}", "bar", "count", "elapsed", transient=True, disable=hidden
    ) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def measuring_bar() -> Iterator[Callable[[int, int, str], None]]:
    """Progress of an experiment: how much is done, and what was done last."""
    hidden = not err.is_terminal
    with _bar("Measuring", "bar", "count", "elapsed", "{task.description}", disable=hidden) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, what: bar.update(
            task, completed=done, total=total, description=printable(what)
        )


def show_answer(answer: Answer, to: Console = out) -> None:
    """The answer, then each fact it used and the closest other one."""
    line = Text("→ ")
    line.append(answer.text, style="bold yellow" if answer.abstained else "bold green")
    if answer.reason:
        line.append(f"  ({answer.reason})", style="dim")
    to.print(line)
    for word, other in answer.read_as:
        to.print(Text(f"   read “{word}” as “{other}”", style="dim"))
    if answer.abstained:
        return
    if answer.when is not None:
        to.print(Text(f"   {_rests_on(answer.when, answer.evidence[-1])}", style="dim"))
    for hop in answer.evidence:
        where = "world fact" if hop.source == "world" else f"[{hop.id}]"
        to.print(Text.assemble(f"   {hop.hop}. ", (hop.text, "cyan"), (f"  {where}", "dim")))
        for why in _comparison(hop):
            to.print(Text(f"      {why}", style="dim"))


def _rests_on(when: When, hop: Hop) -> str:
    """Where a time comes from."""
    told = f"said on {hop.support.said[:10]}" if hop.support.said else f"told on {hop.time[:10]}"
    return f"{when.text}: “{when.words}”, {told}" if when.words else told


def _comparison(hop: Hop) -> Iterator[str]:
    """The closest other fact, and what added up to the margin if that is more than one thing."""
    if hop.decisive is None:
        return
    d = hop.decisive
    over = f"{d.margin:+.2f} over “{d.against.text}”"
    if hop.source != "world":
        over += f" [{d.against.id}]"
    parts = {name: value for name, value in d.terms.items() if name != "write time"}
    if not d.write_time and len(parts) < 2:  # the margin says it all
        yield over
        return
    yield f"{over}:"
    added = f"content {d.content:+.2f}"
    if len(parts) > 1:
        added += f" ({', '.join(f'{name} {value:+.2f}' for name, value in parts.items())})"
    yield f"{added}, write time {d.write_time:+.2f}" if d.write_time else added


@contextmanager
def facts_bar() -> Iterator[Callable[[FactsProgress], None]]:
    """Training on facts: the epoch, the loss so far, and examples a second."""
    loss = "epoch {task.fields[epoch]}  loss {task.fields[loss]:.4f}"
    bar = _bar("Training", "bar", loss, "{task.fields[speed]:,.0f} examples/s", "elapsed")
    task = bar.add_task("", total=None, epoch="", loss=float("nan"), speed=0.0)

    def moved(p: FactsProgress) -> None:
        bar.update(
            task, completed=(p.epoch - 1) * p.examples + p.done, total=p.epochs * p.examples,
            epoch=f"{p.epoch}/{p.epochs}", loss=p.loss, speed=p.per_second,
        )  # fmt: skip
        bar.start()

    with _stopped(bar):
        yield moved


@contextmanager
def stages_bar() -> Iterator[Callable[[BuildProgress], None]]:
    """Building an index: which stage, and how many facts."""
    facts = "{task.completed:,.0f} facts"
    hidden = not err.is_terminal
    with _bar("{task.description}", "bar", facts, "elapsed", disable=hidden) as bar:
        task = bar.add_task("Reading", total=None)
        yield lambda p: bar.update(
            task, description=p.stage.capitalize(), completed=p.done, total=p.of
        )


def show_fact(fact: dict[str, Any]) -> None:
    """A fact that was found, and the words that carried its score."""
    out.print(Text.assemble(f"   {fact['score']:6.3f}  ", (fact["text"], "cyan")))
    words = [
        f"{w['told']} {w['score']:+.2f}"
        if w["exact"]
        else f"{w['asked']}~{w['told']} {w['score']:+.2f}"
        for w in fact["words"][:5]
    ]
    out.print(Text("           " + ", ".join(words), style="dim"))


def show_reason(reason: Reason) -> None:
    """What one network of an ensemble would have said, and what spoke for and against it."""
    head = Text(f"   {reason.network:<6} ", style="dim")
    head.append(f"{reason.probability:.0%} ", style="bold")
    head.append(reason.answer)
    if reason.reason:
        head.append(f"  ({reason.reason})", style="dim")
    out.print(head)
    parts = [f"{name} {value:+.1f}" for name, value in list(reason.features.items())[:5]]
    if parts:
        out.print(Text("          " + ", ".join(parts), style="dim"))
