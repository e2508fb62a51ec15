"""The address arithmetic: what fits, what does not, and a sufficient range."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.catalog import Known, Unknown, load_catalog
from clusterwright.catalog.lustre import LustreFacts
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.platforms.network import (
    lustre_addresses,
    plan_network,
    smallest_prefix,
    usable,
)


@dataclass
class Addresses:
    """A catalogue that knows only addresses per node, zones and Lustre's servers."""

    per_node: dict[str, int]
    lustre: LustreFacts = field(default_factory=lambda: load_catalog().lustre)

    def addresses_per_node(self, instance_type: str, platform: str) -> Any:
        assert platform == "hyperpod-slurm"
        if instance_type not in self.per_node:
            return Unknown("no source")
        return Known(self.per_node[instance_type], "a test", "2026-11-20")

    def zone_ids(self, region: str) -> frozenset[str]:
        assert region == "us-east-1"
        return frozenset({"use1-az1", "use1-az6", "use1-dfw2-az1"})


CATALOG: Any = Addresses({"p5.48xlarge": 32, "m5.8xlarge": 1})


def cluster(nodes: int, **network: Any) -> Cluster:
    extra = {key: network.pop(key) for key in ("storage", "slurm") if key in network}
    return Cluster.model_validate(
        {
            "environment": "t",
            "account": "111122223333",
            "region": "us-east-1",
            "partition": "aws",
            "platform": "hyperpod-slurm",
            "network": {
                "availability_zone_id": "use1-az6",
                "address_headroom_percent": 0,
                **network,
            },
            "compute": [
                {
                    "name": "controller",
                    "role": "controller",
                    "instance_type": "m5.8xlarge",
                    "count": 1,
                },
                {
                    "name": "workers",
                    "role": "compute",
                    "instance_type": "p5.48xlarge",
                    "count": nodes,
                },
            ],
            **extra,
        }
    )


EFA = {"lustre": [{"capacity_gib": 9600, "throughput_mbps_per_tib": 500, "efa": True}]}


@pytest.mark.parametrize(("nodes", "prefix"), [(4, 24), (16, 23), (64, 21)])
def test_awslabs_subnet_table_is_too_small(nodes: int, prefix: int) -> None:
    """agent-plugins' capacity-planning.md recommends /24, /23 and /21: none is sufficient."""
    per_node = 81 if nodes == 4 else 32  # its first row is HyperPod on EKS
    assert usable(prefix) < nodes * per_node
    assert smallest_prefix(nodes * per_node) == prefix - 1


def test_nodes_have_half_of_the_range() -> None:
    small, large = (plan_network(cluster(n), CATALOG) for n in (2, 512))
    assert small.subnets == large.subnets
    assert small.node_subnets[0].cidr == "10.0.0.0/17"
    assert (small.node_addresses_needed, large.node_addresses_needed) == (65, 16_385)


def test_nodes_fill_a_16_and_other_subnets_are_in_a_secondary_range() -> None:
    plan = plan_network(
        cluster(1024, secondary_cidrs=["10.1.0.0/24"], slurm={"accounting": {"kind": "rds"}}),
        CATALOG,
    )
    assert plan.problem is None
    assert [(s.name, s.zone, s.cidr) for s in plan.subnets] == [
        ("nodes", "use1-az6", "10.0.0.0/16"),
        ("database1", "use1-az6", "10.1.0.0/27"),
        ("database2", "use1-az1", "10.1.0.32/27"),
    ]


def test_missing_secondary_range_has_a_hint() -> None:
    plan = plan_network(cluster(1024, slurm={"accounting": {"kind": "rds"}}), CATALOG)
    assert plan.problem is not None
    assert plan.problem.hint == "add a range: secondary_cidrs: [10.1.0.0/24]"


def test_issue_1122_too_small_range_names_a_sufficient_one() -> None:
    plan = plan_network(cluster(8, cidr="10.0.0.0/24"), CATALOG)
    assert plan.problem is not None
    assert plan.problem.path == ("network", "cidr")
    assert plan.problem.message == (
        "the cluster needs 321 addresses in use1-az6 (257 for nodes), 10.0.0.0/24 has 251"
    )
    assert plan.problem.hint == "cidr: 10.0.0.0/23"
    assert plan_network(cluster(8, cidr="10.0.0.0/23"), CATALOG).problem is None


