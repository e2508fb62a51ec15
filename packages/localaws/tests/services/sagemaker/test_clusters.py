"""HyperPod clusters through boto3: creation, refusals, changes over time."""

from __future__ import annotations

import gc
import json
import time
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import (
    LIFECYCLE,
    Site,
    build_site,
    client,
    describe,
    group_of,
    nodes,
    refusal,
)

P5_NODES_NEED = 32


def refused(site: Site, *groups: dict[str, Any], **more: Any) -> tuple[str, str]:
    return refusal(client("sagemaker").create_cluster, **site.request(*groups, **more))


def test_cluster_becomes_in_service_with_its_nodes(site: Site) -> None:
    cluster = site.create(site.group("workers", 4, SlurmConfig={"NodeType": "Compute"}))
    assert cluster["ClusterStatus"] == "InService"
    assert "FailureMessage" not in cluster
    assert cluster["Orchestrator"] == {"Slurm": {}}
    assert cluster["NodeRecovery"] == "Automatic"
    workers = group_of(cluster, "workers")
    assert (workers["CurrentCount"], workers["TargetCount"], workers["Status"]) == (
        4,
        4,
        "InService",
    )
    found = nodes()
    assert len(found) == 5
    assert {node["InstanceStatus"]["Status"] for node in found} == {"Running"}
    assert len({node["InstanceId"] for node in found}) == 5
    assert len({node["PrivateDnsHostname"] for node in found}) == 5


def test_arn_has_the_format_of_the_model(site: Site) -> None:
    arn = site.create(site.group("workers", 1))["ClusterArn"]
    assert arn.startswith("arn:aws:sagemaker:us-east-1:123456789012:cluster/")
    assert client("sagemaker").describe_cluster(ClusterName=arn)["ClusterName"] == "train"


def test_nodes_use_addresses_until_the_cluster_is_deleted(site: Site) -> None:
    before = site.free_addresses()
    site.create(site.group("workers", 4))
    assert site.free_addresses() == before - 4 * P5_NODES_NEED - 1
    client("sagemaker").delete_cluster(ClusterName="train")
    assert site.free_addresses() == before


def test_addresses_are_distinct_and_in_the_subnet(site: Site) -> None:
    site.create(site.group("workers", 3))
    sagemaker = client("sagemaker")
    found = [
        sagemaker.describe_cluster_node(ClusterName="train", NodeId=node["InstanceId"])[
            "NodeDetails"
        ]
        for node in nodes()
    ]
    addresses = [node["PrivatePrimaryIp"] for node in found]
    assert len(set(addresses)) == 4
    assert all(address.startswith("10.0.") for address in addresses)
    assert found[0]["Placement"]["AvailabilityZoneId"] == "use1-az6"
    assert found[0]["CapacityType"] == "OnDemand"


def test_node_is_found_by_instance_or_logical_id(site: Site) -> None:
    site.create(site.group("workers", 1))
    node = nodes()[1]
    sagemaker = client("sagemaker")
    by_logical = sagemaker.describe_cluster_node(
        ClusterName="train", NodeLogicalId=node["NodeLogicalId"]
    )
    assert by_logical["NodeDetails"]["InstanceId"] == node["InstanceId"]
    assert (
        refusal(sagemaker.describe_cluster_node, ClusterName="train", NodeId="i-00000000")[0]
        == "ResourceNotFound"
    )
    assert (
        refusal(sagemaker.describe_cluster_node, ClusterName="train")[0] == "ValidationException"
    )


def test_cluster_name_is_unique(site: Site) -> None:
    site.create(site.group("workers", 1))
    assert refused(site, site.group("workers", 1))[0] == "ResourceInUse"


def test_what_is_not_there_is_not_found(aws: Runtime) -> None:
    code, message = refusal(client("sagemaker").describe_cluster, ClusterName="absent")
    assert (code, message) == (
        "ResourceNotFound",
        "Cluster with name absent does not exist.",
    )


def test_slurm_cluster_requires_a_controller(site: Site) -> None:
    request = site.request(site.group("workers", 1))
    del request["InstanceGroups"][0]
    code, message = refusal(client("sagemaker").create_cluster, **request)
    assert (code, message) == (
        "ValidationException",
        "Cluster train has no InstanceGroup with Controller node type.",
    )


def test_unknown_network_is_refused(site: Site) -> None:
    code, message = refused(
        site,
        site.group("workers", 1),
        VpcConfig={"Subnets": ["subnet-00000000"], "SecurityGroupIds": [site.group_id]},
    )
    assert (code, message) == (
        "ValidationException",
        "The subnet ID 'subnet-00000000' does not exist",
    )
    assert (
        "does not exist"
        in refused(
            site,
            site.group("workers", 1),
            VpcConfig={"Subnets": [site.subnet_id], "SecurityGroupIds": ["sg-00000000"]},
        )[1]
    )


