"""`clusterwright capacity` of a cluster deployed to the local AWS."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import Deployed, node_name
from tests.support.rich_specs import MINIMAL, changed

pytestmark = pytest.mark.usefixtures("in_account")

BASE = changed(MINIMAL, protection="destroy")


def capacity(path: Path, code: int) -> dict[str, Any]:
    found = clusterwright("capacity", path, "--format", "json")
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["capacity-output.schema.json"])
    assert found.exit_code == data["exit_code"] == code, data["findings"]
    return data


def test_a_failure_stops_the_largest_job(deployed: Deployed) -> None:
    workers = [n for n in deployed.nodes() if n["InstanceGroupName"] == "workers"]
    names = [node_name(node) for node in workers]
    nodes = [
        {
            "name": name,
            "group": "workers",
            "instance_id": node["InstanceId"],
            "states": ["IDLE"] if name == names[-1] else ["ALLOCATED"],
        }
        for name, node in zip(names, workers, strict=True)
    ]
    job = {"id": "7", "nodes": names[:-1], "since": "2026-11-23T07:00:00Z"}
    deployed.publish(nodes=nodes, running=[job])
    data = capacity(deployed.path, 0)
    (failure,) = data["failures"]
    assert (failure["job"], failure["job_nodes"]) == ("7", 3)
    assert failure["replacement"] == "idle-node"
    assert failure["cost_usd"]["most"] > failure["cost_usd"]["least"] > 0
    assert data["spares"][0]["idle"] == names[-1:]


def test_a_reservation_that_ends(deployed: Deployed, tmp_path: Path) -> None:
    end = dt.datetime.now(dt.UTC) + dt.timedelta(hours=20)
    made = deployed.account.client("ec2").create_capacity_reservation(
        InstanceType="p5.48xlarge",
        InstancePlatform="Linux/UNIX",
        AvailabilityZoneId="use1-az6",
        InstanceCount=4,
        EndDateType="limited",
        EndDate=end,
    )["CapacityReservation"]["CapacityReservationId"]
    path = tmp_path / "test.yaml"
    bought = {"kind": "reservation", "id": made}
    path.write_text(
        json.dumps(changed(BASE, platform="parallelcluster", compute__1__capacity=bought))
    )
    data = capacity(path, 1)
    (purchase,) = data["capacity"]
    assert (purchase["id"], purchase["groups"], purchase["total"]) == (made, ["workers"], 4)
    assert purchase["ends"][:16] == end.isoformat()[:16]
    assert [f["code"] for f in data["findings"]] == ["capacity-ends"]


def test_a_block_has_a_health(deployed: Deployed, tmp_path: Path) -> None:
    ec2 = deployed.account.client("ec2")
    offered = ec2.describe_capacity_block_offerings(
        InstanceType="p5.48xlarge", InstanceCount=4, CapacityDurationHours=48
    )["CapacityBlockOfferings"][0]
    made = ec2.purchase_capacity_block(
        CapacityBlockOfferingId=offered["CapacityBlockOfferingId"], InstancePlatform="Linux/UNIX"
    )["CapacityReservation"]["CapacityReservationId"]
    path = tmp_path / "test.yaml"
    bought = {"kind": "capacity-block", "id": made}
    path.write_text(
        json.dumps(changed(BASE, platform="parallelcluster", compute__1__capacity=bought))
    )
    (purchase,) = capacity(path, 1)["capacity"]
    assert (purchase["id"], purchase["kind"]) == (made, "capacity-block")
    assert (purchase["unhealthy"], purchase["interconnect"]) == (0, None)


def test_before_the_controller_publishes(deployed: Deployed) -> None:
    client = deployed.account.client("s3")
    client.delete_object(Bucket=deployed.bucket, Key="state/scheduler.json")
    data = capacity(deployed.path, 2)
    assert [part["what"] for part in data["unknown"]] == ["the scheduler's view"]
    assert data["failures"][0]["job_nodes"] is None


def test_text(deployed: Deployed) -> None:
    deployed.publish(running=[])
    found = clusterwright("capacity", deployed.path)
    assert (found.exit_code, found.err) == (0, "")
    assert found.out.splitlines()[-2:] == ["  workers: nothing", "    no job runs on the group"]
