"""Tests of CW-N028."""

from __future__ import annotations

from clusterwright.preflight.facts.network import Subnets
from tests.preflight.existing_network import EXISTING, SUBNET
from tests.preflight.harness import Harness
from tests.preflight.rules.support.egress import NAT, SHARED, TABLE, endpoint, facts, routed


def test_s3_traffic_through_nat_is_reported(rule: Harness) -> None:
    finding = rule.fails(
        "CW-N028",
        EXISTING,
        facts(routed(NAT)),
        path="network.existing.subnet_ids[0]",
        message=f"traffic between nodes in {SUBNET} and S3 goes through",
        severity="warning",
    )
    assert finding.hint is not None
    assert "--service-name com.amazonaws.us-east-1.s3" in finding.hint
    rule.passes("CW-N028", EXISTING, facts(routed(NAT), (endpoint("s3"),)))
    # A gateway endpoint of another route table does not apply to this subnet.
    elsewhere = endpoint("s3", route_table_ids=("rtb-9",))
    assert rule.run("CW-N028", EXISTING, facts(routed(NAT), (elsewhere,))).rule.status == "fail"
    # Without any egress path, CW-N022 reports it.
    rule.passes("CW-N028", EXISTING, facts(TABLE))
    rule.passes("CW-N028", tested=False)


def test_endpoints_of_another_accounts_network_are_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-N028",
        EXISTING,
        {**facts(routed(NAT)), Subnets(): (SHARED,)},
        path="network.existing.subnet_ids",
        message="whether traffic to S3 is charged per GB is not known",
    )
