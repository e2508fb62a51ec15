"""Tests of launch template."""

from __future__ import annotations

import json
from email import message_from_string
from typing import Any

import pytest

from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.kubernetes import kubelet_wait
from clusterwright.platforms.loading import load_cluster, validate_for_synthesis
from tests.stacks.eks.node_group_queries import HELD, OWN_IMAGE, template
from tests.stacks.templates import properties, text_of
from tests.support import specs
from tests.support.rich_specs import EKS, EKS_MINIMAL, changed
from tests.support.synthesis import Build


def test_interfaces_have_the_security_groups_for_efa(build: Build) -> None:
    assembly = build(EKS)
    workers = template(assembly, "workers")["NetworkInterfaces"]
    assert [(one["NetworkCardIndex"], one["DeviceIndex"]) for one in workers] == [
        (0, 0),
        (0, 1),
        *((card, 1) for card in range(1, 32)),
    ]
    assert [one["InterfaceType"] for one in workers] == ["interface", *["efa-only"] * 32]
    groups = workers[0]["Groups"]
    assert "GroupsNodes" in text_of(groups)
    assert all(one["Groups"] == groups for one in workers)
    assert all("SubnetId" not in one for one in workers)
    block = template(assembly, "block")["NetworkInterfaces"]
    assert {one["InterfaceType"] for one in block} == {"efa"}
    assert len(block) == 32
    (plain,) = template(assembly, "system")["NetworkInterfaces"]
    assert plain["InterfaceType"] == "interface"
    assert plain["AssociatePublicIpAddress"] is False


def test_reserved_capacity_is_named(build: Build) -> None:
    assembly = build(EKS)

    def capacity(name: str) -> tuple[Any, Any]:
        data = template(assembly, name)
        return data.get("CapacityReservationSpecification"), data.get("InstanceMarketOptions")

    def target(identity: str) -> dict[str, Any]:
        return {"CapacityReservationTarget": {"CapacityReservationId": identity}}

    assert capacity("block") == (
        target("cr-0a1b2c3d4e5f60718"),
        {"MarketType": "capacity-block"},
    )
    assert capacity("reserved") == (target("cr-0f1e2d3c4b5a69788"), None)
    # The node group, not the template, sets the Spot market.
    assert capacity("spot") == (None, None)
    assert capacity("workers") == ({"CapacityReservationPreference": "none"}, None)


def test_volumes_metadata_processors_and_tags_are_set(build: Build) -> None:
    data = template(build(EKS), "workers")
    (volume,) = data["BlockDeviceMappings"]
    assert volume["DeviceName"] == "/dev/xvda"
    assert volume["Ebs"]["VolumeType"] == "gp3"
    assert volume["Ebs"]["VolumeSize"] == 500
    assert volume["Ebs"]["Encrypted"] is True
    assert "identity" in text_of(volume["Ebs"]["KmsKeyId"])
    assert data["MetadataOptions"] == {
        "HttpEndpoint": "enabled",
        "HttpTokens": "required",
        "HttpPutResponseHopLimit": 1,
        "InstanceMetadataTags": "disabled",
    }
    assert data["CpuOptions"] == {"CoreCount": 96, "ThreadsPerCore": 1}
    tags = {one["ResourceType"]: one["Tags"] for one in data["TagSpecifications"]}
    assert set(tags) == {"instance", "volume", "network-interface"}
    assert {"Key": "owner", "Value": "research"} in tags["instance"]
    assert {"Key": "Name", "Value": "test-workers"} in tags["volume"]


def test_nodeadm_combines_local_disks(build: Build) -> None:
    assembly = build(EKS)
    text = template(assembly, "workers")["UserData"]["Fn::Base64"]
    head, part, end = text.split("--clusterwright")
    assert 'boundary="clusterwright"' in head
    assert part.startswith("\nContent-Type: application/node.eks.aws\n\n")
    config = json.loads(part.split("\n\n", 1)[1])
    assert config == {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"instance": {"localStorage": {"strategy": "RAID0"}}},
    }
    assert end == "--\n"
    assert "UserData" not in template(assembly, "system")


def test_custom_image_template_has_the_nodeadm_configuration(build: Build) -> None:
    """EKS merges nothing there, accepts neither type nor version, and sets taints too late."""
    assembly = build(changed(EKS, image={"image_id": OWN_IMAGE}))
    for one in properties(assembly, "AWS::EKS::Nodegroup"):
        assert "AmiType" not in one
        assert "Version" not in one
    data = template(assembly, "workers")
    assert data["ImageId"] == OWN_IMAGE
    pieces = data["UserData"]["Fn::Base64"]["Fn::Join"][1]
    imported = [one["Fn::ImportValue"] for one in pieces if isinstance(one, dict)]
    text = "".join(one if isinstance(one, str) else "TOKEN" for one in pieces)
    config = json.loads(text.split("--clusterwright")[1].split("\n\n", 1)[1])
    assert config["spec"] == {
        "cluster": {
            "name": "test",
            "apiServerEndpoint": "TOKEN",
            "certificateAuthority": "TOKEN",
            "cidr": "172.20.0.0/16",
        },
        "instance": {"localStorage": {"strategy": "RAID0"}},
        "kubelet": {"flags": ["--register-with-taints=nvidia.com/gpu=present:NoSchedule"]},
    }
    assert ["Endpoint" in imported[0], "CertificateAuthorityData" in imported[1]] == [True, True]
    # The control plane's template has the same range; otherwise nodes could not be configured.
    (control_plane,) = properties(assembly, "AWS::EKS::Cluster")
    assert control_plane["KubernetesNetworkConfig"] == {"ServiceIpv4Cidr": "172.20.0.0/16"}


def test_held_groups_delay_the_kubelet_after_a_reboot(build: Build) -> None:
    assembly = build(HELD)

    def parts(group: str) -> list[str]:
        text = template(assembly, group)["UserData"]["Fn::Base64"]
        archive = [one for one in message_from_string(text).walk() if not one.is_multipart()]
        if archive[-1].get_content_type() == "text/x-shellscript":
            assert archive[-1].get_payload() == kubelet_wait.script()
        return [one.get_content_type() for one in archive]

    assert parts("workers") == ["application/node.eks.aws", "text/x-shellscript"]
    assert parts("spot") == ["text/x-shellscript"]
    assert "UserData" not in template(assembly, "system")


def test_custom_image_requires_a_known_service_range(tmp_path: Any) -> None:
    ranges = {"private_access_cidrs": ["172.16.0.0/12", "10.96.0.0/11"]}
    spec = changed(EKS_MINIMAL, image={"image_id": OWN_IMAGE}, kubernetes=ranges)
    with pytest.raises(SpecErrors, match="both default ranges of EKS overlap"):
        validate_for_synthesis(load_cluster(specs.write(tmp_path / "spec.yaml", spec)))
    given = {**ranges, "service_cidr": "192.168.0.0/20"}
    fits = changed(EKS_MINIMAL, image={"image_id": OWN_IMAGE}, kubernetes=given)
    validate_for_synthesis(load_cluster(specs.write(tmp_path / "spec.yaml", fits)))
