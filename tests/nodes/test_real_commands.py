"""The operating commands of a node, with a real slurmctld."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright.json_output.node import NodeOutput
from clusterwright.json_output.status import StatusOutput
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.runs import DEFAULT_STATE
from tests.nodes.conftest import LIFECYCLE
from tests.support.real_slurm import RealSlurm

pytestmark = [
    pytest.mark.slow,
    pytest.mark.slurm,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="namespaces need root on Linux"
    ),
]

CONF = f"""ClusterName=dev
SlurmctldHost={RealSlurm.NAME}({RealSlurm.ADDRESS})
SlurmUser=slurm
AuthType=auth/munge
StateSaveLocation=/var/spool/slurmctld
SlurmctldPidFile=/run/slurmctld/slurmctld.pid
SelectType=select/cons_tres
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
NodeName=workers-[1-2] NodeAddr=10.1.0.[11-12] CPUs=4 State=UNKNOWN
PartitionName=gpu Nodes=ALL MaxTime=INFINITE State=UP Default=YES
"""
SETTING = {
    "schema_version": 1,
    "environment": "dev",
    "platform": "hyperpod-slurm",
    "region": "us-east-1",
    "administers": True,
    "administrator": "the controller",
    "has_service": True,
    "reserve": False,
    "level": "quick",
    "level_limit_seconds": {"quick": 60},
    "resource_config": "/none",
    "groups": [
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "c7i.48xlarge",
            "partition": "gpu",
            "spare_count": 0,
            "planned_seconds": {"quick": 10},
        }
    ],
}
LIB = "opt/clusterwright/lib"


@pytest.fixture(scope="module", params=images.SUITES)
def slurm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealSlurm]:
    root = images.image(DEFAULT_STATE / "cache", request.param).root
    with RealSlurm(root, tmp_path_factory.mktemp(request.param) / "machine") as machine:
        for package in ("clusterwright_state", "clusterwright_common"):
            target = machine.root_from_outside / LIB / package
            shutil.copytree(LIFECYCLE / package, target)
        machine.check("mkdir", "-p", "/etc/clusterwright", "/run/slurmctld")
        machine.check("chown", "slurm:slurm", "/run/slurmctld")
        machine.write({"commands.json": json.dumps(SETTING)}, "/etc/clusterwright")
        machine.write({"slurm.conf": CONF, "cgroup.conf": "CgroupPlugin=disabled\n"})
        machine.start_controller()
        yield machine


def answer(slurm: RealSlurm, words: str, user: str = "root") -> dict[str, Any]:
    text = command(slurm, f"{words} --format=json", user)
    assert "{" in text, text
    # What is said of the plan is on stderr, before the document.
    found: dict[str, Any] = json.loads(text[text.index("{") :])
    return found


def command(slurm: RealSlurm, words: str, user: str = "root") -> str:
    line = f"PYTHONPATH=/{LIB} python3 -B -m clusterwright_state.commands {words}"
    return slurm.run("setpriv", f"--reuid={user}", "--clear-groups", "sh", "-c", line).text


def test_a_node_is_drained_and_seen(slurm: RealSlurm) -> None:
    drained = answer(slurm, "node drain workers-1 --because='slow NVLink' --yes")
    NodeOutput.model_validate_json(json.dumps(drained))
    assert drained["nodes"][0]["outcome"] == "done"
    assert "slow NVLink (root)" in slurm.check("scontrol", "show", "node", "workers-1")
    for user in ("root", "nobody"):
        seen = answer(slurm, "status", user)
        StatusOutput.model_validate_json(json.dumps(seen))
        row = seen["nodes"][0]
        assert row["name"] == "workers-1"
        assert row["group"] == "workers"
        assert "DRAIN" in row["scheduler_state"]
        assert row["reason"] == "slow NVLink (root)"
        assert row["since"].endswith("Z")
    again = answer(slurm, "node drain workers-1 --because=x --yes")
    assert again["nodes"][0]["outcome"] == "unchanged"
    # No slurmd has ever registered, so that some versions refuse: their words are the reason.
    resumed = answer(slurm, "node resume workers-1 --because=x --yes")
    if resumed["exit_code"] == 0:
        assert "DRAIN" not in answer(slurm, "status")["nodes"][0]["scheduler_state"]
    else:
        assert resumed["nodes"][0]["outcome"] == "refused"
        assert resumed["nodes"][0]["reason"].startswith("scontrol: ")


def test_a_user_is_refused(slurm: RealSlurm) -> None:
    shown = command(slurm, "node drain workers-2 --because=x --yes", "nobody")
    assert "needs root" in shown
    assert "DRAIN" not in slurm.check("scontrol", "show", "node", "workers-2")
