"""The lines of docs/how-to/shell-completion.md enable completion."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.lint.files import ROOT

PAGE = (ROOT / "docs" / "how-to" / "shell-completion.md").read_text(encoding="utf-8")
DIRECT, FROM_FILE = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

COMPLETE = """
COMPREPLY=(); COMP_WORDS=({words} ""); COMP_CWORD={last}; _clusterwright_completion clusterwright
echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An empty home directory, and `clusterwright` on the PATH."""
    programs = tmp_path / "bin"
    programs.mkdir()
    command = programs / "clusterwright"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clusterwright "$@"\n')
    command.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"HOME": str(tmp_path), "PATH": path, "PYTHONPATH": str(ROOT)}


def bash(program: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize(
    "start", [DIRECT, f"{FROM_FILE}. ~/.bashrc\n"], ids=["in the start-up file", "from a file"]
)
def test_bash_completes_commands_and_values(start: str, environment: dict[str, str]) -> None:
    commands = COMPLETE.format(words="clusterwright", last=1)
    formats = COMPLETE.format(words="clusterwright cost --format", last=3)
    first, second = bash(start + commands + formats, environment).splitlines()
    assert {"plan", "check", "cost", "diff", "rehearse", "localaws"} <= set(first.split())
    assert second == "text json markdown"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_of_the_other_shells_are_printed(shell: str, environment: dict[str, str]) -> None:
    line = re.search(rf"_CLUSTERWRIGHT_COMPLETE={shell}_source clusterwright", PAGE)
    assert line is not None
    script = bash(line[0], environment)
    assert f"_CLUSTERWRIGHT_COMPLETE={shell}_complete" in script
