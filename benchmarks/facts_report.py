"""The report of the facts benchmark: what was asked for and reached, tables, and growth drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.report import can_plot, plotted, table, write_text, yes
from benchmarks.worker import METHODS
from memnn.paper.style import COLOURS

GB = 10**9
NAMES = {
    "none": "exact",
    "word": "word hash",
    "cluster": "cluster hash",
    "one thread": "FAISS flat, one thread",
    "two threads": "FAISS flat, two threads",
    "bm25": "BM25 (bm25s)",
}


def write(results: dict[str, Any], folder: Path) -> None:
    drawn = draw(results, folder / "growth.png")
    write_text(folder / "report.md", "\n".join(page(results, drawn)) + "\n")


def fastest_flat(row: dict[str, Any]) -> float:
    """The faster of FAISS with one thread and with two."""
    return float(min(row["flat"][name]["median_ms"] for name in ("one thread", "two threads")))


def aims(results: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """What is aimed at with the most facts: the aim, the figure, the least or most, whether met."""
    found = []
    if results["sizes"]:
        row = results["sizes"][-1]
        answer, exact = row["answer"], row["answer"]["none"]["median_ms"]
        peak = max(row["build"]["peak_bytes"], *(answer[name]["peak_bytes"] for name in METHODS))
        ratio = row["flat"]["exact"]["median_ms"] / fastest_flat(row)
        good = [n for n in METHODS[1:] if answer[n]["agreement"] >= 0.95] or list(METHODS[1:])
        best = min(good, key=lambda name: answer[name]["median_ms"])
        faster, same = exact / answer[best]["median_ms"], answer[best]["agreement"]
        seconds, minutes = row["cold"]["seconds"], row["build"]["seconds"] / 60
        found += [
            ("peak resident memory", f"{peak / GB:.2f} GB", "at most 8", peak <= 8 * GB),
            ("exact against a flat FAISS scan", f"{ratio:.2f} ×", "at most 2", ratio <= 2),
            (f"{NAMES[best]} against exact", f"{faster:.0f} ×", "at least 50", faster >= 50),
            (f"{NAMES[best]} finds what exact finds", f"{same:.1%}", "at least 95 %", same >= 0.95),
            ("fresh process to first answer", f"{seconds:.2f} s", "under 5", seconds < 5),
            ("building", f"{minutes:.1f} min", "at most 5", minutes <= 5),
        ]
    for threads, each in results["throughput"].items():
        if threads != "left_out":
            many = "1 thread" if threads == "1" else f"{threads} threads"
            ratio = each["ratio"]
            met = ratio >= 5 and each["memnn"]["loss"] <= each["torch"]["loss"]
            found.append((f"training against PyTorch, {many}", f"{ratio:.1f} ×", "at least 5", met))
    return found


def page(results: dict[str, Any], drawn: bool) -> list[str]:
    about = results["machine"]
    lines = [
        "# Facts in millions",
        "",
        f"`{results['command']}` on {about['cpu']}, {about['cores']} cores, "
        f"{about.get('memory_gb', '?')} GB; memnn {about['memnn']}, numpy {about['numpy']}, "
        f"numba {about['numba']}, faiss {about['faiss-cpu']}; begun {results['started']} with a "
        f"load of {results['load'] or 0:.1f}.",
        "",
        "The triples are made up (`benchmarks/synthetic.py`), words spread by Zipf's law. "
        "Half of the questions have one content word replaced by another. "
        f"{results['questions']:,} questions a size, one at a time.",
        "",
        *table(
            ["with the most facts", "reached", "wanted", ""],
            [(what, reached, wanted, yes(met)) for what, reached, wanted, met in aims(results)],
        ),
        "",
    ]
    lines += _throughput(results["throughput"])
    if "training" in results:
        told = results["training"]
        lines += [
            f"The model learnt {told['words']:,} words from {told['card']['triples']:,} triples in "
            f"{told['seconds']:.0f} s; λ = {results['recipe']['bow']:g}, {results['recipe']['dim']}"
            " dimensions. Words of other triples have no embedding and are matched by name.",
            "",
        ]
    for row in results["sizes"]:
        lines += _size(row)
    if drawn:
        lines += ["![Growth](growth.png)"]
    return lines


def _throughput(each: dict[str, Any]) -> list[str]:
    if "left_out" in each:
        return [f"Training beside PyTorch was left out: {each['left_out']}.", ""]
    rows = [
        (
            f"{label}{result[name].get('how', '')}", threads,
            f"{result[name]['per_second']:,.0f}", f"{result[name]['loss']:.5f}",
        )
        for threads, result in each.items()
        for name, label in (("memnn", "memnn"), ("torch", "PyTorch EmbeddingBag, sparse"))
    ]  # fmt: skip
    columns = ["training, one negative, 128 dimensions", "threads", "examples/s", "held-out loss"]
    return [*table(columns, rows), ""]


def _size(row: dict[str, Any]) -> list[str]:
    build = row["build"]
    stages = ", ".join(f"{name} {s:.0f} s" for name, s in build["stages"].items() if s >= 0.5)
    lines = [
        f"## {row['facts']:,} facts",
        "",
        f"Built in {build['seconds']:.0f} s ({stages}) with at most "
        f"{build['peak_bytes'] / GB:.2f} GB resident; {build['facts']:,} different facts, "
        f"{build['words']:,} words; {build['bytes'] / GB:.2f} GB on disk. "
        f"A fresh process has its first answer after {row['cold']['seconds']:.2f} s "
        f"({row['cold_pages_dropped']['seconds']:.2f} s if the files were not in the page cache).",
        "",
        *_answering(row["answer"]),
        "",
    ]
    beside = [("exact", row["flat"]["exact"])]
    beside += [(NAMES[name], row["flat"][name]) for name in ("one thread", "two threads")]
    left_out = ["", "BM25 was left out: in memory it would not fit beside the rest."]
    if "median_ms" in row.get("bm25", {}):
        beside.append((NAMES["bm25"], row["bm25"]))
        left_out = []
    elif "bm25" in row:
        left_out = ["", f"BM25 was left out: {row['bm25']['left_out']}."]
    times = [(name, f"{one['median_ms']:.1f}", f"{one['p95_ms']:.1f}") for name, one in beside]
    return [*lines, *table(["in turns", "median ms", "p95 ms"], times), *left_out, ""]


def _answering(answer: dict[str, Any]) -> list[str]:
    columns = ["", "median ms", "p95 ms", "× exact", "candidates", "exact's first"]
    columns += ["of the replaced", "resident GB"]
    exact = answer["none"]["median_ms"]
    rows = [
        (
            NAMES[name], f"{one['median_ms']:.2f}", f"{one['p95_ms']:.2f}",
            f"{exact / one['median_ms']:.1f}", f"{one['candidates']:,.0f}",
            f"{one['agreement']:.1%}", f"{one['agreement_replaced']:.1%}",
            f"{one['peak_bytes'] / GB:.2f}",
        )
        for name, one in ((name, answer[name]) for name in METHODS)
    ]  # fmt: skip
    return table(columns, rows)


def draw(results: dict[str, Any], file: Path) -> bool:
    """Growth on logarithmic axes; nothing without matplotlib."""
    rows = results["sizes"]
    if not rows or not can_plot():
        return False
    facts = [row["facts"] for row in rows]
    with plotted(file, 3, (13, 4)) as axes:

        def line(panel: int, name: str, values: list[float], colour: int) -> None:
            axes[panel].plot(facts[: len(values)], values, "o-", label=name, color=COLOURS[colour])

        for i, name in enumerate(METHODS):
            line(0, NAMES[name], [row["answer"][name]["median_ms"] for row in rows], i)
        line(0, "FAISS flat", [fastest_flat(row) for row in rows], 4)
        bm25 = [row["bm25"]["median_ms"] for row in rows if "median_ms" in row.get("bm25", {})]
        line(0, NAMES["bm25"], bm25, 5)
        line(1, "building", [row["build"]["seconds"] for row in rows], 0)
        line(1, "first answer", [row["cold"]["seconds"] for row in rows], 1)
        peaks = [row["answer"]["word"]["peak_bytes"] / GB for row in rows]
        line(2, "on disk", [row["build"]["bytes"] / GB for row in rows], 0)
        line(2, "resident, word hash", peaks, 1)
        line(2, "resident, building", [row["build"]["peak_bytes"] / GB for row in rows], 2)
        for panel, title in enumerate(("ms per question", "seconds", "GB")):
            axes[panel].set(xscale="log", yscale="log", xlabel="facts", title=title)
            axes[panel].grid(alpha=0.3)
            axes[panel].legend(fontsize=8)
    return True
