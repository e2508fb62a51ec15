"""Tests of the sagemaker quotas."""

from __future__ import annotations

import dataclasses

from clusterwright.preflight.facts import hyperpod
from tests.preflight.capacity import BOUGHT, SEGMENT
from tests.preflight.harness import Harness, quota
from tests.preflight.quota_facts import OWN, clusters, usage
from tests.preflight.rules.support.quotas import OTHERS, PLAN, SPOT
from tests.support import specs


def test_message_matches_the_contract(rule: Harness) -> None:
    finding = rule.fails(
        "CW-Q012",
        {**PLAN, "compute.1.count": 64},
        {hyperpod.TrainingPlans(): (), **quota("sagemaker", "L-9EF527CA", 8)},
        path="compute[1].count",
        message="",
        severity="error",
        numbers=(64, 0, 8),
    )
    assert finding.message == (
        '64 × ml.p5.48xlarge need 64 of "instances in reserved capacity across training plans", '
        "8 are free in us-east-1"
    )
    assert finding.quota_code == "L-9EF527CA"
    assert finding.where == "sagemaker/L-9EF527CA in us-east-1"
    assert finding.hint
    assert "request 64: `clusterwright check " in finding.hint
    assert "days to weeks" in finding.hint


def test_reserved_capacity_of_other_plans_is_counted(rule: Harness) -> None:
    elsewhere = dataclasses.replace(BOUGHT, name="other", arn=specs.PLAN + "-other")
    expired = dataclasses.replace(elsewhere, status="Expired")
    ended = dataclasses.replace(
        elsewhere, capacities=(dataclasses.replace(SEGMENT, status="Expired"),)
    )
    limit = quota("sagemaker", "L-9EF527CA", 7)
    plans = hyperpod.TrainingPlans()
    rule.passes("CW-Q012", PLAN, {plans: (BOUGHT, expired, ended), **limit})
    rule.fails(
        "CW-Q012",
        PLAN,
        {plans: (BOUGHT, elsewhere), **limit},
        path="compute[1].count",
        message="3 are free",
        numbers=(4, 4, 7),
    )
    rule.passes("CW-Q012", tested=False)


def test_instances_of_a_type_are_summed_over_groups(rule: Harness) -> None:
    second = {**specs.SMALL["compute"][1], "name": "more", "count": 5}
    rule.fails(
        "CW-Q001",
        {"compute.2": second},
        {**clusters(), **usage(8)},
        path="compute[2].count",
        message='9 × ml.p5.48xlarge need 9 of "ml.p5.48xlarge for cluster usage", 8 are free',
        numbers=(9, 0, 8),
    )
    rule.passes("CW-Q001", {"compute.2": second}, {**clusters(), **usage(9)})


def test_on_demand_usage_of_other_clusters_is_counted(rule: Harness) -> None:
    rule.fails(
        "CW-Q001",
        None,
        {**clusters(OTHERS), **usage(9)},
        path="compute[1].count",
        message="3 are free",
        numbers=(4, 6, 9),
    )
    rule.passes("CW-Q001", None, {**clusters(OTHERS), **usage(10)})


def test_existing_instances_are_subtracted_in_an_update(rule: Harness) -> None:
    rule.passes("CW-Q001", None, {**clusters(OWN), **usage(4)})


def test_measured_usage_counts_beyond_listed_usage(rule: Harness) -> None:
    rule.fails(
        "CW-Q001",
        None,
        {**clusters(OWN), **usage(12, measured=15)},
        path="compute[1].count",
        message="3 are free",
        numbers=(4, 9, 12),
    )
    rule.passes("CW-Q001", None, {**clusters(OWN), **usage(13, measured=15)})
    rule.passes("CW-Q001", None, {**clusters(OTHERS), **usage(10, measured=2)})


def test_one_free_instance_is_in_the_singular(rule: Harness) -> None:
    rule.fails(
        "CW-Q001",
        None,
        {**clusters(), **usage(1)},
        path="compute[1].count",
        message="1 is free in us-east-1",
    )


def test_quota_below_the_current_usage_leaves_zero(rule: Harness) -> None:
    rule.fails(
        "CW-Q001",
        None,
        {**clusters(OTHERS), **usage(2)},
        path="compute[1].count",
        message="0 are free",
        numbers=(4, 6, 2),
    )


def test_type_with_an_unknown_quota_code_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-Q001",
        {"compute.1.instance_type": "g5.48xlarge"},
        {**clusters(), **quota("sagemaker", "L-24520F3F", 100)},
        path="compute[1].count",
        message="a quota whose code is not known",
    )


def test_spot_has_separate_quotas(rule: Harness) -> None:
    rule.fails(
        "CW-Q002",
        SPOT,
        {**clusters(OTHERS), **quota("sagemaker", "L-F742E2D7", 6)},
        path="compute[1].count",
        message="ml.p5.48xlarge for cluster spot instance usage",
        numbers=(4, 3, 6),
    )
    rule.passes("CW-Q002", SPOT, {**clusters(OTHERS), **quota("sagemaker", "L-F742E2D7", 7)})
    rule.passes("CW-Q002", tested=False)


def test_instances_per_cluster_are_limited(rule: Harness) -> None:
    limit = quota("sagemaker", "L-2CE978FC", 20)
    rule.fails(
        "CW-Q003",
        {"compute.1.count": 20},
        limit,
        path="compute[1].count",
        message="21 instances in one cluster need 21",
        numbers=(21, 0, 20),
    )
    rule.passes("CW-Q003", {"compute.1.count": 19}, limit)


def test_total_instance_quota_of_all_clusters(rule: Harness) -> None:
    rule.fails(
        "CW-Q004",
        None,
        {**clusters(OTHERS, OWN), **quota("sagemaker", "L-3308CCC7", 16)},
        path="compute[1].count",
        message="5 instances in one cluster need 5",
        numbers=(5, 12, 16),
    )
    rule.passes("CW-Q004", None, {**clusters(OTHERS, OWN), **quota("sagemaker", "L-3308CCC7", 17)})


def test_ebs_quota_per_instance(rule: Harness) -> None:
    volume = {"compute.1.ebs": {"capacity_gib": 500}}
    rule.fails(
        "CW-Q005",
        volume,
        quota("sagemaker", "L-E13DF72A", 0),
        path="compute[1].ebs.capacity_gib",
        message="each ml.p5.48xlarge of `workers` needs 500 GB",
        numbers=(500, 0, 0),
    )
    rule.passes("CW-Q005", volume, quota("sagemaker", "L-E13DF72A", 500))
    rule.passes("CW-Q005", tested=False)


def test_spot_instance_quotas_per_cluster_and_in_total(rule: Harness) -> None:
    rule.fails(
        "CW-Q006",
        SPOT,
        quota("sagemaker", "L-41BFBF41", 3),
        path="compute[1].count",
        message="4 spot instances in one cluster need 4",
        numbers=(4, 0, 3),
    )
    rule.passes("CW-Q006", SPOT, quota("sagemaker", "L-41BFBF41", 4))
    rule.fails(
        "CW-Q007",
        SPOT,
        {**clusters(OTHERS), **quota("sagemaker", "L-97A2C724", 6)},
        path="compute[1].count",
        message="3 are free",
        numbers=(4, 3, 6),
    )
    rule.passes("CW-Q007", SPOT, {**clusters(OTHERS), **quota("sagemaker", "L-97A2C724", 7)})
