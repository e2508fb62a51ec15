"""The nodes of Slurm on which a job can start."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusterwright_acceptance.launcher import NodeResources
from clusterwright_acceptance.slurm_nodes import SlurmNode, resources, slurm_nodes
from clusterwright_common.probe import Probe

SINFO = """\
n1|train|idle
n1|all|idle
n2|train|mixed
n3|train|idle~
n4|train|down*
n5|train|drained
n6|other|allocated
"""
DOWN = "the node is powered down"


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    sinfo = tmp_path / "sinfo"
    sinfo.write_text(f"#!/bin/sh\ncat <<'END'\n{SINFO}END\n")
    sinfo.chmod(0o755)
    return Probe(search_path=f"{tmp_path}:/usr/bin:/bin")


def test_all_nodes_that_are_not_powered_down(probe: Probe) -> None:
    assert slurm_nodes(probe) == [
        SlurmNode("n1", "train"),
        SlurmNode("n2", "train"),
        SlurmNode("n4", "train", "the node does not respond to slurmctld"),
        SlurmNode("n5", "train", "no job can start on it: its state is drained"),
        SlurmNode("n6", "other"),
    ]


def test_named_nodes_in_their_order(probe: Probe) -> None:
    assert slurm_nodes(probe, ["n6", "n3", "x", "n6"]) == [
        SlurmNode("n6", "other"),
        SlurmNode("n3", "train", DOWN, powered_down=True),
        SlurmNode("x", "", "Slurm has no compute node of this name"),
    ]


def test_a_silent_slurmctld_is_unknown(tmp_path: Path) -> None:
    assert slurm_nodes(Probe(search_path=str(tmp_path))) is None


def test_resources_that_jobs_can_have(tmp_path: Path) -> None:
    scontrol = tmp_path / "scontrol"
    scontrol.write_text(
        "#!/bin/sh\ncat <<'END'\n"
        "NodeName=n1 Arch=x86_64 CPUAlloc=0 CPUEfctv=188 CPUTot=192 Gres=gpu:h100:8(S:0-1) X=1\n"
        "NodeName=n2 CPUTot=128 Gres=neuron:16,lustre:no_consume:4G State=IDLE\n"
        "NodeName=n3 CPUTot=8 Gres=(null)\nEND\n"
    )
    scontrol.chmod(0o755)
    assert resources(Probe(search_path=f"{tmp_path}:/usr/bin:/bin")) == {
        "n1": NodeResources(188, "gpu:h100:8"),
        "n2": NodeResources(128, "neuron:16"),
        "n3": NodeResources(8, ""),
    }
    assert resources(Probe(search_path=str(tmp_path / "none"))) == {}
