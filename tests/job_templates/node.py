"""Run a rendered file on this machine: `srun` runs its command once, /fsx is a folder."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

from tests.job_templates.made import shell

_SRUN = """#!/bin/bash
echo "srun $*" >>"@@/calls"
while [[ "$1" == -* ]]; do shift; done
exec "$@"
"""
_SCONTROL = """#!/bin/bash
printf '%s\\n' node-1 node-2 node-3 node-4
"""
_GETENT = """#!/bin/bash
echo "10.1.0.1 STREAM $2"
"""


def command(folder: Path, name: str, text: str) -> Path:
    """Write a program; `@@` in its text is the folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("@@", str(folder)), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def run(
    text: str, folder: Path, *, nodes: int = 1, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a batch script: /fsx, /scratch and /opt are below `folder`."""
    for name, program in (("srun", _SRUN), ("scontrol", _SCONTROL), ("getent", _GETENT)):
        if not (folder / name).exists():
            command(folder, name, program)
    for place in ("/fsx", "/scratch", "/opt", "/workspace", "/usr/local/bin/ior"):
        text = text.replace(f"={place}", f"={folder}{place}")
        text = text.replace(f"({place}", f"({folder}{place}")
        text = text.replace(f" {place}", f" {folder}{place}")
        text = text.replace(f'"{place}', f'"{folder}{place}')
    given = {
        "SLURM_JOB_ID": "77",
        "SLURM_JOB_NODELIST": f"node-[1-{nodes}]",
        "SLURM_JOB_NUM_NODES": str(nodes),
        "SLURM_CPUS_PER_TASK": "2",
    }
    return shell(text, folder, **(given | variables))


def calls(folder: Path) -> list[str]:
    """The steps that were started."""
    path = folder / "calls"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
