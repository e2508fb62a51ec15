"""Price the candidates of a plan and, where no cluster was named, choose one by price."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clusterwright.catalog import Catalog
from clusterwright.platforms.capabilities import who_can
from clusterwright.platforms.registry import DEFAULT, HYPERPOD, ON_EC2, PlatformName, traits_of
from clusterwright.sizing import estimate, offers, reliability, simulate
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.goal import Goal
from clusterwright.sizing.offers import Offer
from clusterwright.sizing.plan_types import Candidate, Plan
from clusterwright.sizing.shape import ModelShape
from clusterwright.sizing.sweep import days_allowed, on_cluster_of, sweep


@dataclass(frozen=True)
class PlanContext:
    """A goal with what it is planned from, shared by the parts of a report.

    Attributes
    ----------
    kinds:
        Kinds of capacity that are priced.
    platform:
        Whose rates apply: those of HyperPod differ from those of EC2.
    """

    goal: Goal
    catalog: Catalog
    today: dt.date
    config: ModelShape | None
    kinds: tuple[str, ...]
    platform: PlatformName

    def plan(self, goal: Goal) -> Plan:
        """The plan of another goal from the same catalogue, day and model configuration."""
        return estimate.plan(goal, self.catalog, config=self.config, today=self.today)

    def sweep(self) -> tuple[Candidate, ...]:
        """Candidates on every instance type."""
        return tuple(sweep(self.goal, self.catalog, config=self.config, today=self.today))

    def offers(
        self, candidate: Candidate, kinds: Sequence[str] | None = None, *, spares: int = 0
    ) -> tuple[Offer, ...]:
        """The candidate's cost with each kind of capacity; empty without a region."""
        if self.goal.region is None:
            return ()
        return offers.offers(
            candidate,
            self.kinds if kinds is None else kinds,
            self.catalog,
            region=self.goal.region,
            today=self.today,
            spares=spares,
            platform=self.platform,
        )


def plan_context(
    goal: Goal, catalog: Catalog, today: dt.date, config: ModelShape | None
) -> PlanContext:
    """The context of a goal.

    Raises
    ------
    GoalError
        The requested platform does not support the requested capacity.
    """
    kinds = _capacity_kinds(goal)
    return PlanContext(goal, catalog, today, config, kinds, _priced_platform(goal, kinds))


def spare_nodes(nodes: int) -> int:
    """Nodes kept ready to replace failed ones; none beside a single node."""
    if nodes == 1:
        return 0
    rate = reliability.FAILURES_PER_NODE_DAY.p50
    return reliability.spares_suggested(nodes, rate, simulate.REPLACEMENT_HOURS / 24)


def price_plan(
    plan: Plan, context: PlanContext
) -> tuple[Plan, tuple[Offer, ...], tuple[Offer, ...], Offer | None]:
    """Offers for every candidate; without a named cluster the cheapest in time is chosen.

    Returns
    -------
    The plan with its dollars, the priced offers (cheapest first), the unpriced ones, and the
    offer of the chosen candidate.

    Raises
    ------
    GoalError
        No candidate with a known price is within the budget.
    """
    goal = context.goal
    found = [
        offer
        for candidate in plan.candidates
        for offer in context.offers(candidate, spares=spare_nodes(candidate.nodes))
    ]
    if not (goal.cluster.instance_type or goal.cluster.accelerator):
        days = days_allowed(goal, context.today)
        best = offers.cheapest(found, days, goal.deadline_at)
        if best is not None and goal.budget_usd is not None:
            best = _within_budget(best, context)
            if best not in found:
                found.append(best)
        plan = _on_offer(plan, found, best, days, context)
    priced, unpriced = offers.ranked(found)
    chosen = _offer_of(plan.chosen, (*priced, *unpriced), context.kinds)
    plan = _with_dollars(plan, chosen, goal)
    plan = _priced_without_efa(plan, (*priced, *unpriced), context)
    return plan, priced, unpriced, chosen


def _capacity_kinds(goal: Goal) -> tuple[str, ...]:
    if not goal.capacity:
        on_ec2 = goal.platform is not None and goal.platform not in HYPERPOD
        return offers.EC2_KINDS if on_ec2 else offers.KINDS
    # The user's own rates enter as rates of on-demand capacity.
    return tuple(dict.fromkeys("on-demand" if k == "private-rate" else k for k in goal.capacity))


def _priced_platform(goal: Goal, kinds: Sequence[str]) -> PlatformName:
    if goal.platform is not None:
        rules = traits_of(goal.platform)
        for kind in goal.capacity:
            if kind == "private-rate" or kind in rules.capacity_kinds:
                continue
            raise GoalError(
                f"platform {goal.platform} does not support {kind}: "
                f"{rules.refused_capacity[kind]}",
                f"{' or '.join(sorted(rules.capacity_kinds))}; for {kind}: "
                f"{who_can(f'capacity.{kind}')}",
                field="capacity",
            )
        return goal.platform
    supported = any(kind in traits_of(DEFAULT).capacity_kinds for kind in kinds)
    return DEFAULT if supported else ON_EC2[0]


