"""Errors for specs that ParallelCluster's release and the instance types do not support."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.loading import load_cluster
from tests.support.parallelcluster_specs import SMALL, with_groups
from tests.support.specs import changed, write

LONG = "a-name-of-twenty-six-lette"


def _errors(folder: Path, data: dict[str, Any]) -> str:
    try:
        load_cluster(write(folder / "spec.yaml", data))
    except SpecErrors as wrong:
        found = wrong
    else:
        return ""
    assert all(problem.position for problem in found)
    return str(found)


def test_the_small_spec_passes(tmp_path: Path) -> None:
    assert _errors(tmp_path, SMALL) == ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parallelcluster.version": "3.16.2"}, "ParallelCluster 3.16.2 is not supported"),
        (
            {
                "region": "me-central-1",
                "network": {"cidr": "10.0.0.0/16", "availability_zone_id": "mec1-az1"},
            },
            "ParallelCluster 3.16.1 does not support me-central-1",
        ),
        (
            {"tags": {f"key-{number}": "value" for number in range(40)}},
            "40 tags: ParallelCluster allows at most 40, including that of the environment",
        ),
        (
            {"compute.2.name": LONG},
            f"`{LONG}` has 26 characters; names of ParallelCluster must have at most 25",
        ),
        (
            {"compute.2.name": "Workers"},
            "`Workers`: names of ParallelCluster must have lowercase letters",
        ),
        ({"compute.1.name": "1st"}, "`1st`: names of ParallelCluster must have lowercase letters"),
        (
            {"slurm.partitions": [{"name": "Training", "groups": ["workers"]}]},
            "`Training`: names of ParallelCluster must have lowercase letters",
        ),
        ({"storage.lustre.0.name": "home"}, "`home` is reserved for the home directories"),
        ({"storage.lustre.0.name": "default"}, "must not be `default`"),
        ({"storage.lustre.0.name": "a" * 31}, "must have at most 30 characters"),
        ({"storage.lustre.0.mount_path": "/mnt"}, "ParallelCluster reserves /mnt"),
        (
            {"compute.0.instance_type": "m7g.4xlarge"},
            "p5.48xlarge is x86_64 and the head node is arm64",
        ),
        (
            {"compute.0.instance_type": "m5.large", "compute.2.count": 400},
            "m5.large has 8 GiB; the head node of 400 nodes needs 16 GiB",
        ),
        (
            {"compute.0.instance_type": "t3.medium", "compute.2.max_count": 100},
            "the head node of 100 nodes needs 4.6 GiB",
        ),
        (
            {"compute.2.instance_type": "m5.4xlarge", "compute.2.network_interface": "efa"},
            "m5.4xlarge does not support EFA",
        ),
        (
            {"compute.1.network_interface": "efa"},
            "`network_interface` applies only to groups with the role compute",
        ),
        (
            {"observability.log_retention_days": 1096},
            "ParallelCluster does not support a log retention of 1096 days",
        ),
        ({"tags": {"parallelcluster:version": "1"}}, "is reserved"),
        (
            {
                "compute.2.instance_type": "trn1.32xlarge",
                "parallelcluster.gpu_health_check": True,
            },
            "the health check requires NVIDIA accelerators",
        ),
        # Settings of other platforms.
        ({"resilience.node_recovery": "none"}, "`resilience` requires platform hyperpod"),
        ({"image.auto_patch": {"strategy": "when-idle"}}, "`auto_patch` requires platform"),
        ({"slurm.strategy": "Merge"}, "`strategy` requires platform hyperpod-slurm"),
        ({"compute.2.ebs": {"capacity_gib": 100}}, "here nodes have only a root volume"),
        (
            {"compute.1.scratch": {"mount_path": "/s"}},
            "does not support `scratch` for login nodes",
        ),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    assert message in _errors(tmp_path, changed(changes, SMALL))


def test_mixed_interface_types_are_refused(tmp_path: Path) -> None:
    """One setting applies to the whole cluster."""
    group = {"role": "compute", "instance_type": "p5.48xlarge", "count": 2}
    data = with_groups(
        {**group, "name": "old", "network_interface": "efa"}, {**group, "name": "new"}
    )
    assert "one interface type for all queues with EFA" in _errors(tmp_path, data)
    data["compute"][3]["network_interface"] = "efa"
    assert _errors(tmp_path, data) == ""


@pytest.mark.parametrize("system", ["rhel8", "rhel9"])
def test_gb200_operating_systems_are_validated(system: str, tmp_path: Path) -> None:
    block = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
    group = {"name": "w", "role": "compute", "instance_type": "p6e-gb200.36xlarge", "count": 18}
    data = with_groups({**group, "capacity": block}, parallelcluster={"os": system})
    for node in data["compute"][:2]:
        node["instance_type"] = "m7g.4xlarge"
    assert f"ParallelCluster does not support {system} on p6e-gb200" in _errors(tmp_path, data)
    data["parallelcluster"]["os"] = "ubuntu2404"
    assert _errors(tmp_path, data) == ""


@pytest.mark.parametrize(
    ("counted", "said"),
    [
        ({"count": 18}, ""),
        ({"count": 9}, ""),
        (
            {"count": 18, "spare_count": 1},
            "17 nodes run, but ParallelCluster configures only UltraServers with",
        ),
        (
            {"count": 4},
            "4 nodes run, but ParallelCluster configures only UltraServers with 9 or 18",
        ),
    ],
)
def test_ultraserver_must_be_complete(counted: dict[str, int], said: str, tmp_path: Path) -> None:
    block = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
    group = {"name": "w", "role": "compute", "instance_type": "p6e-gb200.36xlarge", **counted}
    data = with_groups({**group, "capacity": block})
    for node in data["compute"][:2]:
        node["instance_type"] = "m7g.4xlarge"
    told = _errors(tmp_path, data)
    assert said in told if said else told == ""


def test_unsupported_topology_is_refused(tmp_path: Path) -> None:
    group = {"role": "compute", "instance_type": "g5.48xlarge", "count": 2}
    data = with_groups({**group, "name": "a"}, slurm={"topology": "tree"})
    assert "EC2 does not describe the topology of g5.48xlarge" in _errors(tmp_path, data)
    data["compute"].append({**group, "name": "b", "instance_type": "p5.48xlarge"})
    assert _errors(tmp_path, data) == ""


def test_counts_are_limited(tmp_path: Path) -> None:
    group = {"role": "compute", "instance_type": "p5.48xlarge", "count": 1}
    data = with_groups(*({**group, "name": f"g{number}"} for number in range(51)))
    told = _errors(tmp_path, data)
    assert "51 queues: ParallelCluster allows at most 50" in told
    assert "51 compute groups: ParallelCluster allows at most 50" in told
    login = {"role": "login", "instance_type": "m5.4xlarge", "count": 1}
    data = with_groups({**group, "name": "w"})
    data["compute"] += [{**login, "name": f"l{number}"} for number in range(10)]
    assert "11 login groups: ParallelCluster allows at most 10" in _errors(tmp_path, data)


def test_derived_values_are_checked(tmp_path: Path) -> None:
    """A partition for each group, and no accounting: what the other Slurm platform has instead
    (one partition, a database on the controller) ParallelCluster cannot have.
    """
    group = {"role": "compute", "instance_type": "p5.48xlarge", "count": 1}
    spec = with_groups({**group, "name": "a"}, {**group, "name": "b"})
    cluster = load_cluster(write(tmp_path / "spec.yaml", spec)).cluster
    assert [(p.name, p.groups) for p in cluster.slurm.partitions] == [("a", ["a"]), ("b", ["b"])]
    assert cluster.slurm.accounting.kind == "none"
    assert cluster.slurm.configuration == "managed"
