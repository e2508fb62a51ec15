"""Addresses of subnets: usage, free addresses, and the world's subnets."""

from __future__ import annotations

import ipaddress
import itertools
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.network import (
    AddressesExhaustedError,
    Range,
    SubnetLedger,
    User,
    addresses,
    network_of,
)
from packages.localaws.tests.parts import build_site, client, nodes, refusal

SUBNET = ipaddress.IPv4Network("10.0.0.0/24")
FIRST, SIZE = int(SUBNET.network_address) + 4, 251


def held(taken: list[list[Range]]) -> list[int]:
    return [number for ranges in taken for start, end in ranges for number in range(start, end)]


@given(
    blocked=st.integers(0, 200),
    others=st.sets(st.integers(FIRST, FIRST + 40)),
    steps=st.lists(st.one_of(st.integers(1, 40), st.just("give back")), max_size=12),
)
def test_addresses_are_unique_and_released(
    blocked: int, others: set[int], steps: list[int | str]
) -> None:
    ledger = SubnetLedger(SUBNET, blocked)
    usable = SIZE - blocked
    taken: list[list[Range]] = []
    for step in steps:
        if step == "give back":
            if taken:
                ledger.give_back(taken.pop(0))
            continue
        count = int(step)
        reachable = {n for start, end in ledger.free for n in range(start, end)} - others
        if count > len(reachable):
            with pytest.raises(ValueError, match="missing"):
                ledger.take(count, others)
            continue
        taken.append(ledger.take(count, others))
        mine = held(taken)
        assert len(mine) == len(set(mine)) == ledger.held_count
        assert not set(mine) & others
        assert all(FIRST <= number < FIRST + usable for number in mine)
    free = sum(end - start for start, end in ledger.free)
    assert free + ledger.held_count == usable
    for before, after in itertools.pairwise(ledger.free):
        assert before[1] < after[0]  # sorted, apart, merged


def test_addresses_are_formatted() -> None:
    assert list(addresses([(FIRST, FIRST + 2), (FIRST + 9, FIRST + 10)])) == [
        "10.0.0.4",
        "10.0.0.5",
        "10.0.0.13",
    ]


class TestOneAccount:
    def test_all_services_allocate_from_the_same_addresses(self, aws: Runtime) -> None:
        site = build_site("10.0.0.0/24")
        assert site.free_addresses() == 251
        ec2 = client("ec2")
        ec2.create_network_interface(SubnetId=site.subnet_id)
        assert site.free_addresses() == 250
        service = "com.amazonaws.us-east-1.ecr.api"
        ec2.create_vpc_endpoint(
            VpcId=site.vpc_id,
            ServiceName=service,
            VpcEndpointType="Interface",
            SubnetIds=[site.subnet_id],
        )
        assert site.free_addresses() == 249
        network = network_of(aws, "123456789012", "us-east-1")
        subnet = network.subnet(site.subnet_id)
        taken = network.take(subnet, 100)
        assert site.free_addresses() == 149
        interfaces = ec2.describe_network_interfaces()["NetworkInterfaces"]
        others = {interface["PrivateIpAddress"] for interface in interfaces}
        assert len(others) == 2
        assert not others & set(addresses(taken))
        with pytest.raises(AddressesExhaustedError) as caught:
            network.take(subnet, 150)
        assert (caught.value.asked, caught.value.free) == (150, 149)
        network.give_back(site.subnet_id, taken)
        assert site.free_addresses() == 249

    def test_nodes_have_distinct_addresses_of_their_subnet(self, aws: Runtime) -> None:
        site = build_site("10.0.64.0/20")
        site.create(site.group("gpu", 20))
        describe = client("sagemaker").describe_cluster_node
        found = [
            describe(ClusterName="train", NodeId=node["InstanceId"])["NodeDetails"][
                "PrivatePrimaryIp"
            ]
            for node in nodes()
        ]
        assert len(set(found)) == 21
        subnet = ipaddress.ip_network("10.0.64.0/20")
        assert all(ipaddress.ip_address(address) in subnet for address in found)

    def test_address_users_are_listed_until_release(self, aws: Runtime) -> None:
        network = network_of(aws, "123456789012", "us-east-1")
        network.use("arn", User("the cluster", ("sg-1",), ("subnet-1",)))
        assert network.users_of_security_group("sg-1") == ["the cluster"]
        assert network.users_of_subnet("subnet-1") == ["the cluster"]
        network.release("arn")
        assert network.users_of_security_group("sg-1") == []


