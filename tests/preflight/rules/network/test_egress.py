"""Tests of the egress."""

from __future__ import annotations

from clusterwright.preflight.rules.network.egress import acl_allows
from tests.preflight.rules.support.egress import entry


def test_lowest_matching_rule_number_applies() -> None:
    rules = (
        entry(200, "0.0.0.0/0", allow=False),
        entry(100, "10.0.0.0/8", 22, 22),
        entry(50, "10.0.0.0/16", 22, 22, allow=False),
    )
    for range_, port, expected in (
        ("10.0.1.0/24", 22, False),
        ("10.1.1.0/24", 22, True),
        ("10.1.1.0/24", 23, False),
        ("11.0.0.0/24", 22, False),
        ("10.0.0.0/8", 22, None),
    ):
        assert acl_allows(rules, outbound=False, port=port, range_=range_) is expected
    assert acl_allows(rules, outbound=True, port=22, range_="10.1.0.0/24") is False
