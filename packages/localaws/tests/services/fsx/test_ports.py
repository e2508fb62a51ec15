"""Tests of services.fsx.ports."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.fsx_requests import create, lustre
from packages.localaws.tests.parts import Site, build_site, client, open_lustre_ports, refusal

P2 = {"DeploymentType": "PERSISTENT_2"}


AUTOMATIC = {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}


EFA = {**P2, **AUTOMATIC, "EfaEnabled": True}


@pytest.fixture
def open_site(site: Site) -> Site:
    open_lustre_ports(site, efa=True)
    return site


def refused(request: dict[str, Any]) -> tuple[str, str]:
    return refusal(client("fsx").create_file_system, **request)


class TestNetwork:
    def test_port_988_must_be_open(self, site: Site) -> None:
        code, message = refused(lustre(site, 1200, DeploymentType="SCRATCH_2"))
        assert code == "InvalidNetworkSettings"
        assert message == (
            "The file system cannot be created because the default security group in the subnet "
            "provided or the provided security groups do not permit Lustre LNET network traffic "
            "on port 988"
        )

    def test_ports_1018_to_1023_must_be_open(self, site: Site) -> None:
        client("ec2").authorize_security_group_ingress(
            GroupId=site.group_id,
            IpPermissions=[
                {
                    "IpProtocol": "tcp",
                    "FromPort": 988,
                    "ToPort": 988,
                    "UserIdGroupPairs": [{"GroupId": site.group_id}],
                }
            ],
        )
        assert "on port 1018" in refused(lustre(site, 1200, DeploymentType="SCRATCH_2"))[1]

    def test_rule_for_the_whole_subnet_is_sufficient_for_lustre(self, site: Site) -> None:
        client("ec2").authorize_security_group_ingress(
            GroupId=site.group_id,
            IpPermissions=[
                {
                    "IpProtocol": "tcp",
                    "FromPort": 0,
                    "ToPort": 65535,
                    "IpRanges": [{"CidrIp": "10.0.0.0/16"}],
                }
            ],
        )
        assert create(lustre(site, 1200, DeploymentType="SCRATCH_2"))["Lifecycle"] == "AVAILABLE"
        request = lustre(site, 4800, **EFA, PerUnitStorageThroughput=1000)
        assert refused(request) == (
            "InvalidNetworkSettings",
            "Insufficient security group permissions to create an EFA-enabled file system. "
            "Update security group to allow all internal inbound and outbound traffic.",
        )

    def test_addresses_are_reserved_and_released(self, open_site: Site) -> None:
        before = open_site.free_addresses()
        made = create(lustre(open_site, 9600, **EFA, PerUnitStorageThroughput=1000))
        # 6,000 metadata IOPS are one server, 9,600 GiB at 1,000 MB/s/TiB are two.
        assert len(made["NetworkInterfaceIds"]) == 3
        assert open_site.free_addresses() == before - 3
        found = client("ec2").describe_network_interfaces(
            NetworkInterfaceIds=made["NetworkInterfaceIds"]
        )["NetworkInterfaces"]
        assert {eni["Description"] for eni in found} == {"Created by Amazon FSx"}
        client("fsx").delete_file_system(FileSystemId=made["FileSystemId"])
        assert open_site.free_addresses() == before

    def test_a_full_subnet_is_refused(self) -> None:
        with local_aws("full-subnets"):
            site = build_site()
            open_lustre_ports(site)
            code, message = refused(lustre(site, 1200, DeploymentType="SCRATCH_2"))
            assert (code, "free IP addresses" in message) == ("InvalidNetworkSettings", True)

    def test_unknown_groups_and_subnets_are_refused(self, open_site: Site) -> None:
        request = lustre(open_site, 1200, DeploymentType="SCRATCH_2")
        assert (
            refused({**request, "SubnetIds": ["subnet-00000000"]})[0] == "InvalidNetworkSettings"
        )
        assert (
            refused({**request, "SecurityGroupIds": ["sg-00000000"]})[0]
            == "InvalidNetworkSettings"
        )

    def test_security_group_in_use_cannot_be_deleted(self, open_site: Site) -> None:
        made = create(lustre(open_site, 1200, DeploymentType="SCRATCH_2"))
        ec2 = client("ec2")
        assert (
            refusal(ec2.delete_security_group, GroupId=open_site.group_id)[0]
            == "DependencyViolation"
        )
        client("fsx").delete_file_system(FileSystemId=made["FileSystemId"])
        ec2.delete_security_group(GroupId=open_site.group_id)
