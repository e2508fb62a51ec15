"""The training plan lasts as long as the run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from clusterwright.catalog import Known
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.plans import PlanRule, PlanUse
from clusterwright.preflight.rule import Fail, Subject, Unsure, Verdict


class PlanDates(PlanRule):
    id = "CW-C015"
    title = "The training plan lasts as long as the run"
    severity = "warning"
    prevents = "HyperPod ends the plan's instances an hour before its end, in the middle of a run"
    source = "AWS documentation, SageMaker training plans"

    def check(
        self, subject: Subject[PlanUse], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        plan = facts[TrainingPlan(subject.value.name)]
        run = context.cluster.run
        if plan is None or run is None or plan.status not in ("Active", "Scheduled"):
            return
        if plan.end is None:
            yield Unsure(message=f"the training plan {plan.name} does not say when it ends")
            return
        early = context.catalog.limit("training_plan.ends_before_minutes")
        lost = dt.timedelta(minutes=early.value if isinstance(early, Known) else 0)
        now = dt.datetime.combine(context.today, dt.time(), dt.UTC)
        begin = max(plan.start or now, now)
        usable_hours = max(0.0, (plan.end - lost - begin) / dt.timedelta(hours=1))
        if run.hours > usable_hours:
            yield Fail(
                message=f"the run takes {run.hours:g} hours, the training plan {plan.name} gives "
                f"{usable_hours:.0f} until {plan.end:%Y-%m-%d %H:%M} UTC",
                path=("run", "hours"),
                requested=run.hours,
                limit=round(usable_hours),
                where=context.region,
                hint="extend the plan before it ends, or plan to resume from a checkpoint",
            )


RULE = PlanDates()
