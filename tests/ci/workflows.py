"""The steps of the workflows, parsed as a runner does."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tools.lint.files import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))


def read(path: Path) -> dict[str, Any]:
    """A workflow, including `on` (which YAML 1.1 would parse as true)."""
    document = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def steps(workflow: Mapping[str, Any], job: str) -> list[dict[str, Any]]:
    return list(workflow["jobs"][job]["steps"])


@dataclass
class Runner:
    """Runs a job's `run` blocks one after another with bash, as GitHub's runner does.

    `values` answer the expressions (`${{ ... }}`) of `env`; what is asked and not answered is an
    error of the test, so a new expression is noticed.
    """

    checkout: Path
    folder: Path
    values: Mapping[str, str]
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.temp = self.folder / "temp"
        self.temp.mkdir(parents=True, exist_ok=True)
        for name in ("output", "path", "summary"):
            (self.folder / name).touch()

    def run(
        self, workflow: Mapping[str, Any], job: str, *, only: str | None = None
    ) -> dict[str, int]:
        """The exit code of each step by name, up to the first that fails; `only` runs one."""
        codes = {}
        outer = {**workflow.get("env", {}), **workflow["jobs"][job].get("env", {})}
        for step in steps(workflow, job):
            if "run" not in step or only not in (None, step["name"]):
                continue
            given = {**outer, **step.get("env", {})}
            codes[step["name"]] = self._step(step["run"], given)
            if codes[step["name"]] != 0:
                break
        return codes

    def output(self, name: str) -> str:
        lines = (self.folder / "output").read_text().splitlines()
        return next(line.partition("=")[2] for line in lines if line.startswith(f"{name}="))

    @property
    def summary(self) -> str:
        return (self.folder / "summary").read_text()

    def _step(self, script: str, given: Mapping[str, Any]) -> int:
        assert "${{" not in script, "an expression in a script is an injection"
        added = [line for line in (self.folder / "path").read_text().splitlines() if line]
        environment = {
            **self.environment,
            **{name: self._value(str(value)) for name, value in given.items()},
            "PATH": os.pathsep.join([*reversed(added), self.environment["PATH"]]),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_PATH": str(self.folder / "path"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "CI": "true",
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.checkout,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        self.log = done.stdout + done.stderr
        return done.returncode

    def _value(self, text: str) -> str:
        def answer(found: re.Match[str]) -> str:
            expression = found.group(1).strip()
            assert expression in self.values, f"no answer for ${{{{ {expression} }}}}"
            return self.values[expression]

        return re.sub(r"\$\{\{(.*?)\}\}", answer, text)
