"""Tests of services.ec2.fixes.dependencies."""

from __future__ import annotations

from packages.localaws.tests.parts import Site, client, refusal


class TestDependencies:
    def test_resources_in_use_cannot_be_deleted(self, site: Site) -> None:
        ec2 = client("ec2")
        site.create(site.group("gpu", 1))
        found, message = refusal(ec2.delete_security_group, GroupId=site.group_id)
        assert found == "DependencyViolation"
        assert site.group_id in message
        assert refusal(ec2.delete_subnet, SubnetId=site.subnet_id)[0] == "DependencyViolation"
        client("sagemaker").delete_cluster(ClusterName="train")
        ec2.delete_security_group(GroupId=site.group_id)
        ec2.delete_subnet(SubnetId=site.subnet_id)

    def test_referenced_security_group_cannot_be_deleted(self, site: Site) -> None:
        ec2 = client("ec2")
        other = ec2.create_security_group(
            GroupName="other", Description="other", VpcId=site.vpc_id
        )["GroupId"]
        rule = [
            {
                "IpProtocol": "tcp",
                "FromPort": 22,
                "ToPort": 22,
                "UserIdGroupPairs": [{"GroupId": site.group_id}],
            }
        ]
        ec2.authorize_security_group_ingress(GroupId=other, IpPermissions=rule)
        assert refusal(ec2.delete_security_group, GroupId=site.group_id)[0] == (
            "DependencyViolation"
        )
        ec2.revoke_security_group_ingress(GroupId=other, IpPermissions=rule)
        ec2.delete_security_group(GroupId=site.group_id)

    def test_subnet_with_an_interface_cannot_be_deleted(self, site: Site) -> None:
        ec2 = client("ec2")
        made = ec2.create_network_interface(SubnetId=site.subnet_id)["NetworkInterface"]
        found, message = refusal(ec2.delete_subnet, SubnetId=site.subnet_id)
        assert (found, site.subnet_id in message) == ("DependencyViolation", True)
        ec2.delete_network_interface(NetworkInterfaceId=made["NetworkInterfaceId"])
        ec2.delete_subnet(SubnetId=site.subnet_id)
