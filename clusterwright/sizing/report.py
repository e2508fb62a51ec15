"""Build the plan report: the plan, its price, storage, failures, quotas and ramp.

`estimate` and `sweep` answer how long a run takes; the other modules answer one question each
about the same candidate. What cannot be answered is a sentence in `PlanReport.unknown`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clusterwright.catalog import Catalog
from clusterwright.platforms.capabilities import platforms_for
from clusterwright.sizing import estimate, reliability
from clusterwright.sizing.affordability import Affordability, affordable_levels
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.failures import failure_rates, plan_failures
from clusterwright.sizing.goal import ClusterGoal, Goal
from clusterwright.sizing.inference import compare
from clusterwright.sizing.launch import Launch, launch_settings
from clusterwright.sizing.measured_plan import measured_plan
from clusterwright.sizing.measurement import Measurement
from clusterwright.sizing.memory import lora_params
from clusterwright.sizing.offers import Offer
from clusterwright.sizing.ownership import BreakEven, Owned, break_even, rent_of_the_run
from clusterwright.sizing.phases import ramp
from clusterwright.sizing.plan_types import Candidate, Plan, Quantiles
from clusterwright.sizing.platform_advice import Advice, Preferences, advise
from clusterwright.sizing.quota_needs import quota_needs
from clusterwright.sizing.report_charts import report_charts
from clusterwright.sizing.report_types import Failures, PlanReport
from clusterwright.sizing.selection import PlanContext, plan_context, price_plan
from clusterwright.sizing.shape import ModelShape
from clusterwright.sizing.storage import StoragePlan, dataset_bytes, plan_storage
from clusterwright.sizing.sweep import plan_anywhere


@dataclass(frozen=True)
class Questions:
    """Questions besides the goal.

    Attributes
    ----------
    ramp_steps:
        Nodes of the phases before the run; `None` for no phases.
    starts:
        Day of the first phase; today by default.
    inference_tokens:
        Over the model's life.
    owned:
        Purchased hardware to compare with renting; money in dollars.
    owned_cluster:
        Its accelerators, where they are named: the same run is planned on them. Without it the
        owned hardware is assumed to be as fast as the rented one.
    measured:
        Runs on the named cluster, which narrow the intervals.
    """

    ramp_steps: Sequence[int] | None = None
    starts: dt.date | None = None
    inference_tokens: float | None = None
    owned: Owned | None = None
    owned_cluster: ClusterGoal | None = None
    preferences: Preferences | None = None
    measured: Sequence[Measurement] = ()
    charts: bool = False


def build_report(
    goal: Goal,
    catalog: Catalog,
    *,
    today: dt.date,
    config: ModelShape | None = None,
    questions: Questions | None = None,
) -> PlanReport:
    """Everything that follows from a goal.

    Raises
    ------
    GoalError
        As `estimate.plan` and `sweep.plan_anywhere`; also a budget that no candidate meets, with
        what it would buy.
    """
    asked = questions or Questions()
    context = plan_context(goal, catalog, today, config)
    location_error = estimate.location_error(goal.region, goal.availability_zone_id, catalog)
    if location_error is not None:
        raise location_error
    named = goal.cluster.instance_type or goal.cluster.accelerator
    if asked.measured:
        plan = measured_plan(goal, catalog, asked.measured, config=config, today=today)
    else:
        plan = (estimate.plan if named else plan_anywhere)(
            goal, catalog, config=config, today=today
        )
    plan, priced, unpriced, offer = price_plan(plan, context)
    advice = _advice(plan.chosen, offer, asked, context)
    unknown: list[str] = []
    storage = _storage(plan, context, unknown)
    failures = plan_failures(plan, storage, goal)
    levels = _levels(goal, plan.estimate.usd, unknown)
    rate = offer.rate if offer else None
    per_hour = float(rate.usd_per_hour) if rate and rate.usd_per_hour is not None else None
    owned, owned_run = _owned(asked, plan, per_hour, context, unknown)
    chosen = plan.chosen
    return PlanReport(
        plan=plan,
        region=goal.region,
        capacity_kinds=context.kinds,
        priced=priced,
        unpriced=unpriced,
        chosen_offer=offer,
        storage=storage,
        failures=failures,
        quotas=quota_needs(chosen, failures.spares, context.kinds, catalog, goal, advice.platform),
        phases=()
        if asked.ramp_steps is None
        else ramp(
            chosen.nodes + failures.spares,
            plan.estimate.days.p90,
            asked.starts or today,
            usd_per_node_hour=per_hour,
            steps=asked.ramp_steps,
        ),
        launch=_launch(plan, failures),
        advice=advice,
        capacity_asked=bool(goal.capacity),
        inference=None
        if asked.inference_tokens is None
        else compare(plan.shape.active, asked.inference_tokens, plan.tokens),
        owned=owned,
        owned_run=owned_run,
        levels=levels,
        unknown=tuple(unknown),
        charts=report_charts(context, failures) if asked.charts else None,
    )


def _advice(
    chosen: Candidate, offer: Offer | None, asked: Questions, context: PlanContext
) -> Advice:
    """The platform for the plan's capacity and instance type.

    Raises
    ------
    GoalError
        The requested platform does not support the instance type, and another one does.
    """
    if asked.preferences is not None:
        return advise(asked.preferences)
    goal, name = context.goal, chosen.hardware.instance_type
    able = None if name is None else platforms_for(name, None, context.catalog)
    if goal.platform is not None and able and goal.platform not in able:
        raise GoalError(
            f"platform {goal.platform} does not support {name}",
            f"platform: {' or '.join(able)}, or another --instance-type",
            field="platform",
        )
    kind = offer.capacity_kind if offer is not None else context.kinds[0]
    return advise(
        Preferences(
            capacity_kind=kind if goal.capacity else None,
            nodes=chosen.nodes,
            platform=goal.platform,
            able=able or None,
        )
    )


def _owned(
    asked: Questions,
    plan: Plan,
    per_hour: float | None,
    context: PlanContext,
    unknown: list[str],
) -> tuple[BreakEven | None, Candidate | None]:
    """Buying compared with renting, and the run on the purchased hardware where it is named."""
    if asked.owned is None:
        return None, None
    if asked.owned_cluster is None:
        if per_hour is None:
            unknown.append("buy or rent: no rate of the rented nodes is known")
            return None, None
        return break_even(asked.owned, per_hour * plan.chosen.nodes), None
    goal = context.goal.model_copy(
        update={"cluster": asked.owned_cluster, "deadline": None, "region": None}
    )
    try:
        run = context.plan(goal)
    except GoalError as error:
        unknown.append(f"buy or rent: on the hardware you own, {error.message}; {error.hint}")
        return None, None
    assumed = tuple(text for text in run.warnings if text.startswith("assumed"))
    candidate = replace(run.chosen, chosen=False, notes=(*run.chosen.notes, *assumed))
    days = run.estimate.days.p50
    used = asked.owned.years * 365 * asked.owned.utilisation
    if days > used:
        unknown.append(
            f"buy or rent: the run takes {days:,.0f} days on {candidate.accelerators:,} "
            f"{candidate.hardware.accelerator}, and they work for {used:,.0f} days of their life"
        )
        return None, candidate
    usd = plan.estimate.usd
    if usd is None:
        reason = plan.estimate.usd_unknown or "no rate is known"
        unknown.append(f"buy or rent: the cost of renting is unknown: {reason}")
        return None, candidate
    return break_even(asked.owned, rent_of_the_run(usd.p50, days)), candidate


def _storage(plan: Plan, context: PlanContext, unknown: list[str]) -> StoragePlan | None:
    goal, chosen = context.goal, plan.chosen
    trained = plan.shape.params
    if goal.kind in {"lora", "qlora"}:
        trained = lora_params(plan.shape, goal.lora_rank)
    try:
        return plan_storage(
            params=trained,
            data_bytes=dataset_bytes(
                plan.tokens, plan.shape.vocab, epochs=goal.data.epochs if goal.data else 1.0
            ),
            nodes=chosen.nodes,
            hardware=chosen.hardware,
            mtti_hours=reliability.mtti_hours(float(chosen.nodes), failure_rates(plan).p50),
            catalog=context.catalog,
            region=goal.region,
            accelerators=chosen.accelerators,
        )
    except GoalError as error:
        unknown.append(f"storage: {error.message}; {error.hint}")
        return None


def _launch(plan: Plan, failures: Failures) -> Launch | None:
    chosen = plan.chosen
    if chosen.layout is None or chosen.step is None or plan.kind in {"lora", "qlora"}:
        return None
    seconds = max(chosen.step.seconds, 1e-3)
    return launch_settings(
        chosen.layout,
        plan.shape,
        seq_len=plan.seq_len,
        tokens=plan.tokens,
        precision=plan.precision,
        save_every_steps=max(1, round(failures.intervals.young_hours * 3600 / seconds)),
    )


def _levels(goal: Goal, usd: Quantiles | None, unknown: list[str]) -> tuple[Affordability, ...]:
    if goal.budget_usd is None:
        return ()
    if usd is None:
        unknown.append("what the budget affords: no rate is known")
        return ()
    return affordable_levels(goal.budget_usd, usd.p50)
