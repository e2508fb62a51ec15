"""Live roles and managed policies, with the names of CloudFormation's properties.

IAM has no call for several: roles are read together, each with three calls and one more for each
inline policy.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import unquote

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession

Properties = Mapping[str, Any]

_AT_ONCE: Final = 8
"""Requests at the same time: the other readers of `drift` send as many."""


def roles(session: AwsSession, names: Sequence[str]) -> Mapping[str, Properties]:
    """Trust policy, boundary, attached policies and inline policies of each role by its name.

    `Policies` are documents by the name of the policy, unlike CloudFormation's list. Roles that do
    not exist are absent.
    """
    return _each(session, names, _role)


def managed_policies(session: AwsSession, arns: Sequence[str]) -> Mapping[str, Properties]:
    """The document of the default version of each policy by its ARN."""
    return _each(session, arns, _managed_policy)


def _each(
    session: AwsSession,
    ids: Sequence[str],
    read: Callable[[AwsSession, str], Properties | None],
) -> Mapping[str, Properties]:
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda identifier: read(session, identifier), ids)
        return {name: each for name, each in zip(ids, found, strict=True) if each is not None}


def _role(session: AwsSession, name: str) -> Properties | None:
    role = _existing(session, name)
    if role is None:
        return None
    attached = session.items("iam", "ListAttachedRolePolicies", "AttachedPolicies", RoleName=name)
    inline = session.items("iam", "ListRolePolicies", "PolicyNames", RoleName=name)
    return {
        "AssumeRolePolicyDocument": _document(role.get("AssumeRolePolicyDocument")),
        "PermissionsBoundary": (role.get("PermissionsBoundary") or {}).get(
            "PermissionsBoundaryArn"
        ),
        "ManagedPolicyArns": sorted(each["PolicyArn"] for each in attached),
        "Policies": {
            policy: _document(
                session.call("iam", "GetRolePolicy", RoleName=name, PolicyName=policy)[
                    "PolicyDocument"
                ]
            )
            for policy in inline
        },
    }


@none_if_not_found()
def _existing(session: AwsSession, name: str) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] = session.call("iam", "GetRole", RoleName=name)["Role"]
    return found


@none_if_not_found()
def _managed_policy(session: AwsSession, arn: str) -> Properties | None:
    version = session.call("iam", "GetPolicy", PolicyArn=arn)["Policy"]["DefaultVersionId"]
    answer = session.call("iam", "GetPolicyVersion", PolicyArn=arn, VersionId=version)
    return {"PolicyDocument": _document(answer["PolicyVersion"].get("Document"))}


def _document(found: Any) -> Any:
    """A policy, which IAM's API returns as URL-encoded JSON; botocore decodes it."""
    return json.loads(unquote(found)) if isinstance(found, str) else found
