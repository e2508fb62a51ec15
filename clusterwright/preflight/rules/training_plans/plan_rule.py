"""The training plans of a spec, and the base class of the rules about them."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.rule import Context, Facts, Rule, Subjects
from clusterwright.preflight.rules.compute_groups import by_plan, plan_name

GONE = ("Expired", "Failed")
"""States in which a plan or a segment has no instances any more."""


@dataclass(frozen=True)
class PlanUse:
    """The groups that use one training plan."""

    name: str
    arn: str
    groups: tuple[tuple[Path, ComputeGroup], ...]

    @property
    def count(self) -> int:
        return sum(group.count for _, group in self.groups)


class PlanRule(Rule[PlanUse]):
    """A rule about each training plan of the spec."""

    def subjects(self, context: Context) -> Subjects[PlanUse]:
        for arn, groups in by_plan(context).items():
            path = (*groups[0][0], "capacity", "arn")
            yield path, PlanUse(plan_name(arn), arn, tuple(groups))

    def needs(self, plan_use: PlanUse) -> Facts:
        return (TrainingPlan(plan_use.name),)
