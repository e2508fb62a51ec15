"""Types, zones, kinds of capacity, training plans."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any, cast

import pytest

from clusterwright.aws import sagemaker
from clusterwright.aws.ec2.instance_types import Zone
from clusterwright.aws.sagemaker import (
    Cluster,
    ClusterGroup,
    PlanExtension,
)
from clusterwright.preflight.facts import hyperpod, network
from tests.preflight.capacity import BOUGHT, SEGMENT, ZONES, bought
from tests.preflight.harness import Harness
from tests.support import specs

TYPES = ("m5.4xlarge", "p5.48xlarge")


def offered(*pairs: tuple[str, str]) -> dict[Any, Any]:
    return {network.Offerings(TYPES): frozenset(pairs), network.Zones(): ZONES}


def test_a_type_that_the_zone_lacks_is_found_with_where_it_is(rule: Harness) -> None:
    found = rule.fails(
        "CW-C001",
        facts=offered(("m5.4xlarge", "use1-az6"), ("p5.48xlarge", "use1-az2")),
        path="compute[1].instance_type",
        message="use1-az6 does not offer p5.48xlarge: it is offered in use1-az2",
    )
    assert found.hint == "availability_zone_id: use1-az2"


def test_a_type_that_no_zone_has_is_said_to_be_in_none(rule: Harness) -> None:
    rule.fails(
        "CW-C001",
        facts=offered(("m5.4xlarge", "use1-az6")),
        path="compute[1].instance_type",
        message="and no other zone of the region does",
    )


def test_offered_types_pass(rule: Harness) -> None:
    rule.passes("CW-C001", facts=offered(("m5.4xlarge", "use1-az6"), ("p5.48xlarge", "use1-az6")))


def test_an_empty_answer_is_no_statement_about_capacity(rule: Harness) -> None:
    outcome = rule.run("CW-C001", facts=offered())
    assert outcome.rule.status == "unknown"
    assert len(outcome.unanswered) == 2


def test_a_local_zone_is_found_by_its_name(rule: Harness) -> None:
    types = ("m5.4xlarge", "p6e-gb200.36xlarge")
    local = Zone("use1-dfw2-az1", "us-east-1-dfw-2a", "local-zone", "opted-in")
    rule.passes(
        "CW-C001",
        {
            "network.availability_zone_id": "us-east-1-dfw-2a",
            "compute.1.instance_type": "p6e-gb200.36xlarge",
        },
        {
            network.Offerings(types): frozenset((name, "use1-dfw2-az1") for name in types),
            network.Zones(): (*ZONES, local),
        },
    )


def test_the_catalogue_warns_with_its_date(rule: Harness) -> None:
    found = rule.fails(
        "CW-C002",
        {"compute.1.instance_type": "p5en.48xlarge", "network.availability_zone_id": "use1-az5"},
        path="compute[1].instance_type",
        message="use1-az5 did not offer p5en.48xlarge on 2026-10-27",
        severity="warning",
    )
    assert found.hint
    assert "use1-az" in found.hint


def test_what_the_catalogue_lists_passes(rule: Harness) -> None:
    rule.passes("CW-C002")


@pytest.mark.parametrize("offline", [True, False])
def test_what_the_catalogue_does_not_list_is_open_only_where_nobody_else_is_asked(
    rule: Harness, offline: bool
) -> None:
    changes = {
        "compute.1.instance_type": "p6e-gb200.36xlarge",
        "region": "us-west-2",
        "network.availability_zone_id": "usw2-az2",
    }
    outcome = rule.run("CW-C002", changes, offline=offline)
    assert outcome.rule.status == ("unknown" if offline else "pass")


def test_hyperpod_does_not_take_every_type(rule: Harness) -> None:
    rule.fails(
        "CW-C003",
        {"compute.1.instance_type": "trn1.2xlarge"},
        path="compute[1].instance_type",
        message="HyperPod does not support ml.trn1.2xlarge",
    )
    rule.passes("CW-C003")


PLAN = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}}


def test_plans_do_not_hold_every_type(rule: Harness) -> None:
    rule.fails(
        "CW-C004",
        {**PLAN, "compute.1.instance_type": "trn1n.32xlarge"},
        path="compute[1].capacity.kind",
        message="no training plan is sold for ml.trn1n.32xlarge",
    )
    rule.passes("CW-C004", PLAN)


def test_not_every_type_is_sold_as_spot(rule: Harness) -> None:
    spot = {"compute.1.capacity": {"kind": "spot"}}
    rule.fails(
        "CW-C005",
        {**spot, "compute.1.instance_type": "p6e-gb200.36xlarge"},
        path="compute[1].capacity.kind",
        message="p6e-gb200.36xlarge is not available as Spot",
    )
    rule.passes("CW-C005", spot)


@pytest.mark.parametrize("kind", ["reservation", "capacity-block"])
def test_hyperpod_takes_no_capacity_of_ec2(rule: Harness, kind: str) -> None:
    rule.fails(
        "CW-C006",
        {"compute.1.capacity": {"kind": kind, "id": "cr-0123456789abcdef0"}},
        path="compute[1].capacity.kind",
        message=f"hyperpod-slurm does not support {kind}",
    )


@pytest.mark.parametrize("capacity", [{"kind": "on-demand"}, {"kind": "spot"}])
def test_hyperpods_own_kinds_pass(rule: Harness, capacity: dict[str, Any]) -> None:
    rule.passes("CW-C006", {"compute.1.capacity": capacity})


def test_a_training_plan_is_hyperpods_alone(rule: Harness) -> None:
    spec = specs.unchecked(rule.folder, {**PLAN, "platform": "parallelcluster"})
    rule.fails(
        "CW-C006",
        spec=spec,
        path="compute[1].capacity.kind",
        message="a training plan is bought for SageMaker",
    )


def test_hyperpod_takes_no_placement_group(rule: Harness) -> None:
    rule.fails(
        "CW-C007",
        {"compute.1.placement_group": True},
        path="compute[1].placement_group",
        message="CreateCluster has no field for a placement group",
    )
    rule.passes("CW-C007", {"compute.1.placement_group": False})


def test_a_capacity_block_takes_no_placement_group(rule: Harness) -> None:
    block = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
    changes = {"compute.1.capacity": block, "compute.1.placement_group": True}
    spec = specs.unchecked(rule.folder, {**changes, "platform": "parallelcluster"})
    rule.fails(
        "CW-C007",
        spec=spec,
        path="compute[1].placement_group",
        message="capacity-block capacity does not support a placement group",
    )


def test_a_plan_holds_at_most_64(rule: Harness) -> None:
    rule.fails(
        "CW-C008",
        {**PLAN, "compute.1.count": 65},
        path="compute[1].count",
        message="65 instances from the plan run-1: a plan has at most 64 per segment",
        severity="error",
        numbers=(65, None, 64),
    )


def test_groups_of_one_plan_count_together(rule: Harness) -> None:
    second = {**specs.SMALL["compute"][1], "name": "more", "count": 40}
    second["capacity"] = {"kind": "training-plan", "arn": specs.PLAN}
    rule.fails(
        "CW-C008",
        {**PLAN, "compute.1.count": 32, "compute.2": second},
        path="compute[2].count",
        message="72 instances",
    )


def test_a_plan_is_bought_in_powers_of_two(rule: Harness) -> None:
    rule.fails(
        "CW-C008",
        {**PLAN, "compute.1.count": 48},
        path="compute[1].count",
        message="16 of 64 are paid for and idle",
        severity="warning",
    )
    rule.passes("CW-C008", {**PLAN, "compute.1.count": 32})


def test_a_plan_of_ultraservers_is_not_counted_in_instances(rule: Harness) -> None:
    ultra = {"compute.1.instance_type": "p6e-gb200.36xlarge", "compute.1.count": 18}
    rule.passes("CW-C008", {**PLAN, **ultra}, tested=False)


PLAN_RULES = ("CW-C010", "CW-C011", "CW-C012", "CW-C013", "CW-C014", "CW-C015", "CW-C016")


@pytest.mark.parametrize("name", PLAN_RULES)
def test_a_plan_that_fits_passes(rule: Harness, name: str) -> None:
    rule.passes(name, {**PLAN, "run.hours": 200}, bought())


@pytest.mark.parametrize("name", PLAN_RULES)
def test_without_a_plan_there_is_nothing_to_test(rule: Harness, name: str) -> None:
    rule.passes(name, tested=False)


@pytest.mark.parametrize("name", [name for name in PLAN_RULES if name != "CW-C010"])
def test_a_plan_that_does_not_exist_is_one_finding_not_seven(rule: Harness, name: str) -> None:
    facts = {**bought(), hyperpod.TrainingPlan("run-1"): None}
    rule.passes(name, {**PLAN, "run.hours": 200}, facts)


def test_the_plan_must_exist(rule: Harness) -> None:
    rule.fails(
        "CW-C010",
        PLAN,
        {hyperpod.TrainingPlan("run-1"): None},
        path="compute[1].capacity.arn",
        message="there is no training plan run-1 in us-east-1",
    )
    other = specs.PLAN.replace(specs.ACCOUNT, "444455556666")
    rule.fails(
        "CW-C010",
        PLAN,
        bought(arn=other),
        path="compute[1].capacity.arn",
        message=f"the plan run-1 of this account is {other}",
    )
    rule.passes("CW-C010", PLAN, bought())


@pytest.mark.parametrize(
    ("status", "severity", "message"),
    [
        ("Expired", "error", "is Expired on 2026-12-01 11:30 UTC: said so"),
        ("Failed", "error", "is Failed"),
        ("Scheduled", "warning", "starts on 2026-11-01 11:30 UTC"),
        ("Pending", "warning", "is Pending"),
    ],
)
def test_a_plan_must_hold_instances(
    rule: Harness, status: str, severity: str, message: str
) -> None:
    rule.fails(
        "CW-C011",
        PLAN,
        bought(status=status, status_message="said so"),
        path="compute[1].capacity.arn",
        message=message,
        severity=severity,
    )


def test_an_unknown_state_of_a_plan_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-C011",
        PLAN,
        bought(status="Frozen"),
        path="compute[1].capacity.arn",
        message="the training plan run-1 has an unknown status: Frozen",
    )
    rule.passes("CW-C011", PLAN, bought())


def test_the_plan_must_hold_the_type(rule: Harness) -> None:
    segment = dataclasses.replace(SEGMENT, instance_type="ml.p5en.48xlarge")
    rule.fails(
        "CW-C012",
        PLAN,
        bought(capacities=(segment,)),
        path="compute[1].instance_type",
        message="the training plan run-1 is for ml.p5en.48xlarge, not ml.p5.48xlarge",
    )
    rule.passes("CW-C012", PLAN, bought())


def test_the_plan_must_be_in_the_zone(rule: Harness) -> None:
    segment = dataclasses.replace(SEGMENT, zone="us-east-1c", zone_id="use1-az2")
    rule.fails(
        "CW-C013",
        PLAN,
        bought(capacities=(segment,)),
        path="network.availability_zone_id",
        message="the training plan run-1 is in use1-az2, the nodes are in use1-az6",
    )
    rule.passes("CW-C013", PLAN, bought())


def test_a_zone_given_by_name_is_looked_up(rule: Harness) -> None:
    here = dataclasses.replace(SEGMENT, zone_id=None)
    rule.passes("CW-C013", PLAN, bought(capacities=(here,)))
    there = dataclasses.replace(SEGMENT, zone="us-east-1c", zone_id=None)
    rule.fails(
        "CW-C013",
        PLAN,
        bought(capacities=(there,)),
        path="network.availability_zone_id",
        message="is in use1-az2",
    )


def test_a_plan_that_is_tied_to_no_zone_is_said_to_be(rule: Harness) -> None:
    nowhere = dataclasses.replace(SEGMENT, zone=None, zone_id=None)
    rule.fails(
        "CW-C013",
        PLAN,
        bought(capacities=(nowhere,)),
        path="network.availability_zone_id",
        message="the training plan run-1 names no zone",
        severity="info",
    )
    rule.unsure(
        "CW-C013",
        PLAN,
        bought(capacities=(SEGMENT, nowhere)),
        path="network.availability_zone_id",
        message="a segment of the training plan run-1 names no zone",
    )


def test_the_plan_must_have_free_instances(rule: Harness) -> None:
    rule.fails(
        "CW-C014",
        PLAN,
        bought(available_count=3),
        path="compute[1].count",
        message="4 instances from the training plan run-1, 3 are free",
        numbers=(4, 1, 4),
    )
    rule.passes("CW-C014", PLAN, bought())


def test_what_the_cluster_has_of_the_plan_already_is_free_for_it(rule: Harness) -> None:
    group = ClusterGroup("workers", "ml.p5.48xlarge", 4, False, specs.PLAN, 0)
    own = Cluster("test", "arn", "InService", (group,))
    facts = {**bought(available_count=0), hyperpod.HyperPodClusters(): (own,)}
    rule.passes("CW-C014", PLAN, facts)
    other = dataclasses.replace(own, name="another")
    rule.fails(
        "CW-C014",
        PLAN,
        {**bought(available_count=0), hyperpod.HyperPodClusters(): (other,)},
        path="compute[1].count",
        message="0 are free",
    )


def test_before_it_starts_all_of_a_plan_will_be_free(rule: Harness) -> None:
    rule.passes("CW-C014", PLAN, bought(status="Scheduled", available_count=0))


def test_a_plan_that_names_no_free_count_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-C014",
        PLAN,
        bought(available_count=None),
        path="compute[1].capacity.arn",
        message="does not report its available instances",
    )


def test_the_plan_must_last_as_long_as_the_run(rule: Harness) -> None:
    # From 2026-11-20 00:00 to 2026-12-01 11:30, less the hour that HyperPod takes: 274.5 h.
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


def test_several_plans_that_end_too_early_are_one_finding(rule: Harness) -> None:
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


@pytest.mark.parametrize(("offline", "status"), [(True, "unknown"), (False, "pass")])
def test_what_a_local_zone_lacks_no_source_says(rule: Harness, offline: bool, status: str) -> None:
    dallas = {"network.availability_zone_id": "us-east-1-dfw-2a"}
    assert rule.run("CW-C002", dallas, offline=offline).rule.status == status


def test_a_plan_without_an_end_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-C015",
        {**PLAN, "run.hours": 10},
        bought(end=None),
        path="run.hours",
        message="has no end time",
    )


def test_the_plan_must_be_for_clusters(rule: Harness) -> None:
    rule.fails(
        "CW-C016",
        PLAN,
        bought(target_resources=("training-job",)),
        path="compute[1].capacity.arn",
        message="is for training-job, not for hyperpod-cluster",
    )
    rule.passes("CW-C016", PLAN, bought())
    rule.unsure(
        "CW-C016",
        PLAN,
        bought(target_resources=()),
        path="compute[1].capacity.arn",
        message="has no target resources",
    )


def test_nodes_that_train_together_want_efa(rule: Harness) -> None:
    rule.fails(
        "CW-C020",
        {"compute.1.instance_type": "g5.xlarge"},
        path="compute[1].instance_type",
        message="4 × g5.xlarge do not support EFA",
        severity="warning",
    )
    rule.passes("CW-C020")
    rule.passes("CW-C020", {"compute.1.instance_type": "g5.xlarge", "compute.1.count": 1})


def test_ultraservers_are_whole(rule: Harness) -> None:
    local = {
        "network.availability_zone_id": "us-east-1-dfw-2a",
        "compute.1.instance_type": "p6e-gb200.36xlarge",
    }
    found = rule.fails(
        "CW-C021",
        {**local, "compute.1.count": 17},
        path="compute[1].count",
        message="17 × p6e-gb200.36xlarge: an UltraServer has 9 or 18 of them",
        severity="warning",
    )
    assert found.hint
    assert "count: 18" in found.hint
    rule.passes("CW-C021", {**local, "compute.1.count": 18})


def test_a_plan_of_two_segments_has_a_gap(rule: Harness) -> None:
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


def test_a_run_that_begins_later_has_less_of_the_plan(rule: Harness) -> None:
    run = {"run": {"hours": 100, "start": "2026-11-27"}}
    rule.fails(
        "CW-C015",
        {**PLAN, **run},
        bought(end=dt.datetime(2026, 11, 30, tzinfo=dt.UTC), capacities=()),
        path="run.hours",
        message="provides 71 until 2026-11-30",
    )


@pytest.mark.parametrize(
    ("status", "payment", "words"),
    [
        ("Scheduled", "Pending", "its payment is pending"),
        ("Failed", "Completed", "it is failed"),
        ("Pending", "", "it is pending"),
    ],
)
def test_an_extension_that_is_not_paid_is_said(
    rule: Harness, status: str, payment: str, words: str
) -> None:
    end = dt.datetime(2026, 12, 9, tzinfo=dt.UTC)
    extensions = hyperpod.TrainingPlanExtensions(specs.PLAN)
    rule.fails(
        "CW-C017",
        PLAN,
        {**bought(), extensions: (PlanExtension(status, payment, None, end),)},
        path="compute[1].capacity.arn",
        message=f"run-1 until 2026-12-09 00:00 UTC is not valid: {words}",
        severity="warning",
    )
    held = PlanExtension("Scheduled", "Completed", None, end)
    rule.passes("CW-C017", PLAN, {**bought(), extensions: (held,)})
    rule.passes("CW-C017", PLAN, {**bought(), extensions: ()})
    rule.passes("CW-C017", tested=False)


def test_a_group_of_several_types_counts_type_by_type() -> None:
    """A cluster of somebody's, with instance requirements, says types and counts in detail."""
    detail = [
        {"InstanceType": "ml.p5.48xlarge", "CurrentCount": 2},
        {"InstanceType": "ml.p5en.48xlarge", "CurrentCount": 3},
    ]
    group = {"InstanceGroupName": "any", "TargetCount": 7, "CurrentCount": 5}

    class Session:
        def __init__(self, **more: Any) -> None:
            self.more = more

        def call(self, service: str, operation: str, **parameters: Any) -> dict[str, Any]:
            assert (service, operation) == ("sagemaker", "DescribeCluster"), parameters
            return {
                "ClusterArn": "arn",
                "ClusterStatus": "InService",
                "InstanceGroups": [{**group, **self.more}],
            }

    def counts(**more: Any) -> list[tuple[str, int]]:
        found = sagemaker.cluster(cast(Any, Session(**more)), "theirs")
        assert found is not None
        return [(one.instance_type, one.count) for one in found.groups]

    assert counts(InstanceTypeDetails=detail) == [("ml.p5.48xlarge", 4), ("ml.p5en.48xlarge", 3)]
    wanted = {"DesiredInstanceTypes": ["ml.p5.48xlarge", "ml.p5en.48xlarge"]}
    assert counts(InstanceRequirements=wanted) == [("ml.p5.48xlarge", 7)]
    assert counts() == [("", 7)]
    assert counts(InstanceType="ml.g5.48xlarge") == [("ml.g5.48xlarge", 7)]
