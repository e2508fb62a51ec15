"""What rules share about names that something else may have taken already."""

from __future__ import annotations

from typing import ClassVar

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.deployment import Stacks
from clusterwright.preflight.results import Severity
from clusterwright.preflight.rule import Fail, Rule, Subject

HERE: Path = ("environment",)


class TakenNameRule(Rule[str]):
    """A rule about names that the stacks give; what the stacks themselves made is no obstacle."""

    severity: ClassVar[Severity] = "error"


def own_stacks(context: Context) -> Stacks:
    """The fact of this environment's stacks."""
    return Stacks(context.cluster.environment)


def taken(kind: str, subject: Subject[str], context: Context, *, hint: str) -> Fail:
    """The finding: something of that name is there, and no stack of the environment made it."""
    return Fail(
        message=f"there is {kind} {subject.value} already, and none of the stacks of "
        f"`{context.cluster.environment}` made it",
        requested=subject.value,
        where=context.region,
        hint=hint,
    )
