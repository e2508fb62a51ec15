"""Permissions of the deployed roles that differ from the deployed templates.

CloudFormation's drift detection compares the properties of a role that its template sets. It sees
neither what the resources `AWS::IAM::Policy` do (the type does not support it) nor policies that
somebody attached or added. Declared are the policies of the role itself and those that other
resources of the deployed stacks attach to it; what IAM has must be the same set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clusterwright.review.physical_values import UNRESOLVED, PhysicalValues
from clusterwright.review.policy_documents import as_list, differing_statements, has_unresolved
from clusterwright.review.resource_changes import Key, ResourceVersion
from clusterwright.review.results import SpecChange, UncheckedPart

ROLE: Final = "AWS::IAM::Role"
MANAGED: Final = "AWS::IAM::ManagedPolicy"
COMPARED: Final = frozenset(
    {"AssumeRolePolicyDocument", "ManagedPolicyArns", "PermissionsBoundary", "Policies"}
)
"""The properties of a role that are compared as a whole."""

_INLINE: Final = ("AWS::IAM::Policy", "AWS::IAM::RolePolicy")
_DEPLOYMENT: Final = "only CloudFormation knows it"


@dataclass
class _Declared:
    """What the templates give a role: ARNs, and documents by the name of the policy."""

    key: Key
    trust: Any
    boundary: Any
    attached: set[str] = field(default_factory=set)
    inline: dict[str, Any] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Which of its policies are not known."""


def role_drift(
    resources: Mapping[Key, ResourceVersion],
    values: PhysicalValues,
    physical_ids: Mapping[Key, str],
    live: Mapping[str, Mapping[str, Any]],
) -> tuple[list[SpecChange], set[Key], list[UncheckedPart]]:
    """The differences, the compared resources, and what of them could not be compared.

    Parameters
    ----------
    live:
        Every role by its name, as `clusterwright.aws.live_permissions.roles` returns them.
    """
    declared, holders = _declared(resources, values, physical_ids)
    found: list[SpecChange] = []
    partly: list[UncheckedPart] = []
    compared: set[Key] = set()
    for name, role in declared.items():
        path = "/".join(role.key)
        compared.add(role.key)
        if name not in live:
            found.append(SpecChange(path, "there", "deleted"))
            continue
        found += _changes(path, role, live[name])
        partly += _unknown(path, role)
    compared |= {key for key, names in holders.items() if names and names <= declared.keys()}
    return found, compared, partly


def _declared(
    resources: Mapping[Key, ResourceVersion],
    values: PhysicalValues,
    physical_ids: Mapping[Key, str],
) -> tuple[dict[str, _Declared], dict[Key, set[str]]]:
    """What each role is given, by its name, and the roles of each policy that is a resource."""
    roles: dict[str, _Declared] = {}
    for key, side in resources.items():
        if side.type == ROLE and physical_ids.get(key):
            roles[physical_ids[key]] = _own(key, side, values)
    holders: dict[Key, set[str]] = {}
    for key, side in resources.items():
        if side.type not in (*_INLINE, MANAGED):
            continue
        given = side.properties.get("Roles") or side.properties.get("RoleName") or []
        listed = as_list(values.of(key[0], given))
        holders[key] = {name for name in listed if isinstance(name, str)}
        unknown = any(name is UNRESOLVED for name in listed)
        for name, role in roles.items():
            if unknown:
                role.unknown.append(f"whether {'/'.join(key)} is one of them")
            elif name in holders[key]:
                _give(role, key, side, values, physical_ids)
        if unknown or not _only_roles(side):
            holders[key] = set()
    return roles, holders


def _only_roles(side: ResourceVersion) -> bool:
    return not side.properties.get("Users") and not side.properties.get("Groups")


def _own(key: Key, side: ResourceVersion, values: PhysicalValues) -> _Declared:
    properties = {name: values.of(key[0], item) for name, item in side.properties.items()}
    role = _Declared(
        key, properties.get("AssumeRolePolicyDocument"), properties.get("PermissionsBoundary")
    )
    attached, inline = properties.get("ManagedPolicyArns"), properties.get("Policies")
    for arn in as_list(attached):
        if isinstance(arn, str):
            role.attached.add(arn)
        else:
            role.unknown.append("a policy of ManagedPolicyArns")
    for policy in as_list(inline):
        _add_inline(role, policy)
    return role


def _give(
    role: _Declared,
    key: Key,
    side: ResourceVersion,
    values: PhysicalValues,
    physical_ids: Mapping[Key, str],
) -> None:
    if side.type == MANAGED:
        if physical_ids.get(key):
            role.attached.add(physical_ids[key])
        else:
            role.unknown.append(f"the policy {'/'.join(key)}")
        return
    _add_inline(role, {name: values.of(key[0], item) for name, item in side.properties.items()})


def _add_inline(role: _Declared, policy: Any) -> None:
    name = policy.get("PolicyName") if isinstance(policy, Mapping) else None
    if isinstance(name, str):
        role.inline[name] = policy.get("PolicyDocument")
    else:
        role.unknown.append("an inline policy without a known name")


def _changes(path: str, role: _Declared, live: Mapping[str, Any]) -> Iterator[SpecChange]:
    yield from document_drift(
        f"{path}.AssumeRolePolicyDocument", role.trust, live["AssumeRolePolicyDocument"]
    )
    boundary = live["PermissionsBoundary"]
    if role.boundary is not UNRESOLVED and role.boundary != boundary:
        yield SpecChange(f"{path}.PermissionsBoundary", role.boundary, boundary)
    attached = set(live["ManagedPolicyArns"])
    for arn in sorted(role.attached - attached):
        yield SpecChange(f"{path}.ManagedPolicyArns[{arn}]", "attached", "detached")
    inline = live["Policies"]
    for name in sorted(role.inline.keys() | inline.keys()):
        where = f"{path}.Policies[{name}]"
        if name not in inline:
            yield SpecChange(where, "there", "deleted")
        elif name in role.inline:
            yield from document_drift(where, role.inline[name], inline[name])
        elif not role.unknown:
            yield SpecChange(where, None, "added")
    if not role.unknown:
        for arn in sorted(attached - role.attached):
            yield SpecChange(f"{path}.ManagedPolicyArns[{arn}]", None, "attached")


def document_drift(path: str, declared: Any, found: Any) -> Iterator[SpecChange]:
    """The statements of a policy document that differ."""
    if declared is UNRESOLVED:
        return
    missing, added = differing_statements(declared, found)
    for statement in missing:
        yield SpecChange(f"{path}.Statement", statement, None)
    for statement in added:
        yield SpecChange(f"{path}.Statement", None, statement)


def _unknown(path: str, role: _Declared) -> Iterator[UncheckedPart]:
    if role.unknown:
        what = f"policies that were added to {path}"
        yield UncheckedPart(what, f"{', '.join(role.unknown)}: {_DEPLOYMENT}")
    documents = {"AssumeRolePolicyDocument": role.trust, **role.inline}
    for name, document in documents.items():
        if has_unresolved(document):
            yield UncheckedPart(f"values of the policy {name} of {path}", _DEPLOYMENT)
    if role.boundary is UNRESOLVED:
        yield UncheckedPart(f"the permissions boundary of {path}", _DEPLOYMENT)
