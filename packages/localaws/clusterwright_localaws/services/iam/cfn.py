"""Roles, policies and instance profiles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    difference,
    pick,
    policy_text,
    retag,
)

# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
_ROLE_NAME_LIMIT = 64
_POLICY_NAME_LIMIT = 128
_PROFILE_NAME_LIMIT = 128
_VERSIONS_LIMIT = 5


class Role(Handler):
    type_name = "AWS::IAM::Role"

    def create(self, ctx: Context, properties: Properties) -> Created:
        iam = ctx.client("iam")
        name = properties.get("RoleName") or ctx.generated_name(max_length=_ROLE_NAME_LIMIT)
        iam.create_role(
            RoleName=name,
            AssumeRolePolicyDocument=policy_text(properties["AssumeRolePolicyDocument"]),
            **pick(properties, "Description", "MaxSessionDuration", "Path", "PermissionsBoundary"),
            **ctx.tagging(properties),
        )
        ctx.identify(name)
        self._set_policies(iam, name, {}, properties)
        return self._created(iam, name)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        iam = ctx.client("iam")
        if changed(old, new, "AssumeRolePolicyDocument"):
            iam.update_assume_role_policy(
                RoleName=physical_id,
                PolicyDocument=policy_text(new["AssumeRolePolicyDocument"]),
            )
        if changed(old, new, "Description", "MaxSessionDuration"):
            iam.update_role(
                RoleName=physical_id,
                Description=new.get("Description", ""),
                MaxSessionDuration=new.get("MaxSessionDuration", 3600),
            )
        if changed(old, new, "PermissionsBoundary"):
            if "PermissionsBoundary" in new:
                iam.put_role_permissions_boundary(
                    RoleName=physical_id, PermissionsBoundary=new["PermissionsBoundary"]
                )
            else:
                iam.delete_role_permissions_boundary(RoleName=physical_id)
        self._set_policies(iam, physical_id, old, new)
        retag(ctx, "iam", old, new, calls=("tag_role", "untag_role"), RoleName=physical_id)
        return self._created(iam, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        iam = ctx.client("iam")
        iam.get_role(RoleName=physical_id)  # the role is deleted already
        self._set_policies(iam, physical_id, properties, {})
        iam.delete_role(RoleName=physical_id)

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        iam = ctx.client("iam")
        role = iam.get_role(RoleName=physical_id)["Role"]
        actual: dict[str, Any] = {
            **pick(role, "Description", "MaxSessionDuration", "Path", "RoleName"),
            "AssumeRolePolicyDocument": _document(role["AssumeRolePolicyDocument"]),
        }
        if "ManagedPolicyArns" in properties:
            attached = iam.list_attached_role_policies(RoleName=physical_id)["AttachedPolicies"]
            by_others = {
                arn
                for arn, policy in ctx.managed("AWS::IAM::ManagedPolicy")
                if physical_id in policy.get("Roles", [])
            }
            actual["ManagedPolicyArns"] = [
                item["PolicyArn"] for item in attached if item["PolicyArn"] not in by_others
            ]
        if "Policies" in properties:
            actual["Policies"] = [
                {
                    "PolicyName": name,
                    "PolicyDocument": _document(
                        iam.get_role_policy(RoleName=physical_id, PolicyName=name)[
                            "PolicyDocument"
                        ]
                    ),
                }
                for name in iam.list_role_policies(RoleName=physical_id)["PolicyNames"]
                if name in {entry["PolicyName"] for entry in properties["Policies"]}
            ]
        return actual

    def _set_policies(self, iam: Any, name: str, old: Properties, new: Properties) -> None:
        removed, added = difference(old, new, "ManagedPolicyArns")
        for arn in removed:
            iam.detach_role_policy(RoleName=name, PolicyArn=arn)
        for arn in added:
            iam.attach_role_policy(RoleName=name, PolicyArn=arn)
        had = {item["PolicyName"]: item for item in old.get("Policies", [])}
        has = {item["PolicyName"]: item for item in new.get("Policies", [])}
        for policy in had.keys() - has.keys():
            iam.delete_role_policy(RoleName=name, PolicyName=policy)
        for policy, one in has.items():
            if had.get(policy) != one:
                iam.put_role_policy(
                    RoleName=name,
                    PolicyName=policy,
                    PolicyDocument=policy_text(one["PolicyDocument"]),
                )

    def _created(self, iam: Any, name: str) -> Created:
        role = iam.get_role(RoleName=name)["Role"]
        return Created(name, {"Arn": role["Arn"], "RoleId": role["RoleId"]})


class Policy(Handler):
    """An inline policy of several roles, users and groups."""

    type_name = "AWS::IAM::Policy"

    def create(self, ctx: Context, properties: Properties) -> Created:
        iam = ctx.client("iam")
        # AWS's id is a generated name that IAM does not know.
        physical_id = ctx.generated_name(max_length=_POLICY_NAME_LIMIT)
        ctx.identify(physical_id)
        for kind, name in _holders(properties):
            _put_inline(iam, kind, name, properties)
        return Created(physical_id, {"Id": physical_id})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        iam = ctx.client("iam")
        for kind, name in _holders(new):
            _put_inline(iam, kind, name, new)
        stay = set(_holders(new)) if old["PolicyName"] == new["PolicyName"] else set()
        for kind, name in _holders(old):
            if (kind, name) not in stay:
                _delete_inline(iam, kind, name, old)
        return Created(physical_id, {"Id": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        iam = ctx.client("iam")
        for kind, name in _holders(properties):
            _delete_inline(iam, kind, name, properties)


class ManagedPolicy(Handler):
    type_name = "AWS::IAM::ManagedPolicy"

    def create(self, ctx: Context, properties: Properties) -> Created:
        iam = ctx.client("iam")
        name = properties.get("ManagedPolicyName") or ctx.generated_name(
            max_length=_POLICY_NAME_LIMIT
        )
        arn = iam.create_policy(
            PolicyName=name,
            PolicyDocument=policy_text(properties["PolicyDocument"]),
            **pick(properties, "Description", "Path"),
        )["Policy"]["Arn"]
        ctx.identify(arn)
        for kind, holder in _holders(properties):
            _call(iam, "attach", kind, holder, PolicyArn=arn)
        return self._created(iam, arn)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        iam = ctx.client("iam")
        if changed(old, new, "PolicyDocument"):
            versions = iam.list_policy_versions(PolicyArn=physical_id)["Versions"]
            if len(versions) >= _VERSIONS_LIMIT:
                oldest = min(
                    (version for version in versions if not version["IsDefaultVersion"]),
                    key=lambda item: item["CreateDate"],
                )
                iam.delete_policy_version(PolicyArn=physical_id, VersionId=oldest["VersionId"])
            iam.create_policy_version(
                PolicyArn=physical_id,
                PolicyDocument=policy_text(new["PolicyDocument"]),
                SetAsDefault=True,
            )
        before, after = _holders(old), _holders(new)
        for kind, holder in before:
            if (kind, holder) not in after:
                _call(iam, "detach", kind, holder, gone=True, PolicyArn=physical_id)
        for kind, holder in after:
            if (kind, holder) not in before:
                _call(iam, "attach", kind, holder, PolicyArn=physical_id)
        return self._created(iam, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        iam = ctx.client("iam")
        versions = iam.list_policy_versions(PolicyArn=physical_id)["Versions"]
        for kind, holder in _holders(properties):
            _call(iam, "detach", kind, holder, gone=True, PolicyArn=physical_id)
        for version in versions:
            if not version["IsDefaultVersion"]:
                iam.delete_policy_version(PolicyArn=physical_id, VersionId=version["VersionId"])
        iam.delete_policy(PolicyArn=physical_id)

    def _created(self, iam: Any, arn: str) -> Created:
        policy = iam.get_policy(PolicyArn=arn)["Policy"]
        return Created(
            arn,
            {
                "PolicyArn": arn,
                "PolicyId": policy["PolicyId"],
                "DefaultVersionId": policy["DefaultVersionId"],
                "AttachmentCount": str(policy["AttachmentCount"]),
                "IsAttachable": "true",
                "PermissionsBoundaryUsageCount": "0",
                "CreateDate": str(policy["CreateDate"]),
                "UpdateDate": str(policy["UpdateDate"]),
            },
        )


class InstanceProfile(Handler):
    type_name = "AWS::IAM::InstanceProfile"

    def create(self, ctx: Context, properties: Properties) -> Created:
        iam = ctx.client("iam")
        name = properties.get("InstanceProfileName") or ctx.generated_name(
            max_length=_PROFILE_NAME_LIMIT
        )
        arn = iam.create_instance_profile(InstanceProfileName=name, **pick(properties, "Path"))[
            "InstanceProfile"
        ]["Arn"]
        ctx.identify(name)
        for role in properties["Roles"]:
            iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
        return Created(name, {"Arn": arn})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        iam = ctx.client("iam")
        removed, added = difference(old, new, "Roles")
        for role in removed:
            iam.remove_role_from_instance_profile(InstanceProfileName=physical_id, RoleName=role)
        for role in added:
            iam.add_role_to_instance_profile(InstanceProfileName=physical_id, RoleName=role)
        found = iam.get_instance_profile(InstanceProfileName=physical_id)["InstanceProfile"]
        return Created(physical_id, {"Arn": found["Arn"]})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        iam = ctx.client("iam")
        found = iam.get_instance_profile(InstanceProfileName=physical_id)["InstanceProfile"]
        for role in found["Roles"]:
            iam.remove_role_from_instance_profile(
                InstanceProfileName=physical_id, RoleName=role["RoleName"]
            )
        iam.delete_instance_profile(InstanceProfileName=physical_id)


_KINDS = {"Groups": "group", "Roles": "role", "Users": "user"}


def _holders(properties: Properties) -> list[tuple[str, str]]:
    return [(kind, name) for key, kind in _KINDS.items() for name in properties.get(key, [])]


def _call(
    iam: Any, verb: str, kind: str, name: str, *, gone: bool = False, **parameters: str
) -> None:
    """Call ``VERB_KIND_policy`` for a role, user or group; with `gone`, it may be deleted."""
    from botocore.exceptions import ClientError

    try:
        getattr(iam, f"{verb}_{kind}_policy")(**{f"{kind.capitalize()}Name": name}, **parameters)
    except ClientError as error:
        if not gone or error.response["Error"]["Code"] != "NoSuchEntity":
            raise


def _put_inline(iam: Any, kind: str, name: str, properties: Properties) -> None:
    document = policy_text(properties["PolicyDocument"])
    _call(iam, "put", kind, name, PolicyName=properties["PolicyName"], PolicyDocument=document)


def _delete_inline(iam: Any, kind: str, name: str, properties: Properties) -> None:
    # The role may be deleted already; the others still have the policy.
    _call(iam, "delete", kind, name, gone=True, PolicyName=properties["PolicyName"])


def _document(found: Any) -> Mapping[str, Any]:
    parsed: Mapping[str, Any] = json.loads(unquote(found)) if isinstance(found, str) else found
    return parsed
