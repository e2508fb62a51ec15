"""Settings of EC2 that an account makes once per region."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws.ec2 import account_settings as settings
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession


def answered(session: AwsSession, method: str, answer: dict[str, Any], call: Any) -> Any:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(method, answer)
        return call(session)


def test_allowed_images_and_their_criteria(session: AwsSession) -> None:
    answer = {
        "State": "enabled",
        "ManagedBy": "declarative-policy",
        "ImageCriteria": [
            {"ImageProviders": ["amazon"], "ImageNames": ["al2023-*"]},
            {"CreationDateCondition": {"MaximumDaysSinceCreated": 90}},
        ],
    }
    method = "get_allowed_images_settings"
    assert answered(session, method, answer, settings.allowed_images) == settings.AllowedImages(
        "enabled",
        (
            settings.ImageCriterion(("amazon",), ("al2023-*",), ()),
            settings.ImageCriterion((), (), ("CreationDateCondition",)),
        ),
        "declarative-policy",
    )
    empty = answered(session, method, {"State": "disabled"}, settings.allowed_images)
    assert empty == settings.AllowedImages("disabled", (), "account")
    with pytest.raises(AwsUnavailable, match="'paused' is not known"):
        answered(session, method, {"State": "paused"}, settings.allowed_images)


def test_metadata_defaults_are_none_without_a_choice(session: AwsSession) -> None:
    method = "get_instance_metadata_defaults"
    answer = {"AccountLevel": {"HttpEndpoint": "disabled", "InstanceMetadataTags": "enabled"}}
    found = answered(session, method, answer, settings.metadata_defaults)
    assert found == settings.MetadataDefaults("disabled", "enabled", "account")
    none = answered(session, method, {"AccountLevel": {}}, settings.metadata_defaults)
    assert none == settings.MetadataDefaults(None, None, "account")


def test_unknown_mode_of_the_block_is_no_answer(session: AwsSession) -> None:
    method = "describe_vpc_block_public_access_options"

    def options(mode: str) -> dict[str, Any]:
        return {"VpcBlockPublicAccessOptions": {"InternetGatewayBlockMode": mode}}

    ask = settings.block_public_access
    assert answered(session, method, options("block-ingress"), ask) == "block-ingress"
    with pytest.raises(AwsUnavailable, match="block-egress"):
        answered(session, method, options("block-egress"), ask)


def test_exclusions_in_force_are_listed(session: AwsSession) -> None:
    arn = "arn:aws:ec2:us-east-1:111122223333:vpc/vpc-1"
    answer = {
        "VpcBlockPublicAccessExclusions": [
            {"ResourceArn": arn, "InternetGatewayExclusionMode": "allow-egress", "State": state}
            for state in ("create-complete", "delete-complete", "create-in-progress")
        ]
    }
    method = "describe_vpc_block_public_access_exclusions"
    assert answered(session, method, answer, settings.public_access_exclusions) == (
        settings.PublicAccessExclusion("vpc-1", "allow-egress"),
    )
