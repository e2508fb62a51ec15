"""HyperPod with EKS deployed to the local AWS: its resources, and the effects of changes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright.platforms.kubernetes import kubelet_wait
from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, bootstrapped, objects
from tests.support.rich_specs import HYPERPOD_EKS, changed
from tests.support.synthesis import ROOT, Build

IMAGE = f"111122223333.dkr.ecr.us-east-1.amazonaws.com/tests@sha256:{'0' * 64}"
SPEC = changed(HYPERPOD_EKS, protection="destroy", acceptance={"image": IMAGE, "hold": True})


@pytest.fixture(scope="module")
def deployed(build: Build) -> Iterator[Account]:
    """An account with the deployed `SPEC`; tests that change it restore it."""
    with local_aws():
        found = bootstrapped()
        found.deploy(build(SPEC))
        yield found


def described(account: Account) -> dict[str, Any]:
    found: dict[str, Any] = account.client("sagemaker").describe_cluster(ClusterName="test")
    return found


def group(account: Account, name: str) -> dict[str, Any]:
    return next(g for g in described(account)["InstanceGroups"] if g["InstanceGroupName"] == name)


def quotas(account: Account) -> dict[str, dict[str, Any]]:
    found = account.client("sagemaker").list_compute_quotas()["ComputeQuotaSummaries"]
    return {one["Name"]: one for one in found}


def test_control_plane_is_the_orchestrator(deployed: Account) -> None:
    cluster = described(deployed)
    eks = deployed.client("eks").describe_cluster(name="test")["cluster"]
    assert cluster["ClusterStatus"] == "InService"
    assert cluster["Orchestrator"]["Eks"]["ClusterArn"] == eks["arn"]
    assert cluster["VpcConfig"]["SecurityGroupIds"]
    outputs = deployed.outputs("test-cluster")
    assert outputs["ClusterArn"] == cluster["ClusterArn"]
    cluster_id = cluster["ClusterArn"].split("/")[1]
    assert f"sagemaker-cluster:{cluster_id}_system-<instance-id>" in outputs["SsmLoginCommand"]
    assert "list-cluster-nodes --cluster-name test " in outputs["ListNodesCommand"]
    assert outputs["KubeconfigCommand"].startswith("aws eks update-kubeconfig --name test ")
    (lustre,) = deployed.client("fsx").describe_file_systems()["FileSystems"]
    assert outputs["LustreDnsName"] == lustre["DNSName"]
    assert outputs["LustreMountName"] == lustre["LustreConfiguration"]["MountName"]


def test_eks_only_settings_are_applied(deployed: Account) -> None:
    cluster = described(deployed)
    assert cluster["NodeProvisioningMode"] == "Continuous"
    assert cluster["AutoScaling"]["Mode"] == "Enable"
    assert cluster["AutoScaling"]["AutoScalerType"] == "Karpenter"
    role = cluster["ClusterRole"].rsplit("/", 1)[-1]
    trust = deployed.client("iam").get_role(RoleName=role)["Role"]["AssumeRolePolicyDocument"]
    assert trust["Statement"][0]["Principal"]["Service"] == "hyperpod.sagemaker.amazonaws.com"
    assert cluster["TieredStorageConfig"] == {
        "Mode": "Enable",
        "InstanceMemoryAllocationPercentage": 20,
    }
    environment = cluster["RestrictedInstanceGroupsConfig"]["SharedEnvironmentConfig"]
    assert environment["DesiredFSxLustreConfig"] == {
        "SizeInGiB": 4800,
        "PerUnitStorageThroughput": 250,
    }
    assert environment["DesiredFSxLustreDeletionPolicy"] == "Keep"
    (restricted,) = cluster["RestrictedInstanceGroups"]
    assert (restricted["InstanceGroupName"], restricted["CurrentCount"]) == ("nova", 1)


def test_groups_have_labels_taints_partitions_and_health_checks(deployed: Account) -> None:
    workers, parts, system = (group(deployed, name) for name in ("workers", "parts", "system"))
    assert workers["KubernetesConfig"]["DesiredLabels"] == {"team.example.com/model": "seven-b"}
    assert workers["KubernetesConfig"]["DesiredTaints"] == [
        {"Key": "nvidia.com/gpu", "Value": "present", "Effect": "NoSchedule"},
        {"Key": "clusterwright/acceptance", "Value": "pending", "Effect": "NoSchedule"},
    ]
    assert "DesiredTaints" not in parts["KubernetesConfig"]
    assert parts["KubernetesConfig"]["DesiredLabels"] == {
        "nvidia.com/mig.config": "mixed-1-3g.40gb-1-4g.40gb"
    }
    assert "KubernetesConfig" not in system
    assert workers["OnStartDeepHealthChecks"] == ["InstanceStress", "InstanceConnectivity"]
    assert "OnStartDeepHealthChecks" not in system
    assert parts["CapacityRequirements"] == {"Spot": {}}
    assert workers["TrainingPlanArn"].endswith("training-plan/tests")
    assert workers["NetworkInterface"] == {"InterfaceType": "efa-only"}
    volumes = [one["EbsVolumeConfig"] for one in system["InstanceStorageConfigs"]]
    assert [v.get("VolumeSizeInGB") for v in volumes] == [None, 200]
    assert all(":key/" in v["VolumeKmsKeyId"] for v in volumes)


def scripts_of(account: Account, name: str) -> tuple[str, dict[str, str]]:
    given = group(account, name)["LifeCycleConfig"]
    bucket, prefix = given["SourceS3Uri"].removeprefix("s3://").split("/", 1)
    return given["OnCreate"], objects(account, bucket, prefix)


def test_groups_with_scratch_and_held_groups_have_scripts(deployed: Account) -> None:
    for name in ("system", "parts"):
        assert "LifeCycleConfig" not in group(deployed, name)
    entry, files = scripts_of(deployed, "workers")
    assert entry == "workers.sh"
    assert "--scratch /scratch" in files["workers.sh"]
    assert "kubelet_wait.sh" in files["workers.sh"]
    entry, same = scripts_of(deployed, "elastic")
    assert (entry, same) == ("elastic.sh", files)
    assert "--scratch" not in files["elastic.sh"]
    assert set(files) == {"on_create.sh", "kubelet_wait.sh", "workers.sh", "elastic.sh"}
    folder = ROOT / "stacks" / "hyperpod_eks" / "scripts"
    assert files["on_create.sh"] == (folder / "on_create.sh").read_text()
    assert files["kubelet_wait.sh"] == kubelet_wait.script()


ELASTIC = "ml.g6e.48xlarge"


def _of_p5(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the group that Karpenter scales from 0."""
    return [entry for entry in entries if entry["InstanceType"] != ELASTIC]


