"""Capacity reservations and blocks, on platforms whose nodes are instances of EC2."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

import pytest

from clusterwright.aws.ec2.capacity_reservations import BlockStatus, Reservation
from clusterwright.aws.ec2.instances import Instance
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.preflight.facts import network, reservations
from clusterwright.preflight.facts.instances import Instances
from tests.preflight.capacity import ZONES
from tests.preflight.harness import Harness, quota
from tests.support import specs

ID = "cr-0123456789abcdef0"
RESERVED = Reservation(
    id=ID,
    kind="default",
    state="active",
    instance_type="p5.48xlarge",
    zone="us-east-1d",
    zone_id="use1-az6",
    platform="Linux/UNIX",
    tenancy="default",
    total_count=8,
    available_count=8,
    match="targeted",
    start=dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
    end=None,
    placement_group=None,
    owner=specs.ACCOUNT,
    stack=None,
)
BLOCK = dataclasses.replace(
    RESERVED,
    kind="capacity-block",
    end=dt.datetime(2026, 11, 27, 11, 30, tzinfo=dt.UTC),
    block_id="cb-1",
)


def on_ec2(rule: Harness, changes: dict[str, Any] | None = None, kind: str = "") -> LoadedSpec:
    """A spec for ParallelCluster, which no release builds yet."""
    more = {"compute.1.capacity": {"kind": kind or "reservation", "id": ID}}
    return specs.unchecked(rule.folder, {"platform": "parallelcluster", **more, **(changes or {})})


def fact(found: Reservation | None, **changes: Any) -> dict[Any, Any]:
    if found is not None:
        found = dataclasses.replace(found, **changes)
    return {reservations.Reservation(ID): found}


def test_the_reservation_must_exist_and_be_of_its_kind(rule: Harness) -> None:
    rule.fails(
        "CW-C030",
        None,
        fact(None),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=f"there is no reservation {ID} in us-east-1 for this account",
    )
    rule.fails(
        "CW-C030",
        None,
        fact(BLOCK),
        spec=on_ec2(rule),
        path="compute[1].capacity.kind",
        message=f"{ID} is a capacity block, `workers` has kind reservation",
    )
    rule.fails(
        "CW-C030",
        None,
        fact(RESERVED),
        spec=on_ec2(rule, kind="capacity-block"),
        path="compute[1].capacity.kind",
        message=f"{ID} is a reservation, `workers` has kind capacity-block",
    )
    rule.passes("CW-C030", None, fact(RESERVED), spec=on_ec2(rule))
    rule.passes("CW-C030", None, fact(BLOCK), spec=on_ec2(rule, kind="capacity-block"))


@pytest.mark.parametrize(
    "name", [f"CW-C03{n}" for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)] + ["CW-Q022"]
)
def test_on_hyperpod_reservations_have_nothing_to_test(rule: Harness, name: str) -> None:
    taken = {"kind": "capacity-block", "id": ID}
    spec = specs.unchecked(rule.folder, {"compute.1.capacity": taken, "run.hours": 5})
    rule.passes(name, spec=spec, tested=False)


@pytest.mark.parametrize(
    ("state", "severity"),
    [
        ("expired", "error"),
        ("cancelled", "error"),
        ("payment-failed", "error"),
        ("unavailable", "error"),
        ("payment-pending", "error"),
        ("scheduled", "warning"),
        ("delayed", "warning"),
    ],
)
def test_the_reservation_must_hold_capacity(rule: Harness, state: str, severity: str) -> None:
    rule.fails(
        "CW-C031",
        None,
        fact(RESERVED, state=state),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=f"the reservation {ID} is {state}",
        severity=severity,
    )
    rule.passes("CW-C031", None, fact(RESERVED), spec=on_ec2(rule))


def test_a_state_that_nobody_knows_is_no_pass(rule: Harness) -> None:
    rule.unsure(
        "CW-C031",
        None,
        fact(RESERVED, state="resting"),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message="the reservation cr-0123456789abcdef0 has an unknown state: resting",
    )


def test_the_reservation_holds_the_type(rule: Harness) -> None:
    rule.fails(
        "CW-C032",
        None,
        fact(RESERVED, instance_type="p5en.48xlarge"),
        spec=on_ec2(rule),
        path="compute[1].instance_type",
        message="is for p5en.48xlarge, not p5.48xlarge",
    )
    rule.passes("CW-C032", None, fact(RESERVED), spec=on_ec2(rule))


def test_the_reservation_is_in_the_zone(rule: Harness) -> None:
    zones: dict[Any, Any] = {network.Zones(): ZONES}
    rule.fails(
        "CW-C033",
        None,
        {**fact(RESERVED, zone="us-east-1c", zone_id=None), **zones},
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=f"the reservation {ID} is in use1-az2, the nodes are in use1-az6",
    )
    rule.passes("CW-C033", None, {**fact(RESERVED, zone_id=None), **zones}, spec=on_ec2(rule))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"platform": "Windows"}, "has platform Windows, the nodes have Linux/UNIX"),
        ({"tenancy": "dedicated"}, "has tenancy dedicated, the nodes have default"),
    ],
)
def test_the_reservation_is_for_such_nodes(
    rule: Harness, changes: dict[str, str], message: str
) -> None:
    rule.fails(
        "CW-C034",
        None,
        fact(RESERVED, **changes),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=message,
    )
    rule.passes("CW-C034", None, fact(RESERVED), spec=on_ec2(rule))
    rule.unsure(
        "CW-C034",
        None,
        fact(RESERVED, platform=""),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message="has no platform",
    )


@pytest.mark.parametrize(
    ("system", "platform", "wanted"),
    [
        ("rhel9", "Linux/UNIX", "Red Hat Enterprise Linux"),
        ("rhel8", "Red Hat Enterprise Linux", None),
        ("alinux2023", "Red Hat Enterprise Linux", "Linux/UNIX"),
        ("ubuntu2404", "Linux/UNIX", None),
    ],
)
def test_a_reservation_is_of_the_images_platform(
    rule: Harness, system: str, platform: str, wanted: str | None
) -> None:
    spec = on_ec2(rule, {"parallelcluster": {"os": system}})
    facts = fact(RESERVED, platform=platform)
    if wanted is None:
        rule.passes("CW-C034", None, facts, spec=spec)
    else:
        rule.fails(
            "CW-C034",
            None,
            facts,
            spec=spec,
            path="compute[1].capacity.id",
            message=f"has platform {platform}, the nodes have {wanted}",
        )


SECOND = {**specs.SMALL["compute"][1], "name": "more", "count": 3}
SECOND["capacity"] = {"kind": "reservation", "id": ID}


def test_groups_that_draw_from_one_reservation_are_summed(rule: Harness) -> None:
    others = Instance("p5.48xlarge", 192, "on-demand", None, ID)
    ours = Instance("p5.48xlarge", 192, "on-demand", "test-cluster", ID)
    both = on_ec2(rule, {"compute.2": SECOND})
    rule.fails(
        "CW-C035",
        None,
        {**fact(RESERVED, available_count=6), Instances(): (others, others)},
        spec=both,
        path="compute[1].count",
        message=f"7 instances of 2 groups from the reservation {ID}, 6 are free",
        numbers=(7, 2, 8),
    )
    rule.passes(
        "CW-C035",
        None,
        {**fact(RESERVED, available_count=6), Instances(): (others, ours)},
        spec=both,
    )
    rule.passes(
        "CW-C035",
        None,
        {**fact(RESERVED, state="scheduled", available_count=0), Instances(): ()},
        spec=both,
    )
    rule.unsure(
        "CW-C035",
        None,
        {**fact(RESERVED, available_count=None), Instances(): ()},
        spec=both,
        path="compute[1].capacity.id",
        message="does not report its available instances",
    )


def growing(rule: Harness, *, most: int) -> LoadedSpec:
    """On EKS with Karpenter, a group that begins without nodes and takes them from a block."""
    system = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
    block = {**SECOND, "count": 0, "max_count": most}
    block["capacity"] = {"kind": "capacity-block", "id": ID}
    return specs.unchecked(
        rule.folder,
        {
            "platform": "eks",
            "slurm": {},
            "compute": [system, block],
            "kubernetes": {"autoscaling": "karpenter"},
        },
    )


def test_what_karpenter_draws_from_is_looked_at_before_there_is_a_node(rule: Harness) -> None:
    rule.fails(
        "CW-C030",
        None,
        fact(None),
        spec=growing(rule, most=8),
        path="compute[1].capacity.id",
        message=ID,
    )
    used = {**fact(BLOCK, available_count=0), Instances(): ()}
    rule.passes("CW-C035", None, used, spec=growing(rule, most=8))
    rule.fails(
        "CW-C035",
        None,
        used,
        spec=growing(rule, most=9),
        path="compute[1].max_count",
        message=f"9 instances with max_count from the capacity block {ID}, which has 8",
        severity="warning",
        numbers=(9, None, 8),
    )


def test_the_reservation_lasts_as_long_as_the_run(rule: Harness) -> None:
    week = on_ec2(rule, {"run": {"hours": 200}}, kind="capacity-block")
    rule.fails(
        "CW-C036",
        None,
        fact(BLOCK),
        spec=week,
        path="compute[1].capacity.id",
        message="the run takes 200 hours, the capacity block cr-0123456789abcdef0 provides 179 "
        "until 2026-11-27 11:30 UTC",
        severity="warning",
    )
    rule.passes("CW-C036", None, fact(RESERVED), spec=week)
    rule.passes(
        "CW-C036", None, fact(BLOCK), spec=on_ec2(rule, {"run": {"hours": 179}}, "capacity-block")
    )
    rule.passes("CW-C036", spec=on_ec2(rule), tested=False)


def test_a_run_that_begins_later_has_less_of_the_block(rule: Harness) -> None:
    run = {"hours": 48, "start": "2026-11-26"}
    rule.fails(
        "CW-C036",
        None,
        fact(BLOCK),
        spec=on_ec2(rule, {"run": run}, "capacity-block"),
        path="compute[1].capacity.id",
        message="provides 35 until",
    )


def test_an_open_reservation_is_anybodys(rule: Harness) -> None:
    rule.fails(
        "CW-C037",
        None,
        fact(RESERVED, match="open"),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=f"the reservation {ID} is open",
        severity="warning",
    )
    rule.passes("CW-C037", None, fact(RESERVED), spec=on_ec2(rule))


GROUP_ARN = f"arn:aws:ec2:us-east-1:{specs.ACCOUNT}:placement-group/theirs"


@pytest.mark.parametrize(
    ("own", "theirs", "path", "message", "severity"),
    [
        (True, None, "compute[1].placement_group", "is in none", "warning"),
        (
            True,
            GROUP_ARN,
            "compute[1].placement_group",
            "new placement group, the reservation",
            "error",
        ),
        (None, GROUP_ARN, "compute[1].capacity.id", "do not match the", "error"),
    ],
)
def test_group_and_reservation_are_placed_alike(
    rule: Harness, own: bool | None, theirs: str | None, path: str, message: str, severity: str
) -> None:
    changes = {} if own is None else {"compute.1.placement_group": own}
    rule.fails(
        "CW-C038",
        None,
        fact(RESERVED, placement_group=theirs),
        spec=on_ec2(rule, changes),
        path=path,
        message=message,
        severity=severity,
    )
    rule.passes("CW-C038", None, fact(RESERVED), spec=on_ec2(rule))


def test_the_match_of_one_group_is_not_carried_to_the_next(rule: Harness) -> None:
    """ParallelCluster 3.16.1 does not reset it (`ec2_validators.py:760`)."""
    other = "cr-0123456789abcdef1"
    second = {**SECOND, "capacity": {"kind": "reservation", "id": other}, "placement_group": True}
    facts: dict[Any, Any] = {
        **fact(RESERVED),
        reservations.Reservation(other): dataclasses.replace(
            RESERVED, id=other, placement_group=GROUP_ARN
        ),
    }
    rule.fails(
        "CW-C038",
        None,
        facts,
        spec=on_ec2(rule, {"compute.2": second}),
        path="compute[2].placement_group",
        message="`more` gets a new placement group, the reservation cr-0123456789abcdef1",
    )


ULTRA = {"compute.1.instance_type": "p6e-gb200.36xlarge", "compute.1.count": 18}


def test_the_ultraserver_of_a_block_is_whole(rule: Harness) -> None:
    spec = on_ec2(rule, ULTRA, "capacity-block")

    def status(*values: Any) -> dict[Any, Any]:
        found = (BlockStatus("cb-1", *values),)
        return {**fact(BLOCK), reservations.BlockStatuses(): found}

    rule.fails(
        "CW-C039",
        None,
        status("impaired", 18, 0),
        spec=spec,
        path="compute[1].capacity.id",
        message="the capacity block cb-1 has interconnect status impaired, not ok",
        severity="error",
    )
    rule.fails(
        "CW-C039",
        None,
        status("ok", 18, 2),
        spec=spec,
        path="compute[1].capacity.id",
        message="2 of 18 instances of the capacity block cb-1 are unavailable",
        severity="warning",
    )
    rule.passes("CW-C039", None, status("ok", 18, 0), spec=spec)
    for words, values in (
        (
            "EC2 has insufficient data about the interconnect of cr-0123456789abcdef0",
            ("insufficient-data", 18, 0),
        ),
        ("does not report how many", ("ok", 18, None)),
    ):
        rule.unsure(
            "CW-C039",
            None,
            status(*values),
            spec=spec,
            path="compute[1].capacity.id",
            message=words,
        )
    rule.passes("CW-C039", spec=on_ec2(rule, kind="capacity-block"), tested=False)


def test_other_blocks_hold_the_quota_of_blocks(rule: Harness) -> None:
    other = dataclasses.replace(BLOCK, id="cr-0123456789abcdef1", total_count=2)
    ended = dataclasses.replace(other, id="cr-0123456789abcdef2", state="expired")
    spec = on_ec2(rule, kind="capacity-block")
    facts: dict[Any, Any] = {reservations.Reservations(): (BLOCK, other, ended, RESERVED)}
    rule.fails(
        "CW-Q022",
        None,
        {**facts, **quota("ec2", "L-DA6814F2", 1000)},
        spec=spec,
        path="compute[1].count",
        message='4 × p5.48xlarge need 768 vCPU of "Concurrent P5 Capacity Blocks per account", '
        "616 vCPU are free",
        numbers=(768, 384, 1000),
    )
    rule.passes("CW-Q022", None, {**facts, **quota("ec2", "L-DA6814F2", 1152)}, spec=spec)


def test_a_family_without_a_documented_quota_of_blocks_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-Q022",
        spec=on_ec2(rule, {"compute.1.instance_type": "p6-b200.48xlarge"}, "capacity-block"),
        path="compute[1].count",
        message="a quota whose code is not known",
    )


def test_blocks_are_sold_where_the_catalogue_says(rule: Harness) -> None:
    rule.fails(
        "CW-C009",
        spec=on_ec2(rule, {"compute.1.instance_type": "g5.48xlarge"}, "capacity-block"),
        path="compute[1].capacity.kind",
        message="capacity blocks of g5.48xlarge are not sold in us-east-1",
    )
    rule.unsure(
        "CW-C009",
        spec=on_ec2(rule, {"compute.1.instance_type": "x99.large"}, "capacity-block"),
        path="compute[1].capacity.kind",
        message="no source states where capacity blocks of",
    )
    rule.passes("CW-C009", spec=on_ec2(rule, kind="capacity-block"))


def test_a_type_without_cluster_placement_groups_is_found(rule: Harness) -> None:
    placed = {"compute.1.placement_group": True, "compute.1.capacity": None}
    rule.fails(
        "CW-C022",
        spec=on_ec2(rule, {**placed, "compute.1.instance_type": "t3.medium"}),
        path="compute[1].placement_group",
        message="t3.medium does not support cluster placement groups",
    )
    rule.unsure(
        "CW-C022",
        spec=on_ec2(rule, {**placed, "compute.1.instance_type": "x99.large"}),
        path="compute[1].placement_group",
        message="no source states whether",
    )
    rule.passes("CW-C022", spec=on_ec2(rule, placed))


def test_spot_and_what_stays_are_not_in_one_partition(rule: Harness) -> None:
    spare = {**specs.SMALL["compute"][1], "name": "cheap", "capacity": {"kind": "spot"}}
    one = {"slurm.partitions": [{"name": "train", "groups": ["workers", "cheap"]}]}
    rule.fails(
        "CW-C023",
        {"compute.2": spare, **one},
        path="slurm.partitions[0].groups",
        message="the partition `train` mixes Spot (cheap) with other capacity (workers)",
        severity="warning",
    )
    two = [
        {"name": "train", "groups": ["workers"]},
        {"name": "cheap", "groups": ["cheap"]},
    ]
    rule.passes("CW-C023", {"compute.2": spare, "slurm.partitions": two})
    # A group of no instances mixes nothing.
    rule.passes("CW-C023", {"compute.2": {**spare, "count": 0}, **one})
