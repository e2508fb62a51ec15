"""Tests of CW-C015."""

from __future__ import annotations

import dataclasses
import datetime as dt

from clusterwright.preflight.facts import hyperpod
from tests.preflight.capacity import BOUGHT, SEGMENT, bought
from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN
from tests.support import specs


def test_plan_that_ends_before_the_run_is_reported(rule: Harness) -> None:
    # From 2026-11-20 00:00 to 2026-12-01 11:30, minus the hour that HyperPod reserves: 274.5 h.
    finding = rule.fails(
        "CW-C015",
        {**PLAN, "run.hours": 275},
        bought(),
        path="run.hours",
        message="the run takes 275 hours, the training plan run-1 provides 274",
        severity="warning",
    )
    assert finding.requested == 275
    rule.passes("CW-C015", {**PLAN, "run.hours": 274.5}, bought())


def test_several_short_plans_are_one_finding(rule: Harness) -> None:
    second = {**specs.SMALL["compute"][1], "name": "more"}
    second["capacity"] = {"kind": "training-plan", "arn": specs.PLAN.replace("run-1", "run-2")}
    sooner = dataclasses.replace(
        BOUGHT, name="run-2", end=dt.datetime(2026, 11, 25, tzinfo=dt.UTC)
    )
    rule.fails(
        "CW-C015",
        {**PLAN, "compute.2": second, "run.hours": 300},
        {**bought(), hyperpod.TrainingPlan("run-2"): sooner},
        path="run.hours",
        message="run-2 provides 119 until 2026-11-25 00:00 UTC, and 1 more end before the run "
        "does",
    )


def test_plan_without_an_end_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-C015",
        {**PLAN, "run.hours": 10},
        bought(end=None),
        path="run.hours",
        message="has no end time",
    )


def test_gap_between_plan_segments_is_reported(rule: Harness) -> None:
    early = dataclasses.replace(
        SEGMENT,
        start=dt.datetime(2026, 11, 19, tzinfo=dt.UTC),
        end=dt.datetime(2026, 11, 22, tzinfo=dt.UTC),
    )
    late = dataclasses.replace(
        SEGMENT,
        status="Scheduled",
        start=dt.datetime(2026, 11, 25, tzinfo=dt.UTC),
        end=dt.datetime(2026, 12, 5, tzinfo=dt.UTC),
    )
    changes = {**PLAN, "run.hours": 60}
    end = dt.datetime(2026, 12, 5, tzinfo=dt.UTC)
    rule.fails(
        "CW-C015",
        changes,
        bought(capacities=(late, early), end=end),
        path="run.hours",
        message="provides 47 until 2026-11-22 00:00 UTC, after which it has no instances until "
        "its next segment starts",
    )
    joined = dataclasses.replace(late, start=early.end)
    rule.passes("CW-C015", changes, bought(capacities=(early, joined), end=end))


def test_later_start_leaves_less_of_the_plan(rule: Harness) -> None:
    run = {"run": {"hours": 100, "start": "2026-11-27"}}
    rule.fails(
        "CW-C015",
        {**PLAN, **run},
        bought(end=dt.datetime(2026, 11, 30, tzinfo=dt.UTC), capacities=()),
        path="run.hours",
        message="provides 71 until 2026-11-30",
    )
