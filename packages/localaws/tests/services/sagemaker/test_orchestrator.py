"""HyperPod on EKS: the orchestrator, EKS-only fields, and task governance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import client, describe, group_of, nodes, refusal

ADDON = "amazon-sagemaker-hyperpod-taskgovernance"
CONTINUOUS = {"NodeProvisioningMode": "Continuous"}


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        site = build_eks_site()
        site.create()
        yield site


@pytest.fixture
def arn(eks_site: EksSite) -> str:
    """A HyperPod cluster on EKS with the task governance add-on."""
    client("eks").create_addon(clusterName="eks", addonName=ADDON)
    return str(client("sagemaker").create_cluster(**eks_site.hyperpod())["ClusterArn"])


def refused(eks_site: EksSite, *groups: dict[str, Any], **more: Any) -> str:
    code, message = refusal(
        client("sagemaker").create_cluster, **eks_site.hyperpod(*groups, **more)
    )
    assert code == "ValidationException"
    return message


class TestOrchestrator:
    def test_compatible_eks_cluster_is_accepted(self, eks_site: EksSite, arn: str) -> None:
        found = describe()
        assert found["ClusterStatus"] == "InService"
        assert found["Orchestrator"]["Eks"]["ClusterArn"].endswith(":cluster/eks")
        assert len(nodes()) == 2

    @pytest.mark.parametrize(
        ("eks_arn", "words"),
        [
            ("arn:aws:eks:us-east-1:123456789012:cluster/absent", "does not exist"),
            ("arn:aws:eks:eu-west-1:123456789012:cluster/eks", "account and Region"),
            ("arn:aws:eks:us-east-1:210987654321:cluster/eks", "account and Region"),
        ],
    )
    def test_unknown_or_other_account_eks_cluster_is_refused(
        self, eks_site: EksSite, eks_arn: str, words: str
    ) -> None:
        assert words in refused(eks_site, Orchestrator={"Eks": {"ClusterArn": eks_arn}})

    def test_inactive_eks_cluster_is_refused(self) -> None:
        with local_aws(delays={"eks_cluster": 60}):
            site = build_eks_site()
            site.create()
            assert "it is CREATING" in refused(site)

    def test_eks_cluster_with_config_map_only_is_refused(self) -> None:
        with local_aws():
            site = build_eks_site()
            site.create(accessConfig={"authenticationMode": "CONFIG_MAP"})
            assert "CONFIG_MAP" in refused(site)

    def test_eks_cluster_in_use_is_refused(self, eks_site: EksSite, arn: str) -> None:
        assert "already" in refused(eks_site, name="second")

    def test_eks_cluster_in_another_vpc_is_refused(self, eks_site: EksSite) -> None:
        ec2 = client("ec2")
        vpc_id = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
        subnet_id = ec2.create_subnet(
            VpcId=vpc_id, CidrBlock="10.9.0.0/20", AvailabilityZoneId="use1-az6"
        )["Subnet"]["SubnetId"]
        group_id = ec2.create_security_group(GroupName="x", Description="x", VpcId=vpc_id)[
            "GroupId"
        ]
        network = {"Subnets": [subnet_id], "SecurityGroupIds": [group_id]}
        assert vpc_id in refused(eks_site, VpcConfig=network)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"AutoScaling": {"Mode": "Enable"}}, "AutoScaling needs Continuous"),
            (
                {"AutoScaling": {"Mode": "Enable"}, **CONTINUOUS},
                "ClusterRole is required",
            ),
            (
                {
                    "RestrictedInstanceGroupsConfig": {
                        "SharedEnvironmentConfig": {
                            "FSxLustreDeletionPolicy": "Keep",
                            "FSxLustreConfig": {
                                "SizeInGiB": 1200,
                                "PerUnitStorageThroughput": 125,
                            },
                        }
                    }
                },
                "needs RestrictedInstanceGroups",
            ),
        ],
    )
    def test_contradictory_settings_are_refused(
        self, eks_site: EksSite, change: dict[str, Any], words: str
    ) -> None:
        assert words in refused(eks_site, **change)

    @pytest.mark.parametrize(
        ("config", "words"),
        [
            ({"Labels": {"bad key": "x"}}, "kubernetesConfig.labels"),
            ({"Labels": {"key": "bad value!"}}, "kubernetesConfig.labels"),
            ({"Taints": [{"Key": "-x", "Effect": "NoSchedule"}]}, "taints.1.member.key"),
            (
                {
                    "Taints": [
                        {"Key": "x", "Value": "1", "Effect": "NoSchedule"},
                        {"Key": "x", "Value": "2", "Effect": "NoSchedule"},
                    ]
                },
                "is given twice",
            ),
        ],
    )
    def test_labels_and_taints_are_validated(
        self, eks_site: EksSite, config: dict[str, Any], words: str
    ) -> None:
        group = eks_site.site.group("workers", 1, "ml.m5.xlarge", SlurmConfig=None)
        assert words in refused(eks_site, {**group, "KubernetesConfig": config})

    def test_all_requested_members_are_returned(self, eks_site: EksSite) -> None:
        config = {
            "Labels": {"team.example.com/name": "research"},
            "Taints": [{"Key": "gpu", "Value": "1", "Effect": "NoSchedule"}],
        }
        storage = {"SizeInGiB": 1200, "PerUnitStorageThroughput": 125}
        shared = {
            "SharedEnvironmentConfig": {
                "FSxLustreDeletionPolicy": "Keep",
                "FSxLustreConfig": storage,
            }
        }
        restricted = {
            "InstanceGroupName": "nova",
            "InstanceType": "ml.p5.48xlarge",
            "InstanceCount": 1,
            "ExecutionRole": eks_site.site.role_arn,
            "EnvironmentConfig": {"FSxLustreConfig": storage},
        }
        group = eks_site.site.group("workers", 1, "ml.m5.xlarge", SlurmConfig=None)
        request = eks_site.hyperpod(
            {**group, "KubernetesConfig": config},
            **CONTINUOUS,
            AutoScaling={"Mode": "Enable", "AutoScalerType": "Karpenter"},
            ClusterRole=eks_site.site.role_arn,
            TieredStorageConfig={"Mode": "Enable", "InstanceMemoryAllocationPercentage": 20},
            RestrictedInstanceGroups=[restricted],
            RestrictedInstanceGroupsConfig=shared,
        )
        client("sagemaker").create_cluster(**request)
        found = describe()
        assert found["AutoScaling"] == {
            "Mode": "Enable",
            "AutoScalerType": "Karpenter",
            "Status": "InService",
        }
        for name in ("ClusterRole", "TieredStorageConfig"):
            assert found[name] == request[name]
        environment = found["RestrictedInstanceGroupsConfig"]["SharedEnvironmentConfig"]
        assert environment["DesiredFSxLustreConfig"] == storage
        assert environment["CurrentFSxLustreDeletionPolicy"] == "Keep"
        assert found["RestrictedInstanceGroups"][0]["EnvironmentConfig"] == {
            "FSxLustreConfig": storage
        }
        other = eks_site.cluster_role
        code, message = refusal(
            client("sagemaker").update_cluster, ClusterName="train", ClusterRole=other
        )
        assert (code, "autoscaling is enabled" in message) == ("ValidationException", True)
        shown = group_of(found, "workers")["KubernetesConfig"]
        assert shown["CurrentLabels"] == shown["DesiredLabels"] == config["Labels"]
        node = nodes(InstanceGroupNameContains="workers")[0]
        details = client("sagemaker").describe_cluster_node(
            ClusterName="train", NodeId=node["InstanceId"]
        )["NodeDetails"]
        assert details["KubernetesConfig"]["CurrentTaints"] == config["Taints"]

    @pytest.mark.parametrize(
        "change",
        [
            {"AutoScaling": {"Mode": "Enable"}},
            {"TieredStorageConfig": {"Mode": "Enable"}},
        ],
    )
    def test_eks_settings_are_refused_for_slurm(
        self, eks_site: EksSite, change: dict[str, Any]
    ) -> None:
        request = eks_site.site.request(eks_site.site.group("w", 1, "ml.m5.xlarge"), **change)
        code, message = refusal(client("sagemaker").create_cluster, **request)
        assert (code, "orchestrated by Amazon EKS" in message) == ("ValidationException", True)


def policy(arn: str, **more: Any) -> dict[str, Any]:
    return {
        "Name": "policy",
        "ClusterArn": arn,
        "SchedulerConfig": {"PriorityClasses": [{"Name": "training", "Weight": 90}]},
        **more,
    }


def quota(arn: str, team: str = "research", **more: Any) -> dict[str, Any]:
    return {
        "Name": f"{team}-quota",
        "ClusterArn": arn,
        "ComputeQuotaConfig": {
            "ComputeQuotaResources": [{"InstanceType": "ml.m5.xlarge", "Count": 1}]
        },
        "ComputeQuotaTarget": {"TeamName": team},
        **more,
    }


def test_labels_are_current_once_the_update_ends() -> None:
    with local_aws(delays={"cluster": 30}) as aws:
        site = build_eks_site()
        site.create()
        client("sagemaker").create_cluster(**site.hyperpod(**CONTINUOUS))
        aws.clock.advance(31)
        workers = site.site.group("workers", 2, "ml.m5.xlarge", SlurmConfig=None)
        labels = {"Labels": {"team": "ml"}}
        client("sagemaker").update_cluster(
            ClusterName="train", InstanceGroups=[{**workers, "KubernetesConfig": labels}]
        )
        during = describe()["InstanceGroups"][0]["KubernetesConfig"]
        assert during == {"DesiredLabels": {"team": "ml"}}
        aws.clock.advance(31)
        after = describe()["InstanceGroups"][0]["KubernetesConfig"]
        assert after == {"CurrentLabels": {"team": "ml"}, "DesiredLabels": {"team": "ml"}}
