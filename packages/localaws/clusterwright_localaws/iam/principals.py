"""The principal of a request, and whether it matches a Principal element.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from clusterwright_localaws.iam.policy import Principals, Statement

_ACCOUNT = re.compile(r"\d{12}")
_ROOT = re.compile(r"arn:[a-z-]+:iam::(\d{12}):root")


class Grade(enum.IntEnum):
    """How directly a Principal element matches a caller; a higher value is less restrictive."""

    NOBODY = 0
    ACCOUNT = 1  # their account, which leaves it to identity-based policies
    ROLE = 2  # the role of a session: boundary and session policy still limit it
    EVERYBODY = 3
    DIRECT = 4  # the user, the session, the root user or the service itself


@dataclass(frozen=True)
class Caller:
    """The principal of a request.

    Parameters
    ----------
    kind:
        `root`, `user`, `role` (a session), `service` or `anonymous`.
    account:
        The account of the caller; empty for a service or an anonymous caller.
    arn:
        As GetCallerIdentity gives it: for a session the one of `assumed-role`.
    role_arn:
        Of a session: its role.
    service:
        Of a service: `sagemaker.amazonaws.com`.
    tags:
        The principal's: those of the user, or of the role and its session.
    """

    kind: Literal["root", "user", "role", "service", "anonymous"]
    account: str = ""
    arn: str = ""
    role_arn: str = ""
    service: str = ""
    unique_id: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    session_policies: tuple[str, ...] = ()
    context: Mapping[str, str] = field(default_factory=dict)
    called_via: tuple[str, ...] = ()
    transitive_tag_keys: tuple[str, ...] = ()

    @property
    def principal_arn(self) -> str:
        """The value of aws:PrincipalArn: of a session, its role."""
        return self.role_arn or self.arn

    @property
    def name(self) -> str:
        return self.arn.rsplit("/", 1)[-1]


def meant(statement: Statement, caller: Caller, *, bounded: bool) -> Grade:
    """Return how a statement of a resource-based policy matches a caller.

    A statement without a Principal matches every caller: identity-based policies
    have none.

    Parameters
    ----------
    bounded:
        The caller has a permissions boundary: NotPrincipal with Deny then always means them.
    """
    if statement.not_principal is not None:
        if statement.effect == "Deny" and bounded:
            return Grade.DIRECT
        return Grade.NOBODY if _exempt(statement.not_principal, caller) else Grade.EVERYBODY
    if statement.principal is None:
        return Grade.DIRECT
    return _grade(statement.principal, caller)


def _grade(principals: Principals, caller: Caller) -> Grade:
    if principals.everybody:
        return Grade.EVERYBODY
    best = Grade.NOBODY
    for kind, values in principals.named:
        for value in values:
            best = max(best, _grade_of(kind, value, caller))
    return best


def _grade_of(kind: str, value: str, caller: Caller) -> Grade:
    if kind == "Service":
        return (
            Grade.DIRECT
            if caller.kind == "service" and value == caller.service
            else (Grade.NOBODY)
        )
    if kind != "AWS" or caller.kind == "service":
        return Grade.NOBODY
    if value == "*":
        return Grade.EVERYBODY
    if not caller.account:
        return Grade.NOBODY
    if value in (caller.arn, caller.unique_id):
        return Grade.DIRECT
    if caller.role_arn and value in (caller.role_arn, caller.unique_id.split(":")[0]):
        return Grade.ROLE
    account = _account_in(value)
    if account == caller.account:
        return Grade.DIRECT if caller.kind == "root" else Grade.ACCOUNT
    return Grade.NOBODY


def _exempt(principals: Principals, caller: Caller) -> bool:
    """Return whether NotPrincipal names all principals of the caller: session, role and account.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_notprincipal.html
    """
    if principals.everybody:
        return True
    if caller.kind == "service":
        return any(_grade_of(k, v, caller) for k, values in principals.named for v in values)
    listed = [value for kind, values in principals.named if kind == "AWS" for value in values]
    if "*" in listed:
        return True
    if not any(_account_in(value) == caller.account for value in listed):
        return False
    if caller.kind == "root":
        return True
    return all(arn in listed for arn in _arns(caller))


def _arns(caller: Caller) -> Iterable[str]:
    yield caller.arn
    if caller.role_arn:
        yield caller.role_arn


def _account_in(value: str) -> str | None:
    if _ACCOUNT.fullmatch(value):
        return value
    match = _ROOT.fullmatch(value)
    return match.group(1) if match else None
