"""What the step `topology` relies on, with a real slurmctld: files that ParallelCluster and
that step write together.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from clusterwright_node import slurm_topology
from clusterwright_node.hostlist import compressed
from clusterwright_node.slurm_topology import Place
from clusterwright_node.steps.topology import INCLUDE, PLUGIN

from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.runs import DEFAULT_STATE
from tests.support.real_slurm import RealSlurm
from tests.support.slurm_inside import prepare

pytestmark = [
    pytest.mark.slow,
    pytest.mark.slurm,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="namespaces need root on Linux"
    ),
]

PLUGIN_FILE = {PLUGIN.rpartition("/")[2]: "TopologyPlugin=topology/tree\n"}


@pytest.fixture(scope="module", params=images.SUITES)
def slurm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealSlurm]:
    root = images.image(DEFAULT_STATE / "cache", request.param).root
    with RealSlurm(root, tmp_path_factory.mktemp(request.param) / "machine") as machine:
        prepare(machine)
        yield machine


def names(static: int) -> list[str]:
    return [f"train-st-workers-{n}" for n in range(1, static + 1)]


def conf(static: int, *, included: bool) -> dict[str, str | None]:
    """ParallelCluster's files, in one; `included` is the additional line."""
    nodes = compressed([*names(static), "train-dy-workers-1", "train-dy-workers-2"])
    return {
        "slurm.conf": f"""ClusterName=train
SlurmctldHost={RealSlurm.NAME}({RealSlurm.ADDRESS})
SlurmUser=slurm
AuthType=auth/munge
StateSaveLocation=/var/spool/slurmctld
SlurmctldPidFile=/run/slurmctld/slurmctld.pid
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
ReconfigFlags=KeepPartState
ResumeProgram=/bin/true
SuspendProgram=/bin/true
SuspendTime=600
NodeName={nodes} CPUs=4 State=CLOUD
PartitionName=train Nodes=ALL MaxTime=INFINITE State=UP Default=YES
{INCLUDE if included else ""}
""",
        "cgroup.conf": "CgroupPlugin=disabled\n",
        "topology.yaml": None,
    }


def tree(static: int) -> dict[str, str | None]:
    """Two switches, and one for powered-down nodes."""
    places = {
        name: Place(("nn-top", f"nn-{index % 2}"), None)
        for index, name in enumerate(names(static))
    }
    places |= {f"train-dy-workers-{n}": Place((), None) for n in (1, 2)}
    return {"topology.conf": slurm_topology.tree(places).text}


def shown(slurm: RealSlurm) -> str:
    return slurm.check("scontrol", "show", "topology")


def test_topology_is_added_to_a_running_cluster(slurm: RealSlurm) -> None:
    slurm.write({**conf(4, included=False), "topology.conf": None})
    slurm.start_controller()
    slurm.write({**tree(4), **PLUGIN_FILE})
    slurm.write(conf(4, included=True))
    slurm.check("scontrol", "reconfigure")
    assert "SwitchName=nn-1 Level=0" in shown(slurm)
    assert slurm.complaints() == []
    for wanted in ("--nodes=6", "--nodelist=train-dy-workers-2", "--nodelist=train-st-workers-3"):
        slurm.check("sbatch", "--test-only", "--exclusive", wanted, "--wrap", "true")


def test_slurmctld_exits_without_the_topology_file(slurm: RealSlurm) -> None:
    """The reason why it is not in CustomSlurmSettings, and why a drop-in restores the file."""
    slurm.write({**conf(4, included=True), **PLUGIN_FILE, "topology.conf": None})
    with pytest.raises(AssertionError, match="does not respond"):
        slurm.start_controller(timeout=30)
    slurm.write(tree(4))
    slurm.start_controller()
    assert "SwitchName=nn-0 Level=0" in shown(slurm)


@pytest.mark.parametrize(("before", "after"), [(6, 4), (4, 6)])
def test_slurmctld_starts_with_the_topology_of_another_node_count(
    slurm: RealSlurm, before: int, after: int
) -> None:
    """ParallelCluster's update restarts slurmctld before the step has run again."""
    slurm.write({**conf(before, included=True), **PLUGIN_FILE, **tree(before)})
    slurm.start_controller()
    slurm.stop_controller()
    slurm.write(conf(after, included=True))
    slurm.resume_controller()
    assert "SwitchName=nn-0 Level=0" in shown(slurm)
    slurm.write(tree(after))
    slurm.check("scontrol", "reconfigure")
    assert f"train-st-workers-{after}" in slurm.check(
        "sbatch", "--test-only", "--exclusive", f"--nodelist=train-st-workers-{after}",
        "--wrap", "true",
    )  # fmt: skip


def test_topology_is_removed(slurm: RealSlurm) -> None:
    slurm.write({**conf(4, included=True), **PLUGIN_FILE, **tree(4)})
    slurm.start_controller()
    slurm.write(conf(4, included=False))
    slurm.check("scontrol", "reconfigure")
    slurm.write({"topology.conf": None, **dict.fromkeys(PLUGIN_FILE)})
    slurm.stop_controller()
    slurm.resume_controller()
    assert "SwitchName" not in slurm.run("scontrol", "show", "topology").text


def test_power_up_is_refused_without_suspend_time(slurm: RealSlurm) -> None:
    """`ScaledownIdletime: -1` of ParallelCluster, whose 25.11 is between the two versions."""
    files = conf(2, included=False)
    text = (files["slurm.conf"] or "").replace("SuspendTime=600", "SuspendTime=-1")
    slurm.write({**files, "slurm.conf": text, "topology.conf": None})
    slurm.start_controller()
    update = ("scontrol", "update", "nodename=train-dy-workers-1", "state=power_up")
    never = slurm.run(*update).returncode
    slurm.write({**files, "topology.conf": None})
    slurm.start_controller()
    assert slurm.run(*update).returncode == 0
    assert (never == 0) == (slurm.version().split(".")[0] == "26")
