"""The rules of the generator, each on the smallest spec that shows it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models import Cluster
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.parallelcluster import limits
from clusterwright.platforms.parallelcluster.document import render
from clusterwright.platforms.parallelcluster.queues import takes_placement_group
from clusterwright.platforms.parallelcluster.storage import mounted_by_parallelcluster
from clusterwright.platforms.parallelcluster.supplied import placeholders
from clusterwright.platforms.parallelcluster.timeouts import Timeouts, timeouts
from stacks.lifecycle import node_files
from tests.support.parallelcluster_specs import SMALL, with_groups
from tests.support.specs import changed, write

BLOCK = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
RESERVATION = {"kind": "reservation", "id": "cr-0123456789abcdef1"}


def _cluster(folder: Path, data: dict[str, Any]) -> Cluster:
    return load_cluster(write(folder / "spec.yaml", data)).cluster


def _rendered(folder: Path, data: dict[str, Any] = SMALL, **changes: Any) -> dict[str, Any]:
    paths = {path.replace("__", "."): value for path, value in changes.items()}
    cluster = _cluster(folder, changed(paths, data))
    return render(cluster, load_catalog(), placeholders(cluster))


def _queue(configuration: dict[str, Any], number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = configuration["Scheduling"]["SlurmQueues"][number]
    return found


def _resource(configuration: dict[str, Any], number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = _queue(configuration, number)["ComputeResources"][0]
    return found


def test_a_capacity_block(tmp_path: Path) -> None:
    """All of it runs, by its id, in no placement group, with the type said all the same; its
    spares stay free for the instance that takes a failed one's place.
    """
    found = _rendered(
        tmp_path, compute__2__capacity=BLOCK, compute__2__count=64, compute__2__spare_count=2
    )
    queue, resource = _queue(found), _resource(found)
    assert queue["CapacityType"] == "CAPACITY_BLOCK"
    assert "AllocationStrategy" not in queue
    assert resource["InstanceType"] == "p5.48xlarge"
    assert "Instances" not in resource
    assert (resource["MinCount"], resource["MaxCount"]) == (62, 62)
    assert resource["CapacityReservationTarget"] == {"CapacityReservationId": BLOCK["id"]}
    assert resource["Networking"] == {"PlacementGroup": {"Enabled": False}}


def test_a_reservation(tmp_path: Path) -> None:
    found = _rendered(tmp_path, compute__2__capacity=RESERVATION, compute__2__spare_count=1)
    resource = _resource(found)
    assert _queue(found)["CapacityType"] == "ONDEMAND"
    assert (resource["MinCount"], resource["MaxCount"]) == (3, 3)
    assert resource["CapacityReservationTarget"] == {"CapacityReservationId": RESERVATION["id"]}
    assert resource["Networking"] == {"PlacementGroup": {"Enabled": False}}
    assert resource["InstanceType"] == "p5.48xlarge"


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, (4, 4)),
        ({"compute__2__min_count": 1}, (1, 4)),
        ({"compute__2__max_count": 9}, (4, 9)),
        ({"compute__2__min_count": 0, "compute__2__max_count": 9}, (0, 9)),
        ({"compute__2__count": 0, "compute__2__max_count": 9}, (0, 9)),
    ],
)
def test_counts(changes: dict[str, Any], wanted: tuple[int, int], tmp_path: Path) -> None:
    resource = _resource(_rendered(tmp_path, **changes))
    assert (resource["MinCount"], resource["MaxCount"]) == wanted


@pytest.mark.parametrize(
    ("instance_type", "wanted", "efa", "group"),
    [
        ("p5.48xlarge", None, True, True),
        ("p5.48xlarge", False, True, False),
        ("m5.4xlarge", None, False, False),
        ("m5.4xlarge", True, False, True),
    ],
)
def test_efa_and_its_placement_group(
    instance_type: str, wanted: bool | None, efa: bool, group: bool, tmp_path: Path
) -> None:
    """EFA wherever the type has it; its placement group is said either way."""
    found = _rendered(
        tmp_path, compute__2__instance_type=instance_type, compute__2__placement_group=wanted
    )
    assert _resource(found)["Efa"] == {"Enabled": efa}
    assert _resource(found)["Networking"] == {"PlacementGroup": {"Enabled": group}}
    data = changed(
        {"compute.2.instance_type": instance_type, "compute.2.placement_group": wanted}, SMALL
    )
    cluster = _cluster(tmp_path, data)
    assert takes_placement_group(cluster.compute[2], load_catalog()) is group
    assert not takes_placement_group(cluster.compute[0], load_catalog())


@pytest.mark.parametrize(
    ("instance_type", "wanted", "runs"),
    [
        *((name, None, False) for name in ("p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge")),
        *((name, None, True) for name in ("g5.48xlarge", "g6e.48xlarge")),
        ("p5.48xlarge", True, True),
        ("g5.48xlarge", False, False),
        ("trn1.32xlarge", None, False),
    ],
)
def test_the_gpu_health_check(
    instance_type: str, wanted: bool | None, runs: bool, tmp_path: Path
) -> None:
    """Off where its prolog hangs (aws-parallelcluster issue 6777), unless it is asked for."""
    changes: dict[str, Any] = {"compute__2__instance_type": instance_type}
    if wanted is not None:
        changes["parallelcluster"] = {"gpu_health_check": wanted}
    found = _resource(_rendered(tmp_path, **changes))
    assert found["HealthChecks"] == {"Gpu": {"Enabled": runs}}


def test_every_queue_is_exclusive_private_and_encrypted(tmp_path: Path) -> None:
    found = _rendered(tmp_path)
    queue = _queue(found)
    assert queue["JobExclusiveAllocation"] is True
    assert len(queue["Networking"]["SubnetIds"]) == 1
    assert "AssignPublicIp" not in queue["Networking"]
    volumes = [queue["ComputeSettings"]["LocalStorage"], found["HeadNode"]["LocalStorage"]]
    assert all(volume["RootVolume"]["Encrypted"] for volume in volumes)
    assert found["HeadNode"]["SharedStorageType"] == "Efs"
    assert found["HeadNode"]["SharedStorageEfsSettings"] == {"Encrypted": True}
    assert found["HeadNode"]["Imds"] == {"Secured": True}
    assert found["Imds"] == {"ImdsSupport": "v2.0"}


@pytest.mark.parametrize(("protection", "policy"), [("retain", "Retain"), ("destroy", "Delete")])
def test_logs_and_protection(protection: str, policy: str, tmp_path: Path) -> None:
    logs = _rendered(tmp_path, protection=protection)["Monitoring"]["Logs"]["CloudWatch"]
    assert logs == {"Enabled": True, "RetentionInDays": 90, "DeletionPolicy": policy}


def test_no_setting_is_denied(tmp_path: Path) -> None:
    """ParallelCluster keeps some lines of slurm.conf for itself."""
    found = _rendered(tmp_path, slurm={"accounting": {"kind": "rds"}, "accounts": [{"name": "a"}]})
    settings = found["Scheduling"]["SlurmSettings"]["CustomSlurmSettings"]
    names = {name.lower() for one in settings for name in one}
    assert all(len(one) == 1 for one in settings)
    assert not names & (limits.DENIED_SLURM_SETTINGS | limits.DENIED_WITH_DATABASE)
    queue = {name.lower() for name in _queue(found)["CustomSlurmSettings"]}
    assert not queue & limits.DENIED_QUEUE_SETTINGS
    assert {"AccountingStorageEnforce": "associations,limits,qos"} in settings


def test_partitions_are_queues(tmp_path: Path) -> None:
    """With their groups as compute resources, which the custom action is told by name."""
    group = {"role": "compute", "instance_type": "p5.48xlarge", "count": 1}
    partitions = [
        {"name": "training", "groups": ["b", "a"], "max_time_minutes": 60, "priority_tier": 3},
        {"name": "cheap", "groups": ["c"]},
    ]
    data = with_groups(
        *({**group, "name": name} for name in ("a", "b")),
        {**group, "name": "c", "capacity": {"kind": "spot"}},
        slurm={"accounting": {"kind": "none"}, "partitions": partitions},
    )
    found = _rendered(tmp_path, data)
    first, second = found["Scheduling"]["SlurmQueues"]
    assert [one["Name"] for one in first["ComputeResources"]] == ["b", "a"]
    assert first["CustomSlurmSettings"] == {"PriorityTier": "3", "MaxTime": "60"}
    assert first["CustomActions"]["OnNodeConfigured"]["Args"][2:] == ["b=b", "a=a"]
    assert second["CapacityType"] == "SPOT"
    assert second["CustomActions"]["OnNodeConfigured"]["Args"][2:] == ["c"]


def test_head_and_login_nodes_have_words_that_last(tmp_path: Path) -> None:
    """Update policy of their OnNodeConfigured: unsupported. Nothing in it may be a version's."""
    found = _rendered(tmp_path)
    supplied = placeholders(_cluster(tmp_path, SMALL))
    pool = found["LoginNodes"]["Pools"][0]
    for holder in (found["HeadNode"], pool):
        text = str(holder["CustomActions"]["OnNodeConfigured"])
        assert supplied.scripts_s3_uri not in text
        assert supplied.manifest_sha256 not in text
    assert supplied.manifest_sha256 in str(found["HeadNode"]["CustomActions"]["OnNodeUpdated"])
    assert "OnNodeUpdated" not in pool["CustomActions"]


