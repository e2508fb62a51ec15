"""Base class of the rules about the names of new resources."""

from __future__ import annotations

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.facts.deployment import Stacks
from clusterwright.preflight.rule import Context, Fail, Rule

HERE: Path = ("environment",)


class NameConflictRule(Rule[str]):
    """A rule about a name that the stacks use; a resource that they created themselves is no
    conflict.
    """


def own_stacks(context: Context) -> Stacks:
    """The fact that lists this environment's stacks."""
    return Stacks(context.cluster.environment)


def name_conflict(kind: str, name: str, context: Context, *, hint: str) -> Fail:
    """The finding: a resource of that name exists, and no stack of the environment created it."""
    return Fail(
        message=f"{kind} named {name} already exists, and none of the stacks of "
        f"`{context.cluster.environment}` created it",
        requested=name,
        where=context.region,
        hint=hint,
    )