def test_efa_lustre_is_refused_across_two_16s() -> None:
    two = {"secondary_cidrs": ["10.1.0.0/16"]}
    plan = plan_network(cluster(2100, **two, storage=EFA), CATALOG)
    assert plan.problem is not None
    assert "must be in one /16" in plan.problem.message
    without = plan_network(cluster(2100, **two), CATALOG)
    assert without.problem is None
    assert [s.cidr for s in without.node_subnets] == ["10.0.0.0/16", "10.1.0.0/16"]


def test_more_than_a_16_without_efa_lustre_has_a_hint() -> None:
    problem = plan_network(cluster(2100), CATALOG).problem
    assert problem is not None
    assert problem.hint is not None
    assert "secondary_cidrs: [10.1.0.0/16]" in problem.hint


def test_headroom_is_at_least_one_node_of_each_group() -> None:
    plan = plan_network(cluster(4, address_headroom_percent=10), CATALOG)
    assert plan.headroom_addresses == 32 + 1


def test_type_without_a_source_is_reported() -> None:
    plan = plan_network(cluster(4), Addresses({"m5.8xlarge": 1}))  # type: ignore[arg-type]
    assert plan.unknown_types == ("p5.48xlarge",)


def test_nat_requires_a_public_subnet() -> None:
    plan = plan_network(cluster(4, egress="nat"), CATALOG)
    assert [s.purpose for s in plan.subnets] == ["nodes", "public"]


def test_added_database_moves_no_subnet() -> None:
    before = plan_network(cluster(4, egress="nat"), CATALOG)
    after = plan_network(cluster(4, egress="nat", slurm={"accounting": {"kind": "rds"}}), CATALOG)
    assert set(before.subnets) < set(after.subnets)


@pytest.mark.parametrize(
    ("lustre", "addresses"),
    [
        # One object server per 9,600 GiB at 500, one metadata server per 12,000 IOPS.
        (Lustre(capacity_gib=38_400, throughput_mbps_per_tib=500, efa=True), 4 + 2),
        (Lustre(capacity_gib=4_800, throughput_mbps_per_tib=125), 2 + 1),
        (Lustre(storage_type="INTELLIGENT_TIERING", throughput_mbps=8_000), 2 + 1),
    ],
)
def test_lustre_uses_an_address_per_server(lustre: Lustre, addresses: int) -> None:
    assert lustre_addresses(lustre, CATALOG) == addresses


@given(
    nodes=st.integers(1, 4000),
    prefix=st.integers(16, 26),
    nat=st.booleans(),
    rds=st.booleans(),
    secondary=st.lists(st.integers(16, 26), max_size=4),
)
def test_planned_subnets_fit_and_do_not_overlap(
    nodes: int, prefix: int, nat: bool, rds: bool, secondary: list[int]
) -> None:
    plan = plan_network(
        cluster(
            nodes,
            cidr=f"10.0.0.0/{prefix}",
            secondary_cidrs=[f"10.{i + 1}.0.0/{p}" for i, p in enumerate(secondary)],
            egress="nat" if nat else "closed",
            slurm={"accounting": {"kind": "rds"}} if rds else {},
        ),
        CATALOG,
    )
    if plan.problem is not None:
        assert plan.problem.hint
        return
    assert sum(s.addresses_usable for s in plan.node_subnets) >= plan.addresses_needed
    assert len(plan.subnets) == len(plan.node_subnets) + 2 * rds + nat
    ranges = [IPv4Network(s.cidr) for s in plan.subnets]
    assert not any(a.overlaps(b) for i, a in enumerate(ranges) for b in ranges[:i])
    assert {s.zone for s in plan.node_subnets} == {"use1-az6"}


@given(nodes=st.integers(1, 2040), prefix=st.integers(17, 28))
def test_range_in_the_hint_fits(nodes: int, prefix: int) -> None:
    plan = plan_network(cluster(nodes, cidr=f"10.0.0.0/{prefix}"), CATALOG)
    if plan.problem is None:
        return
    assert plan.problem.hint is not None
    cidr = plan.problem.hint.removeprefix("cidr: ").split()[0]
    assert plan_network(cluster(nodes, cidr=cidr), CATALOG).problem is None
