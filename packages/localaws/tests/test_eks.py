"""EKS through boto3: what is made, what is refused, what time does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import WaiterError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.services.eks import versions
from packages.localaws.tests.eks_parts import EksSite, build_eks_site, cluster, role
from packages.localaws.tests.parts import client, refusal

ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        yield build_eks_site()


@pytest.fixture
def eks(eks_site: EksSite) -> Any:
    eks_site.create()
    return client("eks")


class TestClusters:
    def test_defaults_are_those_of_the_api(self, eks_site: EksSite) -> None:
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

    def test_without_access_config_it_is_the_config_map(self, eks_site: EksSite) -> None:
        request = eks_site.request()
        del request["accessConfig"]
        client("eks").create_cluster(**request)
        assert cluster()["accessConfig"]["authenticationMode"] == "CONFIG_MAP"
        code, message = refusal(client("eks").list_access_entries, clusterName="eks")
        assert (code, "authentication mode must be set" in message) == (
            "InvalidRequestException",
            True,
        )

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
    def test_what_aws_refuses_is_refused(
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

    def test_a_name_is_taken_once_and_a_token_repeats(self, eks_site: EksSite) -> None:
        request = eks_site.request(clientRequestToken="t")
        first = client("eks").create_cluster(**request)["cluster"]
        again = client("eks").create_cluster(**request)["cluster"]
        assert (first["arn"], first["createdAt"]) == (again["arn"], again["createdAt"])
        code, message = refusal(client("eks").create_cluster, **eks_site.request())
        assert code == "ResourceInUseException"
        assert message == "Cluster already exists with name: eks"
        changed = {**request, "name": "other"}
        assert refusal(client("eks").create_cluster, **changed)[0] == "InvalidParameterException"

    def test_the_quota_of_clusters_holds(self) -> None:
        with local_aws(quotas={"eks/L-1194D53C": 1}):
            site = build_eks_site()
            site.create("a")
            code, message = refusal(client("eks").create_cluster, **site.request("b"))
            assert code == "ResourceLimitExceededException"
            assert "'Clusters' is 1" in message

    def test_a_full_subnet_takes_no_cluster(self) -> None:
        with local_aws(new_subnets={"free_addresses": 5}):
            site = build_eks_site()
            code, message = refusal(client("eks").create_cluster, **site.request())
            assert (code, "needs at least 6" in message) == ("InvalidParameterException", True)

    def test_it_holds_its_network_until_it_is_gone(self, eks_site: EksSite, eks: Any) -> None:
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

    def test_states_take_the_worlds_time_and_waiters_wait(self) -> None:
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


class TestUpdates:
    def test_one_kind_of_update_at_a_time(self, eks: Any) -> None:
        code, message = refusal(
            eks.update_cluster_config,
            name="eks",
            deletionProtection=True,
            upgradePolicy={"supportType": "STANDARD"},
        )
        assert (code, message) == (
            "InvalidParameterException",
            "Only one type of update can be allowed.",
        )
        assert refusal(eks.update_cluster_config, name="eks")[1] == (
            "The type for cluster update was not provided."
        )

    @pytest.mark.parametrize(
        ("change", "kind", "path", "value"),
        [
            (
                {"resourcesVpcConfig": {"endpointPrivateAccess": True}},
                "EndpointAccessUpdate",
                ("resourcesVpcConfig", "endpointPrivateAccess"),
                True,
            ),
            (
                {"logging": {"clusterLogging": [{"types": ["api"], "enabled": True}]}},
                "LoggingUpdate",
                ("logging", "clusterLogging", 0),
                {"types": ["api"], "enabled": True},
            ),
            (
                {"upgradePolicy": {"supportType": "STANDARD"}},
                "UpgradePolicyUpdate",
                ("upgradePolicy", "supportType"),
                "STANDARD",
            ),
            (
                {"deletionProtection": True},
                "DeletionProtectionUpdate",
                ("deletionProtection",),
                True,
            ),
            (
                {"zonalShiftConfig": {"enabled": True}},
                "ZonalShiftConfigUpdate",
                ("zonalShiftConfig", "enabled"),
                True,
            ),
            (
                {"controlPlaneScalingConfig": {"tier": "tier-xl"}},
                "ControlPlaneScalingConfigUpdate",
                ("controlPlaneScalingConfig", "tier"),
                "tier-xl",
            ),
            (
                {"kubeSchedulerConfig": {"nodeResourcesFit": {}}},
                "ControlPlaneComponentConfigUpdate",
                ("kubeSchedulerConfig", "nodeResourcesFit"),
                {},
            ),
        ],
    )
    def test_an_update_is_begun_ends_and_shows(
        self, eks: Any, change: dict[str, Any], kind: str, path: tuple[Any, ...], value: object
    ) -> None:
        update = eks.update_cluster_config(name="eks", **change)["update"]
        assert (update["type"], update["status"]) == (kind, "InProgress")
        ended = eks.describe_update(name="eks", updateId=update["id"])["update"]
        assert ended["status"] == "Successful"
        assert eks.list_updates(name="eks")["updateIds"] == [update["id"]]
        found: Any = cluster()
        for step in path:
            found = found[step]
        assert found == value
        code, _ = refusal(eks.update_cluster_config, name="eks", **change)
        assert code == "InvalidParameterException"

    def test_a_protected_cluster_stays(self, eks: Any) -> None:
        eks.update_cluster_config(name="eks", deletionProtection=True)
        assert refusal(eks.delete_cluster, name="eks")[0] == "InvalidRequestException"

    def test_versions_go_up_one_by_one(self, eks_site: EksSite) -> None:
        known = [each.name for each in reversed(versions.VERSIONS)]
        eks = client("eks")
        now = datetime.now(UTC)
        start = next(name for name in known if versions.creatable(name, now))
        eks_site.create(version=start)
        steps = known[known.index(start) + 1 :]
        if len(steps) > 1:
            code, message = refusal(eks.update_cluster_version, name="eks", version=steps[1])
            assert code == "InvalidParameterException"
            assert "Unsupported Kubernetes minor version update from" in message
        eks.update_cluster_version(name="eks", version=steps[0])
        assert cluster()["version"] == steps[0]
        assert refusal(eks.update_cluster_version, name="eks", version=start)[0] == (
            "InvalidParameterException"
        )

    def test_access_goes_one_way(self, eks_site: EksSite) -> None:
        eks_site.create(accessConfig={"authenticationMode": "CONFIG_MAP"})
        eks = client("eks")
        for mode, fits in (("API", False), ("API_AND_CONFIG_MAP", True), ("API", True)):
            change = {"name": "eks", "accessConfig": {"authenticationMode": mode}}
            if fits:
                eks.update_cluster_config(**change)
                assert cluster()["accessConfig"]["authenticationMode"] == mode
            else:
                assert (
                    "Unsupported authentication mode update"
                    in refusal(eks.update_cluster_config, **change)[1]
                )

    def test_secrets_are_encrypted_once(self, eks: Any) -> None:
        key = client("kms").create_key()["KeyMetadata"]["Arn"]
        config = [{"resources": ["secrets"], "provider": {"keyArn": key}}]
        eks.associate_encryption_config(clusterName="eks", encryptionConfig=config)
        assert cluster()["encryptionConfig"] == config
        assert refusal(
            eks.associate_encryption_config, clusterName="eks", encryptionConfig=config
        ) == ("InvalidParameterException", "Encryption is already enabled on the cluster")


class TestAccess:
    def test_an_entry_and_its_policies(self, eks: Any) -> None:
        principal = role("people", "ec2.amazonaws.com")
        entry = {"clusterName": "eks", "principalArn": principal}
        made = eks.create_access_entry(**entry, kubernetesGroups=["viewers"], tags={"a": "b"})
        assert made["accessEntry"]["type"] == "STANDARD"
        assert refusal(eks.create_access_entry, **entry) == (
            "ResourceInUseException",
            "The specified access entry resource is already in use on this cluster.",
        )
        eks.associate_access_policy(
            **entry, policyArn=ADMIN, accessScope={"type": "namespace", "namespaces": ["a"]}
        )
        listed = eks.list_associated_access_policies(**entry)["associatedAccessPolicies"]
        assert [(p["policyArn"], p["accessScope"]["namespaces"]) for p in listed] == [
            (ADMIN, ["a"])
        ]
        found = eks.list_access_entries(clusterName="eks", associatedPolicyArn=ADMIN)
        assert principal in found["accessEntries"]
        eks.update_access_entry(**entry, kubernetesGroups=["others"])
        shown = eks.describe_access_entry(**entry)["accessEntry"]
        assert (shown["kubernetesGroups"], shown["tags"]) == (["others"], {"a": "b"})
        eks.disassociate_access_policy(**entry, policyArn=ADMIN)
        assert eks.list_associated_access_policies(**entry)["associatedAccessPolicies"] == []
        eks.delete_access_entry(**entry)
        assert refusal(eks.describe_access_entry, **entry)[0] == "ResourceNotFoundException"

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"principalArn": "arn:aws:iam::123456789012:role/absent"}, "invalid principal"),
            ({"principalArn": "nonsense"}, "invalid format"),
            ({"kubernetesGroups": ["system:masters"]}, "cannot start with system:"),
            ({"type": "NOTHING"}, "is not one of"),
            ({"type": "EC2_LINUX", "kubernetesGroups": ["x"]}, "can only be specified"),
            (
                {
                    "principalArn": "arn:aws:iam::123456789012:role/aws-service-role/x.amazonaws"
                    ".com/AWSServiceRoleForX"
                },
                "Service Linked Role",
            ),
        ],
    )
    def test_bad_entries(
        self, eks_site: EksSite, eks: Any, change: dict[str, Any], words: str
    ) -> None:
        request = {"clusterName": "eks", "principalArn": eks_site.pod_role, **change}
        assert words in refusal(eks.create_access_entry, **request)[1]

    def test_the_creator_is_an_administrator(self, eks: Any) -> None:
        creator = "arn:aws:iam::123456789012:root"
        assert eks.list_access_entries(clusterName="eks")["accessEntries"] == [creator]
        found = eks.list_associated_access_policies(clusterName="eks", principalArn=creator)
        assert found["associatedAccessPolicies"][0]["policyArn"] == ADMIN

    def test_a_policy_that_nobody_knows(self, eks: Any) -> None:
        entry = {"clusterName": "eks", "principalArn": "arn:aws:iam::123456789012:root"}
        scope = {"type": "cluster"}
        wrong = ADMIN.replace("ClusterAdmin", "Nothing")
        code, _ = refusal(eks.associate_access_policy, **entry, policyArn=wrong, accessScope=scope)
        assert code == "InvalidParameterException"
        code, _ = refusal(
            eks.associate_access_policy,
            **entry,
            policyArn=ADMIN,
            accessScope={"type": "namespace"},
        )
        assert code == "InvalidParameterException"

    def test_policies_come_in_pages(self, eks: Any) -> None:
        pages = list(
            eks.get_paginator("list_access_policies").paginate(PaginationConfig={"PageSize": 5})
        )
        names = [policy["name"] for page in pages for policy in page["accessPolicies"]]
        assert len(pages) == 4
        assert names == sorted(set(names))


class TestAddons:
    def test_an_addon_lives_and_dies(self, eks_site: EksSite, eks: Any) -> None:
        name = {"clusterName": "eks", "addonName": "eks-pod-identity-agent"}
        eks.create_addon(**name, configurationValues="replicas: 2", tags={"a": "b"})
        assert refusal(eks.create_addon, **name) == (
            "ResourceInUseException",
            "Addon already exists",
        )
        update = eks.update_addon(**name, addonVersion="v1.3.4-eksbuild.1")["update"]
        shown = eks.describe_addon(**name)["addon"]
        assert (shown["addonVersion"], shown["status"]) == ("v1.3.4-eksbuild.1", "ACTIVE")
        assert shown["configurationValues"] == "replicas: 2"
        found = eks.describe_update(
            name="eks", updateId=update["id"], addonName=name["addonName"]
        )["update"]
        assert (found["type"], found["status"]) == ("AddonUpdate", "Successful")
        assert refusal(eks.describe_update, name="eks", updateId=update["id"])[0] == (
            "ResourceNotFoundException"
        )
        eks.delete_addon(**name)
        assert eks.list_addons(clusterName="eks")["addons"] == []

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"addonName": "not-an-addon"}, "Addon specified is not supported"),
            ({"addonVersion": "1.2.3"}, "Addon version specified is not supported"),
            ({"configurationValues": "[1, 2"}, "ConfigurationValue provided in request"),
            (
                {"serviceAccountRoleArn": "arn:aws:iam::123456789012:role/absent"},
                "does not exist",
            ),
        ],
    )
    def test_bad_addons(self, eks: Any, change: dict[str, Any], words: str) -> None:
        request = {"clusterName": "eks", "addonName": "vpc-cni", **change}
        code, message = refusal(eks.create_addon, **request)
        assert (code, words in message) == ("InvalidParameterException", True)

    def test_its_pod_identities_go_with_it(self, eks_site: EksSite, eks: Any) -> None:
        name = {"clusterName": "eks", "addonName": "vpc-cni"}
        wanted = [{"serviceAccount": "aws-node", "roleArn": eks_site.pod_role}]
        made = eks.create_addon(**name, podIdentityAssociations=wanted)["addon"]
        listed = eks.list_pod_identity_associations(clusterName="eks")["associations"]
        assert made["podIdentityAssociations"] == [listed[0]["associationArn"]]
        assert listed[0]["ownerArn"] == made["addonArn"]
        identifier = listed[0]["associationId"]
        assert (
            "owned by"
            in refusal(
                eks.delete_pod_identity_association, clusterName="eks", associationId=identifier
            )[1]
        )
        eks.delete_addon(**name)
        assert eks.list_pod_identity_associations(clusterName="eks")["associations"] == []

    def test_what_is_offered_can_be_made(self, eks: Any) -> None:
        for addon in eks.describe_addon_versions(kubernetesVersion=cluster()["version"])["addons"]:
            version = addon["addonVersions"][0]["addonVersion"]
            eks.create_addon(clusterName="eks", addonName=addon["addonName"], addonVersion=version)
            eks.describe_addon_configuration(addonName=addon["addonName"], addonVersion=version)
        assert len(eks.list_addons(clusterName="eks")["addons"]) > 10


def nodes() -> list[str]:
    """Instances of node groups that run."""
    found = client("ec2").describe_instances(
        Filters=[
            {"Name": "tag:eks:cluster-name", "Values": ["eks"]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )
    return sorted(
        instance["InstanceId"]
        for reservation in found["Reservations"]
        for instance in reservation["Instances"]
    )


def launch_template(data: dict[str, Any]) -> str:
    made = client("ec2").create_launch_template(
        LaunchTemplateName=f"nodes-{len(str(data))}", LaunchTemplateData=data
    )
    return str(made["LaunchTemplate"]["LaunchTemplateId"])


def own_image(architecture: str) -> str:
    found = client("ec2").describe_images(
        Filters=[{"Name": "architecture", "Values": [architecture]}]
    )
    return str(found["Images"][0]["ImageId"])


def with_template(
    site: EksSite, template: str, name: str = "system", **more: Any
) -> dict[str, Any]:
    named = {"launchTemplate": {"id": template, "version": "1"}, **more}
    request = site.group(name, **named)
    del request["instanceTypes"]
    return request


class TestNodegroups:
    def test_it_holds_addresses_and_comes_and_goes(self, eks_site: EksSite, eks: Any) -> None:
        before = eks_site.site.free_addresses()
        each = catalog_facts.addresses_per_node("m5.xlarge", "eks")
        eks.create_nodegroup(**eks_site.group(labels={"a": "b"}))
        assert eks_site.site.free_addresses() == before - 2 * each
        assert len(nodes()) == 2
        name = {"clusterName": "eks", "nodegroupName": "system"}
        taint = {"key": "k", "value": "v", "effect": "NO_SCHEDULE"}
        eks.update_nodegroup_config(
            **name,
            scalingConfig={"desiredSize": 3},
            labels={"addOrUpdateLabels": {"c": "d"}, "removeLabels": ["a"]},
            taints={"addOrUpdateTaints": [taint]},
        )
        shown = eks.describe_nodegroup(**name)["nodegroup"]
        assert shown["scalingConfig"] == {"minSize": 1, "maxSize": 3, "desiredSize": 3}
        assert (shown["labels"], shown["taints"]) == ({"c": "d"}, [taint])
        assert eks_site.site.free_addresses() == before - 3 * each
        assert len(nodes()) == 3
        assert eks_site.node_role in eks.list_access_entries(clusterName="eks")["accessEntries"]
        eks.delete_nodegroup(**name)
        assert eks.list_nodegroups(clusterName="eks")["nodegroups"] == []
        assert (eks_site.site.free_addresses(), nodes()) == (before, [])

    def test_a_new_version_of_its_template_replaces_every_node(
        self, eks_site: EksSite, eks: Any
    ) -> None:
        template = launch_template({"InstanceType": "m5.xlarge"})
        eks.create_nodegroup(**with_template(eks_site, template))
        first = nodes()
        name = {"clusterName": "eks", "nodegroupName": "system"}
        client("ec2").create_launch_template_version(
            LaunchTemplateId=template, LaunchTemplateData={"InstanceType": "m5.xlarge"}
        )
        eks.update_nodegroup_version(**name, launchTemplate={"id": template, "version": "2"})
        second = nodes()
        assert len(second) == 2
        assert not set(first) & set(second)
        eks.update_nodegroup_version(**name, launchTemplate={"id": template, "version": "2"})
        assert nodes() == second

    @pytest.mark.parametrize(("strategy", "succeeds"), [("MINIMAL", True), ("DEFAULT", False)])
    def test_without_spare_capacity_old_nodes_must_end_first(
        self, strategy: str, succeeds: bool
    ) -> None:
        with local_aws(capacity=[{"instance_type": "m5.xlarge", "available": 2}]):
            site = build_eks_site()
            site.create()
            eks = client("eks")
            template = launch_template({"InstanceType": "m5.xlarge"})
            update = {"maxUnavailable": 1, "updateStrategy": strategy}
            eks.create_nodegroup(**with_template(site, template, updateConfig=update))
            first = nodes()
            client("ec2").create_launch_template_version(
                LaunchTemplateId=template, LaunchTemplateData={"InstanceType": "m5.xlarge"}
            )
            name = {"clusterName": "eks", "nodegroupName": "system"}
            started = eks.update_nodegroup_version(
                **name, launchTemplate={"id": template, "version": "2"}
            )["update"]
            found = eks.describe_update(
                name="eks", nodegroupName="system", updateId=started["id"]
            )["update"]
            assert found["status"] == ("Successful" if succeeds else "Failed")
            assert len(nodes()) == 2
            assert (set(nodes()) & set(first) == set()) is succeeds

    def test_nodes_count_against_quotas_and_reservations(self) -> None:
        block = {
            "id": "cr-0a1b2c3d4e5f60718",
            "instance_type": "p5.48xlarge",
            "instance_count": 2,
            "zone_id": "use1-az6",
            "kind": "capacity-block",
            "state": "active",
            "start": "2026-11-20T00:00:00Z",
            "end": "2027-11-20T00:00:00Z",
        }
        # 192 vCPUs each: one node fits, and those of a block do not count.
        quotas = {"ec2/L-417A185B": 200}
        with local_aws(quotas=quotas, capacity_reservations=[block]):
            site = build_eks_site()
            site.create()
            eks = client("eks")
            scaling = {"minSize": 0, "maxSize": 2, "desiredSize": 2}
            types = {"instanceTypes": ["p5.48xlarge"], "scalingConfig": scaling}
            eks.create_nodegroup(**site.group("paid-by-hour", **types))
            failed = eks.describe_nodegroup(clusterName="eks", nodegroupName="paid-by-hour")
            (issue,) = failed["nodegroup"]["health"]["issues"]
            assert "VcpuLimitExceeded" in issue["message"]
            template = launch_template(
                {
                    "InstanceType": "p5.48xlarge",
                    "InstanceMarketOptions": {"MarketType": "capacity-block"},
                    "CapacityReservationSpecification": {
                        "CapacityReservationTarget": {"CapacityReservationId": block["id"]}
                    },
                }
            )
            bought = with_template(
                site, template, name="bought", capacityType="CAPACITY_BLOCK", scalingConfig=scaling
            )
            code, words = refusal(eks.create_nodegroup, **{**bought, "capacityType": "ON_DEMAND"})
            assert (code, "go together" in words) == ("InvalidParameterException", True)
            eks.create_nodegroup(**bought)
            shown = eks.describe_nodegroup(clusterName="eks", nodegroupName="bought")
            assert shown["nodegroup"]["status"] == "ACTIVE"
            found = client("ec2").describe_capacity_reservations()["CapacityReservations"]
            assert [item["AvailableInstanceCount"] for item in found] == [0]
            again = {**bought, "nodegroupName": "again"}
            eks.create_nodegroup(**again)
            shown = eks.describe_nodegroup(clusterName="eks", nodegroupName="again")
            assert "ReservationCapacityExceeded" in str(shown["nodegroup"]["health"])

    def test_an_image_of_ones_own_is_custom_and_stays(self, eks_site: EksSite, eks: Any) -> None:
        """EKS user guide, "Limits and conditions when specifying an AMI ID"."""
        image = own_image("x86_64")
        template = launch_template({"InstanceType": "m5.xlarge", "ImageId": image})
        for name, value in (("amiType", "AL2023_x86_64_STANDARD"), ("version", "1.35")):
            refused = with_template(eks_site, template, **{name: value})
            code, message = refusal(eks.create_nodegroup, **refused)
            assert (code, name in message) == ("InvalidParameterException", True)
        eks.create_nodegroup(**with_template(eks_site, template))
        named = {"clusterName": "eks", "nodegroupName": "system"}
        assert eks.describe_nodegroup(**named)["nodegroup"]["amiType"] == "CUSTOM"
        started = client("ec2").describe_instances(InstanceIds=nodes())["Reservations"]
        assert {i["ImageId"] for item in started for i in item["Instances"]} == {image}
        code, message = refusal(eks.update_nodegroup_version, **named, version="1.35")
        assert (code, "version" in message) == ("InvalidParameterException", True)
        client("ec2").create_launch_template_version(
            LaunchTemplateId=template, LaunchTemplateData={"InstanceType": "m5.xlarge"}
        )
        code, message = refusal(
            eks.update_nodegroup_version, **named, launchTemplate={"id": template, "version": "2"}
        )
        assert (code, "create a new node group" in message) == ("InvalidParameterException", True)

    @pytest.mark.parametrize(
        ("architecture", "words"),
        [(None, "InvalidAMIID.NotFound"), ("arm64", "does not match the architecture 'arm64'")],
    )
    def test_an_image_that_nodes_cannot_boot_from(
        self, eks_site: EksSite, eks: Any, architecture: str | None, words: str
    ) -> None:
        image = own_image(architecture) if architecture else "ami-0123456789abcdef0"
        template = launch_template({"InstanceType": "m5.xlarge", "ImageId": image})
        eks.create_nodegroup(**with_template(eks_site, template))
        found = eks.describe_nodegroup(clusterName="eks", nodegroupName="system")["nodegroup"]
        assert found["status"] == "CREATE_FAILED"
        assert words in found["health"]["issues"][0]["message"]

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            ({"IamInstanceProfile": {"Name": "nodes"}}, "IamInstanceProfile"),
            ({"InstanceMarketOptions": {"MarketType": "spot"}}, "InstanceMarketOptions"),
        ],
    )
    def test_templates_without_what_the_group_says(
        self, eks_site: EksSite, eks: Any, data: dict[str, Any], words: str
    ) -> None:
        template = launch_template({"InstanceType": "m5.xlarge", **data})
        code, message = refusal(eks.create_nodegroup, **with_template(eks_site, template))
        assert (code, words in message) == ("InvalidParameterException", True)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"scalingConfig": {"minSize": 3, "maxSize": 2}}, "can't be greater than"),
            (
                {"scalingConfig": {"minSize": 1, "maxSize": 2, "desiredSize": 5}},
                "desired capacity 5 can't be greater than max size 2",
            ),
            (
                {"instanceTypes": ["m5.gigantic"]},
                "The following supplied instance types do not exist: [m5.gigantic]",
            ),
            ({"subnets": ["subnet-00000000"]}, "does not exist"),
            ({"nodeRole": "arn:aws:iam::123456789012:role/absent"}, "cannot be found"),
            ({"nodeRole": "CLUSTER"}, "Following required service principals"),
            ({"capacityType": "CAPACITY_BLOCK"}, "needs a launch template"),
            ({"launchTemplate": {"name": "absent"}, "instanceTypes": []}, "does not exist"),
            ({"version": "9.99"}, "may not be greater than the version of the cluster"),
            (
                {"updateConfig": {"maxUnavailable": 1, "maxUnavailablePercentage": 1}},
                "Specify only one",
            ),
        ],
    )
    def test_bad_groups(
        self, eks_site: EksSite, eks: Any, change: dict[str, Any], words: str
    ) -> None:
        if change.get("nodeRole") == "CLUSTER":
            change = {"nodeRole": eks_site.cluster_role}
        code, message = refusal(eks.create_nodegroup, **{**eks_site.group(), **change})
        assert (code, words in message) == ("InvalidParameterException", True)
        assert eks.list_nodegroups(clusterName="eks")["nodegroups"] == []

    @pytest.mark.parametrize(
        ("world", "code"),
        [
            ({"not_offered": {"m5.xlarge": ["use1-az6"]}}, "AsgInstanceLaunchFailures"),
            (
                {"capacity": [{"instance_type": "m5.xlarge", "available": 1}]},
                "AsgInstanceLaunchFailures",
            ),
        ],
    )
    def test_nodes_that_cannot_be_had_fail_the_group(
        self, world: dict[str, Any], code: str
    ) -> None:
        with local_aws(**world):
            site = build_eks_site()
            site.create()
            eks = client("eks")
            eks.create_nodegroup(**site.group())
            name = {"clusterName": "eks", "nodegroupName": "system"}
            shown = eks.describe_nodegroup(**name)["nodegroup"]
            assert shown["status"] == "CREATE_FAILED"
            assert shown["health"]["issues"][0]["code"] == code
            with pytest.raises(WaiterError):
                eks.get_waiter("nodegroup_active").wait(**name)
            eks.delete_nodegroup(**name)

    def test_quotas_of_groups_and_nodes(self) -> None:
        with local_aws(quotas={"eks/L-6D54EA21": 1, "eks/L-BD136A63": 3}):
            site = build_eks_site()
            site.create()
            eks = client("eks")
            big = site.group(scalingConfig={"minSize": 1, "maxSize": 4, "desiredSize": 1})
            assert refusal(eks.create_nodegroup, **big)[0] == "ResourceLimitExceededException"
            eks.create_nodegroup(**site.group("a"))
            assert refusal(eks.create_nodegroup, **site.group("b"))[0] == (
                "ResourceLimitExceededException"
            )

    def test_a_cluster_with_groups_stays(self, eks_site: EksSite, eks: Any) -> None:
        eks.create_nodegroup(**eks_site.group())
        assert refusal(eks.delete_cluster, name="eks") == (
            "ResourceInUseException",
            "Cluster has nodegroups attached",
        )


class TestPodIdentity:
    def test_one_role_per_service_account(self, eks_site: EksSite, eks: Any) -> None:
        request = {
            "clusterName": "eks",
            "namespace": "ml",
            "serviceAccount": "train",
            "roleArn": eks_site.pod_role,
        }
        made = eks.create_pod_identity_association(**request)["association"]
        assert refusal(eks.create_pod_identity_association, **request)[0] == (
            "ResourceInUseException"
        )
        name = {"clusterName": "eks", "associationId": made["associationId"]}
        other = role("others", "pods.eks.amazonaws.com")
        eks.update_pod_identity_association(**name, roleArn=other)
        shown = eks.describe_pod_identity_association(**name)["association"]
        assert shown["roleArn"] == other
        wrong = {**request, "serviceAccount": "x", "roleArn": eks_site.node_role}
        assert "pods.eks.amazonaws.com" in refusal(eks.create_pod_identity_association, **wrong)[1]
        none = eks.list_pod_identity_associations(clusterName="eks", namespace="none")
        assert none["associations"] == []
        eks.delete_pod_identity_association(**name)
        assert refusal(eks.describe_pod_identity_association, **name)[0] == (
            "ResourceNotFoundException"
        )


def test_versions_are_of_the_dated_calendar(eks_site: EksSite) -> None:
    eks = client("eks")
    shown = eks.describe_cluster_versions()["clusterVersions"]
    assert [each["clusterVersion"] for each in shown if each["defaultVersion"]] == [
        versions.NEWEST.name
    ]
    assert all(each["versionStatus"] != "UNSUPPORTED" for each in shown)
    everything = eks.describe_cluster_versions(includeAll=True)["clusterVersions"]
    assert [each["clusterVersion"] for each in everything] == [
        each.name for each in versions.VERSIONS
    ]
    for name, until in (("1.33", datetime(2026, 7, 29, tzinfo=UTC)),):
        found = eks.describe_cluster_versions(clusterVersions=[name])["clusterVersions"][0]
        assert found["endOfStandardSupportDate"] == until
    before, after = datetime(2026, 7, 28, tzinfo=UTC), datetime(2026, 7, 29, tzinfo=UTC)
    version = next(each for each in versions.VERSIONS if each.name == "1.33")
    assert (version.status_at(before), version.status_at(after)) == (
        "STANDARD_SUPPORT",
        "EXTENDED_SUPPORT",
    )


def test_tags_of_every_resource(eks_site: EksSite, eks: Any) -> None:
    eks.create_nodegroup(**eks_site.group())
    eks.create_addon(clusterName="eks", addonName="coredns")
    entry = eks.create_access_entry(clusterName="eks", principalArn=eks_site.pod_role)
    name = {"clusterName": "eks", "nodegroupName": "system"}
    arns = [
        cluster()["arn"],
        eks.describe_nodegroup(**name)["nodegroup"]["nodegroupArn"],
        eks.describe_addon(clusterName="eks", addonName="coredns")["addon"]["addonArn"],
        entry["accessEntry"]["accessEntryArn"],
    ]
    for arn in arns:
        eks.tag_resource(resourceArn=arn, tags={"a": "b", "c": "d"})
        eks.untag_resource(resourceArn=arn, tagKeys=["a"])
        assert eks.list_tags_for_resource(resourceArn=arn)["tags"] == {"c": "d"}
    assert refusal(eks.list_tags_for_resource, resourceArn=arns[0] + "x")[0] == "NotFoundException"
