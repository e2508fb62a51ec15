"""IAM access that is allowed after a change and was not before, from the templates.

A statement is split into grants: holder, action, resource and conditions. A grant is new unless an
old grant covers it: the same holder, patterns that match action and resource, and no condition
that the new grant lacks. What cannot be compared counts as new.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.review.expressions import Expression, shown
from clusterwright.review.resource_changes import ChangeAnalysis, ResourceVersion
from clusterwright.review.results import AccessChange

_IDENTITY_TYPES: Final = frozenset(
    {
        "AWS::IAM::Group",
        "AWS::IAM::ManagedPolicy",
        "AWS::IAM::Policy",
        "AWS::IAM::Role",
        "AWS::IAM::RolePolicy",
        "AWS::IAM::User",
        "AWS::IAM::UserPolicy",
        "AWS::IAM::GroupPolicy",
    }
)


@dataclass(frozen=True)
class Grant:
    """One action that is allowed or denied to one holder."""

    stack: str
    where: str
    holder: str
    kind: str
    """`Action`, `NotAction`; for a policy document that cannot be parsed, `document`."""

    action: str
    resource_kind: str
    resource: str
    conditions: frozenset[str]

    def covers(self, other: Grant) -> bool:
        """Whether this grant allows everything that `other` allows."""
        if (self.stack, self.holder, self.kind, self.resource_kind) != (
            other.stack,
            other.holder,
            other.kind,
            other.resource_kind,
        ):
            return False
        if not self.conditions <= other.conditions:
            return False
        if self.kind != "Action" or self.resource_kind not in ("Resource", ""):
            return (self.action, self.resource) == (other.action, other.resource)
        return _matches(self.action.lower(), other.action.lower()) and _matches(
            self.resource, other.resource
        )

    def __str__(self) -> str:
        text = f"{self.holder}: {self.action}"
        if self.kind == "NotAction":
            text = f"{self.holder}: everything except {self.action}"
        if self.resource:
            on = "everything except " if self.resource_kind == "NotResource" else ""
            text += f" on {on}{self.resource}"
        return text + (f" if {' and '.join(sorted(self.conditions))}" if self.conditions else "")


def wider_access(analysis: ChangeAnalysis) -> tuple[AccessChange, ...]:
    """All access that is allowed after the change and was not before."""
    before = [pair.before for pair in analysis.pairs.values() if pair.before is not None]
    after = [pair.after for pair in analysis.pairs.values() if pair.after is not None]
    return tuple(_wider_access(before, after))


def _wider_access(
    before: Iterable[ResourceVersion], after: Iterable[ResourceVersion]
) -> Iterator[AccessChange]:
    old_allowed, old_denied = _grants(before)
    new_allowed, new_denied = _grants(after)
    for grant in _uncovered(new_allowed, old_allowed):
        wider = any(
            old.holder == grant.holder
            and (old.action, old.resource) == (grant.action, grant.resource)
            and old.conditions - grant.conditions
            for old in old_allowed
        )
        what = "a condition is removed" if wider else "newly allowed"
        yield AccessChange(grant.stack, grant.where, f"{what}: {grant}")
    for grant in _uncovered(old_denied, new_denied):
        yield AccessChange(grant.stack, grant.where, f"no longer denied: {grant}")
    yield from _attachments(before, after)


def _uncovered(grants: Iterable[Grant], by: Iterable[Grant]) -> Iterator[Grant]:
    """Those of `grants` that none of `by` covers."""
    index: dict[tuple[str, str], list[Grant]] = {}
    for grant in by:
        index.setdefault((grant.stack, grant.holder), []).append(grant)
    for grant in grants:
        if not any(other.covers(grant) for other in index.get((grant.stack, grant.holder), ())):
            yield grant


def _grants(resources: Iterable[ResourceVersion]) -> tuple[list[Grant], list[Grant]]:
    allowed: dict[Grant, None] = {}
    denied: dict[Grant, None] = {}
    for side in resources:
        for path, document in _documents(side.properties, ()):
            for effect, grant in _statements(side, path, document):
                (allowed if effect == "Allow" else denied)[grant] = None
    return list(allowed), list(denied)


def _documents(
    value: Expression, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Every policy document in the properties of a resource."""
    if isinstance(value, Mapping):
        if "Statement" in value:
            yield path, value
            return
        for key, item in value.items():
            yield from _documents(item, (*path, key))
    elif isinstance(value, list):
        for item in value:
            yield from _documents(item, path)
    elif isinstance(value, str) and '"Statement"' in value:
        # Some types have the document as a string.
        try:
            parsed = json.loads(value)
        except ValueError:
            return
        if isinstance(parsed, Mapping) and "Statement" in parsed:
            yield path, parsed


