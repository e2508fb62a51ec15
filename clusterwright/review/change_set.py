"""CloudFormation's change sets, merged with the changes from the templates."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright.review import resource_types
from clusterwright.review.resource_changes import ChangeAnalysis
from clusterwright.review.results import (
    EFFECTS,
    DeploymentBlocker,
    Effect,
    ResourceChange,
    Unknown,
)

_REPLACEMENT: Final[dict[str, Effect]] = {
    "True": "replace",
    "Conditional": "replace",
    "False": "update",
}


@dataclass(frozen=True)
class AwsChange:
    """A resource of a change set, with the names of DescribeChangeSet."""

    logical_id: str
    type: str
    action: str
    replacement: str | None = None
    properties: tuple[str, ...] = ()
    policy: str | None = None

    @property
    def effect(self) -> Effect:
        """The effect of the action; `Dynamic` counts as a replacement."""
        if self.action == "Remove":
            return "delete"
        if self.action == "Dynamic":
            return "replace"
        if self.action == "Modify":
            return _REPLACEMENT.get(self.replacement or "False", "replace")
        return "none"


@dataclass(frozen=True)
class ChangeSetAnswer:
    """The change set of one stack.

    `refusal` is why there is none; `rejected` is why CloudFormation refused the change.
    """

    stack: str
    changes: tuple[AwsChange, ...] = ()
    refusal: str | None = None
    hint: str | None = None
    rejected: str | None = None


def with_aws(
    changes: Iterable[ResourceChange], answers: Iterable[ChangeSetAnswer], analysis: ChangeAnalysis
) -> tuple[ResourceChange, ...]:
    """The changes, each with the worse effect of template and change set."""
    found = {(change.stack, change.logical_id): change for change in changes}
    for answer in answers:
        for aws_change in answer.changes:
            key = (answer.stack, aws_change.logical_id)
            known = found.get(key)
            if (
                known is None
                and aws_change.action == "Modify"
                and aws_change.properties == ("Metadata",)
            ):
                continue  # the spec that the template records
            if known is None or EFFECTS.index(aws_change.effect) > EFFECTS.index(known.effect):
                is_new = aws_change.action in ("Add", "Import")
                if not (is_new and known is not None):
                    found[key] = _worse(known, aws_change, answer.stack, analysis)
    return tuple(found.values())


def unanswered(answers: Iterable[ChangeSetAnswer]) -> tuple[Unknown, ...]:
    """Stacks without a change set."""
    return tuple(
        Unknown(f"the change set of {answer.stack}", answer.refusal, answer.hint)
        for answer in answers
        if answer.refusal is not None
    )


def rejections(answers: Iterable[ChangeSetAnswer]) -> tuple[DeploymentBlocker, ...]:
    """Changes that CloudFormation refuses to put into a change set."""
    return tuple(
        DeploymentBlocker(
            kind="refused",
            where=answer.stack,
            message=f"{answer.stack}: CloudFormation refuses the change set: {answer.rejected}",
            hint="correct the template; `cdk deploy` would fail with the same error",
        )
        for answer in answers
        if answer.rejected is not None
    )


def _worse(
    known: ResourceChange | None, aws_change: AwsChange, stack: str, analysis: ChangeAnalysis
) -> ResourceChange:
    description = f"change set: {aws_change.action}"
    if aws_change.replacement is not None:
        description += f", replacement {aws_change.replacement}"
    if aws_change.properties:
        description += f" ({', '.join(aws_change.properties)})"
    ends = aws_change.effect in ("replace", "delete")
    kept = snapshot = False
    pair = analysis.pairs.get((stack, aws_change.logical_id))
    side = pair.before if pair is not None else None
    if side is not None:
        policy = side.policy(
            "UpdateReplacePolicy" if aws_change.effect == "replace" else "DeletionPolicy"
        )
        kept, snapshot = policy.startswith("Retain"), policy == "Snapshot"
    holds = resource_types.holds(aws_change.type, kept_by_policy=kept) if ends else None
    outcome = None
    if holds is not None:
        outcome = f"lost: {holds}"
        if kept:
            outcome = "it is retained outside the stack"
        elif snapshot:
            outcome = "a snapshot is retained"
    actions: Mapping[Effect, str] = {"replace": "replace", "delete": "delete", "none": "create"}
    change = ResourceChange(
        stack=stack,
        logical_id=aws_change.logical_id,
        type=aws_change.type,
        effect=aws_change.effect,
        action=actions.get(aws_change.effect, "update"),  # type: ignore[arg-type]
        reasons=(description,),
        properties=aws_change.properties,
        certainty="aws",
        holds=holds,
        data_loss=holds is not None and not (kept or snapshot),
        outcome=outcome,
        job_loss=ends and aws_change.type in resource_types.RUNS_JOBS,
    )
    if known is None:
        return change
    if known.protection_loss and not ends:
        change = dataclasses.replace(
            change, holds=known.holds, outcome=known.outcome, protection_loss=True
        )
    return dataclasses.replace(
        change,
        reasons=(description, *known.reasons),
        properties=tuple(dict.fromkeys((*aws_change.properties, *known.properties))),
    )
