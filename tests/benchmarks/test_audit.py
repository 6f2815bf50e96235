"""`make audit` names what is wrong with a package, and says plainly what it cannot know."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import tomllib
import zipfile
from datetime import UTC, datetime
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from benchmarks.audit import Package
from benchmarks.processes import ROOT, environment
from packaging.requirements import Requirement

from benchmarks import audit
from memnn.errors import InputError

DEPENDENCIES = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
HASH = "--hash=sha256:" + "0" * 64


def test_the_base_install_is_permissive_and_locked():
    packages = audit.base(DEPENDENCIES)
    names = {p.name for p in packages}
    assert {"numpy", "rich", "llvmlite", "pydantic-core"} <= names
    assert not names & {"torch", "pymilvus", "pytest"}
    assert audit.licence_problems(packages) == []
    assert audit.lock_problems(packages, (ROOT / "requirements.lock").read_text()) == []
    assert set(audit.KNOWN_OLD) <= names, "an exception that is not needed any more"
    ours = {Requirement(each).name for each in DEPENDENCIES}
    assert not set(audit.KNOWN_OLD) & ours, "what we name ourselves must be looked after"
    assert all(name in "\n".join(audit.page(packages, "", [])) for name in audit.KNOWN_OLD)


def test_licences():
    about = Message()
    assert audit.licence_of(about) == ""
    about["License"] = "Some text\nof many lines"
    assert audit.licence_of(about) == "Some text"
    about["Classifier"] = "License :: OSI Approved :: GNU General Public License v3 (GPLv3)"
    assert "GPL" in audit.licence_of(about)
    about["License-Expression"] = "MIT"
    assert audit.licence_of(about) == "MIT"
    bad = [
        Package("a", "1", licence) for licence in ("", "GPL-3.0-only", "AGPL-3.0", "Proprietary")
    ]
    assert len(audit.licence_problems(bad)) == 4
    good = [
        Package("a", "1", licence) for licence in ("MIT", "BSD-3-Clause", "Apache Software License")
    ]
    assert audit.licence_problems(good) == []


def test_locks():
    packages = [Package(name, "1.0", "MIT") for name in ("a", "b-c", "d", "e")]
    lock = f"a==1.0 \\\n    {HASH}\nB_c==1.1 \\\n    {HASH}\nd==1.0\n"
    assert audit.lock_problems(packages, lock) == [
        "b-c: 1.0 is installed, 1.1 is locked",
        "d: requirements.lock has no hash of it",
        "e: requirements.lock does not have it",
    ]


def test_age():
    days = {"old": "2020-05-01", "new": "2026-01-01", "mdurl": "2022-08-14", "unknown": None}
    packages = [Package(name, "1", "MIT", day) for name, day in days.items()]
    found = audit.age_problems(packages, datetime(2026, 6, 1, tzinfo=UTC))
    assert found == ["old: its last release is of 2020-05-01"]


def test_age_by_wheels(tmp_path):
    for name, day in (("a-1.0", (2019, 1, 2)), ("a-2.0", (2021, 3, 4)), ("b-1.0", (1980, 1, 1))):
        with zipfile.ZipFile(tmp_path / f"{name}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(zipfile.ZipInfo("a.py", (*day, 0, 0, 0)), "")
    (tmp_path / "c-1.0-py3-none-any.whl").write_bytes(b"no archive")
    assert audit.released_by_wheel(tmp_path) == {"a": "2021-03-04"}


class Index(BaseHTTPRequestHandler):
    def do_GET(self):
        files = {"/simple/a/": [{"upload-time": "2025-01-02T03:04:05Z"}, {}], "/simple/b/": [{}]}
        found = files.get(self.path)
        self.send_response(404 if found is None else 200)
        self.end_headers()
        self.wfile.write(json.dumps({"files": found}).encode())

    def log_message(self, *_):
        pass


def test_age_by_an_index():
    with HTTPServer(("127.0.0.1", 0), Index) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{server.server_port}/simple/"
        assert [audit.released_by_index(at, n) for n in "abc"] == ["2025-01-02", None, None]
        server.shutdown()
    assert audit.released_by_index(at, "a") is None, "it cannot be reached any more"


@pytest.mark.parametrize(
    ("version", "hit"),
    [("0.9", False), ("1.0", True), ("1.4", True), ("1.5", False), ("2.0", True), ("3.1", False)],
)
def test_advisories(tmp_path, version, hit):
    entry = {
        "id": "X-1",
        "affected": [
            {
                "package": {"ecosystem": "PyPI", "name": "A.b"},
                "versions": ["2.0"],
                "ranges": [
                    {"type": "GIT", "events": [{"introduced": "0"}]},
                    {"type": "ECOSYSTEM", "events": [{"introduced": "1.0"}, {"fixed": "1.5"}]},
                ],
            }
        ],
    }
    (tmp_path / "x.json").write_text(json.dumps(entry))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / "x.json", "x.json")
    for place in (tmp_path, tmp_path / "all.zip"):
        packages = [Package("a-b", version, "MIT"), Package("c", version, "MIT")]
        audit.note_advisories(packages, audit.advisories(place))
        assert [p.vulnerabilities for p in packages] == [["X-1"] if hit else [], []]
    with pytest.raises(InputError, match="no dump"):
        list(audit.advisories(tmp_path / "x.json"))


def test_the_command_says_what_it_cannot_know():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.audit", "--json"],
        env=environment(), cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = json.loads(done.stdout)
    assert done.returncode == bool(said["problems"]), done.stderr
    assert said["problems"] == []
    if all(not p["released"] for p in said["packages"]):
        assert "not checked" in said["vulnerabilities"] or "checked" in said["vulnerabilities"]
