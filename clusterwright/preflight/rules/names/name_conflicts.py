"""What rules share about names that something else may have taken already."""

from __future__ import annotations

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.facts.deployment import Stacks
from clusterwright.preflight.rule import Context, Fail, Rule

HERE: Path = ("environment",)


class TakenNameRule(Rule[str]):
    """A rule about names that the stacks give; what the stacks themselves made is no obstacle."""


def own_stacks(context: Context) -> Stacks:
    """The fact of this environment's stacks."""
    return Stacks(context.cluster.environment)


def taken(kind: str, name: str, context: Context, *, hint: str) -> Fail:
    """The finding: something of that name is there, and no stack of the environment made it."""
    return Fail(
        message=f"there is {kind} {name} already, and none of the stacks of "
        f"`{context.cluster.environment}` made it",
        requested=name,
        where=context.region,
        hint=hint,
    )
