"""The training plans last as long as the run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.aws.sagemaker import TrainingPlan as Plan
from clusterwright.catalog import Known
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.groups import by_plan, plan_name
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict


class PlanDates(Rule[tuple[str, ...]]):
    id = "CW-C015"
    title = "The training plans last as long as the run"
    severity = "warning"
    scope = "account"
    prevents = "HyperPod ends the plan's instances an hour before its end, in the middle of a run"
    source = "AWS documentation, SageMaker training plans"

    def subjects(self, context: Context) -> Iterable[Subject[tuple[str, ...]]]:
        plans = tuple(plan_name(arn) for arn in by_plan(context))
        if plans and context.cluster.run is not None:
            yield Subject(("run", "hours"), plans)

    def needs(self, subject: Subject[tuple[str, ...]], context: Context) -> Iterable[Fact[Any]]:
        del context
        return [TrainingPlan(name) for name in subject.value]

    def check(
        self, subject: Subject[tuple[str, ...]], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        run = context.cluster.run
        assert run is not None
        short: list[tuple[float, Plan]] = []
        for name in subject.value:
            plan = facts[TrainingPlan(name)]
            if plan is None or plan.status not in ("Active", "Scheduled"):
                continue  # CW-C010 and CW-C011 say so
            hours = _usable_hours(plan, context)
            if hours is None:
                yield Unsure(message=f"the training plan {name} does not say when it ends")
            elif hours < run.hours:
                short.append((hours, plan))
        if not short:
            return
        hours, first = min(short, key=lambda pair: pair[0])
        others = f", and {len(short) - 1} more end before it does" if len(short) > 1 else ""
        yield Fail(
            message=f"the run takes {run.hours:g} hours, the training plan {first.name} gives "
            f"{hours:.0f} until {first.end:%Y-%m-%d %H:%M} UTC{others}",
            requested=run.hours,
            limit=round(hours),
            where=context.region,
            hint="extend the plan before it ends, or plan to resume from a checkpoint",
        )


def _usable_hours(plan: Plan, context: Context) -> float | None:
    if plan.end is None:
        return None
    early = context.catalog.limit("training_plan.ends_before_minutes")
    lost = dt.timedelta(minutes=early.value if isinstance(early, Known) else 0)
    now = dt.datetime.combine(context.today, dt.time(), dt.UTC)
    return max(0.0, (plan.end - lost - max(plan.start or now, now)) / dt.timedelta(hours=1))


RULE = PlanDates()
