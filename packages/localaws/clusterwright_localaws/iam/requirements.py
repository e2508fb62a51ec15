"""Permissions that a call needs: its action, tag actions, and iam:PassRole.

* Tags at creation need the tag action of the service as well:
  https://docs.aws.amazon.com/IAM/latest/UserGuide/access_tags.html
* A role that is handed to a service needs iam:PassRole:
  https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html
* CopyObject reads its source:
  https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam import actions, entities
from clusterwright_localaws.iam.actions import Action
from clusterwright_localaws.iam.context import Values
from clusterwright_localaws.iam.lookups import Lookups
from clusterwright_localaws.iam.operations import action_names
from clusterwright_localaws.iam.request_keys import of_parameters, tags_to_examine
from clusterwright_localaws.iam.resources import Place, leaves_of, resources_of

_ROLE = re.compile(r"arn:[a-z-]+:iam::\d{12}:role/.+")
_NAMES_A_ROLE = re.compile(r"role", re.IGNORECASE)

# Services that ask for their tag action when something is made with tags, by IAM's prefix, with
# the operations' tag action. CloudFormation does not; STS has sts:TagSession.
_TAG_ACTIONS = {
    "aps": "TagResource",
    "ec2": "CreateTags",
    "ecr": "TagResource",
    "eks": "TagResource",
    "elasticfilesystem": "TagResource",
    "fsx": "TagResource",
    "kms": "TagResource",
    "lambda": "TagResource",
    "logs": "TagResource",
    "pcs": "TagResource",
    "rds": "AddTagsToResource",
    "sagemaker": "AddTags",
    "secretsmanager": "TagResource",
    "sns": "TagResource",
    "ssm": "AddTagsToResource",
    "sts": "TagSession",
}
_IAM_TAG_ACTIONS = {
    "CreateRole": "TagRole",
    "CreateUser": "TagUser",
    "CreatePolicy": "TagPolicy",
    "CreateInstanceProfile": "TagInstanceProfile",
}
# The reference has no resource for these, and AWS's refusals, as users published them, name one.
NOT_IN_REFERENCE = {
    "logs:DescribeLogGroups": "arn:{partition}:logs:{region}:{account}:log-group::log-stream:"
}
# Services that hand roles to another one. PCS user guide, "Minimum permissions for AWS PCS".
_RECEIVERS = {"pcs": "ec2.amazonaws.com"}
# A role in these is named, not handed over.
_NO_PASS = frozenset({"iam", "sts", "kms", "organizations", "secretsmanager", "ram", "sso-admin"})
_NO_PASS_OPERATIONS = frozenset(
    {
        ("eks", "CreateAccessEntry"),
        ("eks", "UpdateAccessEntry"),
        ("eks", "DeleteAccessEntry"),
        ("eks", "AssociateAccessPolicy"),
        ("eks", "DisassociateAccessPolicy"),
    }
)


@dataclass(frozen=True)
class Need:
    """One action on one resource, with the condition keys that belong to it."""

    action: str
    resource: str
    known: bool = True
    context: Mapping[str, Values] = field(default_factory=dict)


def needs_of(
    runtime: Runtime, service: str, operation: str, parameters: Mapping[str, Any], place: Place
) -> list[Need]:
    """Return everything that a call must be allowed, in the order of evaluation."""
    found: list[Need] = []
    for name in action_names(service, operation, parameters):
        action = actions.action_of(name)
        if action is None or name in NOT_IN_REFERENCE:
            listed = [_unlisted(name, place)]
        else:
            lookups = Lookups(runtime, operation)
            listed = resources_of(action, operation, parameters, place, lookups)
        keys = of_parameters(action, parameters)
        if service == "sts":
            keys |= _sts_keys(parameters)
        found += [Need(name, arn, action is not None, keys) for arn in listed]
        found += _tagging(runtime, action, operation, parameters, place, listed)
        if action is None or not action.reads:
            found += _passing(service, operation, parameters, place)
    if service == "s3":
        found += _copy_source(parameters, place)
    return found


def _unlisted(name: str, place: Place) -> str:
    form = NOT_IN_REFERENCE.get(name, "*")
    return form.format(partition=place.partition, region=place.region, account=place.account)


def _tagging(
    runtime: Runtime,
    action: Action | None,
    operation: str,
    parameters: Mapping[str, Any],
    place: Place,
    resources: list[str],
) -> Iterator[Need]:
    """The tag action on the created resources, with the tags as aws:RequestTag."""
    tags = tags_to_examine(action, parameters)
    if action is None or not tags:
        return
    prefix, _, own = action.name.partition(":")
    name = _IAM_TAG_ACTIONS.get(operation) if prefix == "iam" else _TAG_ACTIONS.get(prefix)
    if name is None or own.startswith(("Tag", "AddTags", "CreateTags")):
        return
    keys: dict[str, Values] = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    keys["aws:TagKeys"] = tuple(tags)
    if prefix == "ec2":
        keys["ec2:CreateAction"] = own
        resources = [
            f"arn:{place.partition}:ec2:{place.region}:{place.account}:"
            f"{one.get('ResourceType', '*')}/*"
            for one in parameters.get("TagSpecifications") or []
            if one.get("Tags")
        ]
    elif prefix != "sts":
        resources = [arn for arn in resources if arn != "*"][:1] or ["*"]
    del runtime
    for arn in resources:
        yield Need(f"{prefix}:{name}", arn, context=keys)


def _passing(
    service: str, operation: str, parameters: Mapping[str, Any], place: Place
) -> Iterator[Need]:
    if service in _NO_PASS or (service, operation) in _NO_PASS_OPERATIONS:
        return
    principal = _RECEIVERS.get(service, f"{actions.prefix_of(service)}.amazonaws.com")
    roles = [
        value
        for name, value in leaves_of(parameters)
        if _NAMES_A_ROLE.search(name) and _ROLE.fullmatch(value)
    ]
    roles += _roles_of_profiles(parameters, place)
    for arn in dict.fromkeys(roles):
        yield Need("iam:PassRole", arn, context={"iam:PassedToService": principal})


def _roles_of_profiles(parameters: Mapping[str, Any], place: Place) -> Iterator[str]:
    """An instance profile hands over the role in it."""
    profile = parameters.get("IamInstanceProfile")
    if parameters.get("iamInstanceProfileArn"):
        profile = {"Arn": parameters["iamInstanceProfileArn"]}
    if not isinstance(profile, Mapping):
        return
    backend = entities.backend_of(place.account, place.partition)
    for one in list(backend.instance_profiles.values()):
        if profile.get("Arn") == one.arn or profile.get("Name") == one.name:
            yield from (str(role.arn) for role in one.roles)


def _copy_source(parameters: Mapping[str, Any], place: Place) -> Iterator[Need]:
    source = parameters.get("CopySource")
    if isinstance(source, str) and source:
        path, _, version = unquote(source).lstrip("/").partition("?versionId=")
        action = "s3:GetObjectVersion" if version else "s3:GetObject"
        yield Need(action, f"arn:{place.partition}:s3:::{path}")


def _sts_keys(parameters: Mapping[str, Any]) -> dict[str, Values]:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_iam-condition-keys.html"""
    found: dict[str, Values] = {}
    for key, name in (
        ("sts:ExternalId", "ExternalId"),
        ("sts:RoleSessionName", "RoleSessionName"),
        ("sts:SourceIdentity", "SourceIdentity"),
    ):
        if parameters.get(name):
            found[key] = str(parameters[name])
    if parameters.get("TransitiveTagKeys"):
        found["sts:TransitiveTagKeys"] = tuple(parameters["TransitiveTagKeys"])
    return found
