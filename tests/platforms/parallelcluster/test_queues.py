"""Queues and compute resources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.parallelcluster.queues import takes_placement_group
from tests.platforms.parallelcluster.rendered import (
    BLOCK,
    RESERVATION,
    loaded,
    queue_of,
    rendered,
    resource_of,
)
from tests.support.parallelcluster_specs import SMALL, with_groups
from tests.support.specs import changed


def test_a_capacity_block(tmp_path: Path) -> None:
    """All instances run, by the id of the block, without a placement group, with an explicit type;
    its spares remain unused to replace a failed instance.
    """
    found = rendered(
        tmp_path, compute__2__capacity=BLOCK, compute__2__count=64, compute__2__spare_count=2
    )
    queue, resource = queue_of(found), resource_of(found)
    assert queue["CapacityType"] == "CAPACITY_BLOCK"
    assert "AllocationStrategy" not in queue
    assert resource["InstanceType"] == "p5.48xlarge"
    assert "Instances" not in resource
    assert (resource["MinCount"], resource["MaxCount"]) == (62, 62)
    assert resource["CapacityReservationTarget"] == {"CapacityReservationId": BLOCK["id"]}
    assert resource["Networking"] == {"PlacementGroup": {"Enabled": False}}


def test_reservation_is_the_target(tmp_path: Path) -> None:
    found = rendered(tmp_path, compute__2__capacity=RESERVATION, compute__2__spare_count=1)
    resource = resource_of(found)
    assert queue_of(found)["CapacityType"] == "ONDEMAND"
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
def test_counts_become_min_and_max_count(
    changes: dict[str, Any], wanted: tuple[int, int], tmp_path: Path
) -> None:
    resource = resource_of(rendered(tmp_path, **changes))
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
def test_efa_has_a_placement_group(
    instance_type: str, wanted: bool | None, efa: bool, group: bool, tmp_path: Path
) -> None:
    """EFA if the type supports it; its placement group is stated explicitly."""
    found = rendered(
        tmp_path, compute__2__instance_type=instance_type, compute__2__placement_group=wanted
    )
    assert resource_of(found)["Efa"] == {"Enabled": efa}
    assert resource_of(found)["Networking"] == {"PlacementGroup": {"Enabled": group}}
    data = changed(
        {"compute.2.instance_type": instance_type, "compute.2.placement_group": wanted}, SMALL
    )
    cluster = loaded(tmp_path, data)
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
def test_gpu_health_check_depends_on_the_type(
    instance_type: str, wanted: bool | None, runs: bool, tmp_path: Path
) -> None:
    """Off where its prolog hangs (aws-parallelcluster issue 6777), unless requested."""
    changes: dict[str, Any] = {"compute__2__instance_type": instance_type}
    if wanted is not None:
        changes["parallelcluster"] = {"gpu_health_check": wanted}
    found = resource_of(rendered(tmp_path, **changes))
    assert found["HealthChecks"] == {"Gpu": {"Enabled": runs}}


def test_partitions_are_queues(tmp_path: Path) -> None:
    """With their groups as compute resources, whose names the custom action receives."""
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
    found = rendered(tmp_path, data)
    first, second = found["Scheduling"]["SlurmQueues"]
    assert [one["Name"] for one in first["ComputeResources"]] == ["b", "a"]
    assert first["CustomSlurmSettings"] == {"PriorityTier": "3", "MaxTime": "60"}
    assert first["CustomActions"]["OnNodeConfigured"]["Args"][2:] == ["b=b", "a=a"]
    assert second["CapacityType"] == "SPOT"
    assert second["CustomActions"]["OnNodeConfigured"]["Args"][2:] == ["c"]
