"""AWS's policy evaluation logic.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-denyallow.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic-cross-account.html
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from clusterwright_localaws.iam.conditions import met
from clusterwright_localaws.iam.context import RequestContext
from clusterwright_localaws.iam.policy import Policy, Statement
from clusterwright_localaws.iam.principals import Caller, Grade, meant
from clusterwright_localaws.iam.variables import filled, variables_of
from clusterwright_localaws.iam.wildcards import matches, matches_arn

Outcome = Literal["allowed", "explicitDeny", "implicitDeny"]

# Wording of AWS's access denied messages for the kinds of policies, in the order of evaluation.
SCP = "service control policy"
RCP = "resource control policy"
RESOURCE = "resource-based policy"
IDENTITY = "identity-based policy"
BOUNDARY = "permissions boundary"
SESSION = "session policy"


@dataclass(frozen=True)
class Request:
    """One action on one resource by one caller; `resource` is an ARN or `*`."""

    caller: Caller
    action: str
    resource: str = "*"
    context: RequestContext = field(default_factory=RequestContext)
    resource_account: str = ""  # empty: the caller's own


@dataclass(frozen=True)
class Policies:
    """Everything that has a say about a request.

    Parameters
    ----------
    identity:
        Of the user with its groups, or of the role.
    boundary, session:
        None: there is none, which limits nothing. An empty tuple allows nothing.
    organization:
        Service control policies, one tuple for each level from the root to the account: every
        level must allow.
    resource_control:
        Resource control policies of the resource's organisation.
    resource:
        The policy of the resource.
    resource_must_allow:
        As for KMS keys and trust policies: without an allow of the resource's policy nothing is
        allowed, even in the same account.
    """

    identity: tuple[Policy, ...] = ()
    boundary: tuple[Policy, ...] | None = None
    session: tuple[Policy, ...] | None = None
    organization: tuple[tuple[Policy, ...], ...] = ()
    resource_control: tuple[Policy, ...] = ()
    resource: Policy | None = None
    resource_must_allow: bool = False


@dataclass(frozen=True)
class Match:
    """A statement that applies to the request, and the kind of policy it is in."""

    policy: Policy
    statement: Statement
    source: str
    grade: Grade


@dataclass(frozen=True)
class Decision:
    """The decision: `reason` is the kind of policy that denied, or did not allow."""

    outcome: Outcome
    reason: str = ""
    matches: tuple[Match, ...] = ()

    @property
    def allowed(self) -> bool:
        return self.outcome == "allowed"


def evaluate(request: Request, policies: Policies) -> Decision:
    """Decide over a request by AWS's documented logic."""
    found = _Found(request, policies)
    decision = _decide(request, policies, found)
    if decision.outcome == "explicitDeny":
        return Decision("explicitDeny", decision.reason, found.denies(decision.reason))
    if decision.outcome == "implicitDeny":
        return Decision("implicitDeny", decision.reason)
    return Decision("allowed", "", tuple(found.all_allows()))


def applying(policy: Policy, request: Request, *, bounded: bool = False) -> list[Match]:
    """Return the statements of a policy that apply to a request: who, action, resource, when."""
    return [
        Match(policy, statement, "", grade)
        for statement in policy.statements
        if _concerns(statement, policy, request)
        and (grade := meant(statement, request.caller, bounded=bounded))
        and all(
            met(one, request.context, variables=policy.has_variables)
            for one in statement.conditions
        )
    ]


def missing_keys(policies: Iterable[Policy], request: Request) -> list[str]:
    """Return context keys that a statement for this action and resource asks for in vain."""
    found: dict[str, str] = {}
    for policy in policies:
        for statement in policy.statements:
            if not concerns_action(statement, request.action):
                continue
            for key in keys_of_statement(statement, policy):
                if key not in request.context:
                    found.setdefault(key.lower(), key)
    return list(found.values())


def keys_of_statement(statement: Statement, policy: Policy) -> list[str]:
    """Return the context keys that a statement names, in conditions and in variables."""
    found = [condition.key for condition in statement.conditions]
    if policy.has_variables:
        texts = [
            *(statement.resources or ()),
            *(statement.not_resources or ()),
            *(value for condition in statement.conditions for value in condition.values),
        ]
        found += [name for text in texts for name in variables_of(text)]
    return found


