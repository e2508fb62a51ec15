"""The sixth sample: images, key pairs, networks, endpoints, capacity blocks, shared storage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.field_failures.changes import EKS, of_type, template_of
from tests.field_failures.parts import House, account, checked, client, refused
from tests.support import parallelcluster_specs, specs
from tests.support.command_line import clusterwright
from tests.support.synthesis import Build

ON_EC2: dict[str, Any] = {"platform": "parallelcluster"}
ON_PCS: dict[str, Any] = {
    "platform": "pcs",
    "compute.0": {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
}
ON_NODE_GROUPS: dict[str, Any] = {
    "platform": "eks",
    "compute": [
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
    ],
}
BLOCKS = ("cr-0123456789abcdef0", "cr-0123456789abcdef1")


def image_for(architecture: str) -> str:
    """An image of the account."""
    volume = {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 40, "VolumeType": "gp3"}}
    made = client("ec2").register_image(
        Name=f"custom-{architecture}",
        Architecture=architecture,
        RootDeviceName="/dev/xvda",
        EnaSupport=True,
        VirtualizationType="hvm",
        BlockDeviceMappings=[volume],
    )
    tag = {"Key": "parallelcluster:os", "Value": "ubuntu2204"}
    client("ec2").create_tags(Resources=[made["ImageId"]], Tags=[tag])
    return str(made["ImageId"])


def test_parallelcluster_1253_placement_group_of_a_type_without_one_is_refused(
    tmp_path: Path,
) -> None:
    group = {"name": "workers", "role": "compute", "instance_type": "t3.large", "count": 4}
    said = refused(tmp_path, {**ON_EC2, "compute.1": {**group, "placement_group": True}})
    assert "t3.large is not known to support cluster placement groups" in said
    with account():
        grouped = {**ON_EC2, "compute.1.placement_group": True}
        assert checked(tmp_path, grouped, "--only", "CW-C022").findings == []


@pytest.mark.parametrize("platform", [ON_NODE_GROUPS, ON_EC2, ON_PCS])
def test_eksctl_8235_image_of_another_architecture_is_found(
    tmp_path: Path, platform: dict[str, Any]
) -> None:
    with account():
        other = {**platform, "image.image_id": image_for("arm64")}
        said = checked(tmp_path, other, "--only", "CW-I014").messages("CW-I014")
        assert any("is for arm64, p5.48xlarge is x86_64" in text for text in said)
        right = {**platform, "image.image_id": image_for("x86_64")}
        assert checked(tmp_path, right, "--only", "CW-I014").findings == []


@pytest.mark.parametrize(
    ("platform", "key"),
    [(ON_EC2, "parallelcluster.ssh_key_name"), (ON_PCS, "pcs.ssh_key_name")],
)
def test_eks_module_2208_missing_key_pair_is_found(
    tmp_path: Path, platform: dict[str, Any], key: str
) -> None:
    with account():
        named = {**platform, key: "Devopskeypair.pem"}
        found = checked(tmp_path, named, "--only", "CW-I026").one("CW-I026")
        assert found["message"] == "the key pair Devopskeypair.pem does not exist in us-east-1"
        client("ec2").create_key_pair(KeyName="ops", KeyType="ed25519")
        assert checked(tmp_path, {**platform, key: "ops"}, "--only", "CW-I026").findings == []


def test_vpc_cni_137_network_with_the_range_of_docker_is_found(tmp_path: Path) -> None:
    """Created by the cluster or existing."""
    with account():
        created = {**ON_NODE_GROUPS, "network.cidr": "172.17.0.0/16"}
        found = checked(tmp_path, created, "--only", "CW-N018").one("CW-N018")
        assert "overlaps 172.17.0.0/16, which Docker uses on every node" in found["message"]
        house = House()
        assert checked(tmp_path, house.spec(), "--only", "CW-N020").findings == []
        vpc = house.ec2.create_vpc(CidrBlock="172.17.0.0/16")["Vpc"]["VpcId"]
        subnet = house.add_subnet(vpc, "172.17.0.0/17")
        existing = {"vpc_id": vpc, "subnet_ids": [subnet], "security_group_ids": [house.group]}
        spec = house.spec()
        spec["network"]["existing"] = existing
        found = checked(tmp_path, spec, "--only", "CW-N020").one("CW-N020")
        assert "overlaps 172.17.0.0/16, which Docker uses on every node" in found["message"]


def test_cloud_provider_aws_184_subnets_without_the_tag_of_load_balancers_are_found(
    tmp_path: Path,
) -> None:
    with account():
        house = House()
        subnets = [
            house.add_subnet(house.vpc, "10.0.128.0/24"),
            house.add_subnet(house.vpc, "10.0.129.0/24", "use1-az1"),
        ]
        spec = {**ON_NODE_GROUPS, **house.spec(), "platform": "hyperpod-eks"}
        spec["network"]["existing"]["control_plane_subnet_ids"] = subnets
        assert checked(tmp_path, spec, "--only", "CW-N036").findings == []
        serves = {**spec, "hyperpod": {"inference": {}}}
        found = checked(tmp_path, serves, "--only", "CW-N036").one("CW-N036")
        assert "no subnet has the tag kubernetes.io/role/internal-elb" in found["message"]
        house.ec2.create_tags(
            Resources=subnets, Tags=[{"Key": "kubernetes.io/role/internal-elb", "Value": "1"}]
        )
        assert checked(tmp_path, serves, "--only", "CW-N036").findings == []


def test_eks_module_1867_nodes_reach_a_control_plane_whose_public_endpoint_is_limited(
    build: Build,
) -> None:
    limited = specs.changed({"kubernetes.public_access_cidrs": ["198.51.100.7/32"]}, base=EKS)
    for spec, public in ((limited, True), (EKS, False)):
        (cluster,) = build(spec).resources("AWS::EKS::Cluster").values()
        access = cluster["Properties"]["ResourcesVpcConfig"]
        assert access["EndpointPrivateAccess"] is True
        assert access["EndpointPublicAccess"] is public


def test_karpenter_8514_every_capacity_block_has_its_own_group(build: Build) -> None:
    """Also two of the same type and zone."""
    base = of_type("p5.48xlarge", capacity={"kind": "capacity-block", "id": BLOCKS[0]})
    second = {
        **base["compute"][1],
        "name": "more",
        "capacity": {"kind": "capacity-block", "id": BLOCKS[1]},
    }
    assembly = build(specs.changed({"compute.2": second}, base=base))
    targets = {
        template_of(assembly, name)["CapacityReservationSpecification"][
            "CapacityReservationTarget"
        ]["CapacityReservationId"]
        for name in ("workers", "more")
    }
    assert targets == set(BLOCKS)
    groups = [one["Properties"] for one in assembly.resources("AWS::EKS::Nodegroup").values()]
    assert [one["CapacityType"] for one in groups].count("CAPACITY_BLOCK") == 2


def test_parallelcluster_4121_clusters_share_no_volume(tmp_path: Path) -> None:
    said = refused(tmp_path, {**ON_EC2, "storage": {"ebs": {"volume_id": "vol-0a1b2c3d4e5f"}}})
    assert "storage: unknown key `ebs`" in said
    path = specs.write(tmp_path / "spec.yaml", parallelcluster_specs.SMALL)
    answer = clusterwright("render", "parallelcluster", path)
    shared = yaml.safe_load(answer.out).get("SharedStorage") or []
    assert not {entry["StorageType"] for entry in shared} & {"Ebs", "Efs"}


def test_cdk_10170_no_mount_target_is_created_twice_in_a_zone(
    tmp_path: Path, build: Build
) -> None:
    """Home directories are on FSx for OpenZFS, which has one subnet and no mount targets."""
    said = refused(tmp_path, {"storage": {"efs": {"file_system_id": "fs-0a1b2c3d4e5f60718"}}})
    assert "hint: did you mean `home`?" in said
    home = {"kind": "openzfs", "capacity_gib": 64}
    assembly = build(specs.changed({"storage": {"home": home}}))
    assert assembly.resources("AWS::EFS::MountTarget") == {}
    (system,) = assembly.resources("AWS::FSx::FileSystem").values()
    assert system["Properties"]["FileSystemType"] == "OPENZFS"
    assert len(system["Properties"]["SubnetIds"]) == 1
