"""Settings of EC2 that an account makes once per region: allowed images, instance metadata, VPC
Block Public Access.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value


@dataclass(frozen=True)
class ImageCriterion:
    """One criterion of Allowed AMIs; an image must meet every part that is set.

    Attributes
    ----------
    providers:
        `amazon`, `aws-marketplace`, `aws-backup-vault`, account numbers, or `none`.
    names:
        Patterns of image names, with `*` and `?`.
    others:
        Names of parts that depend on more than owner and name, such as
        `CreationDateCondition`.
    """

    providers: tuple[str, ...]
    names: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True)
class AllowedImages:
    """The setting Allowed AMIs. `state` is `enabled`, `audit-mode` or `disabled`.

    Images of the account itself are always allowed (EC2 API,
    ReplaceImageCriteriaInAllowedImagesSettings).
    """

    state: str
    criteria: tuple[ImageCriterion, ...]
    managed_by: str


@dataclass(frozen=True)
class MetadataDefaults:
    """The account's defaults of the instance metadata service; None where the account has none."""

    endpoint: str | None
    """`enabled` or `disabled`."""

    tags: str | None
    """Whether metadata show an instance's tags: `enabled` or `disabled`."""

    managed_by: str


@dataclass(frozen=True)
class PublicAccessExclusion:
    """A VPC or subnet that Block Public Access leaves out."""

    resource_id: str
    mode: str
    """`allow-bidirectional` or `allow-egress`."""


def allowed_images(session: AwsSession) -> AllowedImages:
    """Return the setting Allowed AMIs of the account in the region."""
    answer = session.call("ec2", "GetAllowedImagesSettings")
    state = str(answer["State"])
    if state not in _IMAGE_STATES:
        raise AwsUnavailable(
            service="ec2",
            operation="GetAllowedImagesSettings",
            region=session.region,
            reason="other",
            detail=f"the state {state!r} is not known to this version",
        )
    return AllowedImages(
        state,
        tuple(_criterion(one) for one in answer.get("ImageCriteria") or ()),
        str(answer.get("ManagedBy") or "account"),
    )


def metadata_defaults(session: AwsSession) -> MetadataDefaults:
    """Return the defaults of instance metadata of the account in the region."""
    found = session.call("ec2", "GetInstanceMetadataDefaults")["AccountLevel"]
    shapes = {
        "HttpEndpoint": "InstanceMetadataEndpointState",
        "InstanceMetadataTags": "InstanceMetadataTagsState",
    }
    endpoint, tags = (
        None
        if found.get(name) is None
        else known_value(
            session,
            str(found[name]),
            service="ec2",
            operation="GetInstanceMetadataDefaults",
            shape=shape,
        )
        for name, shape in shapes.items()
    )
    return MetadataDefaults(
        endpoint,
        tags,
        str(found.get("ManagedBy") or "account"),
    )


def block_public_access(session: AwsSession) -> str:
    """Return the mode of VPC Block Public Access: `off`, `block-ingress`, `block-bidirectional`.

    Raises
    ------
    AwsUnavailable
        The request failed, or the mode is not known to this version.
    """
    answer = session.call("ec2", "DescribeVpcBlockPublicAccessOptions")
    return known_value(
        session,
        str(answer["VpcBlockPublicAccessOptions"]["InternetGatewayBlockMode"]),
        service="ec2",
        operation="DescribeVpcBlockPublicAccessOptions",
        shape="InternetGatewayBlockMode",
    )


def public_access_exclusions(session: AwsSession) -> tuple[PublicAccessExclusion, ...]:
    """Return the VPCs and subnets that Block Public Access leaves out."""
    return tuple(
        PublicAccessExclusion(
            str(answer["ResourceArn"]).rpartition("/")[2],
            str(answer["InternetGatewayExclusionMode"]),
        )
        for answer in session.items(
            "ec2", "DescribeVpcBlockPublicAccessExclusions", "VpcBlockPublicAccessExclusions"
        )
        if answer.get("State") in _IN_FORCE
    )


_IMAGE_STATES = ("enabled", "audit-mode", "disabled")
_IN_FORCE = ("create-complete", "update-complete", "update-in-progress")


def _criterion(answer: Mapping[str, Any]) -> ImageCriterion:
    read = ("ImageProviders", "ImageNames")
    return ImageCriterion(
        tuple(answer.get("ImageProviders") or ()),
        tuple(answer.get("ImageNames") or ()),
        tuple(sorted(name for name, value in answer.items() if value and name not in read)),
    )