def test_missing_scripts_fail_the_cluster(site: Site) -> None:
    missing = {"SourceS3Uri": LIFECYCLE, "OnCreate": "absent.sh"}
    cluster = site.create(site.group("workers", 1, LifeCycleConfig=missing))
    assert cluster["ClusterStatus"] == "Failed"
    assert cluster["FailureMessage"].startswith("Lifecycle scripts did not run successfully.")
    assert nodes() == []


def test_mixed_slurm_configurations_fail_the_cluster(site: Site) -> None:
    client("s3").put_object(
        Bucket="sagemaker-lifecycle", Key="base/provisioning_parameters.json", Body=b"{}"
    )
    cluster = site.create(site.group("workers", 1))
    assert cluster["ClusterStatus"] == "Failed"
    assert "provisioning_parameters.json file simultaneously" in cluster["FailureMessage"]


def test_full_subnet_fails_the_cluster() -> None:
    with local_aws():
        site = build_site(cidr="10.0.0.0/25")
        cluster = site.create(site.group("workers", 4))
        assert cluster["ClusterStatus"] == "Failed"
        assert (
            "does not have enough free IP addresses: 4 × ml.p5.48xlarge need 128"
            in (cluster["FailureMessage"])
        )
        assert site.free_addresses() == 128 - 5


@pytest.mark.parametrize("mode", [{}, {"NodeProvisioningMode": "Continuous"}])
def test_a_full_subnet_fails_the_cluster_in_either_mode(mode: dict[str, str]) -> None:
    with local_aws("full-subnets"):
        site = build_site()
        cluster = site.create(site.group("workers", 1), **mode)
        assert cluster["ClusterStatus"] == "Failed"
        assert "free IP addresses" in cluster["FailureMessage"]


def test_insufficient_capacity_rolls_back_all_nodes() -> None:
    world = {"capacity": [{"instance_type": "p5.48xlarge", "available": 3}]}
    with local_aws(**world):
        site = build_site()
        cluster = site.create(site.group("workers", 4))
        assert cluster["ClusterStatus"] == "Failed"
        assert cluster["FailureMessage"] == (
            "We currently do not have sufficient capacity to launch new ml.p5.48xlarge "
            "instances. Please try again."
        )
        assert nodes() == []


def test_continuous_cluster_keeps_available_nodes_and_retries() -> None:
    world = {"capacity": [{"instance_type": "p5.48xlarge", "available": 3}]}
    with local_aws(**world) as runtime:
        site = build_site()
        site.create(site.group("others", 2), name="first", NodeProvisioningMode="Continuous")
        cluster = site.create(site.group("workers", 2), NodeProvisioningMode="Continuous")
        workers = group_of(cluster, "workers")
        assert cluster["ClusterStatus"] == "InService"
        assert (workers["CurrentCount"], workers["TargetCount"]) == (1, 2)
        assert workers["ActiveOperations"] == {"Scaling": 1}
        client("sagemaker").delete_cluster(ClusterName="first")
        runtime.clock.advance(60)
        assert group_of(describe(), "workers")["CurrentCount"] == 2


def test_unmet_minimum_rolls_the_group_back() -> None:
    world = {"capacity": [{"instance_type": "p5.48xlarge", "available": 3}]}
    with local_aws(**world):
        site = build_site()
        cluster = site.create(
            site.group("workers", 8, MinInstanceCount=4), NodeProvisioningMode="Continuous"
        )
        workers = group_of(cluster, "workers")
        assert cluster["ClusterStatus"] == "InService"
        assert "MinInstanceCount 4 was not met" in cluster["FailureMessage"]
        assert (workers["CurrentCount"], workers["TargetCount"]) == (0, 0)


def test_continuous_cluster_requires_its_controller() -> None:
    world = {"capacity": [{"instance_type": "m5.xlarge", "available": 0}]}
    with local_aws(**world):
        site = build_site()
        cluster = site.create(site.group("workers", 1), NodeProvisioningMode="Continuous")
        assert cluster["ClusterStatus"] == "Failed"


class TestWithoutAVpc:
    """`VpcConfig` is optional: nodes are then in the service's own VPC."""

    def test_failed_cluster_releases_addresses_and_can_be_deleted(self, site: Site) -> None:
        before = site.free_addresses()
        request = site.request(site.group("workers", 3, "ml.m5.xlarge"))
        del request["VpcConfig"]
        sagemaker = client("sagemaker")
        sagemaker.create_cluster(**request)
        assert describe()["ClusterStatus"] == "InService"
        addresses = set()
        for node in nodes():
            found = sagemaker.describe_cluster_node(
                ClusterName="train", NodeId=node["InstanceId"]
            )["NodeDetails"]
            addresses.add(found["PrivatePrimaryIp"])
        assert len(addresses) == 4
        for count in (5, 1):
            groups = [site.controller(), site.group("workers", count, "ml.m5.xlarge")]
            sagemaker.update_cluster(ClusterName="train", InstanceGroups=groups)
            assert len(nodes()) == count + 1
        sagemaker.batch_reboot_cluster_nodes(
            ClusterName="train", NodeIds=[nodes()[0]["InstanceId"]]
        )
        assert site.free_addresses() == before
        sagemaker.delete_cluster(ClusterName="train")
        assert site.free_addresses() == before
        assert sagemaker.list_clusters()["ClusterSummaries"] == []


