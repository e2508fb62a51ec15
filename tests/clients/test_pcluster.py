"""The `pcluster` CLI of AWS ParallelCluster: its validators call the local AWS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.clients.programs import BLOCK, Done, Server, file

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]


class Cluster(NamedTuple):
    """`pcluster`, and a valid configuration of 4 × p5.48xlarge."""

    program: Path
    server: Server
    configuration: Mapping[str, Any]
    public_subnet: str

    def dry_run(self, configuration: Mapping[str, Any]) -> Any:
        path = file(self.server.home, "cluster.yaml", dict(configuration))
        words = ("create-cluster", "--cluster-name", "train", "--dryrun", "true")
        # pcluster exits with 1 after every dry run, also after a successful one.
        return self(*words, "--cluster-configuration", path, code=1).data

    def __call__(self, *words: str | Path, code: int = 0) -> Done:
        address = self.server.s3_address
        return self.server.run(self.program, *words, code=code, AWS_ENDPOINT_URL_S3=address)


@pytest.fixture(scope="module")
def cluster(programs: Callable[[str], Path], aws: Server) -> Cluster:
    ec2, s3 = aws.client("ec2"), aws.client("s3")
    vpc = ec2.create_vpc(CidrBlock="10.4.0.0/16")["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    head, nodes, public = (
        ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZoneId="use1-az6")["Subnet"][
            "SubnetId"
        ]
        for cidr in ("10.4.0.0/24", "10.4.16.0/20", "10.4.1.0/24")
    )
    ec2.modify_subnet_attribute(SubnetId=public, MapPublicIpOnLaunch={"Value": True})
    ec2.create_key_pair(KeyName="train", KeyType="ed25519")
    s3.create_bucket(Bucket="pcluster-scripts")
    s3.put_object(Bucket="pcluster-scripts", Key="node.sh", Body=b"#!/bin/sh\n")
    configuration = {
        "Region": "us-east-1",
        "Image": {"Os": "ubuntu2204"},
        "HeadNode": {
            "InstanceType": "m5.8xlarge",
            "Networking": {"SubnetId": head},
            "Ssh": {"KeyName": "train"},
            "Imds": {"Secured": True},
        },
        "Scheduling": {
            "Scheduler": "slurm",
            "SlurmQueues": [
                {
                    "Name": "gpu",
                    "Networking": {"SubnetIds": [nodes], "PlacementGroup": {"Enabled": True}},
                    "ComputeSettings": {
                        "LocalStorage": {"EphemeralVolume": {"MountDir": "/nvme"}}
                    },
                    "CustomActions": {
                        "OnNodeConfigured": {"Script": "s3://pcluster-scripts/node.sh"}
                    },
                    "Iam": {
                        "AdditionalIamPolicies": [
                            {"Policy": "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"}
                        ]
                    },
                    "ComputeResources": [
                        {
                            "Name": "p5",
                            "InstanceType": "p5.48xlarge",
                            "MinCount": 4,
                            "MaxCount": 4,
                            "Efa": {"Enabled": True},
                        }
                    ],
                }
            ],
        },
        "SharedStorage": [
            {
                "Name": "fsx",
                "MountDir": "/fsx",
                "StorageType": "FsxLustre",
                "FsxLustreSettings": {
                    "StorageCapacity": 4800,
                    "DeploymentType": "PERSISTENT_2",
                    "PerUnitStorageThroughput": 250,
                },
            }
        ],
    }
    return Cluster(programs("pcluster"), aws, configuration, public)


def _queue(configuration: Mapping[str, Any]) -> Any:
    return configuration["Scheduling"]["SlurmQueues"][0]


def test_valid_configuration_creates_a_cluster(cluster: Cluster) -> None:
    """`create-cluster --dryrun` finds no error in a p5 cluster with EFA, a placement group, local
    disks, lifecycle scripts and FSx for Lustre in a VPC of the local AWS.
    """
    answer = cluster.dry_run(cluster.configuration)
    assert answer["message"] == "Request would have succeeded, but DryRun flag is set.", answer
    levels = {message["level"] for message in answer.get("validationMessages", ())}
    assert levels <= {"INFO", "WARNING"}


def test_invalid_configuration_is_refused(cluster: Cluster) -> None:
    """The dry run reports what is missing or invalid in the local AWS: a key pair, a policy,
    a script, a file system's size, and EFA in a subnet with public addresses.
    """
    wrong = deepcopy(dict(cluster.configuration))
    wrong["HeadNode"]["Ssh"]["KeyName"] = "missing"
    queue = _queue(wrong)
    queue["Networking"]["SubnetIds"] = [cluster.public_subnet]
    queue["Iam"]["AdditionalIamPolicies"][0]["Policy"] += "Missing"
    queue["CustomActions"]["OnNodeConfigured"]["Script"] = "s3://pcluster-scripts/missing.sh"
    wrong["SharedStorage"][0]["FsxLustreSettings"]["StorageCapacity"] = 5000
    answer = cluster.dry_run(wrong)
    assert answer["message"] == "Invalid cluster configuration."
    found = {(error["level"], error["type"]) for error in answer["configurationValidationErrors"]}
    assert {
        ("ERROR", "FsxStorageCapacityValidator"),
        ("ERROR", "AdditionalIamPolicyValidator"),
        ("ERROR", "KeyPairValidator"),
        ("ERROR", "MultiNetworkInterfacesInstancesValidator"),
        ("WARNING", "AsyncTimedUrlValidator"),
    } <= found


def test_a_capacity_block(cluster: Cluster) -> None:
    """The dry run accepts a capacity block of the type, in the zone, and refuses a reservation of
    another type.
    """
    ec2 = cluster.server.client("ec2")
    other = ec2.create_capacity_reservation(
        InstanceType="m5.large",
        InstancePlatform="Linux/UNIX",
        AvailabilityZone="us-east-1a",
        InstanceCount=4,
    )["CapacityReservation"]["CapacityReservationId"]
    wrong = deepcopy(dict(cluster.configuration))
    _queue(wrong)["CapacityReservationTarget"] = {"CapacityReservationId": other}
    answer = cluster.dry_run(wrong)
    assert "CapacityReservationValidator" in {
        error["type"]
        for error in answer["configurationValidationErrors"]
        if error["level"] == "ERROR"
    }

    right = deepcopy(dict(cluster.configuration))
    queue = _queue(right)
    queue["CapacityType"] = "CAPACITY_BLOCK"
    queue["CapacityReservationTarget"] = {"CapacityReservationId": BLOCK}
    queue["Networking"]["PlacementGroup"] = {"Enabled": False}
    answer = cluster.dry_run(right)
    assert answer["message"] == "Request would have succeeded, but DryRun flag is set.", answer


def test_images_and_clusters_are_listed(cluster: Cluster) -> None:
    """`list-clusters` is empty, and `list-official-images` has an image for every system."""
    assert cluster("list-clusters").data == {"clusters": []}
    images = cluster("list-official-images").data["images"]
    assert {(image["os"], image["architecture"]) for image in images} == {
        (system, architecture)
        for system in ("alinux2023", "ubuntu2204", "ubuntu2404", "rhel8", "rhel9")
        for architecture in ("x86_64", "arm64")
    }
