"""Tests of services.sagemaker.attachments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import Site, client, describe, nodes, refusal

CONTINUOUS = {"NodeProvisioningMode": "Continuous"}


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        site = build_eks_site()
        site.create()
        yield site


@pytest.fixture
def cluster(eks_site: EksSite) -> str:
    """A HyperPod cluster with EKS, by its ARN."""
    client("sagemaker").create_cluster(**eks_site.hyperpod(**CONTINUOUS))
    return str(describe()["ClusterArn"])


def node() -> dict[str, Any]:
    found: dict[str, Any] = client("sagemaker").describe_cluster_node(
        ClusterName="train", NodeId=nodes()[0]["InstanceId"]
    )["NodeDetails"]
    return found


def volume(zone: str) -> str:
    return str(client("ec2").create_volume(AvailabilityZone=zone, Size=10)["VolumeId"])


def shown(volume_id: str) -> dict[str, Any]:
    found: dict[str, Any] = client("ec2").describe_volumes(VolumeIds=[volume_id])["Volumes"][0]
    return found


def request(cluster: str, volume_id: str) -> dict[str, str]:
    return {"ClusterArn": cluster, "NodeId": node()["InstanceId"], "VolumeId": volume_id}


class TestVolumes:
    def test_volume_is_attached_and_detached(self, cluster: str) -> None:
        zone = node()["Placement"]["AvailabilityZone"]
        first, second = volume(zone), volume(zone)
        attach = client("sagemaker").attach_cluster_node_volume
        answer = attach(**request(cluster, first))
        assert (answer["Status"], answer["DeviceName"]) == ("attaching", "/dev/sdf")
        assert attach(**request(cluster, second))["DeviceName"] == "/dev/sdg"
        (attachment,) = shown(first)["Attachments"]
        assert (shown(first)["State"], attachment["InstanceId"]) == (
            "in-use",
            node()["InstanceId"],
        )
        detached = client("sagemaker").detach_cluster_node_volume(**request(cluster, first))
        assert detached["Status"] == "detaching"
        assert detached["AttachTime"] == answer["AttachTime"]
        assert shown(first)["State"] == "available"

    def test_volume_in_use_or_elsewhere_is_refused(self, cluster: str) -> None:
        zone = node()["Placement"]["AvailabilityZone"]
        attach = client("sagemaker").attach_cluster_node_volume
        taken = volume(zone)
        attach(**request(cluster, taken))
        for found in (taken, volume("us-east-1b" if zone != "us-east-1b" else "us-east-1c")):
            code, _ = refusal(attach, **request(cluster, found))
            assert code == "ValidationException"

    def test_what_is_not_there_is_not_found(self, cluster: str) -> None:
        absent = "vol-00000000000000000"
        for call in (
            client("sagemaker").attach_cluster_node_volume,
            client("sagemaker").detach_cluster_node_volume,
        ):
            assert refusal(call, **request(cluster, absent))[0] == "ResourceNotFound"
        free = volume(node()["Placement"]["AvailabilityZone"])
        detach = client("sagemaker").detach_cluster_node_volume
        assert refusal(detach, **request(cluster, free))[0] == "ResourceNotFound"
        attach = client("sagemaker").attach_cluster_node_volume
        other = {**request(cluster, free), "NodeId": "i-00000000000000000"}
        assert refusal(attach, **other)[0] == "ResourceNotFound"

    def test_cluster_with_slurm_is_refused(self, site: Site) -> None:
        cluster = site.create(site.group("workers", 1))["ClusterArn"]
        code, message = refusal(
            client("sagemaker").attach_cluster_node_volume,
            **request(cluster, volume("us-east-1a")),
        )
        assert (code, "Amazon EKS" in message) == ("ValidationException", True)

    def test_replacement_detaches_the_volume(self, cluster: str) -> None:
        found = volume(node()["Placement"]["AvailabilityZone"])
        client("sagemaker").attach_cluster_node_volume(**request(cluster, found))
        client("sagemaker").batch_replace_cluster_nodes(
            ClusterName="train", NodeIds=[node()["InstanceId"]]
        )
        assert shown(found)["State"] == "available"


class TestInterfaces:
    def interface(self, subnet_id: str) -> str:
        created = client("ec2").create_network_interface(SubnetId=subnet_id)
        return str(created["NetworkInterface"]["NetworkInterfaceId"])

    def attach(self, name: str) -> dict[str, str]:
        return {
            "ClusterName": "train",
            "NodeId": node()["InstanceId"],
            "NetworkInterfaceId": name,
        }

    def state(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = client("ec2").describe_network_interfaces(
            NetworkInterfaceIds=[name]
        )["NetworkInterfaces"][0]
        return found

    def test_interface_is_in_use_until_the_node_is_replaced(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        name = self.interface(site.subnet_id)
        worker = nodes(InstanceGroupNameContains="workers")[0]["InstanceId"]
        request = {**self.attach(name), "NodeId": worker}
        answer = client("sagemaker").attach_cluster_node_network_interface(**request)
        shown = self.state(name)
        assert shown["Status"] == "in-use"
        assert shown["Attachment"]["AttachmentId"] == answer["AttachmentId"]
        assert shown["Attachment"]["InstanceId"] == worker
        code, _ = refusal(client("sagemaker").attach_cluster_node_network_interface, **request)
        assert code == "ValidationException"
        client("sagemaker").batch_replace_cluster_nodes(ClusterName="train", NodeIds=[worker])
        assert self.state(name)["Status"] == "available"

    def test_unknown_interface_is_not_found(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        code, _ = refusal(
            client("sagemaker").attach_cluster_node_network_interface,
            **self.attach("eni-00000000000000000"),
        )
        assert code == "ResourceNotFound"
