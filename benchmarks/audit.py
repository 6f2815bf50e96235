"""What is installed with memnn: licences, pinned hashes, known vulnerabilities, age.

    python -m benchmarks.audit [--index URL] [--wheels FOLDER] [--advisories FILE] [--json]

licences         of every package of the base install; each must be a permissive one
hashes           each is in requirements.lock in the version that is installed, with its hashes
vulnerabilities  from a dump of the OSV database (--advisories, a zip or folder of JSON files), else
                 by pip-audit where it is installed and reaches its own; else it says that none was
age              the last release, from a package index with upload times (--index, JSON simple API)
                 or from wheels (--wheels); a base package must have had one within two years

Exit code 1 if something is wrong. What cannot be known here is said, and is no failure.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from benchmarks import report
from benchmarks.processes import ROOT, command
from memnn.errors import InputError

OLDEST = timedelta(days=2 * 365 + 1)
PATIENCE = 60  # seconds for an index or a database
PERMISSIVE = re.compile(
    r"\b(MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Unlicense|Zlib|MPL|"
    r"Mozilla Public License|0BSD|CC0|HPND|BSL-1\.0)\b",
    re.IGNORECASE,
)
COPYLEFT = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)\b", re.IGNORECASE)
NO_DATE = ((1980, 1, 1), (2020, 2, 2))
"""What builders write into wheels that shall come out the same every time."""
KNOWN_OLD = {
    "mdurl": "needed by markdown-it-py and so by rich",
    "shellingham": "needed by typer",
}
"""Small and finished packages that others bring along: named, and not to be joined by more
(docs/decisions/0021-two-old-packages.md)."""


@dataclass
class Package:
    name: str
    version: str
    licence: str
    released: str | None = None
    vulnerabilities: list[str] = field(default_factory=list)


def base(requirements: list[str]) -> list[Package]:
    """What a base install brings along, as it is installed here."""
    left, found = [Requirement(each).name for each in requirements], {}
    while left:
        name = canonicalize_name(left.pop())
        if name in found:
            continue
        try:
            there = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            raise InputError(f"{name} is not installed; run make install first") from None
        found[name] = Package(name, there.version, licence_of(there.metadata))
        for each in map(Requirement, there.requires or []):
            if each.marker is None or each.marker.evaluate({"extra": ""}):
                left.append(each.name)
    return [found[name] for name in sorted(found)]


def licence_of(about: Any) -> str:
    """The licence that a package names: an SPDX expression, classifiers, or the first line."""
    if expression := about.get("License-Expression"):
        return str(expression)
    classified = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    return ", ".join(classified) or str(about.get("License") or "").strip().split("\n")[0][:60]


def licence_problems(packages: list[Package]) -> list[str]:
    return [
        f"{p.name}: its licence is {p.licence or 'not named'}"
        for p in packages
        if COPYLEFT.search(p.licence) or not PERMISSIVE.search(p.licence)
    ]


def lock_problems(packages: list[Package], lock: str) -> list[str]:
    """Packages that requirements.lock lacks, has in another version, or has without hashes."""
    entries: dict[str, tuple[str, int]] = {}
    for entry in re.split(r"\n(?=\S)", lock.strip()):
        if match := re.match(r"([\w.-]+)==([\w.+!]+)", entry):
            hashes = len(re.findall(r"--hash=sha256:[0-9a-f]{64}", entry))
            entries[canonicalize_name(match[1])] = match[2], hashes
    problems = []
    for p in packages:
        version, hashes = entries.get(p.name, ("", 0))
        if not version:
            problems.append(f"{p.name}: requirements.lock does not have it")
        elif version != p.version:
            problems.append(f"{p.name}: {p.version} is installed, {version} is locked")
        elif not hashes:
            problems.append(f"{p.name}: requirements.lock has no hash of it")
    return problems


# Age


def released_by_index(index: str, name: str) -> str | None:
    """The day of the last upload, by a package index that says so."""
    request = urllib.request.Request(
        f"{index.rstrip('/')}/{name}/",
        headers={"Accept": "application/vnd.pypi.simple.v1+json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            files = json.loads(answer.read())["files"]
    except (OSError, ValueError, KeyError, urllib.error.URLError):
        return None
    times = [file["upload-time"][:10] for file in files if file.get("upload-time")]
    return max(times, default=None)


def released_by_wheel(folder: Path) -> dict[str, str]:
    """The day on which the newest wheel of each package was built, where it says so."""
    newest: dict[str, tuple[Version, str]] = {}
    for wheel in folder.rglob("*.whl"):
        try:
            name, version, _, _ = parse_wheel_filename(wheel.name)
            with zipfile.ZipFile(wheel) as archive:
                day = max(entry.date_time[:3] for entry in archive.infolist())
        except (ValueError, OSError, zipfile.BadZipFile):
            continue
        if day not in NO_DATE and (name not in newest or newest[name][0] < version):
            newest[name] = version, "{:04d}-{:02d}-{:02d}".format(*day)
    return {name: day for name, (_, day) in newest.items()}


def age_problems(packages: list[Package], today: datetime) -> list[str]:
    oldest = (today - OLDEST).date().isoformat()
    return [
        f"{p.name}: its last release is of {p.released}"
        for p in packages
        if p.released and p.released < oldest and p.name not in KNOWN_OLD
    ]


# Vulnerabilities


def advisories(place: Path) -> Iterator[dict[str, Any]]:
    """The entries of a dump of the OSV database."""
    try:
        if place.is_dir():
            texts = [file.read_bytes() for file in sorted(place.rglob("*.json"))]
        else:
            with zipfile.ZipFile(place) as archive:
                texts = [archive.read(n) for n in archive.namelist() if n.endswith(".json")]
        for text in texts:
            yield json.loads(text)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"{place} is no dump of advisories: {error}") from None


def note_advisories(packages: list[Package], entries: Iterator[dict[str, Any]]) -> None:
    by_name = {p.name: p for p in packages}
    for entry in entries:
        for affected in entry.get("affected", []):
            about = affected.get("package", {})
            package = by_name.get(canonicalize_name(str(about.get("name", ""))))
            if package is None or about.get("ecosystem") != "PyPI" or entry.get("withdrawn"):
                continue
            if is_affected(package.version, affected):
                package.vulnerabilities.append(str(entry.get("id")))


def is_affected(version: str, affected: dict[str, Any]) -> bool:
    """Whether a version is in a list or a range of an advisory."""
    if version in affected.get("versions", []):
        return True
    mine = Version(version)
    for each in affected.get("ranges", []):
        inside = False
        for event in each.get("events", []) if each.get("type") == "ECOSYSTEM" else []:
            (kind, bound), *_ = event.items()
            try:
                at = Version("0" if bound == "0" else bound)
            except InvalidVersion:
                continue
            if kind == "introduced" and mine >= at:
                inside = True
            elif (kind == "fixed" and mine >= at) or (kind == "last_affected" and mine > at):
                inside = False
        if inside:
            return True
    return False


def ask_pip_audit(packages: list[Package]) -> str:
    """Let pip-audit look; what to say if it cannot."""
    if importlib.util.find_spec("pip_audit") is None:
        return "not checked: pip-audit is not installed, and no --advisories were given"
    wanted = "\n".join(f"{p.name}=={p.version}" for p in packages)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--format", "json",
             "--requirement", "/dev/stdin"],
            input=wanted, capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
        found = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, OSError, ValueError, KeyError):
        return "not checked: pip-audit reached no database"
    by_name = {p.name: p for p in packages}
    for each in found:
        if package := by_name.get(canonicalize_name(each["name"])):
            package.vulnerabilities = [one["id"] for one in each.get("vulns", [])]
    return "checked by pip-audit"


def main() -> None:
    parser = argparse.ArgumentParser(description="Look at what is installed with memnn.")
    parser.add_argument("--index", help="a package index with the JSON simple API")
    parser.add_argument("--wheels", type=Path, help="a folder of wheels")
    parser.add_argument("--advisories", type=Path, help="a dump of the OSV database")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    packages = base(project["dependencies"])
    by_wheel = released_by_wheel(options.wheels) if options.wheels else {}
    for p in packages:
        by_index = released_by_index(options.index, p.name) if options.index else None
        p.released = by_index or by_wheel.get(p.name)
    if options.advisories:
        note_advisories(packages, advisories(options.advisories))
        checked = f"checked with {options.advisories}"
    else:
        checked = ask_pip_audit(packages)
    problems = [
        *licence_problems(packages),
        *lock_problems(packages, (ROOT / "requirements.lock").read_text()),
        *age_problems(packages, datetime.now(UTC)),
        *(f"{p.name}: {', '.join(p.vulnerabilities)}" for p in packages if p.vulnerabilities),
    ]
    if options.json:
        about = {"packages": [vars(p) for p in packages], "vulnerabilities": checked}
        print(json.dumps(about | {"problems": problems}, indent=1))
    else:
        print("\n".join(page(packages, checked, problems)))
    sys.exit(1 if problems else 0)


def page(packages: list[Package], checked: str, problems: list[str]) -> list[str]:
    rows = [(p.name, p.version, p.licence, p.released or "not known") for p in packages]
    known = sum(p.released is not None for p in packages)
    old = [f"{p.name} ({KNOWN_OLD[p.name]})" for p in packages if p.name in KNOWN_OLD]
    return [
        *report.table(["package", "version", "licence", "last release"], rows, left=4),
        "",
        f"Vulnerabilities: {checked}.",
        f"Age: known of {known} of {len(packages)} packages"
        + ("" if known else "; give --index or --wheels")
        + f". Without a release for two years, and brought along by others: {', '.join(old)}.",
        "",
        *(problems or ["Nothing is wrong in what could be looked at."]),
    ]


if __name__ == "__main__":
    command(main)
