"""The training plans last as long as the run."""

from __future__ import annotations

import datetime as dt

from clusterwright.aws.sagemaker import TrainingPlan as Plan
from clusterwright.catalog import Known
from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.compute_groups import by_plan, plan_name
from clusterwright.preflight.rules.run_window import run_start
from clusterwright.preflight.rules.training_plans.plan_rule import GONE


class PlanDates(Rule[tuple[str, ...]]):
    id = "CW-C015"
    severity = "warning"
    prevents = "HyperPod terminates the plan's instances an hour before its end, during the run"
    source = "AWS documentation, SageMaker training plans"

    def subjects(self, context: Context) -> Subjects[tuple[str, ...]]:
        plans = tuple(plan_name(arn) for arn in by_plan(context))
        if plans and context.cluster.run is not None:
            yield ("run", "hours"), plans

    def needs(self, plan_names: tuple[str, ...]) -> Facts:
        return [TrainingPlan(name) for name in plan_names]

    def check(self, plan_names: tuple[str, ...], context: Context, facts: FactValues) -> Results:
        run = context.cluster.run
        assert run is not None
        short: list[tuple[float, Plan, dt.datetime, bool]] = []
        for name in plan_names:
            plan = facts[TrainingPlan(name)]
            if plan is None or plan.status not in ("Active", "Scheduled"):
                continue  # CW-C010 and CW-C011 report it
            found = _until(plan, context)
            if found is None:
                yield Unknown(message=f"the training plan {name} has no end time")
                continue
            hours, end, gap = found
            if hours < run.hours:
                short.append((hours, plan, end, gap))
        if not short:
            return
        hours, first, end, gap = min(short, key=lambda entry: entry[0])
        others = f", and {len(short) - 1} more end before the run does" if len(short) > 1 else ""
        pause = ", after which it has no instances until its next segment starts" if gap else ""
        yield Fail(
            message=f"the run takes {run.hours:g} hours, the training plan {first.name} provides "
            f"{hours:.0f} until {end:%Y-%m-%d %H:%M} UTC{pause}{others}",
            requested=run.hours,
            limit=round(hours),
            where=context.region,
            hint="resume from a checkpoint after the gap"
            if gap
            else "extend the plan before it ends, or resume from a checkpoint",
        )


def _until(plan: Plan, context: Context) -> tuple[float, dt.datetime, bool] | None:
    """The uninterrupted hours of the plan from now or its start, their end, and whether another
    segment follows later.
    """
    early = context.catalog.limit("training_plan.ends_before_minutes")
    lost = dt.timedelta(minutes=early.value if isinstance(early, Known) else 0)
    now = run_start(context)
    periods = sorted(
        (segment.start, segment.end)
        for segment in plan.capacities
        if segment.start and segment.end and segment.status not in GONE and segment.end > now
    )
    if plan.end is None:
        return None
    begin, end, gap = max(plan.start or now, now), plan.end, False
    if periods:
        begin = max(periods[0][0], now)
        block = periods[0][1]
        for start, later in periods[1:]:
            # Segments at most an hour apart count as one: HyperPod needs that hour.
            if start > block + lost:
                gap = True
                break
            block = max(block, later)
        # The plan's end includes extensions, those of its segments may not.
        end = block if gap else end
    return max(0.0, (end - lost - begin) / dt.timedelta(hours=1)), end, gap