class TestTime:
    def test_states_take_their_delay(self) -> None:
        with local_aws(delays={"cluster": 60, "node": 20}) as runtime:
            site = build_site()
            cluster = site.create(site.group("workers", 2))
            assert cluster["ClusterStatus"] == "Creating"
            assert group_of(cluster, "workers")["CurrentCount"] == 0
            assert {n["InstanceStatus"]["Status"] for n in nodes()} == {"Pending"}
            runtime.clock.advance(30)
            assert {n["InstanceStatus"]["Status"] for n in nodes()} == {"Running"}
            assert describe()["ClusterStatus"] == "Creating"
            runtime.clock.advance(31)
            assert describe()["ClusterStatus"] == "InService"
            client("sagemaker").delete_cluster(ClusterName="train")
            assert describe()["ClusterStatus"] == "Deleting"
            assert (
                refusal(client("sagemaker").delete_cluster, ClusterName="train")[0]
                == "ConflictException"
            )
            runtime.clock.advance(61)
            assert client("sagemaker").list_clusters()["ClusterSummaries"] == []

    def test_failure_passes_through_the_documented_states(self) -> None:
        with local_aws("full-subnets", delays={"cluster": 60}) as runtime:
            site = build_site()
            assert site.create(site.group("workers", 1))["ClusterStatus"] == "Creating"
            runtime.clock.advance(61)
            assert describe()["ClusterStatus"] == "RollingBack"
            runtime.clock.advance(61)
            assert describe()["ClusterStatus"] == "Failed"

    def test_cluster_in_transition_cannot_be_updated(self) -> None:
        with local_aws(delays={"cluster": 60}):
            site = build_site()
            site.create(site.group("workers", 1))
            assert (
                refusal(
                    client("sagemaker").update_cluster,
                    ClusterName="train",
                    InstanceGroups=[site.group("workers", 2)],
                )[0]
                == "ConflictException"
            )

    def test_nodes_are_shutting_down_before_deletion(self) -> None:
        with local_aws(delays={"node": 20}) as runtime:
            site = build_site()
            site.create(site.group("workers", 2))
            runtime.clock.advance(21)
            client("sagemaker").update_cluster(
                ClusterName="train", InstanceGroups=[site.group("workers", 1)]
            )
            states = [n["InstanceStatus"]["Status"] for n in nodes()]
            assert states.count("ShuttingDown") == 1
            free = site.free_addresses()
            runtime.clock.advance(21)
            assert site.free_addresses() == free + P5_NODES_NEED
            assert len(nodes()) == 2


def test_security_group_and_subnet_in_use_cannot_be_deleted(site: Site) -> None:
    site.create(site.group("workers", 1))
    ec2 = client("ec2")
    assert refusal(ec2.delete_security_group, GroupId=site.group_id)[0] == "DependencyViolation"
    assert refusal(ec2.delete_subnet, SubnetId=site.subnet_id)[0] == "DependencyViolation"
    client("sagemaker").delete_cluster(ClusterName="train")
    ec2.delete_security_group(GroupId=site.group_id)
    ec2.delete_subnet(SubnetId=site.subnet_id)


def test_the_time_of_a_cluster_grows_with_its_nodes() -> None:
    """Ten times the nodes take about ten times the time, where quadratic is 100."""

    def spent_s(count: int) -> tuple[float, float]:
        """Seconds of this thread in which `count` nodes are created, and then listed."""
        with local_aws(quotas={"sagemaker/L-2CE978FC": 10_000, "sagemaker/L-3308CCC7": 10_000}):
            site = build_site("10.0.0.0/16")
            before = time.thread_time()
            found = site.create(site.group("workers", count, "ml.c5.xlarge"))
            created = time.thread_time()
            assert group_of(found, "workers")["CurrentCount"] == count
            assert len(json.dumps(found, default=str)) < 5_000  # groups, not nodes
            between = time.thread_time()
            assert len({node["InstanceId"] for node in nodes()}) == count + 1
            listed = time.thread_time()
            assert site.free_addresses() == 65_531 - count - 1
        return created - before, listed - between

    spent_s(1)  # loads the services
    gc.disable()  # a collection's time is that of the process's other objects
    try:
        few, many = spent_s(600), spent_s(6_000)
    finally:
        gc.enable()
    assert many[0] < 40 * few[0]
    assert many[1] < 40 * few[1]
