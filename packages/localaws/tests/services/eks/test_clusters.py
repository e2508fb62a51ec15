"""Tests of services.eks.clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import WaiterError

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.eks import versions
from packages.localaws.tests.eks_parts import EksSite, build_eks_site, cluster
from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        yield build_eks_site()


@pytest.fixture
def eks(eks_site: EksSite) -> Any:
    eks_site.create()
    return client("eks")


class TestClusters:
    def test_defaults_match_the_api(self, eks_site: EksSite) -> None:
        found = eks_site.create()
        assert found["status"] == "ACTIVE"
        assert found["version"] == versions.default_version()
        assert found["resourcesVpcConfig"]["endpointPublicAccess"] is True
        assert found["resourcesVpcConfig"]["publicAccessCidrs"] == ["0.0.0.0/0"]
        assert found["resourcesVpcConfig"]["vpcId"] == eks_site.site.vpc_id
        assert found["upgradePolicy"] == {"supportType": "EXTENDED"}
        assert found["identity"]["oidc"]["issuer"].startswith("https://oidc.eks.us-east-1.")
        groups = client("ec2").describe_security_groups(
            GroupIds=[found["resourcesVpcConfig"]["clusterSecurityGroupId"]]
        )["SecurityGroups"]
        assert groups[0]["GroupName"].startswith("eks-cluster-sg-eks-")

    def test_default_authentication_mode_is_the_config_map(self, eks_site: EksSite) -> None:
        request = eks_site.request()
        del request["accessConfig"]
        client("eks").create_cluster(**request)
        assert cluster()["accessConfig"]["authenticationMode"] == "CONFIG_MAP"
        code, message = refusal(client("eks").list_access_entries, clusterName="eks")
        assert (code, "authentication mode must be set" in message) == (
            "InvalidRequestException",
            True,
        )

    def test_network_with_dedicated_tenancy_is_refused(self, eks_site: EksSite) -> None:
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.8.0.0/16", InstanceTenancy="dedicated")["Vpc"]["VpcId"]
        subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZoneId=zone)["Subnet"][
                "SubnetId"
            ]
            for cidr, zone in (("10.8.0.0/20", "use1-az6"), ("10.8.16.0/20", "use1-az2"))
        ]
        request = {**eks_site.request(), "resourcesVpcConfig": {"subnetIds": subnets}}
        assert refusal(client("eks").create_cluster, **request) == (
            "InvalidParameterException",
            "The subnet(s) provided belong to a VPC with unsupported tenancy. Only subnets from "
            "VPCs with default tenancy are supported",
        )
        ec2.modify_vpc_tenancy(VpcId=vpc, InstanceTenancy="default")
        client("eks").create_cluster(**request)

    @pytest.mark.parametrize(
        ("change", "code", "words"),
        [
            ({"version": "1.10"}, "InvalidParameterException", "unsupported Kubernetes version"),
            ({"version": "9.99"}, "InvalidParameterException", "unsupported Kubernetes version"),
            (
                {"roleArn": "arn:aws:iam::123456789012:role/absent"},
                "InvalidParameterException",
                "could not be assumed because it does not exist or the trusted entity is not",
            ),
            ({"roleArn": "NODE"}, "InvalidParameterException", "trusted entity is not correct"),
            (
                {"resourcesVpcConfig": {"subnetIds": ["subnet-00000000"]}},
                "InvalidParameterException",
                "The subnet ID 'subnet-00000000' does not exist",
            ),
            (
                {"resourcesVpcConfig": {"subnetIds": ["FIRST"]}},
                "InvalidParameterException",
                "Subnets specified must be in at least two different AZs",
            ),
            (
                {
                    "resourcesVpcConfig": {
                        "subnetIds": ["FIRST", "SECOND"],
                        "endpointPublicAccess": False,
                    }
                },
                "InvalidParameterException",
                "Private and public endpoint access cannot be false",
            ),
            (
                {
                    "resourcesVpcConfig": {
                        "subnetIds": ["FIRST", "SECOND"],
                        "publicAccessCidrs": ["10.0.0.0/33"],
                    }
                },
                "InvalidParameterException",
                "10.0.0.0/33",
            ),
            (
                {
                    "resourcesVpcConfig": {
                        "subnetIds": ["FIRST", "SECOND"],
                        "securityGroupIds": ["sg-00000000"],
                    }
                },
                "InvalidParameterException",
                "sg-00000000",
            ),
            (
                {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "10.0.0.0/16"}},
                "InvalidParameterException",
                "overlaps the CIDR block of the VPC",
            ),
            (
                {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "8.8.0.0/16"}},
                "InvalidParameterException",
                "must be a /12 to /24",
            ),
            (
                {"encryptionConfig": [{"resources": ["pods"], "provider": {"keyArn": "k"}}]},
                "InvalidParameterException",
                "secrets",
            ),
            (
                {
                    "encryptionConfig": [
                        {
                            "resources": ["secrets"],
                            "provider": {
                                "keyArn": "arn:aws:kms:us-east-1:123456789012:key/absent"
                            },
                        }
                    ]
                },
                "InvalidParameterException",
                "does not exist",
            ),
            (
                {"computeConfig": {"enabled": True}},
                "InvalidParameterException",
                "either fully enabled or fully disabled",
            ),
            (
                {
                    "accessConfig": {
                        "authenticationMode": "CONFIG_MAP",
                        "bootstrapClusterCreatorAdminPermissions": False,
                    }
                },
                "InvalidParameterException",
                "must be true if cluster authentication mode is set to CONFIG_MAP",
            ),
        ],
    )
    def test_invalid_clusters_are_refused(
        self, eks_site: EksSite, change: dict[str, Any], code: str, words: str
    ) -> None:
        first, second = eks_site.subnet_ids
        text = {"FIRST": first, "SECOND": second}
        if change.get("roleArn") == "NODE":
            change = {"roleArn": eks_site.node_role}
        network = change.get("resourcesVpcConfig")
        if network:
            network = {**network, "subnetIds": [text.get(n, n) for n in network["subnetIds"]]}
            change = {"resourcesVpcConfig": network}
        found = refusal(client("eks").create_cluster, **{**eks_site.request(), **change})
        assert found[0] == code
        assert words in found[1]
        assert client("eks").list_clusters()["clusters"] == []

    def test_cluster_name_is_unique_and_token_idempotent(self, eks_site: EksSite) -> None:
        request = eks_site.request(clientRequestToken="t")
        first = client("eks").create_cluster(**request)["cluster"]
        again = client("eks").create_cluster(**request)["cluster"]
        assert (first["arn"], first["createdAt"]) == (again["arn"], again["createdAt"])
        code, message = refusal(client("eks").create_cluster, **eks_site.request())
        assert code == "ResourceInUseException"
        assert message == "Cluster already exists with name: eks"
        changed = {**request, "name": "other"}
        assert refusal(client("eks").create_cluster, **changed)[0] == "InvalidParameterException"

    def test_cluster_quota_is_enforced(self) -> None:
        with local_aws(quotas={"eks/L-1194D53C": 1}):
            site = build_eks_site()
            site.create("a")
            code, message = refusal(client("eks").create_cluster, **site.request("b"))
            assert code == "ResourceLimitExceededException"
            assert "'Clusters' is 1" in message

    def test_a_full_subnet_refuses_a_cluster(self) -> None:
        with local_aws(new_subnets={"free_addresses": 5}):
            site = build_eks_site()
            code, message = refusal(client("eks").create_cluster, **site.request())
            assert (code, "needs at least 6" in message) == ("InvalidParameterException", True)

    def test_network_cannot_be_deleted_while_in_use(self, eks_site: EksSite, eks: Any) -> None:
        group_id = cluster()["resourcesVpcConfig"]["clusterSecurityGroupId"]
        ec2 = client("ec2")
        subnet_id = eks_site.subnet_ids[1]
        assert refusal(ec2.delete_subnet, SubnetId=subnet_id)[0] == "DependencyViolation"
        assert refusal(ec2.delete_security_group, GroupId=group_id)[0] == "DependencyViolation"
        eks.delete_cluster(name="eks")
        assert refusal(eks.describe_cluster, name="eks") == (
            "ResourceNotFoundException",
            "No cluster found for name: eks.",
        )
        ec2.delete_subnet(SubnetId=subnet_id)
        assert refusal(ec2.describe_security_groups, GroupIds=[group_id])[0] == (
            "InvalidGroup.NotFound"
        )

    def test_state_changes_take_the_delay_of_the_world(self) -> None:
        delays = {"eks_cluster": 600, "addon": 60, "node_group": 120}
        with local_aws(delays=delays) as runtime:
            site = build_eks_site()
            eks = client("eks")
            made = eks.create_cluster(**site.request())["cluster"]
            assert made["status"] == "CREATING"
            assert "endpoint" not in made
            assert refusal(eks.create_nodegroup, **site.group())[0] == "InvalidRequestException"
            with pytest.raises(WaiterError):
                eks.get_waiter("cluster_active").wait(
                    name="eks", WaiterConfig={"Delay": 0, "MaxAttempts": 2}
                )
            runtime.clock.advance(601)
            once = {"WaiterConfig": {"Delay": 0, "MaxAttempts": 1}}
            eks.get_waiter("cluster_active").wait(name="eks", **once)
            eks.create_addon(clusterName="eks", addonName="vpc-cni")
            eks.create_nodegroup(**site.group())
            runtime.clock.advance(59)
            shown = eks.describe_addon(clusterName="eks", addonName="vpc-cni")["addon"]
            assert shown["status"] == "CREATING"
            runtime.clock.advance(2)
            eks.get_waiter("addon_active").wait(clusterName="eks", addonName="vpc-cni", **once)
            assert refusal(eks.delete_cluster, name="eks")[0] == "ResourceInUseException"
            with pytest.raises(WaiterError):
                eks.get_waiter("nodegroup_active").wait(
                    clusterName="eks", nodegroupName="system", **once
                )
            runtime.clock.advance(60)
            eks.get_waiter("nodegroup_active").wait(
                clusterName="eks", nodegroupName="system", **once
            )
            eks.delete_nodegroup(clusterName="eks", nodegroupName="system")
            runtime.clock.advance(121)
            eks.delete_cluster(name="eks")
            assert cluster()["status"] == "DELETING"
            runtime.clock.advance(601)
            eks.get_waiter("cluster_deleted").wait(name="eks", **once)
