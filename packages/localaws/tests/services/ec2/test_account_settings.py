"""Settings of an account in a region: Allowed AMIs, instance metadata, Block Public Access."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client

AMAZON = "ami-12c6146b"


@pytest.fixture
def ec2() -> Iterator[Any]:
    with local_aws():
        yield client("ec2")


def launch(ec2: Any, image: str = AMAZON, **more: Any) -> None:
    ec2.run_instances(ImageId=image, InstanceType="m5.large", MinCount=1, MaxCount=1, **more)


def test_images_of_other_providers_are_hidden_and_refused(ec2: Any) -> None:
    assert ec2.get_allowed_images_settings()["State"] == "disabled"
    instance = ec2.run_instances(ImageId=AMAZON, InstanceType="m5.large", MinCount=1, MaxCount=1)[
        "Instances"
    ][0]["InstanceId"]
    ours = ec2.create_image(InstanceId=instance, Name="ours")["ImageId"]
    ec2.replace_image_criteria_in_allowed_images_settings(
        ImageCriteria=[{"ImageProviders": ["111122223333"]}]
    )
    ec2.enable_allowed_images_settings(AllowedImagesSettingsState="audit-mode")
    launch(ec2)
    ec2.enable_allowed_images_settings(AllowedImagesSettingsState="enabled")
    assert ec2.describe_images(ImageIds=[AMAZON])["Images"] == []
    with pytest.raises(ClientError, match=r"InvalidAMIID\.NotFound"):
        launch(ec2)
    launch(ec2, ours)
    ec2.replace_image_criteria_in_allowed_images_settings(
        ImageCriteria=[{"ImageProviders": ["amazon"]}]
    )
    launch(ec2)
    assert ec2.disable_allowed_images_settings()["AllowedImagesSettingsState"] == "disabled"


def test_tags_in_metadata_limit_the_keys_of_tags(ec2: Any) -> None:
    ec2.modify_instance_metadata_defaults(InstanceMetadataTags="enabled", HttpEndpoint="disabled")
    found = ec2.get_instance_metadata_defaults()["AccountLevel"]
    assert (found["InstanceMetadataTags"], found["HttpEndpoint"]) == ("enabled", "disabled")
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "a/b", "Value": "c"}]}]
    with pytest.raises(ClientError, match="'a/b' is not a valid tag key"):
        launch(ec2, TagSpecifications=tags)
    launch(ec2, TagSpecifications=tags, MetadataOptions={"InstanceMetadataTags": "disabled"})
    ec2.modify_instance_metadata_defaults(InstanceMetadataTags="no-preference")
    launch(ec2, TagSpecifications=tags)


def test_enforced_tokens_refuse_optional_ones(ec2: Any) -> None:
    ec2.modify_instance_metadata_defaults(HttpTokensEnforced="enabled", HttpPutResponseHopLimit=2)
    with pytest.raises(ClientError, match="httpTokensEnforced is enabled"):
        launch(ec2, MetadataOptions={"HttpTokens": "optional"})
    launch(ec2, MetadataOptions={"HttpTokens": "required"})
    with pytest.raises(ClientError, match="hop limit 65"):
        ec2.modify_instance_metadata_defaults(HttpPutResponseHopLimit=65)
    ec2.modify_instance_metadata_defaults(HttpPutResponseHopLimit=-1)
    assert "HttpPutResponseHopLimit" not in ec2.get_instance_metadata_defaults()["AccountLevel"]


def test_block_public_access_keeps_its_mode_and_exclusions(ec2: Any) -> None:
    options = ec2.describe_vpc_block_public_access_options()["VpcBlockPublicAccessOptions"]
    assert options["InternetGatewayBlockMode"] == "off"
    ec2.modify_vpc_block_public_access_options(InternetGatewayBlockMode="block-bidirectional")
    options = ec2.describe_vpc_block_public_access_options()["VpcBlockPublicAccessOptions"]
    assert options["InternetGatewayBlockMode"] == "block-bidirectional"
    with pytest.raises(ClientError, match="either a SubnetId or a VpcId"):
        ec2.create_vpc_block_public_access_exclusion(InternetGatewayExclusionMode="allow-egress")
    made = ec2.create_vpc_block_public_access_exclusion(
        VpcId="vpc-1", InternetGatewayExclusionMode="allow-egress"
    )["VpcBlockPublicAccessExclusion"]
    found = ec2.describe_vpc_block_public_access_exclusions()["VpcBlockPublicAccessExclusions"]
    assert [one["ExclusionId"] for one in found] == [made["ExclusionId"]]
    assert found[0]["ResourceArn"].endswith(":vpc/vpc-1")
