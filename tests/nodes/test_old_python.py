"""The node program under the oldest Python that it is for, where this machine has one.

Python 3.9 or 3.10 is looked for on PATH and with uv. Where there is neither, the syntax and the
names of the standard library are what is checked (test_contract.py does so everywhere).
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.nodes.conftest import LIFECYCLE
from tests.nodes.world import input_files

_GENERATE = """
import json, sys
from clusterwright_node import slurm_generate as g, slurm_topology as t
from clusterwright_node.catalogue import load_steps, step_names
from clusterwright_node.inputs import parse_cluster
load_steps()
problems = []
cluster = parse_cluster(json.load(sys.stdin), problems, step_names())
nodes = [g.SlurmNode("ip-10-1-0-%d" % n, "10.1.0.%d" % n, "workers") for n in range(1, 40)]
places = {n.name: t.Place(("a", "b%d" % (i // 16)), "u%d" % (i // 18))
          for i, n in enumerate(nodes)}
print(problems)
for kind in ("tree", "block"):
    around = g.Surroundings("ip-10-1-0-10", "10.1.0.10")
    files = g.files(cluster, nodes, around, t.topology(kind, places))
    print(json.dumps(files, sort_keys=True))
"""


def run(python: str, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        [python, *arguments],
        cwd=LIFECYCLE,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def old_pythons() -> list[str]:
    """Interpreters of 3.9 and 3.10 that answer."""
    found = []
    for version in ("3.9", "3.10"):
        candidates = [shutil.which(f"python{version}")]
        uv = shutil.which("uv")
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


@pytest.mark.parametrize("python", old_pythons() or [""])
def test_the_program_says_and_writes_the_same_as_under_ours(python: str) -> None:
    if not python:
        for path in Path(LIFECYCLE).rglob("*.py"):
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
        return
    listing = ("-m", "clusterwright_node", "--list")
    assert run(python, *listing) == run(sys.executable, *listing)
    cluster = json.dumps(input_files("scripted")["cluster.json"])
    old = run(python, "-c", _GENERATE, stdin=cluster)
    assert old.startswith("[]\n")
    assert old == run(sys.executable, "-c", _GENERATE, stdin=cluster)
