"""nccom-test: ranks, node counts, and how several nodes are reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.job_templates.template import RefusedError
from tests.job_templates import node
from tests.job_templates.made import example, rendered

_NCCOM = """#!/bin/bash
if [[ "$1" == --help ]]; then echo "usage: nccom-test HELP"; exit 0; fi
echo "nccom-test $* ROOT=${NEURON_RT_ROOT_COMM_ID:-}" >>"@@/calls"
[[ "$*" != *"-N 2 all_gather"* ]]
"""


def test_collectives_sizes_and_node_counts() -> None:
    text = rendered("nccom-test")
    assert "#SBATCH --partition=trn\n" in text
    assert "NODE_COUNTS=(1 2 4)\n" in text
    assert "RANKS_OF_A_NODE=32\n" in text
    assert "all_reduce all_gather reduce_scatter alltoall sendrecv" in text
    assert "-b 8 -e 1GB -f 2 -n 20 -w 5 -d fp32" in text
    assert "export FI_PROVIDER=efa\n" in text
    text = rendered("nccom-test", ranks="8", only="2", collectives="all_gather")
    assert "RANKS_OF_A_NODE=8\n" in text
    assert "NODE_COUNTS=(2)\nCOLLECTIVES=(all_gather)\n" in text


def run(folder: Path, **settings: str) -> tuple[int, str, list[str]]:
    (folder / "fsx").mkdir()
    done = node.run(rendered("nccom-test", plan=None, **settings), folder, nodes=4)
    return done.returncode, done.stdout, node.calls(folder)


def test_several_nodes_with_the_slurm_mode(tmp_path: Path) -> None:
    text = _NCCOM.replace("HELP", "--slurm-mode")
    node.command(tmp_path, "opt/aws/neuron/bin/nccom-test", text)
    code, _, calls = run(tmp_path, collectives="all_reduce")
    assert code == 0
    reports = f"{tmp_path}/fsx/runs/nccom-test/77"
    assert "--nodes=1 --ntasks=1" in calls[0]
    assert "-N 1 all_reduce -r 32 -b 8 -e 1GB -f 2 -n 20 -w 5 -d fp32 " in calls[1]
    report = f"--report-to-json-file {reports}/all_reduce-1-nodes.json"
    assert calls[1].endswith(f"{report} --check --non-interactive ROOT=")
    assert "-N 4 all_reduce -r 128" in calls[3]
    assert calls[3].endswith("--slurm-mode --slurm-job-id 77 ROOT=")
    assert not any("--hosts" in call for call in calls)


def test_several_nodes_without_it(tmp_path: Path) -> None:
    text = _NCCOM.replace("HELP", "--hosts")
    node.command(tmp_path, "opt/aws/neuron/bin/nccom-test", text)
    code, log, calls = run(tmp_path, ranks="32")
    assert code == 1
    assert "all_gather on 2 nodes failed" in log
    assert "sendrecv on 4 nodes\n" in log
    two = next(call for call in calls if "-N 2 all_reduce -r 64" in call)
    assert two.endswith("--hosts node-1 node-2 ROOT=10.1.0.1:10077")


def test_without_the_program_the_environment_is_wrong(tmp_path: Path) -> None:
    code, log, calls = run(tmp_path)
    assert (code, calls) == (92, [])
    assert "nccom-test does not exist: render with another program=PATH" in log


def test_needs_trainium() -> None:
    with pytest.raises(RefusedError, match="nccom-test needs AWS Trainium"):
        rendered("nccom-test", example("configs/examples/p5-8.yaml"))
