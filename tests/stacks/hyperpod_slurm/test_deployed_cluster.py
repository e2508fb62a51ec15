"""A cluster deployed to the local AWS: its outputs, and the effects of changes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, add_boundary, bootstrapped, objects
from tests.support.rich_specs import FULL, changed
from tests.support.synthesis import Build

SPEC = changed(FULL, protection="destroy")


@pytest.fixture(scope="module")
def deployed(build: Build) -> Iterator[Account]:
    """An account with the deployed `SPEC`; tests that change it restore it."""
    with local_aws():
        found = bootstrapped()
        add_boundary(found)
        found.deploy(build(SPEC))
        yield found


def test_outputs_describe_the_cluster(deployed: Account) -> None:
    outputs = deployed.outputs("test-cluster")
    cluster = deployed.client("sagemaker").describe_cluster(ClusterName="test")
    assert outputs["ClusterArn"] == cluster["ClusterArn"]
    cluster_id = cluster["ClusterArn"].split("/")[1]
    assert f"sagemaker-cluster:{cluster_id}_login-<instance-id>" in outputs["SsmLoginCommand"]
    described = {
        fs["FileSystemId"]: fs
        for fs in deployed.client("fsx").describe_file_systems()["FileSystems"]
    }
    lustre = described[outputs["LustreFileSystemId"]]
    assert outputs["LustreDnsName"] == lustre["DNSName"]
    assert outputs["LustreMountName"] == lustre["LustreConfiguration"]["MountName"]
    assert outputs["VpcId"] == lustre["VpcId"]


def test_node_files_are_complete(deployed: Account) -> None:
    cluster = deployed.client("sagemaker").describe_cluster(ClusterName="test")
    uri = cluster["InstanceGroups"][0]["LifeCycleConfig"]["SourceS3Uri"]
    bucket, prefix = uri.removeprefix("s3://").split("/", 1)
    files = objects(deployed, bucket, prefix)
    assert {"on_create.sh", "on_init_complete.sh", "cluster.json", "deployment.json"} <= set(files)
    deployment = json.loads(files["deployment.json"])
    outputs = deployed.outputs("test-cluster")
    assert deployment["lustre"][0] == {
        "name": "fsx",
        "dns_name": outputs["LustreDnsName"],
        "mount_name": outputs["LustreMountName"],
    }
    database = deployed.client("rds").describe_db_instances()["DBInstances"][0]
    assert deployment["accounting"]["endpoint"] == database["Endpoint"]["Address"]
    secret = deployed.client("secretsmanager").get_secret_value(
        SecretId=deployment["accounting"]["secret_arn"]
    )
    assert json.loads(secret["SecretString"])["username"] == "slurm"
    password = json.loads(secret["SecretString"])["password"]
    assert all(password not in body for body in files.values())


def test_node_log_group_has_a_retention(deployed: Account) -> None:
    arn = deployed.outputs("test-cluster")["ClusterArn"]
    (group,) = deployed.client("logs").describe_log_groups(
        logGroupNamePrefix=f"/aws/sagemaker/Clusters/test/{arn.split('/')[1]}"
    )["logGroups"]
    assert group["retentionInDays"] == 30


def test_changed_count_updates_only_the_cluster_jobs_and_alerts(
    deployed: Account, build: Build
) -> None:
    """Alert rules compare with the number of nodes, and the job files have it."""
    statuses = deployed.deploy(build(changed(SPEC, compute__2__count=12)))
    changed_stacks = {name for name, status in statuses.items() if status != "unchanged"}
    assert changed_stacks == {"test-cluster", "test-lifecycle", "test-observability"}
    assert deployed.nodes("test").count("workers") == 12
    deployed.deploy(build(SPEC))


def test_changed_scripts_are_uploaded_beside_the_old_ones(deployed: Account, build: Build) -> None:
    statuses = deployed.deploy(build(changed(SPEC, compute__2__spare_count=2)))
    assert {name for name, status in statuses.items() if status != "unchanged"} == {
        "test-lifecycle",
        "test-cluster",
        "test-observability",
    }
    group = deployed.client("sagemaker").describe_cluster(ClusterName="test")["InstanceGroups"][0]
    bucket, prefix = group["LifeCycleConfig"]["SourceS3Uri"].removeprefix("s3://").split("/", 1)
    prefixes = {key.split("/")[1] for key in objects(deployed, bucket, "") if "/" in key}
    assert prefix.split("/")[1] in prefixes
    assert len(prefixes) == 2
    deployed.deploy(build(SPEC))


def test_removed_resources_are_deleted_after_the_cluster_update(
    deployed: Account, build: Build
) -> None:
    """The order of docs/explanations/what-is-built.md: importing stacks first, then the others."""
    without = changed(SPEC)
    without["storage"]["lustre"] = without["storage"]["lustre"][:2]
    smaller = build(without)
    cloudformation = deployed.client("cloudformation")
    # CloudFormation keeps an export that the cluster still imports.
    with pytest.raises(AssertionError, match=r"test-storage is UPDATE_ROLLBACK_COMPLETE"):
        deployed.deploy(smaller)
    assert len(deployed.client("fsx").describe_file_systems()["FileSystems"]) == 4
    statuses = deployed.deploy(smaller, first=("test-lifecycle", "test-cluster"))
    assert statuses["test-storage"] == "UPDATE_COMPLETE"
    assert len(deployed.client("fsx").describe_file_systems()["FileSystems"]) == 3
    assert "LustreDnsName3" not in deployed.outputs("test-cluster")
    assert cloudformation.list_exports()["Exports"]
    deployed.deploy(build(SPEC))
