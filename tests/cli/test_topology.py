"""`clusterwright topology` of a cluster deployed to the local AWS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.aws.ec2 import topology as ec2_topology
from clusterwright.aws.session import AwsSession
from clusterwright.json_output.schemas import schemas
from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import Deployed, node_name
from tests.support.rich_specs import ACCOUNT, MINIMAL, changed

pytestmark = pytest.mark.usefixtures("in_account")

BASE = changed(MINIMAL, protection="destroy")


def topology(path: Path, code: int) -> dict[str, Any]:
    found = clusterwright("topology", path, "--format", "json")
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["topology-output.schema.json"])
    assert found.exit_code == data["exit_code"] == code, data
    return data


def published(deployed: Deployed, slurm_leaf_of_last: str) -> None:
    workers = [n for n in deployed.nodes() if n["InstanceGroupName"] == "workers"]
    nodes = []
    for number, node in enumerate(workers):
        leaf = f"leaf-{number // 2}"
        last = number == len(workers) - 1
        nodes.append(
            {
                "name": node_name(node),
                "group": "workers",
                "instance_id": node["InstanceId"],
                "states": ["ALLOCATED"],
                "switch_path": ["top", f"spine-{number // 2}", leaf],
                "slurm_switch_path": ["root", slurm_leaf_of_last if last else leaf],
            }
        )
    job = {"id": "7", "nodes": [node_name(node) for node in workers]}
    deployed.publish(nodes=nodes, running=[job])


def test_slurm_agrees_and_a_job_crosses_spines(deployed: Deployed) -> None:
    published(deployed, "leaf-1")
    data = topology(deployed.path, 0)
    assert {node["agrees"] for node in data["nodes"]} == {"yes"}
    assert [finding["code"] for finding in data["findings"]] == ["job-across-spines"]
    assert data["jobs"][0]["spines"] == 2


def test_slurm_differs(deployed: Deployed) -> None:
    published(deployed, "leaf-0")
    data = topology(deployed.path, 1)
    assert data["findings"][0]["code"] == "topology-differs"
    assert clusterwright("topology", deployed.path).out.count("topology-differs") == 1


def test_without_the_schedulers_view(deployed: Deployed) -> None:
    client = deployed.account.client("s3")
    client.delete_object(Bucket=deployed.bucket, Key="state/scheduler.json")
    data = topology(deployed.path, 2)
    assert data["jobs"] is None
    assert [part["what"] for part in data["unknown"]] == ["the scheduler's view"]


def test_places_of_instances_from_ec2() -> None:
    """More than a call takes, in the order of the tree."""
    with local_aws():
        ec2 = Account(ACCOUNT).client("ec2")
        image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
        ids = [
            instance["InstanceId"]
            for instance in ec2.run_instances(
                ImageId=image, InstanceType="p5.48xlarge", MinCount=101, MaxCount=101
            )["Instances"]
        ]
        found = ec2_topology.instance_paths(AwsSession("us-east-1"), ids)
        assert set(found) == set(ids)
        assert {len(path) for path in found.values()} == {3}
        assert len({path[0] for path in found.values()}) == 1
        assert len({path[-1] for path in found.values()}) > 1
