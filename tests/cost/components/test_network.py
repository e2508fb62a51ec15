"""NAT gateways and endpoints."""

from __future__ import annotations

from pathlib import Path

from tests.support import specs
from tests.support.bills import bill_of, line


def test_endpoints_are_counted_unless_nat_is_used(tmp_path: Path) -> None:
    from clusterwright.platforms.endpoints import interface_services

    spec = specs.load(tmp_path)
    expected = len(interface_services(spec.cluster))
    assert line(bill_of(tmp_path), "interface endpoints: ec2").quantity == expected
    nat = bill_of(tmp_path, {"network.egress": "nat"})
    assert not [line for line in nat.lines if "endpoints" in line.item]
