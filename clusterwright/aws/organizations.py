"""AWS Organizations: the effective tag policy and the service control policies of an account."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.aws.errors import error_code
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value

# Organizations API reference, DescribeEffectivePolicy, errors: "your account isn't a member of an
# organization", and "the account doesn't have an effective policy of this type" or, to the
# management account, "this policy type is not enabled".
_NO_POLICY: Final = frozenset(
    {"AWSOrganizationsNotInUseException", "EffectivePolicyNotFoundException"}
)


@dataclass(frozen=True)
class TagKeyPolicy:
    """An effective tag policy for a tag key.

    Attributes
    ----------
    key:
        The key with the required capitalisation.
    values:
        Allowed values, each with at most one `*`; None if any value is allowed, an empty tuple if
        none is.
    enforced_for, required_for:
        Resource types for which noncompliant tagging is refused, and for which the tag is
        required: `ec2:instance`, `ec2:ALL_SUPPORTED`, or `ec2:*` in older policies.

    Notes
    -----
    Organizations user guide, "Tag policy syntax and examples", "Viewing effective tag policies".
    """

    key: str
    values: tuple[str, ...] | None = None
    enforced_for: tuple[str, ...] = ()
    required_for: tuple[str, ...] = ()

    def allows(self, value: str) -> bool:
        """Return whether a tag with this key may have a value; case-sensitive."""
        return self.values is None or any(_matches(one, value) for one in self.values)


TagPolicy = tuple[TagKeyPolicy, ...]


@dataclass(frozen=True)
class ServiceControlPolicy:
    """A policy that limits the principals of an account, or access to its resources.

    Neither limits service-linked roles.
    """

    id: str
    name: str
    document: str
    organization: str = ""
    """The id of the organization, `o-...`."""


def service_control_policies(
    session: AwsSession, account: str
) -> tuple[ServiceControlPolicy, ...]:
    """Return the service control policies of an account, its organizational units and the root.

    Empty if the account is in no organization, or is the management account, which no policy
    limits. Only the management account and accounts with a delegation policy may read them.

    Raises
    ------
    AwsUnavailable
        A request failed; denied for most member accounts.
    """
    return _control_policies(session, account, "SERVICE_CONTROL_POLICY")


def resource_control_policies(
    session: AwsSession, account: str
) -> tuple[ServiceControlPolicy, ...]:
    """Return the resource control policies, which limit access to resources of an account.

    As `service_control_policies`, for whoever makes the request.
    """
    return _control_policies(session, account, "RESOURCE_CONTROL_POLICY")


def _control_policies(
    session: AwsSession, account: str, kind: str
) -> tuple[ServiceControlPolicy, ...]:
    try:
        found = session.call("organizations", "DescribeOrganization")["Organization"]
    except Exception as error:
        if error_code(error) in _NO_POLICY:
            return ()
        raise
    features = known_value(
        session,
        str(found["FeatureSet"]),
        service="organizations",
        operation="DescribeOrganization",
        shape="OrganizationFeatureSet",
    )
    if found["MasterAccountId"] == account or features != "ALL":
        return ()
    policies: dict[str, ServiceControlPolicy] = {}
    target = account
    while True:
        for one in session.items(
            "organizations",
            "ListPoliciesForTarget",
            "Policies",
            TargetId=target,
            Filter=kind,
        ):
            if one["Id"] not in policies:
                answer = session.call("organizations", "DescribePolicy", PolicyId=one["Id"])
                policies[one["Id"]] = ServiceControlPolicy(
                    one["Id"],
                    str(one.get("Name") or one["Id"]),
                    str(answer["Policy"]["Content"]),
                    str(found["Id"]),
                )
        if target.startswith("r-"):
            return tuple(policies.values())
        parents = list(session.items("organizations", "ListParents", "Parents", ChildId=target))
        target = str(parents[0]["Id"])


def effective_tag_policy(session: AwsSession) -> TagPolicy | None:
    """Return the tag policy of the caller's account, merged with inherited policies.

    None if the account is in no organisation, or has no tag policy. Any account of an organisation
    may read its own.
    """
    try:
        answer = session.call("organizations", "DescribeEffectivePolicy", PolicyType="TAG_POLICY")
    except Exception as error:
        if error_code(error) in _NO_POLICY:
            return None
        raise
    return read_tag_policy(str(answer["EffectivePolicy"]["PolicyContent"]))


def read_tag_policy(content: str) -> TagPolicy:
    """Return the policies of a document by tag key.

    Raises
    ------
    ValueError
        It is not an effective tag policy.
    """
    tags = _object(json.loads(content), "the policy").get("tags")
    return tuple(_key(name, part) for name, part in _object(tags, "`tags`").items())


def _key(name: str, part: Any) -> TagKeyPolicy:
    said = _object(part, f"`tags.{name}`")
    # "If case treatment isn't defined, lowercase is the default case treatment for tag keys."
    key = said.get("tag_key", name.lower())
    if not isinstance(key, str) or key.lower() != name.lower():
        raise ValueError(f"`tags.{name}.tag_key` is a different key")
    return TagKeyPolicy(
        key,
        None if said.get("tag_value") is None else _texts(said, name, "tag_value"),
        _texts(said, name, "enforced_for"),
        _texts(said, name, "report_required_tag_for"),
    )


def _texts(said: dict[str, Any], name: str, field: str) -> tuple[str, ...]:
    found = said.get(field)
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ValueError(f"`tags.{name}.{field}` is not a list of strings")
    return tuple(found)


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is not an object")
    return value


def _matches(pattern: str, value: str) -> bool:
    head, star, tail = pattern.partition("*")
    if not star:
        return value == pattern
    fits = len(value) >= len(head) + len(tail)
    return fits and value.startswith(head) and value.endswith(tail)
