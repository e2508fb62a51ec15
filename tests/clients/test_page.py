"""Every command and code block of docs/how-to/test-your-hyperpod-code.md."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.docs.shown import Shown, matches, shown_commands
from tools.lint.files import ROOT

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

PAGE = ROOT / "docs" / "how-to" / "test-your-hyperpod-code.md"
TEXT = PAGE.read_text(encoding="utf-8")
HERE = "tests/clients/test_page.py"


def _block(title: str) -> str:
    found = re.search(rf'^```\w+ title="{re.escape(title)}"\n(.*?)^```$', TEXT, re.M | re.S)
    assert found, title
    return found[1]


def _commands() -> Iterator[Shown]:
    for shown in shown_commands(PAGE):
        if shown.run_by == HERE:
            yield shown


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, programs: Callable[[str], Path]) -> Path:
    """The reader's folder, with the files and programs that the page names."""
    found = tmp_path_factory.mktemp("reader")
    for name in ("scale_up.py", "test_scale_up.py", "calls.py"):
        (found / name).write_text(_block(name))
    (found / "bin").mkdir()
    (found / "bin" / "aws").symlink_to(programs("aws-cli"))
    (found / "home").mkdir()
    return found


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: one for name, one in os.environ.items() if not name.startswith("AWS_")}
    return kept | {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder / "home"),
        "PYTHONPATH": str(ROOT),
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }


def test_every_command_prints_what_is_shown(folder: Path) -> None:
    """The commands of the page in order; the server runs on a free port."""
    environment = _environment(folder)
    server: Any = None
    port = ""
    for shown in _commands():
        words = shown.command
        if words.startswith("clusterwright localaws"):
            server = subprocess.Popen(
                [sys.executable, "-m", *words.split(), "--port", "0"],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            line = server.stdout.readline()
            port = line.rsplit(":", 1)[1].strip()
            assert line.replace(port, "5555").strip() == shown.output[0]
        elif words.startswith("export "):
            for word in words.split()[1:]:
                name, _, value = word.partition("=")
                environment[name] = value.replace("5555", port)
        else:
            if words == "python calls.py":
                # The record is read after the server has ended.
                server.send_signal(signal.SIGTERM)
                assert server.wait(30) == 0
            _run(shown, folder, environment)
    assert (folder / "state.json").stat().st_size > 1000


def _run(shown: Shown, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", shown.command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    expected, code = list(shown.output), 0
    while expected and not expected[-1].strip():
        expected.pop()
    if expected and (last := re.fullmatch(r"# exit code (\d+)", expected[-1])):
        code = int(last[1])
        expected.pop()
    assert done.returncode == code, f"{shown.name}\n{done.stdout}"
    assert matches(expected, done.stdout), f"{shown.name} prints\n{done.stdout}"


def test_workflow_runs(folder: Path) -> None:
    """The steps of the page's workflow, except installations, run unchanged."""
    workflow = YAML(typ="safe").load(_block(".github/workflows/test.yaml"))
    job = workflow["jobs"]["test"]
    install, tests, served = [step["run"] for step in job["steps"] if "run" in step]
    assert install.startswith("pip install ")
    assert tests == "pytest -q", "run by the page's own command"
    environment = _environment(folder) | {name: str(one) for name, one in job["env"].items()}
    start = time.monotonic()
    done = subprocess.run(
        ["bash", "-e", "-c", served],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"ClusterSummaries": []' in done.stdout, time.monotonic() - start
