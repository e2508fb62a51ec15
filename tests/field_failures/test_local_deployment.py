"""Failures shown by the deployment to the local AWS, with the templates for AWS."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.field_failures import deployment
from tests.field_failures.parts import P5_USAGE, account, client
from tests.support import specs
from tests.support.synthesis import Assembly, Build

pytestmark = pytest.mark.slow

LUSTRE = {"mount_path": "/fsx", "deployment_type": "SCRATCH_2", "capacity_gib": 1200}
SPEC = specs.changed({"storage.lustre": [LUSTRE], "protection": "destroy"})
QUOTA = 8


def counted(count: int) -> dict[str, Any]:
    return specs.changed({"compute.1.count": count}, base=SPEC)


@pytest.fixture(scope="module")
def standing(build: Build) -> Iterator[Assembly]:
    """A deployed cluster of four workers, in an account with a quota of eight."""
    assembly = build(SPEC)
    with account(quotas={P5_USAGE: QUOTA}):
        outcomes = deployment.deploy(assembly)
        assert all(outcome.ok for outcome in outcomes.values()), outcomes
        yield assembly


def nodes() -> dict[str, set[str]]:
    """Ids of the nodes by group."""
    found: dict[str, set[str]] = {}
    pages = client("sagemaker").get_paginator("list_cluster_nodes")
    for page in pages.paginate(ClusterName="test"):
        for node in page["ClusterNodeSummaries"]:
            assert node["InstanceStatus"]["Status"] == "Running"
            found.setdefault(node["InstanceGroupName"], set()).add(node["InstanceId"])
    return found


def test_cluster_toolkit_1769_changed_count_changes_the_nodes(
    standing: Assembly, build: Build
) -> None:
    before = nodes()
    assert {name: len(ids) for name, ids in before.items()} == {"controller": 1, "workers": 4}
    more = build(counted(7))
    # Nothing is stopped, replaced or recreated. Beside the cluster, only the contents of
    # the prefix with the scripts change: the job files have the numbers of nodes.
    changed = {n for n in more.templates if more.templates[n] != standing.templates[n]}
    assert changed == {"test-cluster", "test-lifecycle"}
    other = {
        name
        for name, resource in more.templates["test-lifecycle"]["Resources"].items()
        if resource != standing.templates["test-lifecycle"]["Resources"].get(name)
    }
    assert {name for name in other if not name.startswith("Copy")} == set()
    assert deployment.deploy(more, "test-cluster", assets=False)["test-cluster"].ok
    after = nodes()
    assert len(after["workers"]) == 7
    assert before["workers"] < after["workers"]
    assert after["controller"] == before["controller"]
    assert deployment.deploy(standing, "test-cluster", assets=False)["test-cluster"].ok
    assert len(nodes()["workers"]) == 4
    assert nodes()["workers"] <= after["workers"]


def test_parallelcluster_6407_stack_events_contain_the_reason(
    standing: Assembly, build: Build
) -> None:
    before = nodes()
    # An AWS resource: the message of the quota, in the stack's events.
    too_many = build(counted(QUOTA + 1))
    outcome = deployment.deploy(too_many, "test-cluster", assets=False)["test-cluster"]
    assert outcome.status == "UPDATE_ROLLBACK_COMPLETE"
    (reason,) = [text for text in outcome.reasons if text.startswith("Cluster: ")]
    assert "ml.p5.48xlarge for cluster usage" in reason
    assert f"is {QUOTA} Instances" in reason
    assert nodes() == before
    # A custom resource: the actual error of its function. The archive of the scripts
    # was not uploaded.
    users = [{"name": "ada", "uid": 20001}]
    other = build(specs.changed({"slurm.users": users}, base=SPEC))
    outcome = deployment.deploy(other, "test-lifecycle", assets=False)["test-lifecycle"]
    assert outcome.status == "UPDATE_ROLLBACK_COMPLETE"
    (reason,) = [text for text in outcome.reasons if text.startswith("Copy")]
    assert "key does not exist" in reason
    assert nodes() == before


def test_found_checked_spec_is_the_deployed_spec(standing: Assembly) -> None:
    """The deployed cluster equals the template, value by value, with every node."""
    (resource,) = standing.resources("AWS::SageMaker::Cluster").values()
    wanted = resource["Properties"]
    sagemaker = client("sagemaker")
    found = sagemaker.describe_cluster(ClusterName="test")
    assert found["ClusterStatus"] == "InService"
    assert found["NodeRecovery"] == wanted["NodeRecovery"]
    assert found["NodeProvisioningMode"] == wanted["NodeProvisioningMode"]
    groups = {group["InstanceGroupName"]: group for group in found["InstanceGroups"]}
    compared = 0
    for group in wanted["InstanceGroups"]:
        there = groups[group["InstanceGroupName"]]
        assert there["TargetCount"] == there["CurrentCount"] == group["InstanceCount"]
        for key, value in group.items():
            if key in there and not _has_tokens(value):
                assert there[key] == value, key
                compared += 1
    assert compared >= 6
    # The scripts for the nodes are uploaded, and are those of the repository.
    uri = groups["workers"]["LifeCycleConfig"]["SourceS3Uri"]
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    listed = client("s3").list_objects_v2(Bucket=bucket, Prefix=prefix)
    names = {entry["Key"].removeprefix(prefix) for entry in listed["Contents"]}
    assert {"on_init_complete.sh", "cluster.json", "deployment.json"} <= names
    files = json.loads(
        client("s3").get_object(Bucket=bucket, Key=f"{prefix}deployment.json")["Body"].read()
    )
    (system,) = client("fsx").describe_file_systems()["FileSystems"]
    assert files["lustre"][0]["dns_name"] == system["DNSName"]
    assert files["lustre"][0]["mount_name"] == system["LustreConfiguration"]["MountName"]


def _has_tokens(value: Any) -> bool:
    return any(word in json.dumps(value) for word in ('"Fn::', '"Ref"'))
