"""What a reader decides from a plan: risks with their remedies, decisions, and next steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clusterwright.render.table import counted
from clusterwright.sizing.report_types import PlanReport


@dataclass(frozen=True)
class Risk:
    """What can go wrong, what it costs, and the remedy."""

    what: str
    effect: str
    remedy: str


def risks(report: PlanReport) -> tuple[Risk, ...]:
    """The risks of a plan, those that decide first."""
    return (
        *_time(report),
        *_money(report),
        *_capacity(report),
        *_failures(report),
        *_uncertainty(report),
    )


def decisions(report: PlanReport) -> tuple[str, ...]:
    """What has to be decided before the run, as sentences."""
    e, found = report.plan.estimate, []
    found.append(
        f"Whether {e.days.p50:,.1f} days are acceptable, knowing that one run of ten takes "
        f"more than {e.days.p90:,.1f}."
    )
    if e.usd is None:
        found.append("The rate: without one, the plan has no cost and types are not compared.")
    else:
        found.append(
            f"The budget: {e.usd.p50:,.0f} USD of compute at P50; reserve {e.usd.p90:,.0f} USD "
            "(P90) if the run must not stop for lack of money."
        )
    if not report.capacity_asked:
        found.append("The kind of capacity: on-demand, a training plan, or a capacity block.")
    if report.advice is not None:
        found.append(f"The platform: {report.advice.platform} is recommended.")
    return tuple(found)


def next_steps(report: PlanReport) -> tuple[str, ...]:
    """What to do next, in order."""
    found = ["State your own rates in prices.yaml, or choose a region, and plan again."]
    if report.plan.estimate.usd is not None:
        found = []
    if report.plan.chosen.hardware.instance_type is None or report.region is None:
        found.append("Name a region, and an instance type instead of an accelerator.")
        return tuple(found)
    found.append("Write the spec: repeat this command with --write configs/NAME.yaml.")
    found.append("Check it without an account: clusterwright check configs/NAME.yaml --offline.")
    if _raised(report):
        found.append(
            "Request the quotas now, since increases can take weeks: "
            "clusterwright check configs/NAME.yaml --request-quotas."
        )
    found.append(
        "Prove scripts, data loading and restarts on a few nodes before the full cluster is paid "
        "for (--phases 8,64 plans that)."
    )
    return tuple(found)


def _time(report: PlanReport) -> Iterator[Risk]:
    for warning in report.plan.warnings:
        if warning.startswith("the deadline of"):
            yield Risk(
                "Late", warning.split(";")[0], "more nodes (--deadline-at p90), or fewer tokens"
            )


def _money(report: PlanReport) -> Iterator[Risk]:
    e = report.plan.estimate
    if e.usd is None:
        yield Risk(
            "Cost unknown",
            e.usd_unknown or "no rate is known",
            "state the rate in prices.yaml, or another region",
        )
    for warning in report.plan.warnings:
        if "budget of" in warning:
            yield Risk("Over budget", warning, "a larger budget, fewer tokens, a smaller model")
    for caution in report.chosen_offer.cautions if report.chosen_offer else ():
        yield Risk("Capacity", caution, "confirm with AWS before the run")


def _capacity(report: PlanReport) -> Iterator[Risk]:
    raised = _raised(report)
    if raised:
        yield Risk(
            "Quotas",
            f"{counted(len(raised), 'quota')} above AWS's default: " + ", ".join(raised),
            "request increases before capacity is bought",
        )
    unsure = report.plan.chosen.unknown_offering
    if unsure is not None:
        yield Risk("Availability", unsure, "ask AWS before anything is bought")
    for caution in report.advice.cautions if report.advice else ():
        yield Risk("Platform", caution, "read the page of the platform")


def _failures(report: PlanReport) -> Iterator[Risk]:
    failures = report.failures
    if failures is None:
        return
    days = report.plan.estimate.days.p50
    expected = days * 24 / failures.mtti_hours.p50
    yield Risk(
        "Node failures",
        f"about {expected:,.0f} interruptions in {days:,.1f} days, one every "
        f"{failures.mtti_hours.p50:,.3g} h ({failures.mtti_hours.p10:,.3g} to "
        f"{failures.mtti_hours.p90:,.3g} h)",
        f"checkpoints every {failures.intervals.young_hours * 60:.3g} min, "
        f"{counted(failures.spares, 'spare node')}, automatic restart",
    )


def _uncertainty(report: PlanReport) -> Iterator[Risk]:
    if report.plan.tornado:
        widest = report.plan.tornado[0]
        yield Risk(
            "Throughput",
            f"{widest.text}: {widest.days_low:,.1f} to {widest.days_high:,.1f} days by itself",
            "measure tokens per second on a few nodes, and plan again with what was measured",
        )
    for question in report.unknown:
        yield Risk("Not answered", question, "answer it before the run")


def _raised(report: PlanReport) -> list[str]:
    return [
        one.code or one.name
        for one in report.quotas
        if one.default is None or one.wanted > one.default
    ]