def _statements(
    side: ResourceVersion, path: tuple[str, ...], document: Mapping[str, Any]
) -> Iterator[tuple[str, Grant]]:
    statements = document["Statement"]
    for statement in statements if isinstance(statements, list) else [statements]:
        if not isinstance(statement, Mapping):
            # An intrinsic function returns it: it can only be compared as a whole.
            yield "Allow", _whole(side, path, shown(statement))
            continue
        effect = statement.get("Effect")
        conditions = frozenset(_conditions(statement.get("Condition")))
        kind = "NotAction" if "NotAction" in statement else "Action"
        resource_kind = "NotResource" if "NotResource" in statement else "Resource"
        # The entries of NotAction or NotResource apply together.
        actions = _listed(statement.get(kind), together=kind == "NotAction")
        resources = _listed(statement.get(resource_kind), together=resource_kind == "NotResource")
        for holder in _holders(side, path, statement):
            for action in actions:
                for resource in resources or [""]:
                    grant = Grant(
                        side.key[0],
                        side.key[1],
                        holder,
                        kind,
                        action,
                        resource_kind,
                        resource,
                        conditions,
                    )
                    yield (effect if isinstance(effect, str) else "Allow"), grant


def _whole(side: ResourceVersion, path: tuple[str, ...], text: str) -> Grant:
    holder = f"{side.key[1]} {'.'.join(path)}"
    return Grant(side.key[0], side.key[1], holder, "document", text, "", "", frozenset())


def _holders(
    side: ResourceVersion, path: tuple[str, ...], statement: Mapping[str, Any]
) -> list[str]:
    """The holders of a grant: principals of a resource policy, or roles with the policy."""
    where = side.key[1]
    for kind in ("Principal", "NotPrincipal"):
        if kind in statement:
            prefix = "all except " if kind == "NotPrincipal" else ""
            document = f" ({path[-1]})" if path and side.type == "AWS::IAM::Role" else ""
            return [f"{prefix}{who} at {where}{document}" for who in _principals(statement[kind])]
    if side.type in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"):
        carriers = [
            text
            for name in ("Roles", "Users", "Groups", "RoleName", "UserName", "GroupName")
            for text in _listed(side.properties.get(name))
        ]
        return carriers or [where]
    return [f"<{where}>"] if side.type in _IDENTITY_TYPES else [where]


def _principals(value: Expression) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{kind} {who}" for kind, whom in value.items() for who in _listed(whom)]
    return _listed(value)


def _conditions(value: Expression) -> Iterator[str]:
    if value is None:
        return
    if not isinstance(value, Mapping):
        yield shown(value)
        return
    for operator, tests in value.items():
        if not isinstance(tests, Mapping):
            yield f"{operator} {shown(tests)}"
            continue
        for key, wanted in tests.items():
            yield f"{operator} {key} {' or '.join(_listed(wanted))}"


def _attachments(
    before: Iterable[ResourceVersion], after: Iterable[ResourceVersion]
) -> Iterator[AccessChange]:
    """Managed policies that are attached, and permissions boundaries that change."""
    old = {side.key: side for side in before}
    for side in after:
        if side.type not in _IDENTITY_TYPES:
            continue
        earlier = old.get(side.key)
        had = set(_listed(earlier.properties.get("ManagedPolicyArns"))) if earlier else set()
        for arn in _listed(side.properties.get("ManagedPolicyArns")):
            if arn not in had:
                yield AccessChange(*side.key, f"the policy {arn} is attached")
        if earlier is None:
            continue
        boundary = earlier.properties.get("PermissionsBoundary")
        now = side.properties.get("PermissionsBoundary")
        if boundary is not None and boundary != now:
            became = "is removed" if now is None else f"becomes {shown(now)}"
            yield AccessChange(*side.key, f"the permissions boundary {shown(boundary)} {became}")


def _listed(value: Expression, *, together: bool = False) -> list[str]:
    if value is None:
        return []
    items = [shown(item) for item in value] if isinstance(value, list) else [shown(value)]
    return [", ".join(sorted(items))] if together else items


def _matches(pattern: str, text: str) -> bool:
    """Match with IAM's `*` and `?`; a pattern is matched only by a wider pattern."""
    if pattern in (text, "*"):
        return True
    # The pattern `s3:Get*` covers more names than the pattern `s3:Get?`.
    if "?" in text or ("?" in pattern and "*" in text):
        return False
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))
