"""The programs of nodes under an old Python: they do there what they do under ours.

`make setup` brings Python 3.10 as WebAssembly, in which every kind of node converges on the fake
machine. It has no processes, locks and `dir_fd` (see old_python.py for what is left out). A real
interpreter of 3.9 or 3.10 is tried too where PATH or uv has one. No registry that the project
uses has an interpreter of 3.9, so the language and the standard library of 3.9 are held by
vermin, which knows since when each of their parts exists.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.nodes.conftest import LIFECYCLE

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
_BIN = Path(sys.executable).parent
_WEB_ASSEMBLY = ROOT / ".venv" / "lib" / "old-python" / "node_modules" / "pyodide"


def run(*words: str | Path) -> str:
    done = subprocess.run(words, cwd="/", capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def answered(stdout: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(stdout.strip().splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of the programs under the Python of the tests."""
    folder = tmp_path_factory.mktemp("ours")
    return answered(run(sys.executable, HERE / "old_python.py", ROOT, folder))


def compare(old: dict[str, Any], ours: dict[str, Any]) -> None:
    assert len(old["modules"]) > 80
    assert len(old["diagnosed"]) == 3
    assert set(old["nodes"]) == {
        f"{configuration} {node}"
        for configuration in ("managed", "scripted", "parallelcluster")
        for node in ("controller-1", "login-1", "workers-1")
    }
    for name, node in old["nodes"].items():
        assert all("is ready" in line for line in node["last"]), f"{name}: {node['last']}"
        assert "applied" not in node["second"].values(), name
        assert node["files"], name
        assert node == ours["nodes"][name], name
    assert {**old, "version": None} == {**ours, "version": None}


def old_pythons() -> list[str]:
    """Working interpreters of 3.9 and 3.10 on this machine."""
    found = []
    for version in ("3.9", "3.10"):
        candidates = [shutil.which(f"python{version}")]
        uv = shutil.which("uv", path=_BIN) or shutil.which("uv")
        if uv is not None:
            asked = subprocess.run(
                [uv, "python", "find", "--offline", "--no-project", version],
                capture_output=True,
                text=True,
                check=False,
            )
            candidates.append(asked.stdout.strip() or None)
        for candidate in filter(None, candidates):
            said = subprocess.run(
                [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
            )
            if said.stdout.strip() == version:
                found.append(str(candidate))
                break
    return found


def test_every_node_converges_with_old_python(ours: dict[str, Any], tmp_path: Path) -> None:
    assert (_WEB_ASSEMBLY / "pyodide.js").exists(), "`make setup` installs it"
    old = answered(run(_BIN / "node", HERE / "old_python.mjs", _WEB_ASSEMBLY, ROOT))
    assert old["version"] == [3, 10]
    compare(old, ours)
    for number, python in enumerate(old_pythons()):
        compare(answered(run(python, HERE / "old_python.py", ROOT, tmp_path / str(number))), ours)


def vermin(*paths: Path) -> subprocess.CompletedProcess[str]:
    """Exit code 1 if something is newer than Python 3.9."""
    return subprocess.run(
        [_BIN / "vermin", "--target=3.9-", "--no-tips", "--violations", *paths],
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_syntax_is_newer_than_python_3_9() -> None:
    found = vermin(
        *sorted(LIFECYCLE.glob("clusterwright_*")), ROOT / "clusterwright" / "diagnosis"
    )
    assert found.returncode == 0, found.stdout
    assert "Minimum required versions: 3.9" in found.stdout


@pytest.mark.parametrize(
    "text",
    [
        "match 1:\n    case _:\n        pass\n",
        "import itertools\nitertools.pairwise([])\n",
        "import datetime\ndatetime.UTC\n",
        "list(zip([], [], strict=True))\n",
        "import tomllib\n",
        "try:\n    pass\nexcept* OSError:\n    pass\n",
    ],
)
def test_newer_syntax_is_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "newer.py").write_text(text)
    found = vermin(tmp_path / "newer.py")
    assert found.returncode == 1, found.stdout
