"""File systems, buckets, keys, secrets and policies of the account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import fsx, iam, kms, s3, secretsmanager
from clusterwright.preflight.facts.fact import Fact, Place, Reading, answered, ask


@dataclass(frozen=True)
class FileSystems(Fact[tuple[fsx.FileSystem, ...]]):
    """Every FSx file system of the account in the region."""

    actions: ClassVar = ("fsx:DescribeFileSystems",)
    inventory: ClassVar = True

    def read(self) -> Reading[tuple[fsx.FileSystem, ...]]:
        (found,) = yield [ask(fsx.file_systems)]
        result: tuple[fsx.FileSystem, ...] = answered(found)
        return result


@dataclass(frozen=True)
class Bucket(Fact[s3.Bucket | None]):
    """One bucket; None where there is none of that name."""

    name: str
    actions: ClassVar = ("s3:ListBucket", "s3:GetBucketLocation")

    def resources(self, place: Place) -> Mapping[str, str]:
        return dict.fromkeys(self.actions, f"arn:{place.partition}:s3:::{self.name}")

    def read(self) -> Reading[s3.Bucket | None]:
        (found,) = yield [ask(s3.bucket, self.name)]
        result: s3.Bucket | None = answered(found)
        return result


@dataclass(frozen=True)
class Key(Fact[kms.Key | None]):
    """One KMS key; None where there is none of that ARN."""

    arn: str
    actions: ClassVar = ("kms:DescribeKey",)

    def resources(self, place: Place) -> Mapping[str, str]:
        del place
        return dict.fromkeys(self.actions, self.arn)

    def read(self) -> Reading[kms.Key | None]:
        (found,) = yield [ask(kms.key, self.arn)]
        result: kms.Key | None = answered(found)
        return result


@dataclass(frozen=True)
class Secret(Fact[bool]):
    """Whether a secret exists and is not about to be deleted."""

    arn: str
    actions: ClassVar = ("secretsmanager:DescribeSecret",)

    def resources(self, place: Place) -> Mapping[str, str]:
        del place
        return dict.fromkeys(self.actions, self.arn)

    def read(self) -> Reading[bool]:
        (found,) = yield [ask(secretsmanager.secret_is_usable, self.arn)]
        return bool(answered(found))


@dataclass(frozen=True)
class Policy(Fact[bool]):
    """Whether a managed policy exists."""

    arn: str
    actions: ClassVar = ("iam:GetPolicy",)

    def resources(self, place: Place) -> Mapping[str, str]:
        del place
        return dict.fromkeys(self.actions, self.arn)

    def read(self) -> Reading[bool]:
        (found,) = yield [ask(iam.policy_exists, self.arn)]
        return bool(answered(found))
