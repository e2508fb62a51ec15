"""Parts of batch scripts that every job has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.job_logs import read_log
from clusterwright.job_templates.slurm import RENDEZVOUS
from tests.job_templates.made import made_plan, plan_document, rendered, shell
from tests.job_templates.node import command

_SLOW = """#!/bin/bash
set -o errexit
for number in 1 2 3; do
  sleep 0.1
  echo "node-$number"
done
"""


def test_the_first_node_of_a_long_list(tmp_path: Path) -> None:
    """A reader that ends at the first line would end scontrol, and with pipefail the job."""
    command(tmp_path, "scontrol", _SLOW)
    text = f"set -o errexit -o nounset -o pipefail\n{RENDEZVOUS}\necho $MASTER_ADDR:$MASTER_PORT"
    done = shell(text, tmp_path, SLURM_JOB_ID="77", SLURM_JOB_NODELIST="node-[1-3]")
    assert (done.returncode, done.stdout, done.stderr) == (0, "node-1:10077\n", "")


def _plan_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith('say "plan: ')]


def test_a_job_states_what_its_plan_counts(tmp_path: Path) -> None:
    plan = made_plan(training_flops=4.8e22, tokens=1e12, estimate={"mfu_peak_tflops": 989.4})
    (line,) = _plan_lines(rendered("torchtitan", plan=plan, tokenizer="/fsx/t"))
    done = shell(f'say() {{ echo "job 7: $*"; }}\n{line}', tmp_path, SLURM_JOB_NUM_NODES="2")
    settings = read_log(done.stdout).settings
    assert (settings.flops_per_token, settings.peak_flops) == (4.8e10, 989.4e12)
    assert settings.accelerators == 16


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"training_flops": 4.8e22, "tokens": 1e12},
        {"training_flops": 4.8e22, "estimate": {"mfu_peak_tflops": 989.4}},
        {
            "training_flops": 4.8e22,
            "tokens": 1e12,
            "estimate": {"mfu_peak_tflops": 989.4},
            "candidates": [{**plan_document()["candidates"][0], "instance_type": "p4d.24xlarge"}],
        },
    ],
)
def test_without_the_plans_figures_it_states_none(changes: dict[str, Any]) -> None:
    plan = made_plan(**changes)
    assert not _plan_lines(rendered("torchtitan", plan=plan, tokenizer="/fsx/t"))
