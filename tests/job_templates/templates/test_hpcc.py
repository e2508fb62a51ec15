"""HPCC: sizes from the nodes, and the verdict on its results."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.job_templates.templates.hpcc import SHARE
from clusterwright.job_templates.templates.hpl import order
from tests.job_templates import node
from tests.job_templates.made import example, rendered

RESULT = """||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=  0.0079 ...... PASSED
Success=1
HPL_Tflops=0.5
StarSTREAM_Triad=66.3
"""


def test_sizes_follow_from_the_nodes() -> None:
    cluster = example("configs/examples/p5-8.yaml")
    text = rendered("hpcc", cluster, nodes="4", processes="6")
    assert "4            Ps\n6            Qs\n" in text
    assert "\n8            device out (6=stdout,7=stderr,file)\n" in text
    assert "#SBATCH --ntasks-per-node=6\n" in text
    size = order(2048 * 4, 80, SHARE)
    assert f"\n{size} " in text
    assert size % 80 == 0
    assert "\n12345 " in rendered("hpcc", cluster, order="12345")


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (RESULT, 0),
        (RESULT.replace("PASSED", "FAILED"), 1),
        (RESULT.replace("Success=1", "Success=0"), 1),
        ("", 1),
    ],
)
def test_the_results_decide(tmp_path: Path, result: str, code: int) -> None:
    program = f"#!/bin/bash\ncp hpccinf.txt seen\nprintf '%s' '{result}' >hpccoutf.txt\n"
    node.command(tmp_path, "fsx/bin/hpcc", program)
    done = node.run(
        rendered("hpcc", nodes="2", processes="2", program="/fsx/bin/hpcc"), tmp_path, nodes=2
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert ("HPL_Tflops=0.5" in done.stdout) == bool(result)
    lines = (tmp_path / "fsx/runs/hpcc/77/hpccinf.txt").read_text().splitlines()
    assert len(lines) == 36
    assert lines[31].startswith("#####")