def test_lustre_over_efa_is_the_node_programs(tmp_path: Path) -> None:
    """A mount stays on the network it was made with, and ParallelCluster's is TCP."""
    efa = {"mount_path": "/fast", "capacity_gib": 4800, "throughput_mbps_per_tib": 1000}
    data = changed({"storage.lustre.1": {**efa, "efa": True}}, SMALL)
    found = _rendered(tmp_path, data)
    assert [one["MountDir"] for one in found["SharedStorage"]] == ["/home", "/fsx"]
    lustre = _cluster(tmp_path, data).storage.lustre
    assert [mounted_by_parallelcluster(fs) for fs in lustre] == [True, False]


def test_file_systems_are_named_and_never_made(tmp_path: Path) -> None:
    for entry in _rendered(tmp_path)["SharedStorage"]:
        (settings,) = (value for key, value in entry.items() if key.endswith("Settings"))
        assert set(settings) <= {"FileSystemId", "VolumeId"}


def test_timeouts_follow_the_fleet(tmp_path: Path) -> None:
    assert timeouts(0) == timeouts(50) == Timeouts(7200, 2100, 90)
    assert timeouts(51) == timeouts(100) == Timeouts(7200, 2700, 180)
    assert timeouts(1600) == Timeouts(7200, 5100, 540)
    assert timeouts(100_000) == Timeouts(7200, 5100, 600)
    found = _rendered(tmp_path, compute__2__count=200)["DevSettings"]["Timeouts"]
    assert found["ComputeNodeBootstrapTimeout"] == 3300
    assert found["ComputeInstanceInfoTimeout"] == 270