def _shares(whole: int, divided: int) -> list[dict[str, Any]]:
    kind = {"InstanceType": "ml.p5.48xlarge"}
    return [
        {**kind, "Count": whole},
        *(
            {**kind, "AcceleratorPartition": {"Type": f"mig-{part}", "Count": divided}}
            for part in ("3g.40gb", "4g.40gb")
        ),
    ]


def test_tenants_have_compute_quotas(deployed: Account) -> None:
    found = quotas(deployed)
    assert {name: one["Status"] for name, one in found.items()} == {
        "pretraining": "Created",
        "evaluation": "Created",
    }

    def share(name: str) -> list[dict[str, Any]]:
        shares: list[dict[str, Any]] = found[name]["ComputeQuotaConfig"]["ComputeQuotaResources"]
        return shares

    # 3 to 1 of the eight unpartitioned and unrestricted instances, and of the 16 GPUs with
    # two partitions each.
    assert _of_p5(share("pretraining")) == _shares(6, 12)
    assert _of_p5(share("evaluation")) == _shares(2, 4)
    # Nodes that Karpenter may add are part of the shares in advance.
    (elastic,) = (g for g in SPEC["compute"] if g["instance_type"] == ELASTIC.removeprefix("ml."))
    waited = [e["Count"] for name in found for e in share(name) if e["InstanceType"] == ELASTIC]
    assert sum(waited) == elastic["max_count"]
    weights = {name: one["ComputeQuotaTarget"]["FairShareWeight"] for name, one in found.items()}
    assert weights == {"pretraining": 100, "evaluation": 33}
    sharing = found["evaluation"]["ComputeQuotaConfig"]["ResourceSharingConfig"]
    assert sharing["Strategy"] == "Lend"
    sagemaker = deployed.client("sagemaker")
    (policy,) = sagemaker.list_cluster_scheduler_configs()["ClusterSchedulerConfigSummaries"]
    shown = sagemaker.describe_cluster_scheduler_config(
        ClusterSchedulerConfigId=policy["ClusterSchedulerConfigId"]
    )
    assert shown["SchedulerConfig"] == {
        "FairShare": "Enabled",
        "IdleResourceSharing": "Enabled",
        "PriorityClasses": [
            {"Name": "training", "Weight": 90},
            {"Name": "inference", "Weight": 10},
        ],
    }


def test_addons_have_pod_roles(deployed: Account) -> None:
    eks = deployed.client("eks")
    names = set(eks.list_addons(clusterName="test")["addons"])
    assert {
        "amazon-sagemaker-hyperpod-taskgovernance",
        "amazon-sagemaker-hyperpod-training-operator",
        "amazon-sagemaker-hyperpod-observability",
        "cert-manager",
    } <= names
    addon = eks.describe_addon(
        clusterName="test", addonName="amazon-sagemaker-hyperpod-observability"
    )["addon"]
    values = json.loads(addon["configurationValues"])
    (workspace,) = deployed.client("amp").list_workspaces()["workspaces"]
    assert values["ampWorkspace"]["arn"] == workspace["arn"]
    assert values["ampWorkspace"]["prometheusEndpoint"].endswith(workspace["workspaceId"])
    accounts = {
        one["serviceAccount"]
        for one in eks.list_pod_identity_associations(clusterName="test")["associations"]
    }
    assert {
        "hp-training-operator-controller-manager",
        "hyperpod-observability-operator-otel-collector",
    } <= accounts


