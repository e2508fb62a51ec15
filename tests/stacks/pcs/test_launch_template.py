"""Tests of stacks.pcs.launch_template."""

from __future__ import annotations

from typing import Any

from tests.stacks.templates import properties
from tests.support.rich_specs import PCS
from tests.support.synthesis import Assembly, Build


def templates(assembly: Assembly) -> dict[str, dict[str, Any]]:
    """Launch templates by the group in their tags."""
    found = {}
    for one in properties(assembly, "AWS::EC2::LaunchTemplate"):
        data = one["LaunchTemplateData"]
        tags = {tag["Key"]: tag["Value"] for tag in data["TagSpecifications"][0]["Tags"]}
        found[tags["clusterwright:group"]] = data
    return found


def test_groups_have_the_interfaces_of_their_types(build: Build) -> None:
    found = templates(build(PCS))
    cards = [(one["NetworkCardIndex"], one["DeviceIndex"]) for one in
             found["workers"]["NetworkInterfaces"]]  # fmt: skip
    assert cards == [(0, 0), (0, 1), *((card, 1) for card in range(1, 32))]
    (plain,) = found["login"]["NetworkInterfaces"]
    assert plain["AssociatePublicIpAddress"] is False


def test_pcs_decides_type_image_and_market(build: Build) -> None:
    for data in templates(build(PCS)).values():
        assert not {"ImageId", "InstanceType", "IamInstanceProfile", "InstanceMarketOptions"} & (
            data.keys()
        )
        assert data["MetadataOptions"]["HttpTokens"] == "required"
        assert data["KeyName"] == "operators"
        (root,) = data["BlockDeviceMappings"]
        assert root["Ebs"]["VolumeSize"] == 200
