"""What AWS itself says that it would do: its change sets, laid over what the templates say."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright.review import resource_types
from clusterwright.review.resource_changes import Judgement
from clusterwright.review.results import EFFECTS, Effect, Obstacle, ResourceChange, Unknown

_REPLACEMENT: Final[dict[str, Effect]] = {
    "True": "replace",
    "Conditional": "replace",
    "False": "update",
}


@dataclass(frozen=True)
class AwsChange:
    """One resource of a change set, as DescribeChangeSet names things."""

    logical_id: str
    type: str
    action: str
    replacement: str | None = None
    properties: tuple[str, ...] = ()
    policy: str | None = None

    @property
    def effect(self) -> Effect:
        """`Dynamic` counts as the worst that it can be."""
        if self.action == "Remove":
            return "delete"
        if self.action == "Dynamic":
            return "replace"
        if self.action == "Modify":
            return _REPLACEMENT.get(self.replacement or "False", "replace")
        return "none"


@dataclass(frozen=True)
class ChangeSetAnswer:
    """AWS's answer about one stack.

    `refusal` is why there is none; `rejected` is CloudFormation's reason for refusing the change.
    """

    stack: str
    changes: tuple[AwsChange, ...] = ()
    refusal: str | None = None
    hint: str | None = None
    rejected: str | None = None


def with_aws(
    ours: Iterable[ResourceChange], answers: Iterable[ChangeSetAnswer], judged: Judgement
) -> tuple[ResourceChange, ...]:
    """Our changes, each made worse where AWS's own answer is; what AWS alone sees is added."""
    found = {(change.stack, change.logical_id): change for change in ours}
    for answer in answers:
        for theirs in answer.changes:
            key = (answer.stack, theirs.logical_id)
            mine = found.get(key)
            if mine is None and theirs.action == "Modify" and theirs.properties == ("Metadata",):
                continue  # the spec that the template records
            if mine is None or EFFECTS.index(theirs.effect) > EFFECTS.index(mine.effect):
                made = theirs.action in ("Add", "Import")
                if not (made and mine is not None):
                    found[key] = _worse(mine, theirs, answer.stack, judged)
    return tuple(found.values())


def unanswered(answers: Iterable[ChangeSetAnswer]) -> tuple[Unknown, ...]:
    """Stacks about which AWS gave no answer."""
    return tuple(
        Unknown(f"AWS's change set of {answer.stack}", answer.refusal, answer.hint)
        for answer in answers
        if answer.refusal is not None
    )


def rejections(answers: Iterable[ChangeSetAnswer]) -> tuple[Obstacle, ...]:
    """Changes that CloudFormation refuses before it begins."""
    return tuple(
        Obstacle(
            kind="refused",
            where=answer.stack,
            message=f"{answer.stack}: CloudFormation refuses the change set: {answer.rejected}",
            hint="mend what it says; `cdk deploy` would get the same answer",
        )
        for answer in answers
        if answer.rejected is not None
    )


def _worse(
    mine: ResourceChange | None, theirs: AwsChange, stack: str, judged: Judgement
) -> ResourceChange:
    said = f"AWS's change set: {theirs.action}"
    if theirs.replacement is not None:
        said += f", replacement {theirs.replacement}"
    if theirs.properties:
        said += f" ({', '.join(theirs.properties)})"
    ends = theirs.effect in ("replace", "delete")
    kept = snapshot = False
    pair = judged.pairs.get((stack, theirs.logical_id))
    side = pair.before if pair is not None else None
    if side is not None:
        policy = side.policy(
            "UpdateReplacePolicy" if theirs.effect == "replace" else "DeletionPolicy"
        )
        kept, snapshot = policy.startswith("Retain"), policy == "Snapshot"
    holds = resource_types.holds(theirs.type, kept_by_policy=kept) if ends else None
    outcome = None
    if holds is not None:
        outcome = f"lost: {holds}"
        if kept:
            outcome = "it stays in the account, outside the stack"
        elif snapshot:
            outcome = "a snapshot of it stays"
    actions: Mapping[Effect, str] = {"replace": "replace", "delete": "delete", "none": "create"}
    change = ResourceChange(
        stack=stack,
        logical_id=theirs.logical_id,
        type=theirs.type,
        effect=theirs.effect,
        action=actions.get(theirs.effect, "update"),  # type: ignore[arg-type]
        reasons=(said,),
        properties=theirs.properties,
        certainty="aws",
        holds=holds,
        data_loss=holds is not None and not (kept or snapshot),
        outcome=outcome,
        job_loss=ends and theirs.type in resource_types.RUNS_JOBS,
    )
    if mine is None:
        return change
    return dataclasses.replace(
        change,
        reasons=(said, *mine.reasons),
        properties=tuple(dict.fromkeys((*theirs.properties, *mine.properties))),
    )
