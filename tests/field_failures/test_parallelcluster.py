"""Failures of ParallelCluster that the rendered configuration excludes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.support import parallelcluster_specs as specs
from tests.support.command_line import clusterwright
from tests.support.specs import changed, write


def _rendered(folder: Path, *groups: dict[str, Any]) -> list[dict[str, Any]]:
    """Compute resources with the capacity type of their queue."""
    write(folder / "spec.yaml", specs.with_groups(*groups))
    answer = clusterwright("render", "parallelcluster", folder / "spec.yaml")
    assert answer.exit_code == 0
    configuration = yaml.safe_load(answer.out)
    return [
        {**resource, "CapacityType": queue["CapacityType"]}
        for queue in configuration["Scheduling"]["SlurmQueues"]
        for resource in queue["ComputeResources"]
    ]


def test_parallelcluster_4061_reservation_and_block_are_one_line_each(tmp_path: Path) -> None:
    """And what belongs to them follows: the kind of capacity, the counts, no placement group."""
    group = {"role": "compute", "instance_type": "p5.48xlarge", "count": 8}
    block = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
    reservation = {"kind": "reservation", "id": "cr-0123456789abcdef1"}
    first, second = _rendered(
        tmp_path,
        {**group, "name": "block", "capacity": block},
        {**group, "name": "reserved", "capacity": reservation},
    )
    assert (first["CapacityType"], second["CapacityType"]) == ("CAPACITY_BLOCK", "ONDEMAND")
    for found, capacity in ((first, block), (second, reservation)):
        assert found["CapacityReservationTarget"] == {"CapacityReservationId": capacity["id"]}
        assert found["Networking"] == {"PlacementGroup": {"Enabled": False}}
        assert found["MinCount"] == found["MaxCount"] == 8
        # Without the type an update fails after the reservation has expired (issue 6870).
        assert found["InstanceType"] == "p5.48xlarge"


def test_parallelcluster_5175_unsupported_update_is_reported(tmp_path: Path) -> None:
    """Head node, operating system and image: the review fails, with the alternative."""
    before = write(tmp_path / "before.yaml", specs.SMALL)
    for path, value, key in (
        ("compute.0.instance_type", "m5.8xlarge", "HeadNode.InstanceType"),
        ("parallelcluster.os", "ubuntu2404", "Image.Os"),
        ("image.image_id", "ami-0a1b2c3d4e5f60718", "Image.CustomAmi"),
    ):
        after = write(tmp_path / "after.yaml", changed({path: value}, specs.SMALL))
        words = ("diff", after, "--base", before, "--no-templates", "--offline")
        answer = clusterwright(*words)
        assert answer.exit_code == 1
        assert key in answer.out
        assert "create a cluster under another `environment`" in answer.out


def test_parallelcluster_4366_fewer_nodes_are_reported_to_end_jobs(tmp_path: Path) -> None:
    """Growing has no requirements.

    shrinking requires a stopped fleet or the strategy that ends jobs.
    """
    before = write(tmp_path / "before.yaml", specs.SMALL)
    words = ("--base", before, "--no-templates", "--offline")
    more = write(tmp_path / "more.yaml", changed({"compute.2.count": 8}, specs.SMALL))
    assert "MinCount" not in clusterwright("diff", more, *words).out
    fewer = write(tmp_path / "fewer.yaml", changed({"compute.2.count": 2}, specs.SMALL))
    answer = clusterwright("diff", fewer, *words)
    assert answer.exit_code == 1
    assert "terminate" in answer.out