@pytest.mark.parametrize("nodes", [1, 50, 51, 500, 5000])
def test_the_head_node_outlasts_its_nodes(nodes: int) -> None:
    found = timeouts(nodes)
    assert found.head_node_bootstrap >= limits.BOOTSTRAP_SECONDS + found.compute_node_bootstrap


def test_the_memory_of_the_head_node() -> None:
    assert limits.head_node_memory_gib(10) == 1.0
    assert limits.head_node_memory_gib(384) < 16
    assert limits.head_node_memory_gib(385) == 16


def test_rights(tmp_path: Path) -> None:
    buckets = [
        {"name": "acme-datasets", "mount_path": "/s3/datasets"},
        {"name": "acme-results"},
        {"name": "acme-express", "directory": True},
    ]
    found = _rendered(tmp_path, storage__buckets=buckets, identity={"session_manager": False})
    policy = {"Policy": "arn:aws:iam::111122223333:policy/placeholder-nodes"}
    assert found["HeadNode"]["Iam"] == {
        "AdditionalIamPolicies": [policy],
        "S3Access": [
            {"BucketName": "placeholder-scripts"},
            {"BucketName": "acme-datasets"},
            {"BucketName": "acme-results", "EnableWriteAccess": True},
        ],
    }
    # Pools of login nodes have no S3Access: all their rights are in policies.
    assert found["LoginNodes"]["Pools"][0]["Iam"] == {"AdditionalIamPolicies": [policy]}


def test_names_of_the_document_are_parallelclusters(tmp_path: Path) -> None:
    """PascalCase throughout, apart from lines of slurm.conf and what users name."""
    found = _rendered(tmp_path)

    def names(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [*value, *(name for below in value.values() for name in names(below))]
        return [name for item in value for name in names(item)] if isinstance(value, list) else []

    assert all(re.fullmatch(r"([A-Z][A-Za-z0-9]*)+", name) for name in names(found))


def test_spares_are_no_nodes_that_keep_out_of_jobs(tmp_path: Path) -> None:
    """They are not launched, so the node program has none to keep free."""
    spec = changed({"compute.2.capacity": RESERVATION, "compute.2.spare_count": 1}, SMALL)
    told = node_files.cluster_json(_cluster(tmp_path, spec), load_catalog())
    assert [group["spare_count"] for group in told["groups"]] == [0, 0, 0]
    assert [fs["by_platform"] for fs in told["lustre"]] == [True]