class _Found:
    """The statements that apply, by kind of policy."""

    def __init__(self, request: Request, policies: Policies) -> None:
        bounded = policies.boundary is not None

        def of(listed: Iterable[Policy], source: str) -> list[Match]:
            return [
                Match(match.policy, match.statement, source, match.grade)
                for policy in listed
                for match in applying(policy, request, bounded=bounded)
            ]

        self.levels = [of(level, SCP) for level in policies.organization]
        self.by_source: dict[str, list[Match]] = {
            SCP: [match for level in self.levels for match in level],
            RCP: of(policies.resource_control, RCP),
            RESOURCE: of([policies.resource] if policies.resource else [], RESOURCE),
            IDENTITY: of(policies.identity, IDENTITY),
            BOUNDARY: of(policies.boundary or (), BOUNDARY),
            SESSION: of(policies.session or (), SESSION),
        }

    def denies(self, source: str) -> tuple[Match, ...]:
        return tuple(m for m in self.by_source[source] if m.statement.effect == "Deny")

    def allows(self, source: str) -> list[Match]:
        return [m for m in self.by_source[source] if m.statement.effect == "Allow"]

    def all_allows(self) -> list[Match]:
        return [m for source in (IDENTITY, RESOURCE) for m in self.allows(source)]


def _decide(request: Request, policies: Policies, found: _Found) -> Decision:
    for source in found.by_source:
        if found.denies(source):
            return Decision("explicitDeny", source)
    for level in found.levels:
        if not any(match.statement.effect == "Allow" for match in level):
            return Decision("implicitDeny", SCP)
    if policies.resource_control and not found.allows(RCP):
        return Decision("implicitDeny", RCP)
    grade = max((match.grade for match in found.allows(RESOURCE)), default=Grade.NOBODY)
    caller = request.caller
    if caller.kind in ("service", "anonymous"):
        return _granted() if grade else Decision("implicitDeny", RESOURCE)
    elsewhere = bool(request.resource_account) and request.resource_account != caller.account
    if elsewhere or policies.resource_must_allow:
        return _both(policies, found, caller, grade, elsewhere=elsewhere)
    if grade >= Grade.EVERYBODY or caller.kind == "root":
        return _granted()
    return _of_identity(policies, found, role_granted=grade == Grade.ROLE)


def _both(
    policies: Policies, found: _Found, caller: Caller, grade: Grade, *, elsewhere: bool
) -> Decision:
    """Another account, a key or a role: the resource's policy has to allow in any case."""
    direct = grade >= Grade.EVERYBODY and not elsewhere
    if caller.kind != "root" and not direct:
        own = _of_identity(policies, found, role_granted=grade == Grade.ROLE and not elsewhere)
        if not own.allowed:
            # A message names the resource's policy only if its permission is missing.
            return own
    return _granted() if grade else Decision("implicitDeny", RESOURCE)


def _of_identity(policies: Policies, found: _Found, *, role_granted: bool) -> Decision:
    if not found.allows(IDENTITY) and not role_granted:
        return Decision("implicitDeny", IDENTITY)
    for listed, source in ((policies.boundary, BOUNDARY), (policies.session, SESSION)):
        if listed is not None and not found.allows(source):
            return Decision("implicitDeny", source)
    return _granted()


def _granted() -> Decision:
    return Decision("allowed")


def _concerns(statement: Statement, policy: Policy, request: Request) -> bool:
    return concerns_action(statement, request.action) and _concerns_resource(
        statement, policy, request
    )


def concerns_action(statement: Statement, action: str) -> bool:
    """Return whether a statement is about an action."""
    if statement.actions is not None:
        return _any_action(statement.actions, action)
    return not _any_action(statement.not_actions or (), action)


def _any_action(patterns: Sequence[str], action: str) -> bool:
    return any(matches(pattern, action, ignore_case=True) for pattern in patterns)


def _concerns_resource(statement: Statement, policy: Policy, request: Request) -> bool:
    if statement.resources is not None:
        return _any_resource(statement.resources, policy, request)
    if statement.not_resources is not None:
        return not _any_resource(statement.not_resources, policy, request)
    return True  # a trust policy is about its own role


def _any_resource(patterns: Sequence[str], policy: Policy, request: Request) -> bool:
    for text in patterns:
        pattern = filled(text, request.context, enabled=policy.has_variables)
        if pattern is not None and matches_arn(pattern, request.resource):
            return True
    return False
