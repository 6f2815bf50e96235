"""`memnn facts`: question answering over triples, from training to answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from memnn.cli import facts_milvus, screen
from memnn.cli.options import CommandGroup, GroupedCommand, Json, options_of
from memnn.facts.recipe import CLUSTERS, FactsRecipe, HashSettings

if TYPE_CHECKING:
    from memnn.facts.evaluate import FactsEvaluation
    from memnn.facts.index import FactIndex
    from memnn.facts.lookup import Lookup
    from memnn.facts.model import FactsModel
    from memnn.facts.triples import Skipped

app = typer.Typer(
    name="facts",
    cls=CommandGroup,
    help="Question answering over triples: train, index, verify, evaluate, ask.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

PYTHON_ONLY = {
    "tries": "only how soon a negative is found",
    "repeat": "balances questions against pseudo-questions",
    "english": "for the few facts of the default ensemble",
}
"""The settings of training that are no options, and why."""

Triples = Annotated[Path, typer.Argument(help="Triples: TSV of three columns, plain or gzip.")]
Model = Annotated[Path, typer.Argument(help="A model folder of kind facts.")]
Facts = Annotated[
    str, typer.Argument(help="An index, a folder or in Milvus as it was written; or triples.")
]


@app.command(cls=GroupedCommand)
@options_of(FactsRecipe, leave_out=PYTHON_ONLY)
def train(
    triples: Triples,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
    recipe: FactsRecipe,
    questions: Annotated[
        list[Path] | None,
        typer.Option(help="Questions with their triples (TSV with a header); may be repeated."),
    ] = None,
    paraphrases: Annotated[
        Path | None, typer.Option(help="Pairs of questions that mean the same (TSV).")
    ] = None,
    threads: Annotated[
        int, typer.Option(min=1, max=64, help="With more than one the seed decides no longer.")
    ] = 1,
    json: Json = False,
) -> None:
    """Train a network on triples, and on questions about them if there are any.

    Example: memnn facts train triples.tsv --questions questions.tsv -o model
    """
    from memnn.facts import triples as files
    from memnn.facts.model import save
    from memnn.facts.train import fit
    from memnn.folder import check_place

    check_place(output)
    skipped = files.Skipped()
    facts = list(files.triples(triples, skipped))
    _report(triples, len(facts), "triple", skipped)
    asked, pairs = [], []
    for file in questions or []:
        skipped = files.Skipped()
        some = list(files.questions(file, skipped))
        _report(file, len(some), "question", skipped)
        asked += some
    if paraphrases is not None:
        skipped = files.Skipped()
        pairs = list(files.paraphrases(paraphrases, skipped))
        _report(paraphrases, len(pairs), "pair", skipped)
    there = set(facts)
    lost = sum(q.gold not in there for q in asked)
    if lost:
        screen.say(f"{screen.count(lost, 'question')} left out: the triple is not in {triples}")
    with screen.facts_bar() as bar:
        model = fit(facts, asked, pairs, recipe, threads=threads, progress=bar)
    save(model, output)
    card = model.card
    if json:
        screen.print_json({"model": str(output), "id": model.id, **card})
    else:
        screen.say(
            f"Learnt from {card['examples']:,} examples in {card['seconds']:.1f} s "
            f"({card['examples_per_second']:,} a second); the model is in {output}"
        )


@app.command()
def index(
    model: Model,
    triples: Triples,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="The index folder to write, or milvus+http://host:19530/name."
        ),
    ],
    clusters: Annotated[int, typer.Option(min=1, help="K of the cluster hash.")] = CLUSTERS,
    ivf: Annotated[bool, typer.Option("--ivf", hidden=True)] = False,
    json: Json = False,
) -> None:
    """Write an index of triples, which opens at once; if stopped, run it again and it goes on.

    Example: memnn facts index model triples.tsv -o index
    """
    from memnn.errors import InputError
    from memnn.facts import model as models
    from memnn.facts.build import build_index
    from memnn.loading import part
    from memnn.memory.milvus.address import shown

    if ivf:
        raise InputError("--ivf is gone; leave it out, and ask with --hash word instead")
    trained = models.load(part(model, "facts"))
    size = None
    with screen.stages_bar() as bar:
        if facts_milvus.is_address(output):
            from memnn.facts.milvus.build import build_facts

            if clusters != CLUSTERS:
                raise InputError("--clusters is for an index folder; leave it out")
            count, skipped = build_facts(trained, triples, output, progress=bar)
        else:
            built, skipped = build_index(trained, triples, output, clusters=clusters, progress=bar)
            count = len(built)
            size = sum(file.stat().st_size for file in Path(output).rglob("*") if file.is_file())
    place = shown(output)
    if skipped.total or skipped.more_columns:
        screen.say(f"{triples}: {skipped}")
    if json:
        about = {"index": place, "facts": count, "bytes": size, "skipped": skipped.reasons}
        screen.print_json(about)
    else:
        megabytes = "" if size is None else f", {size / 2**20:,.0f} MB"
        screen.say(f"{screen.count(count, 'fact')}{megabytes} in {place}")


@app.command()
def verify(
    index: Annotated[Path, typer.Argument(help="An index, as `facts index` wrote it.")],
    json: Json = False,
) -> None:
    """Compare every byte of an index with its checksum; exit code 1 if something is wrong.

    Example: memnn facts verify index
    """
    from memnn.facts.verify import verify as check

    found = check(index)
    if json:
        screen.print_json(
            {"ok": found.ok, "problems": found.problems, "checksums": found.checksums}
        )
    else:
        for line in found.problems:
            screen.out.print(Text(line, style="red"))
        if not found.checksums:
            screen.say(
                f"{index} has no checksums: an older memnn built it, and only its structure could "
                "be checked; build it again to have them"
            )
        elif found.ok:
            screen.out.print("Everything is as it was written")
    if not found.ok:
        raise typer.Exit(1)


@app.command()
@options_of(HashSettings)
def evaluate(
    model: Model,
    facts: Facts,
    hashing: HashSettings,
    questions: Annotated[
        Path | None, typer.Option(help="Questions with their triples (TSV with a header).")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Labelled candidates (question narg1 nrel narg2 label), re-ranked."),
    ] = None,
    bow: Annotated[
        bool, typer.Option("--bow/--no-bow", help="Word matches count, or the embedding alone.")
    ] = True,
    json: Json = False,
) -> None:
    """Measure how often the right fact comes first.

    Example: memnn facts evaluate model triples.tsv --questions test.tsv --hash word --json
    """
    from memnn.errors import InputError
    from memnn.facts import evaluate as evaluation
    from memnn.facts import triples as files

    if (questions is None) == (labels is None):
        raise InputError("give either --questions or --labels")
    skipped = files.Skipped()
    if facts_milvus.is_address(facts):
        facts_milvus.check_no_hash(hashing)
        if questions is None:
            raise InputError("facts in Milvus are evaluated with --questions")
        trained, result = facts_milvus.evaluated(
            model, facts, bow, list(files.questions(questions, skipped))
        )
        _show_evaluation(result, trained, questions, skipped, bow, json)
        return
    trained, memory, lookup = _opened(model, facts, hashing, bow)
    reading = memory.reading(trained.dictionary)
    if labels is not None:
        labelled = list(files.labels(labels, skipped))
        places = memory.places(label.triple for label in labelled)
        result = evaluation.evaluate_labels(lookup, reading, labelled, places)
    else:
        assert questions is not None
        asked = list(files.questions(questions, skipped))
        places = memory.places(question.gold for question in asked)
        with screen.counting_bar("Asking", len(asked)) as bar:
            result = evaluation.evaluate(
                evaluation.finder(lookup, reading), asked, places, progress=bar
            )
    _show_evaluation(result, trained, labels or questions, skipped, bow, json)


def _show_evaluation(
    result: FactsEvaluation,
    trained: FactsModel,
    file: Path | None,
    skipped: Skipped,
    bow: bool,
    json: bool,
) -> None:
    from memnn.errors import InputError

    if not result.outcomes:
        raise InputError(
            f"{file} has no question: {skipped}" if skipped.total else f"{file} is empty"
        )
    if skipped.total:
        screen.say(f"{file}: {skipped}")
    if result.missing:
        screen.say(f"{result.missing:,} gold triples are not among the facts; they count as wrong")
    values = result.results(trained.threshold if bow else trained.threshold_alone)
    if json:
        screen.print_json(values)
    else:
        screen.out.print(
            f"{values['hit@1']:.2%} first, {values['hit@10']:.2%} among the first ten, "
            f"MRR {values['mrr']:.3f}, F1 {values['f1']:.3f} on "
            f"{screen.count(len(result.outcomes), 'question')}; {values['candidates']:,.0f} "
            f"candidates and {values['ms_per_question']:.2f} ms a question"
        )


@app.command()
@options_of(HashSettings)
def ask(
    model: Model,
    facts: Facts,
    question: Annotated[str, typer.Argument(help="The question.")],
    hashing: HashSettings,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="How many facts to show.")] = 5,
    json: Json = False,
) -> None:
    """Find the fact that answers a question, and show which words it was found by.

    Example: memnn facts ask model triples.tsv "Who wrote Winnie-the-Pooh?"
    """
    from memnn.facts.milvus.index import as_stored
    from memnn.facts.response import FactResponse
    from memnn.memory.protocol import check_text
    from memnn.types import Question

    check_text(question)
    if facts_milvus.is_address(facts):
        facts_milvus.check_no_hash(hashing)
        trained, memory, lookup, ids = facts_milvus.candidates(model, facts, question)
    else:
        trained, memory, lookup = _opened(model, facts, hashing)
        ids = range(1, len(memory) + 1)
    found_by = as_stored(lookup(Question(question), memory), ids)
    answer = FactResponse(trained.threshold)(found_by)
    reading = memory.reading(trained.dictionary)
    found = lookup.search(question, reading, k=k).found
    listed: list[dict[str, Any]] = []
    for each in found:
        words = [m for m in lookup.explain(question, reading, each.place) if abs(m.score) > 0.01]
        listed.append(
            {
                "id": ids[each.place],
                "text": str(memory.triple(each.place)),
                "score": each.score,
                "words": [m._asdict() for m in words[:8]],
            }
        )
    if json:
        screen.print_json({**screen.answer_json(answer), "facts": listed})
        return
    screen.show_answer(answer)
    for fact in listed:
        screen.show_fact(fact)


def _opened(
    model: Path, facts: str, hashing: HashSettings, bow: bool = True
) -> tuple[FactsModel, FactIndex, Lookup]:
    """A model, an index (or triples, read now) and the lookup that was asked for."""
    from memnn.facts import index as indices
    from memnn.facts import model as models
    from memnn.facts import triples as files
    from memnn.facts.hashes import lookup_with
    from memnn.loading import part

    trained = models.load(part(model, "facts"))
    if indices.is_index(facts):
        memory = indices.open_index(facts, trained)
    else:
        skipped = files.Skipped()
        memory = indices.in_memory(trained, files.triples(Path(facts), skipped))
        _report(Path(facts), len(memory), "fact", skipped)
    lookup = lookup_with(trained, memory, hashing.hash, cap=hashing.cap, bow=bow)
    return trained, memory, lookup


def _report(file: Path, n: int, noun: str, skipped: Any) -> None:
    """How much was read, and what was left out."""
    if skipped.total or skipped.more_columns:
        screen.say(f"{file}: {screen.count(n, noun)}; left out: {skipped}")
