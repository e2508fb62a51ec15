"""Settings that an account makes once per region, and that no spec names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import kms, ssm
from clusterwright.aws.ec2 import account_settings
from clusterwright.preflight.facts.fact import Fact, Place, Reading, answered, ask


@dataclass(frozen=True)
class AllowedImages(Fact[account_settings.AllowedImages]):
    """The setting Allowed AMIs."""

    actions: ClassVar = ("ec2:GetAllowedImagesSettings",)
    function: ClassVar = account_settings.allowed_images


@dataclass(frozen=True)
class MetadataDefaults(Fact[account_settings.MetadataDefaults]):
    """The defaults of the instance metadata service."""

    actions: ClassVar = ("ec2:GetInstanceMetadataDefaults",)
    function: ClassVar = account_settings.metadata_defaults


@dataclass(frozen=True)
class BlockPublicAccess(Fact[str]):
    """The mode of VPC Block Public Access."""

    actions: ClassVar = ("ec2:DescribeVpcBlockPublicAccessOptions",)
    function: ClassVar = account_settings.block_public_access


@dataclass(frozen=True)
class PublicAccessExclusions(Fact[tuple[account_settings.PublicAccessExclusion, ...]]):
    """The VPCs and subnets that VPC Block Public Access leaves out."""

    actions: ClassVar = ("ec2:DescribeVpcBlockPublicAccessExclusions",)
    inventory: ClassVar = True
    function: ClassVar = account_settings.public_access_exclusions


@dataclass(frozen=True)
class SessionPreferences(Fact[ssm.SessionPreferences | None]):
    """The account's preferences for Session Manager; None if it has set none."""

    actions: ClassVar = ("ssm:GetDocument",)
    resource: ClassVar = (
        "arn:{partition}:ssm:{region}:{account}:document/SSM-SessionManagerRunShell"
    )
    function: ClassVar = ssm.session_preferences


@dataclass(frozen=True)
class EncryptionKey:
    """A key, None if it does not exist, and its policy."""

    key: kms.Key | None
    policy: str | None


@dataclass(frozen=True)
class SessionKey(Fact[EncryptionKey | None]):
    """The key that the account's preferences for Session Manager name; None without one."""

    actions: ClassVar = ("ssm:GetDocument", "kms:DescribeKey", "kms:GetKeyPolicy")

    def resources(self, place: Place) -> Mapping[str, str]:
        # Only the preferences name the key.
        document = next(iter(SessionPreferences().resources(place).values()))
        keys = dict.fromkeys(self.actions[1:], f"arn:{place.partition}:kms:*:*:key/*")
        return {"ssm:GetDocument": document, **keys}

    def read(self) -> Reading[EncryptionKey | None]:
        (found,) = yield [ask(ssm.session_preferences)]
        preferences: ssm.SessionPreferences | None = answered(found)
        if preferences is None or not preferences.key_id:
            return None
        (found,) = yield [ask(kms.key, preferences.key_id)]
        key: kms.Key | None = answered(found)
        if key is None:
            return EncryptionKey(None, None)
        (policy,) = yield [ask(kms.key_policy, key.arn)]
        return EncryptionKey(key, answered(policy))
