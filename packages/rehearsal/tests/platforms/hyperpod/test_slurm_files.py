"""HyperPod's Slurm as texts: what comes from the request, and what stays when nodes change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.drivers import Member
from clusterwright_rehearsal.platforms.hyperpod import slurm_files

_WORKERS: Mapping[str, Any] = {"SlurmConfig": {"NodeType": "Compute", "PartitionNames": ["train"]}}
_TRN: Mapping[str, Any] = {"SlurmConfig": {"NodeType": "Compute", "PartitionNames": ["trn"]}}


def _member(number: int, group: str, instance_type: str) -> Member:
    return Member(
        group, f"{group}-{number}", f"i-{number}", f"l-{number}", instance_type,
        f"10.0.0.{number}", "Running",
    )  # fmt: skip


CONTROLLER = _member(5, "controller", "ml.m5.2xlarge")
COMPUTE = [
    (_member(10, "workers", "ml.p5.48xlarge"), _WORKERS),
    (_member(11, "workers", "ml.p5.48xlarge"), _WORKERS),
    (_member(12, "trn", "ml.trn1.32xlarge"), _TRN),
]


def test_nodes_have_the_processors_and_accelerators_of_their_type() -> None:
    text = slurm_files.slurm_conf("Prod", CONTROLLER, COMPUTE, accounting=True)
    assert "ClusterName=prod" in text.splitlines()
    assert "SlurmctldHost=ip-10-0-0-5(10.0.0.5)" in text
    assert "GresTypes=gpu,neuron" in text
    line = next(line for line in text.splitlines() if line.startswith("NodeName=ip-10-0-0-10"))
    assert "CPUs=192" in line
    assert "Gres=gpu:8" in line
    assert "PartitionName=train Nodes=ip-10-0-0-10,ip-10-0-0-11 Default=YES" in text
    assert "PartitionName=trn Nodes=ip-10-0-0-12 Default=NO" in text


def test_no_database_is_configured_without_accounting() -> None:
    assert "AccountingStorage" not in slurm_files.slurm_conf(
        "p", CONTROLLER, COMPUTE, accounting=False
    )


def test_devices_are_listed_by_file() -> None:
    text = slurm_files.gres_conf(COMPUTE)
    assert "NodeName=ip-10-0-0-10 Name=gpu File=/dev/nvidia[0-7]" in text
    assert "NodeName=ip-10-0-0-12 Name=neuron File=/dev/neuron[0-15]" in text
    one = slurm_files.gres_conf([(_member(1, "w", "ml.p5.4xlarge"), _WORKERS)])
    assert one.endswith("File=/dev/nvidia0\n")


def test_only_node_lines_are_replaced() -> None:
    text = slurm_files.slurm_conf("p", CONTROLLER, COMPUTE, accounting=True)
    mine = "PriorityWeightQOS=1\n" + text + "Prolog=/opt/slurm/etc/prolog.sh\n"
    after = slurm_files.with_nodes(mine, COMPUTE[:1])
    assert after.startswith("PriorityWeightQOS=1\n")
    assert after.endswith("Prolog=/opt/slurm/etc/prolog.sh\n")
    assert after.count("NodeName=") == 1
    assert slurm_files.with_nodes(after, COMPUTE) == mine


def test_unknown_instance_type_has_no_hardware() -> None:
    line = slurm_files.node_line(_member(9, "x", "ml.unheard.of"))
    assert line == "NodeName=ip-10-0-0-9 NodeAddr=10.0.0.9 State=UNKNOWN"
