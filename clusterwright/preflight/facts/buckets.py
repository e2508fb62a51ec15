"""Policies and encryption of buckets, key policies, and the account's key for volumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from clusterwright.aws import kms, s3
from clusterwright.aws.ec2 import volumes
from clusterwright.preflight.facts.fact import Fact, Place, Reading, answered, ask


@dataclass(frozen=True)
class BucketPolicy(Fact[str | None]):
    """The policy of a bucket as JSON; None if it has none."""

    name: str
    actions: ClassVar = ("s3:GetBucketPolicy",)
    resource: ClassVar = "arn:{partition}:s3:::{name}"
    function: ClassVar = s3.bucket_policy


@dataclass(frozen=True)
class BucketKey:
    """The KMS key with which a bucket is encrypted, and its key policy.

    `key` is None if the key does not exist. `policy` is None if AWS manages the key.
    """

    encryption: s3.BucketEncryption
    key: kms.Key | None
    policy: str | None


@dataclass(frozen=True)
class BucketKeys(Fact[BucketKey | None]):
    """The key of a bucket; None for encryption with keys of S3."""

    name: str
    actions: ClassVar = ("s3:GetEncryptionConfiguration", "kms:DescribeKey", "kms:GetKeyPolicy")

    def resources(self, place: Place) -> Mapping[str, str]:
        # Only the bucket's configuration names the key.
        return {
            "s3:GetEncryptionConfiguration": f"arn:{place.partition}:s3:::{self.name}",
            **dict.fromkeys(self.actions[1:], f"arn:{place.partition}:kms:*:*:key/*"),
        }

    def read(self) -> Reading[BucketKey | None]:
        (found,) = yield [ask(s3.bucket_encryption, self.name)]
        encryption: s3.BucketEncryption | None = answered(found)
        if encryption is None or not encryption.kms or encryption.kms_key is None:
            return None
        (found,) = yield [ask(kms.key, encryption.kms_key)]
        key: kms.Key | None = answered(found)
        if key is None or key.manager == "AWS":
            return BucketKey(encryption, key, None)
        (policy,) = yield [ask(kms.key_policy, key.arn)]
        return BucketKey(encryption, key, answered(policy))


@dataclass(frozen=True)
class BucketNotifications(Fact[tuple[s3.BucketNotification, ...]]):
    """The event notifications of a bucket."""

    name: str
    actions: ClassVar = ("s3:GetBucketNotification",)
    inventory: ClassVar = True
    resource: ClassVar = "arn:{partition}:s3:::{name}"
    function: ClassVar = s3.bucket_notifications


@dataclass(frozen=True)
class RequesterPays(Fact[bool | None]):
    """Whether a bucket answers only who pays for the requests; None if there is no such bucket."""

    name: str
    actions: ClassVar = ("s3:ListBucket", "s3:GetBucketLocation")
    resource: ClassVar = "arn:{partition}:s3:::{name}"
    function: ClassVar = s3.charges_requesters


@dataclass(frozen=True)
class LifecycleRules(Fact[tuple[s3.LifecycleRule, ...]]):
    """The rules of a bucket that delete or archive objects."""

    name: str
    actions: ClassVar = ("s3:GetLifecycleConfiguration",)
    resource: ClassVar = "arn:{partition}:s3:::{name}"
    function: ClassVar = s3.lifecycle_rules


@dataclass(frozen=True)
class KeyPolicy(Fact[str | None]):
    """The policy of a key as JSON; None if there is no such key."""

    arn: str
    actions: ClassVar = ("kms:GetKeyPolicy",)
    resource: ClassVar = "{arn}"
    function: ClassVar = kms.key_policy


@dataclass(frozen=True)
class KeyAlias(Fact[kms.Key | None]):
    """The key of an alias; None if there is none."""

    name: str
    actions: ClassVar = ("kms:DescribeKey",)
    # IAM evaluates the key, not the alias.
    resource: ClassVar = "arn:{partition}:kms:{region}:{account}:key/*"
    function: ClassVar = kms.key


MANAGED_VOLUME_KEY: Final = "alias/aws/ebs"
"""The key that AWS manages: EC2 may use it for every identity of the account."""


@dataclass(frozen=True)
class VolumeKey:
    """The account's own key for encrypted volumes that name none, and its key policy.

    `key` is None if it no longer exists.
    """

    id: str
    key: kms.Key | None
    policy: str | None


@dataclass(frozen=True)
class DefaultVolumeKey(Fact[VolumeKey | None]):
    """The account's own key for volumes; None for the key that AWS manages."""

    actions: ClassVar = ("ec2:GetEbsDefaultKmsKeyId", "kms:DescribeKey", "kms:GetKeyPolicy")

    def resources(self, place: Place) -> Mapping[str, str]:
        # Only the account's setting names the key.
        return dict.fromkeys(self.actions[1:], f"arn:{place.partition}:kms:*:*:key/*")

    def read(self) -> Reading[VolumeKey | None]:
        (found,) = yield [ask(volumes.default_volume_key)]
        name: str = answered(found)
        if name.endswith(MANAGED_VOLUME_KEY):
            return None
        (found,) = yield [ask(kms.key, name)]
        key: kms.Key | None = answered(found)
        if key is None:
            return VolumeKey(name, None, None)
        if key.manager == "AWS":
            return None
        (policy,) = yield [ask(kms.key_policy, key.arn)]
        return VolumeKey(name, key, answered(policy))
