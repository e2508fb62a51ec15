"""AWS PCS in templates: created, updated, replaced, refused, drifted and deleted."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.pcs.suspension import end_version
from packages.localaws.tests.parts import (
    client,
    deploy,
    destroy,
    failure,
    outputs,
    physical_id,
)
from packages.localaws.tests.pcs_parts import (
    PcsSite,
    build_pcs_site,
    cluster,
    group,
    instances,
    queue,
)
from packages.localaws.tests.pcs_templates import template

OUTPUTS = {
    "Outputs": {
        "ClusterArn": {"Value": {"Ref": "Cluster"}},
        "ClusterId": {"Value": {"Fn::GetAtt": ["Cluster", "Id"]}},
        "GroupStatus": {"Value": {"Fn::GetAtt": ["Workers", "Status"]}},
        "QueueArn": {"Value": {"Fn::GetAtt": ["Batch", "Arn"]}},
    }
}


@pytest.fixture
def site() -> Iterator[PcsSite]:
    with local_aws():
        yield build_pcs_site()


def tags(arn: str) -> dict[str, str]:
    found: dict[str, str] = client("pcs").list_tags_for_resource(resourceArn=arn)["tags"]
    return found


def drift(name: str) -> dict[str, str]:
    """Return the drift status of every resource."""
    cloudformation = client("cloudformation")
    detection = cloudformation.detect_stack_drift(StackName=name)["StackDriftDetectionId"]
    while (
        cloudformation.describe_stack_drift_detection_status(StackDriftDetectionId=detection)[
            "DetectionStatus"
        ]
        == "DETECTION_IN_PROGRESS"
    ):
        pass
    return {
        one["LogicalResourceId"]: one["StackResourceDriftStatus"]
        for one in cloudformation.describe_stack_resource_drifts(StackName=name)[
            "StackResourceDrifts"
        ]
    }


def test_platform_is_deployed_with_ids_and_attributes(site: PcsSite) -> None:
    stack = deploy("pcs", template(site), **OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    found = cluster()
    assert outputs(stack) == {
        "ClusterArn": found["arn"],
        "ClusterId": found["id"],
        "GroupStatus": "ACTIVE",
        "QueueArn": queue()["arn"],
    }
    assert found["slurmConfiguration"]["accounting"]["mode"] == "STANDARD"
    assert group()["nodeLifecycleActions"]["stages"]["nodeBootstrapped"][0]["name"] == "prepare"
    assert len(instances(group()["id"])) == 1
    assert tags(found["arn"])["team"] == "a"
    assert set(drift("pcs").values()) == {"IN_SYNC"}
    destroy("pcs")
    assert client("pcs").list_clusters()["clusters"] == []


def test_change_in_place_keeps_the_resources(site: PcsSite) -> None:
    deploy("pcs", template(site))
    before = [one["id"] for one in (cluster(), group(), queue())]
    resources = copy.deepcopy(template(site))
    properties = resources["Cluster"]["Properties"]
    properties["Scheduler"]["Version"] = "25.11"
    del properties["SlurmConfiguration"]["ScaleDownIdleTimeInSeconds"]
    properties["Tags"] = {"team": "b"}
    workers = resources["Workers"]["Properties"]
    workers["ScalingConfiguration"]["MaxInstanceCount"] = 8
    del workers["AmiId"]
    settings = [{"ParameterName": "MaxTime", "ParameterValue": "60"}]
    resources["Batch"]["Properties"]["SlurmConfiguration"]["SlurmCustomSettings"] = settings
    assert deploy("pcs", resources)["StackStatus"] == "UPDATE_COMPLETE"
    assert [one["id"] for one in (cluster(), group(), queue())] == before
    assert cluster()["scheduler"]["version"] == "25.11"
    assert cluster()["slurmConfiguration"]["scaleDownIdleTimeInSeconds"] == 600
    assert tags(cluster()["arn"])["team"] == "b"
    assert group()["scalingConfiguration"]["maxInstanceCount"] == 8
    assert "amiId" not in group()
    assert queue()["slurmConfiguration"]["slurmCustomSettings"] == [
        {"parameterName": "MaxTime", "parameterValue": "60"}
    ]


def test_a_newer_version_resumes_a_suspended_cluster(site: PcsSite) -> None:
    resources = template(site)
    deploy("pcs", resources)
    version = cluster()["scheduler"]["version"]
    end_version(runtime(), "123456789012", "us-east-1", version)
    cluster()
    assert {cluster()["status"], group()["status"], queue()["status"]} == {"SUSPENDED"}
    changed = copy.deepcopy(resources)
    changed["Cluster"]["Properties"]["Scheduler"]["Version"] = "26.05"
    assert deploy("pcs", changed)["StackStatus"] == "UPDATE_COMPLETE"
    assert cluster()["scheduler"]["version"] == "26.05"
    assert {cluster()["status"], group()["status"], queue()["status"]} == {"ACTIVE"}


def test_size_replaces_the_cluster_and_all_in_it(site: PcsSite) -> None:
    resources = template(site)
    for item in resources.values():
        del item["Properties"]["Name"]
    deploy("pcs", resources)
    before = {name: physical_id("pcs", name) for name in resources}
    changed = copy.deepcopy(resources)
    changed["Cluster"]["Properties"]["Size"] = "MEDIUM"
    assert deploy("pcs", changed)["StackStatus"] == "UPDATE_COMPLETE"
    after = {name: physical_id("pcs", name) for name in resources}
    assert all(before[name] != after[name] for name in resources)
    (left,) = client("pcs").list_clusters()["clusters"]
    assert left["arn"] == after["Cluster"]


def test_removing_the_last_custom_setting_is_refused_by_the_service(site: PcsSite) -> None:
    deploy("pcs", template(site))
    resources = copy.deepcopy(template(site))
    del resources["Cluster"]["Properties"]["SlurmConfiguration"]["SlurmCustomSettings"]
    assert deploy("pcs", resources)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "slurmConfiguration.slurmCustomSettings must not be empty." in failure("pcs", "Cluster")


def test_group_that_cannot_start_rolls_the_stack_back() -> None:
    with local_aws(capacity=[{"instance_type": "m5.xlarge", "available": 0}]):
        site = build_pcs_site()
        assert deploy("pcs", template(site))["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "InsufficientInstanceCapacity" in failure("pcs", "Workers")
        assert client("pcs").list_clusters()["clusters"] == []


@pytest.mark.parametrize("key", ["AuthKey", "JwtAuth"])
def test_keys_of_the_service_cannot_be_set(site: PcsSite, key: str) -> None:
    resources = template(site)
    secret: dict[str, Any] = {"SecretArn": "a", "SecretVersion": "b"}
    value = {"JwtKey": secret} if key == "JwtAuth" else secret
    resources["Cluster"]["Properties"]["SlurmConfiguration"][key] = value
    assert deploy("pcs", resources)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert f"SlurmConfiguration.{key} cannot be set" in failure("pcs", "Cluster")


def test_drift_is_found(site: PcsSite) -> None:
    deploy("pcs", template(site))
    client("pcs").update_compute_node_group(
        clusterIdentifier="train",
        computeNodeGroupIdentifier="workers",
        scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 2},
    )
    group()
    assert drift("pcs") == {"Cluster": "IN_SYNC", "Workers": "MODIFIED", "Batch": "IN_SYNC"}
