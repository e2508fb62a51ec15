"""The tutorial works word by word: its commands and edits, in their order, in a copy.

Two things differ from the page: a free port instead of 4566, and the set-up, which has tests of
its own (tests/setup), as has the rehearsal at its end (tests/demo).
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import boto3
import pytest

from tests.docs.shown import Shown, matches, shown_commands
from tests.support.repository_copy import RepositoryCopy
from tools.lint.files import ROOT

PAGE = ROOT / "docs" / "tutorial" / "first-cluster.md"
_EDIT = re.compile(r'^```diff title="(?P<file>[^"]+)"\n-(?P<old>.+)\n\+(?P<new>.+)\n```$', re.M)
_PORT = "4566"
_SELF = "tests/docs/test_tutorial.py"
"""The last step, which boots nodes, is run by the test of the demo."""


@dataclass
class Reader:
    """What a reader does with a copy of the repository and two terminals."""

    copy: RepositoryCopy
    environment: dict[str, str] = field(default_factory=dict)
    server: subprocess.Popen[str] | None = None
    port: str = "0"

    def run(self, shown: Shown) -> None:
        """Run one command; assert the exit code and the output that the page shows."""
        expected, code = list(shown.output), 0
        if expected and (last := re.fullmatch(r"# exit code (\d)", expected[-1])):
            code = int(last[1])
            expected.pop()
        words = shlex.split(shown.command.replace(_PORT, self.port))
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self.environment[name] = value
            return
        if words[:2] == ["clusterwright", "localaws"]:
            real = self._start(words).replace(self.port, _PORT)
            answer_code = 0
        else:
            answer = subprocess.run(
                _program(words),
                cwd=self.copy.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=300,
                check=False,
            )
            real, answer_code = answer.stdout, answer.returncode
        assert answer_code == code, f"{shown.name}: {shown.command}\n{real[-4000:]}"
        assert matches(expected, real), f"{shown.name} prints\n{real[-4000:]}"

    def edit(self, change: re.Match[str]) -> None:
        path = self.copy.folder / change["file"]
        text = path.read_text(encoding="utf-8")
        line = f"\n{change['old']}\n"
        assert text.count(line) == 1, f"{path.name} has {change['old']!r} {text.count(line)} times"
        path.write_text(text.replace(line, f"\n{change['new']}\n"), encoding="utf-8")

    def stop(self) -> None:
        """Press Ctrl-C in the second terminal."""
        if self.server is not None:
            self.server.send_signal(signal.SIGINT)
            assert self.server.wait(30) == 0
            self.server = None

    def _start(self, words: list[str]) -> str:
        self.stop()
        self.server = subprocess.Popen(
            _program(words), env=self._environment(), stdout=subprocess.PIPE, text=True
        )
        assert self.server.stdout is not None
        ready = self.server.stdout.readline()
        self.port = ready.strip().rpartition(":")[2]
        return ready

    def _environment(self) -> dict[str, str]:
        path = [self.copy.folder, *(self.copy.folder / "packages" / n for n in _PACKAGES)]
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
        return inherited | {
            "PYTHONPATH": os.pathsep.join(map(os.fspath, path)),
            "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            **self.environment,
        }


_PACKAGES = ("localaws", "rehearsal")


def _program(words: list[str]) -> list[str]:
    """The command line with this Python, which may be another than that of `.venv/`."""
    if words[0] == "clusterwright":
        return [sys.executable, "-m", *words]
    return [sys.executable, *words[1:]] if words[0] == "python" else words


def _steps() -> list[Shown | re.Match[str]]:
    """The commands and edits of the page in their order."""
    text = PAGE.read_text(encoding="utf-8")
    steps: list[tuple[int, Shown | re.Match[str]]] = [
        (shown.line, shown) for shown in shown_commands(PAGE) if shown.run_by == _SELF
    ]
    steps += [(text.count("\n", 0, edit.start()) + 1, edit) for edit in _EDIT.finditer(text)]
    return [step for _, step in sorted(steps, key=lambda pair: pair[0])]


def test_only_the_set_up_is_run_by_another_test() -> None:
    left = [shown.command for shown in shown_commands(PAGE) if shown.run_by is None]
    assert [command.split()[0] for command in left] == ["git", "make", "export"]


@pytest.mark.slow
@pytest.mark.enable_socket
def test_every_step_works_and_nothing_is_left(tmp_path: Path) -> None:
    reader = Reader(RepositoryCopy(tmp_path / "clusterwright"))
    steps = _steps()
    assert sum(isinstance(step, re.Match) for step in steps) == 2
    try:
        for step in steps:
            if isinstance(step, Shown):
                reader.run(step)
            else:
                reader.edit(step)
        cloudformation = boto3.client(
            "cloudformation",
            "us-east-1",
            endpoint_url=f"http://localhost:{reader.port}",
            aws_access_key_id="111122223333",
            aws_secret_access_key="local",
        )
        left = [stack["StackName"] for stack in cloudformation.describe_stacks()["Stacks"]]
        assert left == ["CDKToolkit"]
    finally:
        reader.stop()
