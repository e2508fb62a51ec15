"""What rules make of IAM's simulation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clusterwright.aws.iam import Simulated, Simulation
from clusterwright.platforms.node_permissions import Permission
from clusterwright.preflight.rule import Fail, Results, Unknown

PER_QUESTION: Final = 40
"""Actions of one question: an answer of a single page, whatever the action."""

_SHOWN: Final = 6


def simulations(rights: Iterable[Permission]) -> tuple[Simulation, ...]:
    """Rights as questions to the simulator: those on one resource together."""
    grouped: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for right in rights:
        actions = grouped.setdefault((right.resource, right.context), [])
        actions += [action for action in right.actions if action not in actions]
    return tuple(
        Simulation(tuple(actions[start : start + PER_QUESTION]), resource, context)
        for (resource, context), actions in grouped.items()
        for start in range(0, len(actions), PER_QUESTION)
    )


def verdicts(results: Iterable[Simulated], who: str, *, hint: str, where: str) -> Results:
    """One finding for all that is refused, one doubt for all that rests on unknown keys."""
    results = list(results)
    refused = [r for r in results if not r.allowed and not r.missing]
    unsure = [r for r in results if r.missing]
    if refused:
        by = {_why(result) for result in refused}
        yield Fail(
            message=f"{who} may not {_list(refused)}: {', '.join(sorted(by))}",
            requested=len(results),
            limit=len(results) - len(refused),
            where=where,
            hint=hint,
        )
    elif unsure:
        keys = sorted({key for result in unsure for key in result.missing})
        yield Unknown(
            message=f"whether {who} may {_list(unsure)} rests on {', '.join(keys)}, which is not "
            "known before",
        )


def _why(result: Simulated) -> str:
    if result.by_organization is False:
        return "a service control policy of the organisation does not let it"
    if result.by_boundary is False:
        return "the permissions boundary does not let it"
    return "a policy denies it" if result.decision == "explicitDeny" else "no policy allows it"


def _list(results: list[Simulated]) -> str:
    actions = list(dict.fromkeys(result.action for result in results))
    rest = len(actions) - _SHOWN
    return ", ".join(actions[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
