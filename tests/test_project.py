"""What stands in several files of the project agrees: versions, lock, targets."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCK = (ROOT / "requirements.lock").read_text()


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> dict[str, str]:
    return {normal(name): pin for name, pin in re.findall(r"^([\w.-]+)==([\w.+]+)", text, re.M)}


def names(requirements: list[str]) -> set[str]:
    return {normal(re.match(r"[\w.-]+", each)[0]) for each in requirements}


def test_the_lock_has_the_constraints_versions():
    """`make lock` was run after the last change."""
    exact = pins((ROOT / "constraints.txt").read_text())
    locked = pins(LOCK)
    assert len(locked) > 90
    other = {name: pin for name, pin in locked.items() if exact.get(name, pin) != pin}
    assert not other


def test_everything_that_is_asked_for_is_locked_but_torch():
    wanted = names(PROJECT["dependencies"]).union(*map(names, EXTRAS.values()))
    exact = pins((ROOT / "constraints.txt").read_text())
    assert wanted <= set(exact)
    assert wanted - set(pins(LOCK)) == {"torch"}


def test_every_locked_package_has_its_hashes_and_no_address():
    for entry in re.split(r"\n(?=\S)", LOCK.strip()):
        assert "--hash=sha256:" in entry, entry
    assert "://" not in LOCK


def test_workflows_run_what_the_classifiers_promise():
    promised = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    for job in ("test", "wheel"):
        matrix = jobs[job]["strategy"]["matrix"]
        assert matrix["python"] == promised
        assert {system.split("-")[0] for system in matrix["os"]} == {"ubuntu", "macos"}
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_workflows_call_what_is_there():
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.M)[1].split()
    called, paths = [], []
    for file in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            runs = " ".join(step.get("run", "") for step in job.get("steps", []))
            called += re.findall(r"\bmake (\w+)", runs)
            paths += re.findall(r"[\w./]*(?:tests|src)/[\w./]+|[\w]+\.(?:txt|lock|md)\b", runs)
            paths += [job["uses"]] if "uses" in job else []
    assert {"check", "test"} <= set(called) <= set(targets)
    made = {"notes.md"}
    assert len(paths) > 8
    assert not [path for path in paths if path not in made and not (ROOT / path).exists()]


def test_nothing_is_released_untested():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]
    assert jobs["release"]["needs"] == "ci"
    assert jobs["ci"]["uses"].endswith("/ci.yml")


def test_hooks_are_local():
    """Nothing is fetched to make a commit."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [repo["repo"] for repo in hooks["repos"]] == ["local"]
    for hook in hooks["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith(".venv/bin/")


def test_make_help_knows_every_target():
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split()
    helped = re.findall(r"^([a-z]+):.*## ", makefile, re.M)
    assert set(phony) - set(helped) == {"browser"}


def test_every_decision_has_a_number_of_its_own():
    files = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [file.name.partition("-")[0] for file in files]
    assert len(numbers) > 10
    assert len(set(numbers)) == len(numbers)
    for file, number in zip(files, numbers, strict=True):
        assert file.read_text().startswith(f"# {int(number)}. "), file.name
