"""Tests of node groups."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.loading import load_cluster, validate_for_synthesis
from tests.stacks.eks.node_group_queries import HELD, node_group, template
from tests.stacks.templates import properties, text_of
from tests.support import specs
from tests.support.rich_specs import EKS, EKS_MINIMAL, changed
from tests.support.synthesis import Build


def test_sizes_capacity_and_images_are_set(build: Build) -> None:
    assembly = build(EKS)
    found = {
        one["Labels"]["clusterwright.dev/group"]: (
            one["ScalingConfig"]["MinSize"],
            one["ScalingConfig"]["DesiredSize"],
            one["ScalingConfig"]["MaxSize"],
            one["CapacityType"],
            one["AmiType"],
        )
        for one in properties(assembly, "AWS::EKS::Nodegroup")
    }
    assert found == {
        "system": (2, 2, 4, "ON_DEMAND", "AL2023_x86_64_STANDARD"),
        "workers": (2, 4, 6, "ON_DEMAND", "AL2023_x86_64_NVIDIA"),
        "block": (2, 2, 2, "CAPACITY_BLOCK", "AL2023_x86_64_NVIDIA"),
        "reserved": (1, 1, 1, "ON_DEMAND", "AL2023_x86_64_NVIDIA"),
        "spot": (1, 1, 1, "SPOT", "AL2023_x86_64_NVIDIA"),
    }


def test_a_replacement_can_exist_beside_the_old_group(build: Build) -> None:
    for one in properties(build(EKS), "AWS::EKS::Nodegroup"):
        assert "NodegroupName" not in one
        # The type is in the launch template: its change is a rolling update, not a new group.
        assert "InstanceTypes" not in one
        assert one["Subnets"] == [one["Subnets"][0]]
        assert "Nodes" in text_of(one["Subnets"][0])
        version = one["LaunchTemplate"]["Version"]["Fn::GetAtt"]
        assert version == [one["LaunchTemplate"]["Id"]["Ref"], "LatestVersionNumber"]


def test_scarce_accelerators_are_updated_with_minimal_strategy(build: Build) -> None:
    assembly = build(EKS)
    assert node_group(assembly, "workers")["UpdateConfig"] == {
        "MaxUnavailablePercentage": 25,
        "UpdateStrategy": "MINIMAL",
    }
    assert node_group(assembly, "system")["UpdateConfig"] == {
        "MaxUnavailable": 1,
        "UpdateStrategy": "DEFAULT",
    }
    assert node_group(assembly, "workers")["NodeRepairConfig"] == {"Enabled": False}
    repaired = node_group(build(EKS_MINIMAL), "workers")
    assert repaired["NodeRepairConfig"] == {"Enabled": True}


def test_labels_and_taints_are_set(build: Build) -> None:
    workers = node_group(build(EKS), "workers")
    assert workers["Labels"] == {
        "team.example.com/model": "seven-b",
        "clusterwright.dev/group": "workers",
        "clusterwright.dev/role": "compute",
    }
    assert workers["Taints"] == [
        {"Key": "nvidia.com/gpu", "Value": "present", "Effect": "NO_SCHEDULE"}
    ]
    assert "Taints" not in node_group(build(EKS), "system")


def test_compute_nodes_register_with_the_taint_of_the_hold(build: Build) -> None:
    assembly = build(HELD)
    held = {"Key": "clusterwright/acceptance", "Value": "pending", "Effect": "NO_SCHEDULE"}
    own = {"Key": "nvidia.com/gpu", "Value": "present", "Effect": "NO_SCHEDULE"}
    assert node_group(assembly, "workers")["Taints"] == [own, held]
    assert node_group(assembly, "block")["Taints"] == [held]
    assert "Taints" not in node_group(assembly, "system")


def test_placement_groups_are_per_group_and_not_with_a_block(build: Build) -> None:
    assembly = build(EKS)
    placed = {
        name: template(assembly, name).get("Placement", {}).get("GroupName", {}).get("Ref")
        for name in ("system", "workers", "block", "reserved", "spot")
    }
    assert [name for name, group in placed.items() if group] == ["workers", "reserved"]
    assert len(set(placed.values())) == 3
    strategies = [p["Strategy"] for p in properties(assembly, "AWS::EC2::PlacementGroup")]
    assert strategies == ["cluster", "cluster"]


def test_service_range_is_unique(build: Build) -> None:
    def services(**changes: Any) -> Any:
        (found,) = properties(build(changed(EKS_MINIMAL, **changes)), "AWS::EKS::Cluster")
        return found.get("KubernetesNetworkConfig")

    assert services(network__cidr="172.20.0.0/16") == {"ServiceIpv4Cidr": "10.100.0.0/16"}
    given = services(kubernetes={"service_cidr": "192.168.0.0/20"})
    assert given == {"ServiceIpv4Cidr": "192.168.0.0/20"}
    both = {"private_access_cidrs": ["172.16.0.0/12", "10.96.0.0/11"]}
    assert services(kubernetes=both) is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kubernetes": {"service_cidr": "100.64.0.0/16"}}, "is not within 10.0.0.0/8"),
        ({"kubernetes": {"service_cidr": "172.20.0.0/28"}}, "between /24 and /12"),
        ({"kubernetes": {"service_cidr": "10.0.0.0/16"}}, "overlaps 10.0.0.0/16"),
        ({"image": {"release_version": "1.2.3"}}, "requires platform hyperpod"),
    ],
)
def test_ranges_and_images_that_eks_refuses(
    build: Build, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(SpecErrors, match=words):
        build(changed(EKS_MINIMAL, **changes))


def test_key_policy_allows_the_launch_roles(build: Build) -> None:
    (key,) = properties(build(EKS), "AWS::KMS::Key")
    by_sid = {one["Sid"]: one for one in key["KeyPolicy"]["Statement"]}
    for sid in ("NodeVolumes", "NodeVolumeGrants"):
        condition = by_sid[sid]["Condition"]
        assert condition["ArnEquals"]["aws:PrincipalArn"].endswith("AWSServiceRoleForAutoScaling")
        assert condition["StringEquals"] == {"kms:CallerAccount": "111122223333"}
    assert by_sid["NodeVolumeGrants"]["Condition"]["Bool"] == {"kms:GrantIsForAWSResource": "true"}


def test_similar_names_are_different_groups(build: Build) -> None:
    one = {"role": "compute", "instance_type": "m5.4xlarge", "count": 1}
    names = ["ab", "a-b", "AB", "A-b"]
    spec = changed(EKS_MINIMAL, compute=[{"name": name, **one} for name in names])
    groups = properties(build(spec), "AWS::EKS::Nodegroup")
    assert sorted(g["Labels"]["clusterwright.dev/group"] for g in groups) == sorted(names)
    assert len({g["LaunchTemplate"]["Id"]["Ref"] for g in groups}) == 4


def test_large_group_becomes_several_node_groups(build: Build) -> None:
    spec = changed(
        EKS_MINIMAL,
        compute=[
            {"name": "many", "role": "compute", "instance_type": "g5.48xlarge", "count": 500}
        ],
        network={"availability_zone_id": "use1-az6", "cidr": "10.0.0.0/16"},
    )
    groups = properties(build(spec), "AWS::EKS::Nodegroup")
    assert [g["ScalingConfig"]["DesiredSize"] for g in groups] == [450, 50]
    assert len(properties(build(spec), "AWS::EC2::LaunchTemplate")) == 1
    assert len(properties(build(spec), "AWS::EC2::PlacementGroup")) == 1


def test_inexpressible_values_are_refused_with_their_position(tmp_path: Any) -> None:
    spec = changed(EKS_MINIMAL, compute__0__instance_type="p6e-gb200.36xlarge")
    loaded = load_cluster(specs.write(tmp_path / "spec.yaml", spec))
    with pytest.raises(
        SpecErrors, match=r"the network interfaces of p6e-gb200.* are unknown"
    ) as raised:
        validate_for_synthesis(loaded)
    (problem,) = raised.value
    assert problem.position is not None


def test_outputs_describe_the_cluster(build: Build) -> None:
    outputs = build(EKS).templates["test-cluster"]["Outputs"]
    assert {
        "ClusterName",
        "ClusterArn",
        "KubeconfigCommand",
        "ListNodesCommand",
        "LustreDnsName",
        "LustreFileSystemId",
        "LustreMountName",
        "SsmLoginCommand",
        "VpcId",
    } <= set(outputs)
    without = changed(EKS, identity={"session_manager": False})
    assembly = build(without)
    assert "SsmLoginCommand" not in assembly.templates["test-cluster"]["Outputs"]
    role = next(
        one
        for one in properties(assembly, "AWS::IAM::Role")
        if "nodes of Kubernetes" in one["Description"]
    )
    assert "ssm" not in text_of(role["Policies"])


def test_home_directories_are_volumes_of_pods(build: Build) -> None:
    """Kubernetes mounts NFS itself; the manifests use this output."""
    assert "HomeDnsName" not in build(EKS_MINIMAL).templates["test-cluster"]["Outputs"]
    home = {"kind": "openzfs", "capacity_gib": 64}
    outputs = build(changed(EKS_MINIMAL, storage__home=home)).templates["test-cluster"]["Outputs"]
    assert "HomeDnsName" in outputs
    there = {
        "dns_name": "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
        "security_group_id": "sg-0a1b2c3d4e5f60718",
    }
    used = changed(EKS_MINIMAL, storage__home={"kind": "openzfs", "existing": there})
    outputs = build(used).templates["test-cluster"]["Outputs"]
    assert outputs["HomeDnsName"]["Value"] == there["dns_name"]


def test_only_types_missing_in_cfn_lint_are_accepted(build: Build) -> None:
    def ignored(instance_type: str) -> list[str]:
        spec = changed(EKS_MINIMAL, compute__0__instance_type=instance_type)
        (one,) = build(spec).resources("AWS::EC2::LaunchTemplate").values()
        lint = one.get("Metadata", {}).get("cfn-lint", {})
        found: list[str] = lint.get("config", {}).get("ignore_checks", [])
        return found

    assert ignored("p5e.48xlarge") == ["E3628"]
    assert ignored("p5.48xlarge") == []
