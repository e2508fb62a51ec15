"""The program that kills runs of the node program, with a small program in place of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clusterwright_rehearsal.scenario_api import kill_series

_MAIN = """
import json, pathlib, sys, time

def main(arguments):
    for step in ("one", "two", "three"):
        print(json.dumps({"event": "start", "step": step}), flush=True)
        with pathlib.Path("runs").open("a") as file:
            file.write(f"{step} {' '.join(arguments)}\\n")
        if step == "two" and "--fails" in arguments:
            print("two failed", flush=True)
            return 1
        if step == "two" and "--bug" in arguments:
            raise RuntimeError("no")
        if step != "one":
            time.sleep(0.2)  # the kill arrives meanwhile
        print(json.dumps({"event": "end", "step": step}), flush=True)
    print("ready", flush=True)
    return 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    package = tmp_path / "clusterwright_node"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "main.py").write_text(_MAIN)
    (package / "catalogue.py").write_text("def load_steps(): pass\n")
    return tmp_path


def killed_at(folder: Path, steps: list[str], *options: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, "-", json.dumps(steps), *options],
        cwd=folder,
        input=Path(kill_series.__file__).read_text(),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[list[str]] = json.loads(done.stdout)
    return found


def test_each_run_completes_the_step_before_and_is_killed_at_its_own(folder: Path) -> None:
    assert killed_at(folder, ["one", "two", "three"], "--inputs", "here") == []
    runs = (folder / "runs").read_text().splitlines()
    assert runs.count("one --inputs here --only=one --only=two") == 1
    assert runs.count("two --inputs here --only=two --only=three") == 1
    assert not [line for line in runs if line.startswith("three") and "--only=two" not in line]
    assert not list(folder.rglob("__pycache__"))


@pytest.mark.parametrize(
    ("option", "last"), [("--fails", "two failed"), ("--bug", "RuntimeError: no")]
)
def test_a_run_that_ends_before_its_step_is_reported_with_its_last_line(
    folder: Path, option: str, last: str
) -> None:
    assert killed_at(folder, ["two", "three"], option) == [["three", last]]


def test_a_step_that_does_not_exist_is_not_reached(folder: Path) -> None:
    assert killed_at(folder, ["four"]) == [["four", "ready"]]