def test_node_log_group_has_a_retention(deployed: Account) -> None:
    cluster_id = described(deployed)["ClusterArn"].split("/")[1]
    (found,) = deployed.client("logs").describe_log_groups(
        logGroupNamePrefix=f"/aws/sagemaker/Clusters/test/{cluster_id}"
    )["logGroups"]
    assert found["retentionInDays"] == 30


@pytest.mark.parametrize(
    ("changes", "stacks"),
    [
        ({"compute__2__count": 4}, {"test-cluster", "test-operators"}),
        ({"compute__0__count": 3}, {"test-cluster"}),
        ({"compute__1__labels": {"team.example.com/model": "seventy-b"}}, {"test-cluster"}),
        ({"compute__2__mig_profile": "all-1g.10gb"}, {"test-cluster", "test-operators"}),
        ({"tenants__0__max_nodes": 7}, {"test-cluster", "test-operators"}),
        # Only the recorded spec changes in the cluster's template.
        ({"tenants__0__weight": 9}, {"test-cluster", "test-operators"}),
        (
            {"hyperpod__task_governance__fair_share": False},
            {"test-cluster", "test-operators"},
        ),
        (
            {"compute__1__scratch__mount_path": "/local"},
            {"test-cluster", "test-lifecycle"},
        ),
    ],
)
def test_change_updates_only_its_resources(
    changes: dict[str, Any], stacks: set[str], deployed: Account, build: Build
) -> None:
    arn = described(deployed)["ClusterArn"]
    statuses = deployed.deploy(build(changed(SPEC, **changes)))
    assert {name for name, status in statuses.items() if status != "unchanged"} == stacks
    assert described(deployed)["ClusterArn"] == arn
    deployed.deploy(build(SPEC))


def test_added_nodes_change_the_quotas(deployed: Account, build: Build) -> None:
    more = changed(SPEC, compute__1__count=12)
    assert deployed.deploy(build(more))["test-operators"] == "UPDATE_COMPLETE"
    assert deployed.nodes("test").count("workers") == 12
    config = quotas(deployed)["pretraining"]["ComputeQuotaConfig"]
    assert _of_p5(config["ComputeQuotaResources"]) == _shares(9, 12)
    deployed.deploy(build(SPEC))


def test_max_nodes_limits_borrowing(deployed: Account, build: Build) -> None:
    """`max_nodes` applies per group: two unpartitioned nodes, two partitioned nodes."""
    deployed.deploy(build(changed(SPEC, tenants__0__max_nodes=2)))
    sharing = quotas(deployed)["pretraining"]["ComputeQuotaConfig"]["ResourceSharingConfig"]
    assert sharing["Strategy"] == "LendAndBorrow"
    assert _of_p5(sharing["AbsoluteBorrowLimits"]) == _shares(0, 4)
    deployed.deploy(build(SPEC))


def drifted(account: Account, stack: str) -> set[str]:
    """Drift of a stack."""
    cloudformation = account.client("cloudformation")
    detection = cloudformation.detect_stack_drift(StackName=stack)["StackDriftDetectionId"]
    for _ in range(600):
        status = cloudformation.describe_stack_drift_detection_status(
            StackDriftDetectionId=detection
        )
        if status["DetectionStatus"] != "DETECTION_IN_PROGRESS":
            break
        time.sleep(0.02)
    assert status["DetectionStatus"] == "DETECTION_COMPLETE"
    drifts = cloudformation.describe_stack_resource_drifts(StackName=stack)
    return {
        one["LogicalResourceId"]
        for one in drifts["StackResourceDrifts"]
        if one["StackResourceDriftStatus"] in ("MODIFIED", "DELETED")
    }


def test_only_manual_label_changes_are_drift(deployed: Account) -> None:
    for stack in ("test-cluster", "test-operators", "test-kubernetes"):
        assert drifted(deployed, stack) == set(), stack
    sagemaker = deployed.client("sagemaker")
    groups = changed(SPEC)["compute"]
    live = described(deployed)["InstanceGroups"]

    def label(value: str) -> None:
        sagemaker.update_cluster(
            ClusterName="test",
            InstanceGroups=[
                {
                    **{
                        key: one[key]
                        for key in (
                            *("InstanceGroupName", "InstanceType", "ExecutionRole"),
                            *("InstanceStorageConfigs", "ThreadsPerCore", "CapacityRequirements"),
                            *("OnStartDeepHealthChecks", "LifeCycleConfig", "TrainingPlanArn"),
                            *("NetworkInterface", "AutoPatchConfig"),
                        )
                        if key in one
                    },
                    "InstanceCount": one["TargetCount"],
                    **({"MinInstanceCount": one["MinCount"]} if "MinCount" in one else {}),
                    "KubernetesConfig": {
                        "Labels": {"team.example.com/model": value},
                        "Taints": one["KubernetesConfig"]["DesiredTaints"],
                    },
                }
                for one in live
                if one["InstanceGroupName"] == groups[1]["name"]
            ],
        )

    label("by-hand")
    assert drifted(deployed, "test-cluster") == {"Cluster"}
    label("seven-b")
    assert drifted(deployed, "test-cluster") == set()
