"""The read-only IAM policy of a check, from the facts that its rules declare."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from clusterwright.preflight.account_results import Permission
from clusterwright.preflight.facts.fact import Place

# Needs no permission:
# https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
WITHOUT_PERMISSION: Final = frozenset({"sts:GetCallerIdentity"})
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html, managed policies;
# white space is not counted.
MAXIMUM_CHARACTERS: Final = 6_144


class RequiresActions(Protocol):
    """An operation that needs IAM actions: reading a fact, or filing a quota request."""

    @property
    def actions(self) -> tuple[str, ...]: ...

    def resources(self, place: Place) -> Mapping[str, str]: ...


def permissions(
    needed: Mapping[str, Iterable[RequiresActions]], place: Place
) -> tuple[Permission, ...]:
    """Return the permissions that reading the facts of the rules may need, by action.

    Parameters
    ----------
    needed:
        The facts by rule, as returned by `engine.needed`.
    """
    resources: dict[str, set[str]] = {}
    rules: dict[str, set[str]] = {}
    for rule, facts in needed.items():
        for fact in facts:
            limited = fact.resources(place)
            for action in fact.actions:
                if action not in WITHOUT_PERMISSION:
                    resources.setdefault(action, set()).add(limited.get(action, "*"))
                    rules.setdefault(action, set()).add(rule)
    return tuple(
        Permission(
            action,
            ("*",) if "*" in resources[action] else tuple(sorted(resources[action])),
            tuple(sorted(rules[action])),
        )
        for action in sorted(resources)
    )


def document(allowed: Iterable[Permission]) -> dict[str, Any]:
    """Return the policy document: one statement for each set of resources and condition."""
    statements: dict[tuple[tuple[str, ...], str], list[Permission]] = {}
    for permission in allowed:
        condition = json.dumps(permission.condition, sort_keys=True)
        statements.setdefault((permission.resources, condition), []).append(permission)
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": [permission.action for permission in together],
                "Resource": resources[0] if len(resources) == 1 else list(resources),
                **({"Condition": together[0].condition} if together[0].condition else {}),
            }
            for (resources, _), together in sorted(statements.items())
        ],
    }
