"""Address ranges: growth, peers, ranges that are taken, headroom; nodes placed in subnets."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.aws.ec2.vpc import Vpc
from clusterwright.preflight.facts import hyperpod, network
from clusterwright.preflight.rules.network.subnet_packing import place
from tests.preflight.existing_network import EXISTING, HERE, SUBNET, THERE, VPC
from tests.preflight.harness import Harness
from tests.support import specs


def test_growth_that_does_not_fit_is_said_before_the_subnet_stands(rule: Harness) -> None:
    # A /23 has 507 addresses: 8 nodes of 32 fit, 16 do not.
    small = {"network.cidr": "10.0.0.0/23", "network.egress": "closed"}
    finding = rule.fails(
        "CW-N016",
        {**small, "compute.1.max_count": 16},
        path="compute[1].max_count",
        message="this fits today, max_count will not: the cluster needs",
        severity="warning",
    )
    assert finding.hint
    assert finding.hint.startswith("cidr: 10.0.")
    rule.passes("CW-N016", {"compute.1.max_count": 16})
    rule.passes("CW-N016", small, tested=False)


def test_growth_of_what_does_not_fit_today_names_the_range_for_all_of_it(rule: Harness) -> None:
    changes = {"network.cidr": "10.0.0.0/25", "compute.1.max_count": 200}
    hint = rule.fails(
        "CW-N016", changes, path="compute[1].max_count", message="at max_count: "
    ).hint
    assert hint
    larger = {**changes, "network.cidr": hint.removeprefix("cidr: ")}
    rule.passes("CW-N016", larger)


def test_peers_must_not_overlap_the_network(rule: Harness) -> None:
    peers = ["10.1.0.0/16", "10.0.7.0/24", "10.2.0.0/16"]
    finding = rule.fails(
        "CW-N017",
        {"network.peered_cidrs": peers},
        path="network.peered_cidrs[1]",
        message="10.0.7.0/24 overlaps 10.0.0.0/16 of this VPC",
        severity="error",
    )
    assert finding.hint == "cidr: 10.3.0.0/16"
    rule.passes("CW-N017", {"network.peered_cidrs": peers, "network.cidr": "10.3.0.0/16"})
    rule.passes("CW-N017", tested=False)


def test_a_wide_peer_covers_secondary_ranges_too(rule: Harness) -> None:
    changes = {
        "network.secondary_cidrs": ["172.31.0.0/24"],
        "network.peered_cidrs": ["172.16.0.0/12"],
    }
    finding = rule.fails(
        "CW-N017", changes, path="network.peered_cidrs[0]", message="overlaps 172.31.0.0/24"
    )
    assert finding.hint
    assert finding.hint.startswith("instead: 10.")


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"network.cidr": "172.17.0.0/16"}, "network.cidr"),
        ({"network.cidr": "172.17.128.0/20"}, "network.cidr"),
        ({"network.peered_cidrs": ["172.16.0.0/12"]}, "network.peered_cidrs[0]"),
    ],
)
def test_dockers_range_is_taken(rule: Harness, changes: dict[str, Any], path: str) -> None:
    rule.fails("CW-N018", changes, path=path, message="overlaps 172.17.0.0/16", severity="warning")
    rule.passes("CW-N018", {"network.cidr": "172.18.0.0/16"})


def test_services_of_kubernetes_leave_connected_networks_alone(rule: Harness) -> None:
    both = {
        "platform": "hyperpod-eks",
        "network.cidr": "10.100.0.0/16",
        "network.peered_cidrs": ["172.20.0.0/16"],
    }
    outcome = rule.run("CW-N018", spec=specs.unchecked(rule.folder, both))
    assert [f.path for f in outcome.findings] == ["network.cidr", "network.peered_cidrs[0]"]
    hint = outcome.findings[1].hint
    assert hint == "kubernetes.service_cidr: 10.0.0.0/16"
    chosen = {**both, "kubernetes.service_cidr": hint.partition(": ")[2]}
    rule.passes("CW-N018", spec=specs.unchecked(rule.folder, chosen))
    # One of the two is free: the template says so.
    one = specs.unchecked(rule.folder, {**both, "network.peered_cidrs": []})
    rule.passes("CW-N018", spec=one)
    # Slurm has no services of that kind.
    rule.passes("CW-N018", {k: v for k, v in both.items() if k != "platform"})
    # In a network that exists EKS chooses, and knows no network behind it.
    there = {**EXISTING, "platform": "eks"}
    network_ = {**EXISTING["network"], "peered_cidrs": ["172.16.0.0/12"]}
    behind = specs.unchecked(rule.folder, {**there, "network": network_})
    outcome = rule.run("CW-N018", spec=behind)
    messages = [f.message for f in outcome.findings if "EKS may use" in f.message]
    assert messages
    assert messages[0].startswith("172.16.0.0/12 overlaps 172.20.0.0/16")
    told = {**there, "network": network_, "kubernetes.service_cidr": "10.200.0.0/16"}
    outcome = rule.run("CW-N018", spec=specs.unchecked(rule.folder, told))
    assert not [f for f in outcome.findings if "EKS may use" in f.message]


def test_replacements_need_room(rule: Harness) -> None:
    without = {"network.address_headroom_percent": 0}
    rule.fails(
        "CW-N019",
        {**EXISTING, "network": {**EXISTING["network"], "address_headroom_percent": 0}},
        path="network.address_headroom_percent",
        message="address_headroom_percent is 0, and failed nodes are replaced automatically",
        severity="warning",
    )
    rule.passes("CW-N019", EXISTING)
    # A network of our own has more than the cluster needs, whatever the percentage.
    rule.passes("CW-N019", without)


def vpcs(*ranges: str) -> dict[Any, Any]:
    return {network.Vpcs(): (Vpc(VPC, ranges, None),)}


def test_an_existing_vpc_overlaps_no_peer(rule: Harness) -> None:
    network_ = {**EXISTING["network"], "peered_cidrs": ["10.9.0.0/16", "100.64.0.0/16"]}
    rule.fails(
        "CW-N020",
        {"network": network_},
        vpcs("10.1.0.0/16", "100.64.0.0/18"),
        path="network.peered_cidrs[1]",
        message=f"100.64.0.0/16 overlaps 100.64.0.0/18 of {VPC}",
        severity="error",
    )
    rule.fails(
        "CW-N020",
        EXISTING,
        vpcs("10.1.0.0/16", "172.17.0.0/20"),
        path="network.existing.vpc_id",
        message="overlaps 172.17.0.0/16, which Docker uses",
        severity="warning",
    )
    rule.passes("CW-N020", {"network": network_}, vpcs("10.1.0.0/16"))
    rule.passes("CW-N020", tested=False)


def free(*addresses: int) -> dict[Any, Any]:
    import dataclasses

    found = [
        dataclasses.replace(subnet, free_addresses=n, zone="us-east-1d", zone_id="use1-az6")
        for subnet, n in zip((HERE, THERE), addresses, strict=False)
    ]
    return {network.Subnets(): tuple(found), hyperpod.HyperPodClusters(): ()}


def two_subnets(**more: Any) -> dict[str, Any]:
    existing = {**EXISTING["network"]["existing"], "subnet_ids": [SUBNET, THERE.id]}
    return {"network": {**EXISTING["network"], "existing": existing, **more}}


def test_what_two_subnets_have_left_does_not_add_up_to_a_node(rule: Harness) -> None:
    # Four nodes of 32, one controller: 129 and headroom of 33.
    rule.passes("CW-N009", two_subnets(), free(100, 100))
    finding = rule.fails(
        "CW-N009",
        two_subnets(address_headroom_percent=0),
        free(63, 67),
        path="network.existing.subnet_ids",
        message="but no subnet has space for 1 of the nodes",
        severity="error",
    )
    assert "(1 of 32 addresses)" in finding.message
    rule.passes("CW-N009", two_subnets(address_headroom_percent=0), free(65, 64))


def test_file_systems_stand_in_the_first_subnet(rule: Harness) -> None:
    lustre = {**two_subnets(), "storage.lustre": [specs.LUSTRE]}
    rule.fails(
        "CW-N009",
        lustre,
        free(1, 4000),
        path="network.existing.subnet_ids",
        message="the file systems need",
    )
    rule.passes("CW-N009", lustre, free(400, 400))


def test_growth_in_subnets_that_exist(rule: Harness) -> None:
    growing = {**EXISTING, "compute.1.max_count": 8}
    rule.fails(
        "CW-N021",
        growing,
        free(200),
        path="compute[1].max_count",
        message="this fits today, max_count will not: the cluster needs",
        severity="warning",
    )
    rule.fails(
        "CW-N021",
        growing,
        free(20),
        path="compute[1].max_count",
        message="at max_count: the cluster needs",
    )
    rule.passes("CW-N021", growing, free(300))
    rule.passes("CW-N021", EXISTING, tested=False)


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=3),
    st.lists(st.integers(0, 7), min_size=1, max_size=3),
)
def test_placing_is_never_too_hopeful_and_certain_only_where_it_is(
    wanted: list[tuple[int, int]], rooms: list[int]
) -> None:
    found = place(wanted, rooms)
    nodes = [each for each, count in wanted for _ in range(count)]
    fits = any(
        all(
            sum(n for n, where in zip(nodes, places, strict=True) if where == room) <= rooms[room]
            for room in range(len(rooms))
        )
        for places in product(range(len(rooms)), repeat=len(nodes))
    )
    if not found.nodes:
        assert fits
    elif found.certain:
        assert not fits
