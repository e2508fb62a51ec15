"""Simulations of permissions by IAM's policy simulator, and their results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clusterwright.aws.iam import Simulated, Simulation
from clusterwright.platforms.node_permissions import Permission
from clusterwright.preflight.rule import Fail, Results, Unknown

ACTIONS_PER_SIMULATION: Final = 40
"""Actions per simulation, so that the answer is always a single page."""

_SHOWN: Final = 6


def simulations(permissions: Iterable[Permission]) -> tuple[Simulation, ...]:
    """Permissions as simulations, grouped by resource."""
    grouped: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for permission in permissions:
        actions = grouped.setdefault((permission.resource, permission.context), [])
        actions += [action for action in permission.actions if action not in actions]
    return tuple(
        Simulation(tuple(actions[start : start + ACTIONS_PER_SIMULATION]), resource, context)
        for (resource, context), actions in grouped.items()
        for start in range(0, len(actions), ACTIONS_PER_SIMULATION)
    )


def permission_results(
    results: Iterable[Simulated], who: str, *, hint: str, where: str
) -> Results:
    """One finding for all refused actions, else one unknown for all that depend on missing
    keys.
    """
    results = list(results)
    refused = [r for r in results if not r.allowed and not r.missing]
    undecided = [r for r in results if r.missing]
    if refused:
        by = {_why(result) for result in refused}
        yield Fail(
            message=f"{who} is not allowed {_list(refused)}: {', '.join(sorted(by))}",
            requested=len(results),
            limit=len(results) - len(refused),
            where=where,
            hint=hint,
        )
    elif undecided:
        keys = sorted({key for result in undecided for key in result.missing})
        yield Unknown(
            message=f"whether {who} is allowed {_list(undecided)} depends on {', '.join(keys)}, "
            "which is not known before the request"
        )


def _why(result: Simulated) -> str:
    if result.by_organization is False:
        return "a service control policy of the organization does not allow it"
    if result.by_boundary is False:
        return "the permissions boundary does not allow it"
    return "a policy denies it" if result.decision == "explicitDeny" else "no policy allows it"


def _list(results: list[Simulated]) -> str:
    actions = list(dict.fromkeys(result.action for result in results))
    rest = len(actions) - _SHOWN
    return ", ".join(actions[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
