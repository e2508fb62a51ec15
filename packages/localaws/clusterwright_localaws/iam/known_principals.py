"""Whether the principals that a policy names are well-formed and exist.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html

Accounts are taken as they are, and so are users and roles of other accounts than the policy's:
which of those exist on AWS is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.iam import entities
from clusterwright_localaws.iam.policy import Policy, Principals

_ACCOUNT: Final = re.compile(r"\d{12}")
_ARN: Final = re.compile(
    r"arn:(?P<partition>aws[a-z-]*):(?P<service>iam|sts)::(?P<account>\d{12}):(?P<name>[^*?]+)"
)
# An origin access identity of CloudFront is no user of an account.
_ORIGIN_ACCESS: Final = re.compile(r"arn:aws[a-z-]*:iam::cloudfront:user/.+")
# What AWS shows, and no longer takes, in place of a user or a role that was deleted.
_UNIQUE_ID: Final = re.compile(r"A(?:ID|RO)A[A-Z0-9]{12,}")
# moto's GetCallerIdentity answers it for access keys that IAM has not issued.
_CALLER: Final = "user/moto"
_SERVICE: Final = re.compile(r"(?:[a-z0-9-]+\.)+(?:amazonaws|amazon|amzn|aws|api)[a-z.]*")
_FEDERATED: Final = re.compile(
    r"arn:aws[a-z-]*:iam::\d{12}:(?:saml|oidc)-provider/.+|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
)
_NAMED: Final = {"AWS", "Service", "Federated"}


def unknown_principal(policy: Policy, account: str) -> tuple[str, str] | None:
    """Return kind and value of the first principal that AWS would not take; None without one.

    Parameters
    ----------
    account:
        The account of the policy.
    """
    for statement in policy.statements:
        for principals in (statement.principal, statement.not_principal):
            for kind, value in _values(principals):
                if not _is_known(kind, value, account):
                    return kind, value
    return None


def _values(principals: Principals | None) -> Iterator[tuple[str, str]]:
    for kind, values in principals.named if principals is not None else ():
        for value in values:
            if kind in _NAMED and value != "*":
                yield kind, value


def _is_known(kind: str, value: str, account: str) -> bool:
    if kind == "Service":
        return _SERVICE.fullmatch(value) is not None
    if kind == "Federated":
        return _FEDERATED.fullmatch(value) is not None
    if _ACCOUNT.fullmatch(value) or _ORIGIN_ACCESS.fullmatch(value):
        return True
    if _UNIQUE_ID.fullmatch(value):
        return _has_id(value)
    match = _ARN.fullmatch(value)
    if match is None:
        return False
    name = match["name"]
    if match["service"] == "sts":
        return name == _CALLER or name.startswith(("assumed-role/", "federated-user/"))
    if name == "root":
        return True
    if not name.startswith(("role/", "user/")):
        return False
    if match["account"] != account:
        return True
    return (entities.role_of(value) or entities.user_of(value)) is not None


def _has_id(unique_id: str) -> bool:
    """Return whether a user or a role of any account here has this id."""
    return any(
        entity.id == unique_id
        for backend in moto_state.all_existing("iam")
        for entity in _entities(backend)
    )


def _entities(backend: Any) -> Iterator[Any]:
    yield from list(backend.users.values())
    yield from list(backend.roles.values())
