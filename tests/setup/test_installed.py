"""The installed programs are the pinned ones, and work together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tools.lint.files import ROOT

_BIN = Path(sys.executable).parent


def _output(*words: str | Path, **environment: str) -> str:
    return subprocess.run(
        words, env=os.environ | environment, capture_output=True, check=True, text=True
    ).stdout


def test_cdk_is_the_pinned_one_also_with_an_empty_path() -> None:
    wanted = json.loads((ROOT / "tools" / "cdk-cli" / "package.json").read_text())
    version = _output(_BIN / "cdk", "--version", PATH="/usr/bin:/bin")
    assert version.split()[0] == wanted["dependencies"]["aws-cdk"]


def test_node_is_one_that_jsii_supports() -> None:
    assert _output(_BIN / "node", "--version").startswith("v24.")


def test_npm_starts() -> None:
    assert _output(_BIN / "npm", "--version", PATH="/usr/bin:/bin")[0].isdigit()


def test_apps_that_cdk_starts_run_in_this_environment(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    script = tmp_path / "probe.py"
    script.write_text(
        "import pathlib, shutil, sys\n"
        f"seen = pathlib.Path({os.fspath(seen)!r})\n"
        "seen.write_text(sys.prefix + '\\n' + shutil.which('node'))\n"
    )
    subprocess.run(
        [
            _BIN / "cdk",
            "synth",
            "--quiet",
            "--app",
            f"python {script}",
            "--output",
            tmp_path / "o",
        ],
        cwd=tmp_path,
        env=os.environ | {"PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,  # a script that builds nothing is no app; only how it was started matters
    )
    assert seen.read_text().splitlines() == [sys.prefix, os.fspath(_BIN / "node")]
