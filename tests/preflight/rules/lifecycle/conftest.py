"""Fixtures with a copy of the lifecycle scripts."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clusterwright.cluster_spec import repository_root
from clusterwright.preflight.rules.lifecycle import l013_shellcheck
from tests.preflight.rules.support.lifecycle_scripts import BAD

ROOT = Path(__file__).parents[4]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the lifecycle scripts in a separate repository."""
    target = tmp_path / "repository" / repository_root.SCRIPTS
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / repository_root.SCRIPTS, target, ignore=ignored)
    monkeypatch.setattr(repository_root, "root", lambda: target.parent)
    return target


@pytest.fixture
def program(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str | None], None]:
    """Replace ShellCheck by another program."""
    (folder / "extra.sh").write_text(BAD, encoding="utf-8")

    def put(text: str | None) -> None:
        path = None
        if text is not None:
            path = tmp_path / "program"
            path.write_text(f"#!{sys.executable}\n{text}\n", encoding="utf-8")
            path.chmod(0o755)
        monkeypatch.setattr(l013_shellcheck, "_program", lambda: path and str(path))

    return put