def _within_budget(best: Offer, context: PlanContext) -> Offer:
    """The cheapest offer in time if it is within the budget; else the fastest one that is.

    Fewer accelerators lose less to communication: slower and cheaper, which only a deadline
    rules out.

    Raises
    ------
    GoalError
        No offer is within the budget.
    """
    goal = context.goal
    budget_usd = goal.budget_usd
    assert budget_usd is not None
    if best.usd is not None and best.usd.p50 <= budget_usd:
        return best
    in_time = " in time" if goal.deadline is not None else ""
    if goal.deadline is None and goal.region is not None:
        every = [
            offer
            for candidate in context.sweep()
            for offer in context.offers(candidate, spares=spare_nodes(candidate.nodes))
        ]
        affordable = [o for o in every if o.usd is not None and o.usd.p50 <= budget_usd]
        if affordable:
            return min(
                affordable, key=lambda o: o.candidate.days.p50 if o.candidate.days else math.inf
            )
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


def _on_offer(
    plan: Plan, found: Sequence[Offer], best: Offer | None, days: float, context: PlanContext
) -> Plan:
    """The plan of the best offer; the given plan where no price is known."""
    if best is None or best.candidate is plan.chosen:
        return plan
    first = best.candidate
    answer = context.plan(on_cluster_of(first, context.goal))
    others = tuple(
        replace(other, chosen=False, notes=_price_notes(other, best, found))
        for other in plan.candidates
        if other is not first
    )
    assert best.usd is not None
    assert first.days is not None
    at = context.goal.deadline_at
    if first.days.at(at) <= days:
        reason = (
            f"the cheapest that finishes in {days:.3g} days at {at.upper()} and has a known price"
        )
    else:
        reason = "the fastest within the budget that has a known price"
    note = (
        f"no cluster was named: {first.nodes:,} x {first.hardware.name} ({best.capacity_kind}) "
        f"was chosen, {reason}"
    )
    return replace(
        answer,
        estimate=replace(answer.estimate, accelerators_chosen=True),
        candidates=(answer.chosen, *others),
        warnings=(note, *answer.warnings),
    )


def _price_notes(other: Candidate, best: Offer, found: Sequence[Offer]) -> tuple[str, ...]:
    if other.infeasible:
        return other.notes
    prices = [
        offer.usd.p50 for offer in found if offer.candidate is other and offer.usd is not None
    ]
    if not prices:
        return (*other.notes, "no known price: not ranked by price")
    assert best.usd is not None
    ratio = min(prices) / best.usd.p50
    return (f"{ratio:.2f} times the dollars of {best.candidate.hardware.name}",)


def _offer_of(chosen: Candidate, every: Sequence[Offer], kinds: Sequence[str]) -> Offer | None:
    matching = [
        offer
        for offer in every
        if offer.candidate.hardware.name == chosen.hardware.name
        and offer.candidate.nodes == chosen.nodes
    ]
    priced = [offer for offer in matching if offer.usd is not None]
    if priced:
        return min(priced, key=lambda offer: offer.usd.p50 if offer.usd else 0.0)
    by_kind = sorted(matching, key=lambda offer: kinds.index(offer.capacity_kind))
    return by_kind[0] if by_kind else None


def _with_dollars(plan: Plan, offer: Offer | None, goal: Goal) -> Plan:
    if offer is None or offer.usd is None:
        reason = "no region was given" if goal.region is None else "no rate is known"
        if offer is not None and offer.unknown:
            reason = offer.unknown
        warnings = plan.warnings
        if goal.budget_usd is not None:
            budget = (
                f"whether the budget of {goal.budget_usd:,.0f} USD is sufficient is unknown: "
                f"{reason}"
            )
            warnings = (budget, *warnings)
        return replace(
            plan, estimate=replace(plan.estimate, usd=None, usd_unknown=reason), warnings=warnings
        )
    days = plan.estimate.days
    assert offer.rate is not None
    assert offer.rate.usd_per_hour is not None
    usd = offer.usd
    if offer.purchase is None:
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


def _priced_without_efa(plan: Plan, every: Sequence[Offer], context: PlanContext) -> Plan:
    """Dollars without EFA, each with the kind of capacity that its candidate would have."""
    if context.goal.region is None:
        return plan
    found = []
    for candidate in plan.candidates:
        offer = _offer_of(candidate, every, context.kinds)
        off = candidate.efa_off
        if off is None or off.days is None or offer is None:
            found.append(candidate)
            continue
        slow = context.offers(
            replace(candidate, days=off.days),
            (offer.capacity_kind,),
            spares=spare_nodes(candidate.nodes),
        )
        found.append(replace(candidate, efa_off=replace(off, usd=slow[0].usd)))
    return replace(plan, candidates=tuple(found))
