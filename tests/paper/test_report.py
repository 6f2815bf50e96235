"""What a report shows, and that the committed ones are those of the code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import memnn.paper
from memnn.paper import report, runner
from memnn.paper.dialogue import FIGURE4, WORLD, in_sample, in_sample_note
from memnn.paper.page import as_html
from memnn.paper.plan import Cell
from memnn.paper.registry import EXPERIMENTS
from memnn.paper.shown import figure

RESULTS = Path(__file__).parent.parent.parent / "docs" / "results"


@pytest.mark.parametrize("name", ["stories", "facts/tables", "baselines", "paths"])
def test_committed_reports_are_what_the_code_makes_of_the_committed_results(name):
    results = runner.Results.read(RESULTS / name)
    plots = {path.stem: path.name for path in (RESULTS / name).glob("*.png")}
    text = report.markdown(results, list(EXPERIMENTS.values()), plots, [])
    assert (RESULTS / name / "report.md").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("facts/tables", "Facts: the paper's tables and figures"),
        ("babi", "The twenty bAbI tasks"),
        ("paths", "The path network beside the paper's"),
    ],
)
def test_a_report_says_what_it_is_about(name, title):
    results = runner.Results.read(RESULTS / name)
    assert report.title(results, list(EXPERIMENTS.values())) == title


def test_few_seeds_show_their_range_and_no_deviation():
    assert figure([20.0], 1) == figure([20.0, 20.01], 1) == "20.0"
    assert figure([20.0, 21.0, 25.0], 1) == "22.0 [20.0, 25.0]"
    assert figure([1.0, 2.0, 3.0, 4.0, 5.0], 1) == "3.0 ± 1.6"
    assert figure([1000.0, 3000.0], 0) == "2,000"


def test_plots_have_a_band_for_many_seeds_alone():
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    from memnn.paper.plots import draw_line

    few, many = (Figure().subplots() for _ in range(2))
    points = [(1.0, [50.0, 60.0, 70.0], 55.0), (5.0, [40.0, 41.0, 42.0], 45.0)]
    assert list(draw_line(few, points, "red", paper=False)) == ["small dots: single seeds"]
    assert not few.collections
    points = [(x, [*figures, *figures], theirs) for x, figures, theirs in points]
    assert "dotted: the paper" in draw_line(many, points, "red", paper=True)
    assert len(many.collections) == 1


def test_the_page_is_the_report(tmp_path):
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    text = (
        "# Stories & <more>\n\n| | a |\n|---|---|\n| RNN | 1 ± 2 |\n\n- **bold** `code`\n- two\n\n"
        "> Joe left.  \n> Where?  **A: here**  \n\n![A <plot>](a.png)\n\n<script>x</script>\n"
    )
    page = as_html(text, tmp_path)
    assert "<title>Stories &amp; &lt;more&gt;</title>" in page
    assert "<td>1 ± 2</td>" in page
    assert page.count("<li>") == 2
    assert "<strong>bold</strong> <code>code</code>" in page
    assert "Joe left.<br />" in page
    assert 'src="data:image/png;base64,iVBORw==" alt="A &lt;plot&gt;"' in page
    assert "<script>" not in page


def test_what_of_figure_4_is_in_sample_is_said(tmp_path):
    calibrated, trained = in_sample()
    assert max(calibrated, trained) <= len(WORLD)
    assert f"{calibrated} stand word for word" in in_sample_note()
    results = runner.Results.open(tmp_path, quick=True)
    results.add(Cell("figure4", FIGURE4.rows[0], FIGURE4.columns[0], 0), {"accuracy": 1.0}, 0.1)
    report.write(results, [FIGURE4], [])
    assert in_sample_note() in (tmp_path / "report.md").read_text()


def test_in_sample_is_looked_up_in_the_data():
    asked = WORLD[0]._replace(question="Where does milk come from")
    assert in_sample([asked]) == in_sample([WORLD[0]])
    assert in_sample([asked._replace(question="Who never asked this?")]) == (0, 0)


def test_the_package_never_imports_the_benchmarks():
    for path in Path(memnn.paper.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.split(".")[0] == "benchmarks" for name in names), path
