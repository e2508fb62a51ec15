"""What a spec refers to outside the cluster, opened by its name, ARN or id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import ecr, fsx, iam, identity_center, s3
from clusterwright.aws.ec2 import key_pairs
from clusterwright.preflight.facts.fact import Fact, Place


@dataclass(frozen=True)
class NamedRole(Fact[iam.Role | None]):
    """A role of the account; None if there is none of that name."""

    name: str
    actions: ClassVar = ("iam:GetRole",)
    function: ClassVar = iam.role

    def resources(self, place: Place) -> Mapping[str, str]:
        # The path is not part of the request.
        arn = f"arn:{place.partition}:iam::{place.account}:role/*{self.name}"
        return dict.fromkeys(self.actions, arn)


@dataclass(frozen=True)
class NamedUser(Fact[str | None]):
    """The ARN of an IAM user; None if there is none of that name."""

    name: str
    actions: ClassVar = ("iam:GetUser",)
    function: ClassVar = iam.user_arn

    def resources(self, place: Place) -> Mapping[str, str]:
        arn = f"arn:{place.partition}:iam::{place.account}:user/*{self.name}"
        return dict.fromkeys(self.actions, arn)


@dataclass(frozen=True)
class EcrImage(Fact[int | None]):
    """The compressed size of an image in bytes; None if the registry does not have it."""

    account: str
    region: str
    repository: str
    digest: str
    actions: ClassVar = ("ecr:DescribeImages",)
    function: ClassVar = ecr.image_size_bytes

    def resources(self, place: Place) -> Mapping[str, str]:
        where = f"arn:{place.partition}:ecr:{self.region}:{self.account}"
        return dict.fromkeys(self.actions, f"{where}:repository/{self.repository}")


@dataclass(frozen=True)
class ImageRepository(Fact[str | None]):
    """The ARN of an ECR repository of the account; None if there is none of that name."""

    name: str
    actions: ClassVar = ("ecr:DescribeRepositories",)
    resource: ClassVar = "arn:{partition}:ecr:{region}:{account}:repository/{name}"
    function: ClassVar = ecr.repository_arn


@dataclass(frozen=True)
class KeyPair(Fact[str | None]):
    """The kind of an EC2 key pair; None if there is none of that name."""

    name: str
    actions: ClassVar = ("ec2:DescribeKeyPairs",)
    function: ClassVar = key_pairs.key_pair_kind


@dataclass(frozen=True)
class Volume(Fact[fsx.Volume | None]):
    """An FSx volume; None if there is none with that id."""

    id: str
    actions: ClassVar = ("fsx:DescribeVolumes",)
    function: ClassVar = fsx.volume


@dataclass(frozen=True)
class HasObjects(Fact[bool | None]):
    """Whether a bucket has objects with a prefix; None if there is no such bucket."""

    bucket: str
    prefix: str
    actions: ClassVar = ("s3:ListBucket",)
    resource: ClassVar = "arn:{partition}:s3:::{bucket}"
    function: ClassVar = s3.has_objects


@dataclass(frozen=True)
class IdentityCenterInstances(Fact[tuple[str, ...]]):
    """The IAM Identity Center instances of a region that the account can see."""

    identity_region: str
    actions: ClassVar = ("sso:ListInstances",)
    inventory: ClassVar = True
    function: ClassVar = identity_center.instance_arns
