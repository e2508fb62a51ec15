"""File systems, buckets, keys, secrets and policies of the account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import fsx, iam, kms, s3, secretsmanager
from clusterwright.preflight.facts.fact import Fact


@dataclass(frozen=True)
class FileSystems(Fact[tuple[fsx.FileSystem, ...]]):
    """Every FSx file system of the account in the region."""

    actions: ClassVar = ("fsx:DescribeFileSystems",)
    inventory: ClassVar = True
    function: ClassVar = fsx.file_systems


@dataclass(frozen=True)
class Bucket(Fact[s3.Bucket | None]):
    """A bucket; None if there is none of that name."""

    name: str
    actions: ClassVar = ("s3:ListBucket", "s3:GetBucketLocation")
    resource: ClassVar = "arn:{partition}:s3:::{name}"
    function: ClassVar = s3.bucket


@dataclass(frozen=True)
class Key(Fact[kms.Key | None]):
    """A KMS key; None if there is none with that ARN."""

    arn: str
    actions: ClassVar = ("kms:DescribeKey",)
    resource: ClassVar = "{arn}"
    function: ClassVar = kms.key


@dataclass(frozen=True)
class Secret(Fact[bool]):
    """Whether a secret exists and is not scheduled for deletion."""

    arn: str
    actions: ClassVar = ("secretsmanager:DescribeSecret",)
    resource: ClassVar = "{arn}"
    function: ClassVar = secretsmanager.secret_is_usable


@dataclass(frozen=True)
class Policy(Fact[bool]):
    """Return whether a managed policy exists."""

    arn: str
    actions: ClassVar = ("iam:GetPolicy",)
    resource: ClassVar = "{arn}"
    function: ClassVar = iam.policy_exists
