"""Tests of CW-C001."""

from __future__ import annotations

from clusterwright.aws.ec2.instance_types import Zone
from clusterwright.preflight.facts import network
from tests.preflight.capacity import ZONES
from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import offered


def test_type_missing_in_the_zone_is_reported_with_its_zones(rule: Harness) -> None:
    found = rule.fails(
        "CW-C001",
        facts=offered(("m5.4xlarge", "use1-az6"), ("p5.48xlarge", "use1-az2")),
        path="compute[1].instance_type",
        message="use1-az6 does not offer p5.48xlarge: it is offered in use1-az2",
    )
    assert found.hint == "availability_zone_id: use1-az2"


def test_type_without_a_zone_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C001",
        facts=offered(("m5.4xlarge", "use1-az6")),
        path="compute[1].instance_type",
        message="and no other zone of the region does",
    )


def test_offered_types_pass(rule: Harness) -> None:
    rule.passes("CW-C001", facts=offered(("m5.4xlarge", "use1-az6"), ("p5.48xlarge", "use1-az6")))


def test_empty_answer_is_unknown(rule: Harness) -> None:
    outcome = rule.run("CW-C001", facts=offered())
    assert outcome.rule.status == "unknown"
    assert len(outcome.unanswered) == 2


def test_local_zone_is_found_by_its_name(rule: Harness) -> None:
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
