"""`scripts/setup.sh` as a program, in a copy of the files that it reads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.lint.files import ROOT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the files that set-up reads, in a folder whose name has a space."""
    folder = tmp_path / "a checkout"
    for name in ("requirements", "scripts", "tools"):
        shutil.copytree(
            ROOT / name,
            folder / name,
            ignore=shutil.ignore_patterns("__pycache__", "node_modules"),
        )
    for project in (ROOT / "pyproject.toml", *ROOT.glob("packages/*/pyproject.toml")):
        copied = folder / project.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(project, copied)
    return folder


def _setup(checkout: Path, *before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, os.fspath(checkout / "scripts" / "setup.sh")],
        env=os.environ | {"PYTHON": sys.executable} | environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    "name", ["requirements/uv.txt", "requirements/dev.txt", "tools/cdk-cli/package-lock.json"]
)
def test_missing_pinned_file_is_reported_before_anything_starts(checkout: Path, name: str) -> None:
    (checkout / name).unlink()
    result = _setup(checkout)
    assert result.returncode == 1
    assert f"error: {name} cannot be read (No such file or directory)" in result.stderr
    assert f"hint: `git checkout -- {name}` restores it" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (checkout / ".venv").exists()


def test_missing_network_is_reported_with_a_remedy(checkout: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None or os.geteuid() != 0:
        pytest.skip("a network of its own needs root and `unshare`")
    result = _setup(checkout, unshare, "--net")
    assert result.returncode == 1
    assert "setup: [1/8] Python environment in .venv/ ..." in result.stderr
    assert "error: installing uv: the package index could not be reached" in result.stderr
    assert "then run `make setup` again: finished steps are kept" in result.stderr
    assert "Traceback (most recent call last)" not in result.stderr

    again = _setup(checkout, unshare, "--net")
    assert "[1/8]" not in again.stderr, "the finished step was done again"
    assert "[2/8]" in again.stderr


def test_interrupted_run_starts_from_scratch(checkout: Path) -> None:
    (checkout / ".venv" / "lib").mkdir(parents=True)
    (checkout / ".venv" / "lib" / "half").write_text("a package")
    (checkout / ".clusterwright").mkdir()
    (checkout / ".clusterwright" / "setup.begun").write_text("packages")
    unreachable = "http://127.0.0.1:9/simple"
    result = _setup(checkout, PIP_INDEX_URL=unreachable, PIP_EXTRA_INDEX_URL="")
    assert result.stderr.startswith("setup: the last run was interrupted; rebuilding .venv/\n")
    assert "error: installing uv: the package index could not be reached" in result.stderr
    assert not (checkout / ".venv" / "lib" / "half").exists()
    assert not (checkout / ".clusterwright" / "setup.begun").exists()


def test_error_names_a_python_that_is_too_old(checkout: Path, tmp_path: Path) -> None:
    old = tmp_path / "python3.10"
    old.write_text("#!/bin/sh\necho 3.10\n")
    old.chmod(0o755)
    result = _setup(checkout, PYTHON=os.fspath(old))
    assert result.returncode == 1
    assert f"error: Python 3.11 or newer is required; {old} is 3.10" in result.stderr
    assert "hint: install one" in result.stderr


def test_missing_python_is_reported(checkout: Path, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "dirname", "env"):
        (tools / name).symlink_to(str(shutil.which(name)))
    result = _setup(checkout, PYTHON="", PATH=os.fspath(tools))
    assert result.returncode == 1
    assert result.stderr.startswith("error: Python 3.11 or newer is required\n")


def test_file_named_like_the_environment_is_not_overwritten(checkout: Path) -> None:
    (checkout / ".venv").write_text("mine")
    result = _setup(checkout)
    assert result.returncode == 1
    assert "error: .venv is a file, not a folder" in result.stderr
    assert (checkout / ".venv").read_text() == "mine"


def test_second_set_up_waits_for_the_first(checkout: Path) -> None:
    (checkout / "requirements" / "uv.txt").unlink()
    (checkout / ".clusterwright").mkdir()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from tools.setup.lock import only_one\n"
            "with only_one(Path('.clusterwright/setup.lock')): print('held', flush=True); "
            "sys.stdin.read()",
        ],
        cwd=checkout,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == "held\n"
    waiting = subprocess.Popen(
        [os.fspath(checkout / "scripts" / "setup.sh")],
        env=os.environ | {"PYTHON": sys.executable},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.stderr is not None
    assert waiting.stderr.readline().startswith("setup: another set-up is running")
    holder.stdin.close()
    assert holder.wait(10) == 0
    assert waiting.wait(10) == 1
    holder.stdout.close()
    waiting.stderr.close()


def test_current_environment_takes_less_than_a_second() -> None:
    if not (ROOT / ".venv" / ".setup" / "cdk.stamp").exists():
        pytest.skip("this environment was not made by `make setup`")
    seconds = []
    for _ in range(8):  # other tests use the processors meanwhile
        started = time.monotonic()
        result = subprocess.run(
            [os.fspath(ROOT / "scripts" / "setup.sh"), "--check"],
            capture_output=True,
            check=False,
            text=True,
        )
        seconds.append(time.monotonic() - started)
        assert result.stderr.startswith("setup: current ("), f"run `make setup`: {result.stderr}"
    assert min(seconds) < 1.0


def test_check_names_the_outdated_step_and_changes_nothing(checkout: Path) -> None:
    result = subprocess.run(
        [os.fspath(checkout / "scripts" / "setup.sh"), "--check"],
        env=os.environ | {"PYTHON": sys.executable},
        capture_output=True,
        check=False,
        text=True,
    )
    assert result.returncode == 1
    assert result.stderr == "setup: not current: Python environment in .venv/ and later steps\n"
    assert not (checkout / ".venv").exists()
