"""Parts of batch scripts that every job has."""

from __future__ import annotations

from pathlib import Path

from clusterwright.job_templates.slurm import RENDEZVOUS
from tests.job_templates.made import shell
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
