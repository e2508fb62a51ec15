"""Keys and their aliases."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import changed, pick, policy_text, retag
from clusterwright_localaws.services.kms.keys import DELETION

# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-key.html
_DEFAULT_WINDOW_DAYS = 30


class Key(Handler):
    type_name = "AWS::KMS::Key"

    def create(self, ctx: Context, properties: Properties) -> Created:
        kms = ctx.client("kms")
        parameters = pick(
            properties,
            "BypassPolicyLockoutSafetyCheck",
            "Description",
            "KeySpec",
            "KeyUsage",
            "MultiRegion",
            "Origin",
        )
        if "KeyPolicy" in properties:
            parameters["Policy"] = policy_text(properties["KeyPolicy"])
        tags = [
            {"TagKey": tag["Key"], "TagValue": tag["Value"]}
            for tag in ctx.tags(properties.get("Tags"))
        ]
        if tags:
            parameters["Tags"] = tags
        key_id = kms.create_key(**parameters)["KeyMetadata"]["KeyId"]
        ctx.identify(key_id)
        self._set_rotation(kms, key_id, {}, properties)
        if not properties.get("Enabled", True):
            kms.disable_key(KeyId=key_id)
        return self._created(kms, key_id)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        kms = ctx.client("kms")
        if changed(old, new, "Description"):
            kms.update_key_description(KeyId=physical_id, Description=new.get("Description", ""))
        if changed(old, new, "KeyPolicy") and "KeyPolicy" in new:
            kms.put_key_policy(
                KeyId=physical_id, PolicyName="default", Policy=policy_text(new["KeyPolicy"])
            )
        enabled = new.get("Enabled", True)
        turned = old.get("Enabled", True) != enabled
        # A disabled key refuses changes of its rotation.
        if turned and enabled:
            kms.enable_key(KeyId=physical_id)
        self._set_rotation(kms, physical_id, old, new)
        if turned and not enabled:
            kms.disable_key(KeyId=physical_id)
        retag(ctx, "kms", old, new, KeyId=physical_id)
        return self._created(kms, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("kms").schedule_key_deletion(
            KeyId=physical_id,
            PendingWindowInDays=properties.get("PendingWindowInDays", _DEFAULT_WINDOW_DAYS),
        )

    def replacing(self, old: Properties, new: Properties) -> set[str]:
        # Replaced according to the documentation, but not to the schema.
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-key.html
        names = ("KeySpec", "KeyUsage", "MultiRegion", "Origin")
        return {name for name in names if old.get(name) != new.get(name)}

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties | None:
        kms = ctx.client("kms")
        found = kms.describe_key(KeyId=physical_id)["KeyMetadata"]
        if found["KeyState"] in DELETION:
            return None
        rotation = kms.get_key_rotation_status(KeyId=physical_id)
        return {
            "Description": found.get("Description", ""),
            "Enabled": found["Enabled"],
            "EnableKeyRotation": rotation["KeyRotationEnabled"],
            **pick(found, "KeySpec", "KeyUsage"),
        }

    def _set_rotation(self, kms: Any, key_id: str, old: Properties, new: Properties) -> None:
        if not changed(old, new, "EnableKeyRotation", "RotationPeriodInDays"):
            return
        if new.get("EnableKeyRotation"):
            kms.enable_key_rotation(KeyId=key_id, **pick(new, "RotationPeriodInDays"))
        elif old.get("EnableKeyRotation"):
            kms.disable_key_rotation(KeyId=key_id)

    def _created(self, kms: Any, key_id: str) -> Created:
        found = kms.describe_key(KeyId=key_id)["KeyMetadata"]
        return Created(key_id, {"Arn": found["Arn"], "KeyId": key_id})


class Alias(Handler):
    type_name = "AWS::KMS::Alias"

    def create(self, ctx: Context, properties: Properties) -> Created:
        ctx.client("kms").create_alias(**pick(properties, "AliasName", "TargetKeyId"))
        return Created(properties["AliasName"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ctx.client("kms").update_alias(**pick(new, "AliasName", "TargetKeyId"))
        return Created(physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("kms").delete_alias(AliasName=physical_id)
