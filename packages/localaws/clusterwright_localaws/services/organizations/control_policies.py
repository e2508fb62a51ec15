"""The organisation and its control policies, which are the world's.

The first level of the world's policies is attached to the root, the last one to the account, the
others to organizational units between them. Resource control policies are attached to the root.
Without them, moto answers about an organisation that was created here.

https://docs.aws.amazon.com/organizations/latest/APIReference/API_ListPoliciesForTarget.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.worlds.model import Organization

_ROOT = "r-exam"
_KIND = "SERVICE_CONTROL_POLICY"
_OF_RESOURCES = "RESOURCE_CONTROL_POLICY"


@operation("organizations", "DescribeOrganization")
def describe_organization(call: Call) -> Mapping[str, Any]:
    found = _organization(call)
    owner = found.management_account or "999999999999"
    arn = f"arn:aws:organizations::{owner}"
    return {
        "Organization": {
            "Id": found.id,
            "Arn": f"{arn}:organization/{found.id}",
            "FeatureSet": "ALL",
            "MasterAccountId": owner,
            "MasterAccountArn": f"{arn}:account/{found.id}/{owner}",
            "MasterAccountEmail": "organization@acme.example",
        }
    }


@operation("organizations", "ListParents")
def list_parents(call: Call) -> Mapping[str, Any]:
    found = _readable(call)
    targets, child = _targets(call, found), call.parameters["ChildId"]
    if child == call.account:
        parent = targets[-2] if len(targets) > 1 else _ROOT
    elif child in targets[1:]:
        parent = targets[targets.index(child) - 1]
    else:
        raise AwsError(
            "ChildNotFoundException", f"You specified a child that doesn't exist: {child}"
        )
    kind = "ROOT" if parent == _ROOT else "ORGANIZATIONAL_UNIT"
    return {"Parents": [{"Id": parent, "Type": kind}]}


@operation("organizations", "ListPoliciesForTarget")
def list_policies_for_target(call: Call) -> Mapping[str, Any]:
    found = _readable(call)
    kind = call.parameters["Filter"]
    targets, target = _targets(call, found), call.parameters["TargetId"]
    if target not in (*targets, call.account):
        raise AwsError("TargetNotFoundException", "You specified a target that doesn't exist.")
    return {
        "Policies": [
            _summary(name)
            for name, (at, _) in _policies(call, found).items()
            if at == target and _summary(name)["Type"] == kind
        ]
    }


@operation("organizations", "DescribePolicy")
def describe_policy(call: Call) -> Mapping[str, Any]:
    there = _policies(call, _readable(call))
    name = call.parameters["PolicyId"]
    if name not in there:
        raise AwsError("PolicyNotFoundException", "You specified a policy that doesn't exist.")
    return {"Policy": {"PolicySummary": _summary(name), "Content": json.dumps(there[name][1])}}


def _organization(call: Call) -> Organization:
    if call.world.organization is None:
        if _is_created(call):
            raise ForwardToMoto
        raise AwsError(
            "AWSOrganizationsNotInUseException", "Your account is not a member of an organization."
        )
    return call.world.organization


def _is_created(call: Call) -> bool:
    """Whether the account has made an organisation here, or was invited to one."""
    from moto.organizations.models import organizations_backends

    backend = organizations_backends[call.account]["aws"]
    return backend.org is not None or call.account in organizations_backends.master_accounts


def _readable(call: Call) -> Organization:
    found = _organization(call)
    if not found.members_read_policies and call.account != found.management_account:
        raise AwsError(
            "AccessDeniedException", "You don't have permissions to access this resource."
        )
    return found


def _targets(call: Call, found: Organization) -> list[str]:
    """Return the targets of the levels, from the root to the account."""
    levels = len(found.service_control_policies)
    units = [f"ou-exam-{number:08d}" for number in range(1, levels - 1)]
    return [_ROOT, *units, *([call.account] if levels > 1 else [])]


def _policies(call: Call, found: Organization) -> dict[str, tuple[str, Any]]:
    """Return target and document of each policy by its id."""
    of_resources = {
        f"p-{0:04d}{number:04d}": (_ROOT, document)
        for number, document in enumerate(found.resource_control_policies, 1)
    }
    return of_resources | {
        f"p-{level:04d}{number:04d}": (target, document)
        for level, (target, listed) in enumerate(
            zip(_targets(call, found), found.service_control_policies, strict=False), 1
        )
        for number, document in enumerate(listed, 1)
    }


def _summary(name: str) -> dict[str, Any]:
    level, number = int(name[2:6]), int(name[6:])
    return {
        "Id": name,
        "Name": f"service control policy {level}.{number}"
        if level
        else f"resource control policy {number}",
        "Type": _KIND if level else _OF_RESOURCES,
        "AwsManaged": False,
    }
