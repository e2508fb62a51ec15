"""The plan with everything that follows from it: money, storage, failures, quotas, a ramp.

`estimate` and `sweep` answer how long; this module asks the rooms beside them the other questions
about the same candidate, and, where no cluster was named and prices are known, lets money choose
among those that finish in time. What cannot be answered is a sentence in `unknown`.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from clusterwright.catalog import Catalog, Known
from clusterwright.platforms.capabilities import platforms_for, who_can
from clusterwright.platforms.registry import HYPERPOD, PlatformName, traits_of
from clusterwright.sizing import estimate, offers, reliability, simulate
from clusterwright.sizing.affordability import Affordability, reach
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.goal import ClusterGoal, Goal
from clusterwright.sizing.inference import compare
from clusterwright.sizing.launch import Launch, settings
from clusterwright.sizing.offers import Offer
from clusterwright.sizing.ownership import BreakEven, Owned, break_even, rent_of_the_run
from clusterwright.sizing.phases import ramp
from clusterwright.sizing.plan_types import Candidate, Plan, Quantiles
from clusterwright.sizing.platform_advice import Advice, Preferences, advise
from clusterwright.sizing.report_types import (
    Charts,
    Failures,
    FrontPoint,
    GoodputPoint,
    PlanReport,
    QuotaNeed,
    Recovery,
)
from clusterwright.sizing.shape import ModelShape
from clusterwright.sizing.simulate import SimulationSetup
from clusterwright.sizing.simulated_run import simulated_run
from clusterwright.sizing.storage import StoragePlan, dataset_bytes, plan_storage
from clusterwright.sizing.sweep import on_cluster_of, plan_anywhere, sweep

SIMULATED_RUNS: Final = 400
SIMULATED_FAILURES: Final = 2000
"""Expected in a run that is played: the goodput of so many says what that of more would."""
GOODPUT_NODES: Final = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
QUOTA_USE: Final = {
    "on-demand": "hyperpod-cluster",
    "spot": "hyperpod-spot",
    "training-plan": "reserved-capacity",
}
EC2_QUOTA_USE: Final = {
    "on-demand": "ec2-on-demand",
    "reservation": "ec2-on-demand",
    "spot": "ec2-spot",
    "capacity-block": "capacity-block",
}
"""EC2 counts vCPUs."""


@dataclass(frozen=True)
class Questions:
    """What is asked besides the goal.

    Attributes
    ----------
    ramp_steps:
        Nodes of the phases before the run; `None` for no phases.
    starts:
        Day of the first phase; `today` without.
    inference_tokens:
        Over the model's life.
    owned:
        Hardware that would do the same work; money in dollars.
    owned_cluster:
        The accelerators of it, where they are named: the same run is planned on them. Without it,
        the owned hardware is taken to be as fast as what would be rented.
    """

    ramp_steps: Sequence[int] | None = None
    starts: dt.date | None = None
    inference_tokens: float | None = None
    owned: Owned | None = None
    owned_cluster: ClusterGoal | None = None
    preferences: Preferences | None = None
    charts: bool = False


def build_report(
    goal: Goal,
    catalog: Catalog,
    *,
    today: dt.date,
    config: ModelShape | None = None,
    questions: Questions | None = None,
) -> PlanReport:
    """The whole answer to a goal.

    Raises
    ------
    GoalError
        As `estimate.plan` and `sweep.plan_anywhere`; also a budget that no candidate meets,
        with what it would buy.
    """
    asked = questions or Questions()
    kinds = _kinds(goal)
    priced_on = _priced_on(goal, kinds)
    named = goal.cluster.instance_type or goal.cluster.accelerator
    wrong_place = estimate.unknown_place(goal.region, goal.availability_zone_id, catalog)
    if wrong_place is not None:
        raise wrong_place
    plan = (estimate.plan if named else plan_anywhere)(goal, catalog, config=config, today=today)
    wanted = (goal.deadline_hours(today) or estimate.DAYS_WANTED * 24) / 24
    found: list[Offer] = []
    if goal.region is not None:
        for candidate in plan.candidates:
            found += offers.offers(
                candidate,
                kinds,
                catalog,
                region=goal.region,
                today=today,
                spares=_spares(candidate.nodes),
                platform=priced_on,
            )
    if not named:
        best = offers.cheapest(found, wanted)
        if best is not None and goal.budget_usd is not None:
            best = _in_budget(best, goal, kinds, catalog, config, today)
            if best not in found:
                found.append(best)
        plan = _by_money(plan, found, best, wanted, goal, catalog, config, today)
    priced, unpriced = offers.ranked(found)
    chosen_offer = _offer_of(plan.chosen, (*priced, *unpriced), kinds)
    plan = _with_dollars(plan, chosen_offer, goal)
    plan = _priced_without_efa(plan, (*priced, *unpriced), kinds, catalog, goal, today)
    advice = _advice(goal, plan.chosen, chosen_offer, kinds, asked, catalog)
    unknown: list[str] = []
    storage = _storage(plan, goal, catalog, unknown)
    failures = _failures(plan, storage, goal)
    usd = plan.estimate.usd
    levels = _levels(goal, usd, unknown)
    chosen = plan.chosen
    rate = chosen_offer.rate if chosen_offer else None
    per_hour = float(rate.usd_per_hour) if rate and rate.usd_per_hour is not None else None
    owned, owned_run = _owned(asked, goal, plan, per_hour, catalog, config, today, unknown)
    return PlanReport(
        plan=plan,
        region=goal.region,
        capacity_kinds=kinds,
        priced=priced,
        unpriced=unpriced,
        chosen_offer=chosen_offer,
        storage=storage,
        failures=failures,
        quotas=_quotas(chosen, failures, kinds, catalog, goal, advice.platform),
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
        charts=_charts(goal, catalog, config, today, kinds, failures) if asked.charts else None,
    )


def _priced_on(goal: Goal, kinds: Sequence[str]) -> PlatformName:
    """The platform whose rates count: HyperPod's are not EC2's.

    Raises
    ------
    GoalError
        The platform that was asked for does not take the capacity that was asked for.
    """
    if goal.platform is not None:
        rules = traits_of(goal.platform)
        for kind in goal.capacity:
            if kind == "private-rate" or kind in rules.capacity_kinds:
                continue
            raise GoalError(
                f"platform {goal.platform} takes no {kind}: {rules.refused_capacity[kind]}",
                f"{' or '.join(sorted(rules.capacity_kinds))}; for {kind}: "
                f"{who_can(f'capacity.{kind}')}",
                field="capacity",
            )
        return goal.platform
    on_hyperpod = any(kind in traits_of("hyperpod-slurm").capacity_kinds for kind in kinds)
    return "hyperpod-slurm" if on_hyperpod else "parallelcluster"


def _advice(
    goal: Goal,
    chosen: Candidate,
    offer: Offer | None,
    kinds: Sequence[str],
    asked: Questions,
    catalog: Catalog,
) -> Advice:
    """Which platform, by the capacity that the plan takes and the type that it runs on.

    Raises
    ------
    GoalError
        The platform that was asked for has not the instance type, and another one has.
    """
    if asked.preferences is not None:
        return advise(asked.preferences)
    name = chosen.hardware.instance_type
    able = None if name is None else platforms_for(name, None, catalog)
    if goal.platform is not None and able and goal.platform not in able:
        raise GoalError(
            f"platform {goal.platform} does not take {name}",
            f"platform: {' or '.join(able)}, or another --instance-type",
            field="platform",
        )
    kind = offer.capacity_kind if offer is not None else kinds[0]
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
    goal: Goal,
    plan: Plan,
    per_hour: float | None,
    catalog: Catalog,
    config: ModelShape | None,
    today: dt.date,
    unknown: list[str],
) -> tuple[BreakEven | None, Candidate | None]:
    """Buying against renting, and the run on what would be bought where that is named."""
    if asked.owned is None:
        return None, None
    if asked.owned_cluster is None:
        if per_hour is None:
            unknown.append("buy or rent: no rate of the rented nodes is known")
            return None, None
        return break_even(asked.owned, per_hour * plan.chosen.nodes), None
    mine = goal.model_copy(
        update={"cluster": asked.owned_cluster, "deadline": None, "region": None}
    )
    try:
        run = estimate.plan(mine, catalog, config=config, today=today)
    except GoalError as error:
        unknown.append(f"buy or rent: on what you own, {error.message}; {error.hint}")
        return None, None
    taken = tuple(text for text in run.warnings if text.startswith("assumed"))
    candidate = replace(run.chosen, chosen=False, notes=(*run.chosen.notes, *taken))
    days = run.estimate.days.p50
    used = asked.owned.years * 365 * asked.owned.utilisation
    if days > used:
        unknown.append(
            f"buy or rent: the run takes {days:,.0f} days on {candidate.accelerators:,} "
            f"{candidate.hardware.accelerator}, and they work for {used:,.0f} days of their life"
        )
        return None, candidate
    if plan.estimate.usd is None:
        unknown.append(f"buy or rent: the dollars of renting are unknown: {_why_unknown(plan)}")
        return None, candidate
    return break_even(asked.owned, rent_of_the_run(plan.estimate.usd.p50, days)), candidate


def _why_unknown(plan: Plan) -> str:
    return plan.estimate.usd_unknown or "no rate is known"


def _charts(
    goal: Goal,
    catalog: Catalog,
    config: ModelShape | None,
    today: dt.date,
    kinds: Sequence[str],
    failures: Failures,
) -> Charts:
    points = []
    for candidate in sweep(goal, catalog, config=config, today=today):
        if candidate.days is None:
            continue
        usd = None
        if goal.region is not None:
            priced, _ = offers.ranked(
                offers.offers(
                    candidate,
                    kinds,
                    catalog,
                    region=goal.region,
                    today=today,
                    platform=_priced_on(goal, kinds),
                )
            )
            usd = priced[0].usd.p50 if priced and priced[0].usd else None
        points.append((candidate, usd))
    return Charts(
        front=tuple(
            FrontPoint(
                one.hardware.name,
                one.nodes,
                one.accelerators,
                one.days.p50,
                usd,
                usd is not None and not _beaten(one.days.p50, usd, points),
            )
            for one, usd in points
            if one.days is not None
        ),
        goodput=tuple(_goodput(nodes, failures) for nodes in GOODPUT_NODES),
        run=simulated_run(failures.setup, seed=goal.seed),
    )


def _beaten(days: float, usd: float, points: Sequence[tuple[Candidate, float | None]]) -> bool:
    """Whether some other cluster is no slower and no dearer, and one of them better."""
    return any(
        other.days is not None
        and cost is not None
        and other.days.p50 <= days
        and cost <= usd
        and (other.days.p50 < days or cost < usd)
        for other, cost in points
    )


def _goodput(nodes: int, failures: Failures) -> GoodputPoint:
    rate = reliability.FAILURES_PER_NODE_DAY.p50
    mtti = reliability.mtti_hours(float(nodes), rate)
    save = failures.save_seconds / 3600
    return GoodputPoint(
        nodes,
        {
            name: float(reliability.intervals(mtti, save, minutes.p50 / 60).goodput_young)
            for name, minutes in reliability.RECOVERY_MINUTES.items()
        },
    )


def _kinds(goal: Goal) -> tuple[str, ...]:
    if not goal.capacity:
        on_ec2 = goal.platform is not None and goal.platform not in HYPERPOD
        return offers.EC2_KINDS if on_ec2 else offers.KINDS
    # The user's own rates enter as rates of on-demand capacity.
    return tuple(dict.fromkeys("on-demand" if k == "private-rate" else k for k in goal.capacity))


def _spares(nodes: int) -> int:
    if nodes == 1:
        return 0
    rate = reliability.FAILURES_PER_NODE_DAY.p50
    return reliability.spares_suggested(nodes, rate, simulate.REPLACEMENT_HOURS / 24)


def _by_money(
    plan: Plan,
    found: Sequence[Offer],
    best: Offer | None,
    wanted: float,
    goal: Goal,
    catalog: Catalog,
    config: ModelShape | None,
    today: dt.date,
) -> Plan:
    """The plan of the best offer; the plan as it is where no price is known."""
    if best is None or best.candidate is plan.chosen:
        return plan
    first = best.candidate
    answer = estimate.plan(on_cluster_of(first, goal), catalog, config=config, today=today)
    beside = tuple(
        replace(other, chosen=False, notes=_notes(other, best, found))
        for other in plan.candidates
        if other is not first
    )
    assert best.usd is not None
    assert first.days is not None
    if first.days.p50 <= wanted:
        which = (
            f"cost the least of what finishes in {wanted:.3g} days at P50 and has a known price"
        )
    else:
        which = "are the fastest within the budget, of what has a known price"
    note = (
        f"no cluster was named: {first.nodes:,} x {first.hardware.name} {which} "
        f"({best.capacity_kind})"
    )
    return replace(
        answer,
        estimate=replace(answer.estimate, accelerators_chosen=True),
        candidates=(answer.chosen, *beside),
        warnings=(note, *answer.warnings),
    )


def _notes(other: Candidate, best: Offer, found: Sequence[Offer]) -> tuple[str, ...]:
    if other.infeasible:
        return other.notes
    mine = [offer for offer in found if offer.candidate is other and offer.usd is not None]
    if not mine:
        return (*other.notes, "no known price: not ranked by money")
    usd = min(offer.usd.p50 for offer in mine if offer.usd is not None)
    assert best.usd is not None
    return (f"{usd / best.usd.p50:.2f} times the dollars of {best.candidate.hardware.name}",)


def _in_budget(
    best: Offer,
    goal: Goal,
    kinds: Sequence[str],
    catalog: Catalog,
    config: ModelShape | None,
    today: dt.date,
) -> Offer:
    """The cheapest offer in time where the budget pays it; else the fastest that it pays.

    Fewer accelerators lose less to communication: slower and cheaper, which only a deadline
    forbids.

    Raises
    ------
    GoalError
        The budget pays none.
    """
    budget_usd = goal.budget_usd
    assert budget_usd is not None
    if best.usd is not None and best.usd.p50 <= budget_usd:
        return best
    in_time = " in time" if goal.deadline is not None else ""
    if goal.deadline is None and goal.region is not None:
        every: list[Offer] = []
        for candidate in sweep(goal, catalog, config=config, today=today):
            if candidate.days is not None:
                every += offers.offers(
                    candidate,
                    kinds,
                    catalog,
                    region=goal.region,
                    today=today,
                    spares=_spares(candidate.nodes),
                    platform=_priced_on(goal, kinds),
                )
        paid = [o for o in every if o.usd is not None and o.usd.p50 <= budget_usd]
        if paid:
            return min(paid, key=lambda o: o.candidate.days.p50 if o.candidate.days else math.inf)
        best = offers.cheapest(every, math.inf) or best
    assert best.usd is not None
    share = budget_usd / best.usd.p50
    raise GoalError(
        f"the cheapest run{in_time} with a known price costs {best.usd.p50:,.0f} USD at P50, and "
        f"the budget is {budget_usd:,.0f}",
        f"{100 * share:.2g} % of the tokens, a model of about {100 * math.sqrt(share):.2g} % of "
        "the size on tokens in proportion, or --kind continued",
        field="budget_usd",
    )


def _offer_of(chosen: Candidate, every: Sequence[Offer], kinds: Sequence[str]) -> Offer | None:
    mine = [
        offer
        for offer in every
        if offer.candidate.hardware.name == chosen.hardware.name
        and offer.candidate.nodes == chosen.nodes
    ]
    priced = [offer for offer in mine if offer.usd is not None]
    if priced:
        return min(priced, key=lambda one: one.usd.p50 if one.usd else 0.0)
    by_kind = sorted(mine, key=lambda one: kinds.index(one.capacity_kind))
    return by_kind[0] if by_kind else None


def _with_dollars(plan: Plan, offer: Offer | None, goal: Goal) -> Plan:
    if offer is None or offer.usd is None:
        why = "no region was given" if goal.region is None else "no rate is known"
        if offer is not None and offer.unknown:
            why = offer.unknown
        warnings = plan.warnings
        if goal.budget_usd is not None:
            held = f"whether the budget of {goal.budget_usd:,.0f} USD is enough is unknown: {why}"
            warnings = (held, *warnings)
        return replace(
            plan, estimate=replace(plan.estimate, usd=None, usd_unknown=why), warnings=warnings
        )
    days = plan.estimate.days
    assert offer.rate is not None
    assert offer.rate.usd_per_hour is not None
    usd = offer.usd
    if offer.bought is None:
        # The final Monte Carlo has more samples than the sweep's.
        usd = days.scaled(24 * offer.nodes * float(offer.rate.usd_per_hour))
    warnings = plan.warnings
    if goal.budget_usd is not None and usd.p90 > goal.budget_usd:
        level = "P50" if usd.p50 > goal.budget_usd else "P90"
        warnings = (
            f"the budget of {goal.budget_usd:,.0f} USD is below the {level}: "
            f"{getattr(usd, level.lower()):,.0f} USD of compute",
            *warnings,
        )
    return replace(
        plan,
        estimate=replace(plan.estimate, usd=usd, usd_unknown=None),
        warnings=warnings,
    )


def _priced_without_efa(
    plan: Plan,
    every: Sequence[Offer],
    kinds: Sequence[str],
    catalog: Catalog,
    goal: Goal,
    today: dt.date,
) -> Plan:
    """Dollars without EFA, each with the kind of capacity that its candidate would have."""
    if goal.region is None:
        return plan
    found = []
    for candidate in plan.candidates:
        offer = _offer_of(candidate, every, kinds)
        off = candidate.efa_off
        if off is not None and off.days is not None and offer is not None:
            slow = offers.offers(
                replace(candidate, days=off.days),
                (offer.capacity_kind,),
                catalog,
                region=goal.region,
                today=today,
                spares=_spares(candidate.nodes),
                platform=_priced_on(goal, kinds),
            )
            candidate = replace(candidate, efa_off=replace(off, usd=slow[0].usd))  # noqa: PLW2901
        found.append(candidate)
    return replace(plan, candidates=tuple(found))


def _storage(plan: Plan, goal: Goal, catalog: Catalog, unknown: list[str]) -> StoragePlan | None:
    epochs = goal.data.epochs if goal.data is not None else 1.0
    chosen = plan.chosen
    mtti = reliability.mtti_hours(float(chosen.nodes), reliability.FAILURES_PER_NODE_DAY.p50)
    trained = plan.shape.params
    if goal.kind in {"lora", "qlora"}:
        from clusterwright.sizing.memory import lora_params

        trained = lora_params(plan.shape, goal.lora_rank)
    try:
        return plan_storage(
            params=trained,
            data_bytes=dataset_bytes(plan.tokens, plan.shape.vocab, epochs=epochs),
            nodes=chosen.nodes,
            hardware=chosen.hardware,
            mtti_hours=mtti,
            catalog=catalog,
            region=goal.region,
            accelerators=chosen.accelerators,
        )
    except GoalError as error:
        unknown.append(f"storage: {error.message}; {error.hint}")
        return None


def _failures(plan: Plan, storage: StoragePlan | None, goal: Goal) -> Failures:
    chosen = plan.chosen
    rates = reliability.FAILURES_PER_NODE_DAY
    nodes = float(chosen.nodes)
    mtti = Quantiles(
        reliability.mtti_hours(nodes, rates.p90),
        reliability.mtti_hours(nodes, rates.p50),
        reliability.mtti_hours(nodes, rates.p10),
    )
    save = storage.blocking_seconds if storage else reliability.BLOCKING_SAVE_SECONDS.p50
    spares = _spares(chosen.nodes)
    recoveries = []
    setups: dict[str, SimulationSetup] = {}
    whole = min(90.0, max(1.0, plan.estimate.days.p50))
    days = min(whole, max(1.0, SIMULATED_FAILURES / (nodes * rates.p50)))
    remark = (
        "the closed form knows one tier and a spare that is always there; the simulation loses "
        "local disks with their node, drains to Lustre, and waits when spares run out"
    )
    if days < whole:
        remark += f"; it plays {days:.2g} days, in which about {SIMULATED_FAILURES:,} nodes fail"
    for name, minutes in reliability.RECOVERY_MINUTES.items():
        restart = minutes.p50 / 60
        found = reliability.intervals(mtti.p50, save / 3600, restart)
        load = storage.restart_seconds if storage else 0.0
        # One tier in the closed form, three in the simulation: NVMe is gone with its node.
        tiers = [simulate.Tier("lustre", load_seconds=load)]
        if storage is not None and storage.mode == "drained":
            drain = storage.checkpoint_bytes / 1e9 / storage.chosen.gbytes_per_s
            tiers = [
                simulate.Tier("nvme", survives=1 - simulate.NODE_LOSS_SHARE),
                simulate.Tier("lustre", drain_seconds=drain, load_seconds=load),
            ]
        setups[name] = simulate.SimulationSetup(
            nodes=chosen.nodes,
            days=days,
            failures_per_node_day=rates.p50,
            restart_seconds=restart * 3600,
            save_seconds=save,
            interval_seconds=storage.interval_seconds if storage else 3600 * found.young_hours,
            tiers=tuple(tiers),
            spares=spares,
        )
        outcome = simulate.run(setups[name], runs=SIMULATED_RUNS, seed=goal.seed)
        recoveries.append(
            Recovery(
                name=name,
                minutes=minutes.p50,
                closed_form=float(found.goodput_young),
                simulated=outcome.goodput,
                simulated_mean=outcome.mean,
                interruptions=outcome.interruptions,
                lost_hours=outcome.lost_hours,
            )
        )
    return Failures(
        mtti_hours=mtti,
        spares=spares,
        save_seconds=save,
        intervals=reliability.intervals(
            mtti.p50, save / 3600, reliability.RECOVERY_MINUTES[goal.recovery].p50 / 60
        ),
        recoveries=tuple(recoveries),
        remark=remark,
        setup=setups[goal.recovery],
    )


def _quotas(
    chosen: Candidate,
    failures: Failures,
    kinds: Sequence[str],
    catalog: Catalog,
    goal: Goal,
    platform: PlatformName,
) -> tuple[QuotaNeed, ...]:
    name = chosen.hardware.instance_type
    if name is None:
        return ()
    wanted, unit = chosen.nodes + failures.spares, ""
    needs = []
    on_hyperpod = platform in HYPERPOD
    if not on_hyperpod:
        instance = catalog.instance(name)
        vcpus = instance.vcpus if instance is not None else None
        if not isinstance(vcpus, Known):
            reason = "its vCPUs were not found" if vcpus is None else vcpus.reason
            return (QuotaNeed(f"vCPUs of {name}", None, wanted, None, reason),)
        wanted, unit = wanted * vcpus.value, ", in vCPUs"
    for kind in kinds:
        use = (QUOTA_USE if on_hyperpod else EC2_QUOTA_USE).get(kind)
        if use is None:
            continue
        fact = catalog.quota_for(name, use)  # type: ignore[arg-type]
        if not isinstance(fact, Known):
            needs.append(QuotaNeed(f"{kind}: {name}", None, wanted, None, fact.reason))
            continue
        quota = fact.value
        default = quota.default_in(goal.region) if goal.region else quota.default
        needs.append(
            QuotaNeed(
                quota.name,
                quota.code,
                wanted,
                float(default.value) if isinstance(default, Known) else None,
                f"for {kind}{unit}",
            )
        )
    if not on_hyperpod:
        return tuple(needs)
    code = "L-2CE978FC"
    cluster = catalog.quota("sagemaker", code)
    if cluster is not None:
        default = cluster.default
        needs.append(
            QuotaNeed(
                cluster.name,
                code,
                wanted + 2,
                float(default.value) if isinstance(default, Known) else None,
                "with a controller and a login node",
            )
        )
    return tuple(needs)


def _launch(plan: Plan, failures: Failures) -> Launch | None:
    chosen = plan.chosen
    if chosen.layout is None or chosen.step is None or plan.kind in {"lora", "qlora"}:
        return None
    seconds = max(chosen.step.seconds, 1e-3)
    return settings(
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
        unknown.append("levels that the budget reaches: no rate is known")
        return ()
    return reach(goal.budget_usd, usd.p50)