class TestSeeds:
    SEED: ClassVar[dict[str, Any]] = {
        "id": "subnet-0a1b2c3d4e5f60718",
        "vpc_id": "vpc-0a1b2c3d4e5f60718",
        "vpc_cidr": "10.1.0.0/16",
        "cidr": "10.1.0.0/20",
        "zone_id": "use1-az6",
        "free_addresses": 100,
        "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
    }

    def test_subnet_of_the_world_has_its_vpc_zone_and_free_addresses(self) -> None:
        with local_aws(subnets=[self.SEED]):
            ec2 = client("ec2")
            (subnet,) = ec2.describe_subnets(SubnetIds=[self.SEED["id"]])["Subnets"]
            assert subnet["VpcId"] == self.SEED["vpc_id"]
            assert subnet["CidrBlock"] == "10.1.0.0/20"
            assert subnet["AvailabilityZoneId"] == "use1-az6"
            assert subnet["AvailableIpAddressCount"] == 100
            (vpc,) = ec2.describe_vpcs(VpcIds=[self.SEED["vpc_id"]])["Vpcs"]
            assert vpc["CidrBlock"] == "10.1.0.0/16"
            (group,) = ec2.describe_security_groups(GroupIds=["sg-0a1b2c3d4e5f60718"])[
                "SecurityGroups"
            ]
            assert group["VpcId"] == self.SEED["vpc_id"]

    def test_cluster_uses_the_remaining_addresses(self) -> None:
        with local_aws(subnets=[self.SEED]):
            site = build_site()
            request = site.request(site.group("gpu", 1))
            request["VpcConfig"] = {
                "Subnets": [self.SEED["id"]],
                "SecurityGroupIds": self.SEED["security_group_ids"],
            }
            client("sagemaker").create_cluster(**request)
            assert len(nodes()) == 2
            (subnet,) = client("ec2").describe_subnets(SubnetIds=[self.SEED["id"]])["Subnets"]
            # 81 of a p5.48xlarge and 1 of the controller would be too many for 81.
            assert 0 <= subnet["AvailableIpAddressCount"] < 99

    def test_two_subnets_share_a_vpc(self) -> None:
        second = {**self.SEED, "id": "subnet-0a1b2c3d4e5f60719", "cidr": "10.1.16.0/20"}
        with local_aws(subnets=[self.SEED, second]):
            found = client("ec2").describe_subnets(
                Filters=[{"Name": "vpc-id", "Values": [self.SEED["vpc_id"]]}]
            )["Subnets"]
            assert {s["SubnetId"] for s in found} == {self.SEED["id"], second["id"]}
            client("ec2").delete_subnet(SubnetId=second["id"])

    def test_subnet_of_the_world_exists_for_every_service(self) -> None:
        with local_aws(subnets=[self.SEED]):
            created = client("fsx").create_file_system(
                FileSystemType="OPENZFS",
                StorageCapacity=64,
                SubnetIds=[self.SEED["id"]],
                SecurityGroupIds=self.SEED["security_group_ids"],
                OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64},
            )["FileSystem"]
        assert created["VpcId"] == self.SEED["vpc_id"]

    def test_subnet_of_the_world_is_regional(self) -> None:
        with local_aws(subnets=[self.SEED]):
            found, _ = refusal(
                client("ec2", "eu-north-1").describe_subnets, SubnetIds=[self.SEED["id"]]
            )
        assert found == "InvalidSubnetID.NotFound"


def test_type_removed_from_a_zone_by_the_world_is_refused() -> None:
    with local_aws(not_offered={"p5.48xlarge": ["use1-az6"]}):
        site = build_site()
        found, message = refusal(
            client("sagemaker").create_cluster, **site.request(site.group("gpu", 1))
        )
    assert found == "ValidationException"
    assert "ml.p5.48xlarge" in message
    assert "use1-az6" in message or "us-east-1" in message
