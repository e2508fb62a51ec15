"""What the platforms on EKS ask of an account beside the rest, and rules that hold on all four."""

from __future__ import annotations

import re
from typing import Any

import pytest

from clusterwright.aws.cloudformation.stacks import Stack, StackResource
from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.catalog import load_catalog
from clusterwright.platforms import known_faults
from clusterwright.platforms.derived_names import log_groups
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts import counts, network
from clusterwright.preflight.facts.deployment import LogGroups, OwnStacks, Stacks
from clusterwright.preflight.rules.quotas import q095_growth
from tests.preflight.harness import TODAY, Harness, quota
from tests.support import specs

WORKERS = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
EKS: dict[str, Any] = {"platform": "eks", "compute": [WORKERS]}
HYPERPOD: dict[str, Any] = {"platform": "hyperpod-eks", "compute": [WORKERS]}
PARALLELCLUSTER: dict[str, Any] = {"platform": "parallelcluster"}
PARALLELCLUSTER_WHOLE: dict[str, Any] = {**PARALLELCLUSTER, "slurm.accounting": {"kind": "none"}}


def test_node_groups_of_a_cluster(rule: Harness) -> None:
    two = {**EKS, "compute": [WORKERS, {**WORKERS, "name": "more"}]}
    rule.fails(
        "CW-Q061",
        two,
        quota("eks", "L-6D54EA21", 1),
        path="compute",
        message='2 groups need 2 of "Managed node groups per cluster"',
        numbers=(2, 0, 1),
    )
    rule.passes("CW-Q061", two, quota("eks", "L-6D54EA21", 2))
    rule.passes("CW-Q061", HYPERPOD, tested=False)


@pytest.mark.parametrize(
    ("group", "key", "need"),
    [(WORKERS, "count", 4), ({**WORKERS, "max_count": 9}, "max_count", 9)],
)
def test_nodes_of_a_group(rule: Harness, group: dict[str, Any], key: str, need: int) -> None:
    spec = {**EKS, "compute": [group]}
    rule.fails(
        "CW-Q062",
        spec,
        quota("eks", "L-BD136A63", need - 1),
        path=f"compute[0].{key}",
        message=f'the group workers needs {need} of "Nodes per managed node group"',
        numbers=(need, 0, need - 1),
    )
    rule.passes("CW-Q062", spec, quota("eks", "L-BD136A63", need))
    rule.passes("CW-Q062", HYPERPOD, tested=False)


ELASTIC = {**WORKERS, "name": "elastic", "count": 0, "max_count": 900}
SCALED: dict[str, Any] = {
    **EKS,
    "compute": [{**WORKERS, "max_count": 500}, ELASTIC],
    "kubernetes": {"autoscaling": "karpenter"},
}


def test_karpenters_nodes_are_in_no_node_group(rule: Harness) -> None:
    """Neither today nor as it grows: one node group of four, whatever Karpenter adds."""
    one, four = quota("eks", "L-6D54EA21", 1), quota("eks", "L-BD136A63", 4)
    rule.passes("CW-Q061", SCALED, one)
    rule.passes("CW-Q062", SCALED, four)
    # Without it 900 nodes are three node groups of two groups, and 500 are two.
    plain = {**SCALED, "kubernetes": {}}
    rule.fails(
        "CW-Q061",
        plain,
        one,
        path="compute",
        message='4 groups need 4 of "Managed node groups per cluster"',
        numbers=(4, 0, 1),
    )

    def at_growth(spec: dict[str, Any]) -> set[str]:
        context = Context(specs.load(rule.folder, spec), load_catalog(), TODAY)
        return {subject.value.rule.id for subject in q095_growth.RULE.subjects(context)}

    assert "CW-Q020" in at_growth(SCALED)
    assert not at_growth(SCALED) & {"CW-Q061", "CW-Q062"}
    assert "CW-Q020" in at_growth(plain)


def test_a_group_that_karpenter_begins_is_looked_at_before_it_has_a_node(rule: Harness) -> None:
    spec = {
        **SCALED,
        "compute": [WORKERS, {**ELASTIC, "instance_type": "p6-b200.48xlarge"}],
        "network.availability_zone_id": "use1-az5",
    }
    found = rule.run("CW-C002", spec).findings
    assert "compute[1].instance_type" in {one.path for one in found}
    idle = {**spec, "kubernetes": {}}
    assert "compute[1].instance_type" not in {
        one.path for one in rule.run("CW-C002", idle).findings
    }


def stacks(*resources: tuple[str, str]) -> dict[Any, Any]:
    """This environment's stacks with resources of these types and ids."""
    made = tuple(StackResource(f"R{i}", *one) for i, one in enumerate(resources))
    there = (Stack("test-kubernetes", "CREATE_COMPLETE", None, False),) if resources else ()
    return {Stacks("test"): OwnStacks(there, made)}


@pytest.mark.parametrize("spec", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_the_eks_clusters_name_is_free_or_ours(rule: Harness, spec: dict[str, Any]) -> None:
    there: dict[Any, Any] = {counts.EksClusters(): ("test", "other")}
    rule.fails(
        "CW-E008",
        spec,
        {**there, **stacks()},
        path="environment",
        message="an EKS cluster named test already",
    )
    rule.passes("CW-E008", spec, {**there, **stacks(("AWS::EKS::Cluster", "test"))})
    rule.passes("CW-E008", spec, {counts.EksClusters(): ("other",), **stacks()})
    rule.passes("CW-E008", PARALLELCLUSTER, tested=False)


VPC = "vpc-0a1b2c3d4e5f60718"
ONE, TWO = "subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"
IN_A_NETWORK: dict[str, Any] = {
    **EKS,
    "network": {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": VPC,
            "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
            "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
            "control_plane_subnet_ids": [ONE, TWO],
        },
    },
}


def subnet(name: str, zone: str, vpc: str = VPC, free: int = 6) -> Subnet:
    return Subnet(name, vpc, "10.0.0.0/24", zone, zone, free, False, "", None)


GOOD = (subnet(ONE, "use1-az6"), subnet(TWO, "use1-az2"))


@pytest.mark.parametrize(
    ("found", "index", "message"),
    [
        ((GOOD[0],), "[1]", f"the subnet {TWO} does not exist in us-east-1"),
        (
            (GOOD[0], subnet(TWO, "use1-az6")),
            "",
            "all subnets of the control plane are in use1-az6",
        ),
        ((GOOD[0], subnet(TWO, "use1-az2", "vpc-other")), "[1]", f"not in {VPC}"),
        ((GOOD[0], subnet(TWO, "use1-az2", free=5)), "[1]", "has 5 free addresses"),
        ((GOOD[0], subnet(TWO, "use1-az3")), "[1]", "where EKS does not support control planes"),
    ],
)
def test_the_control_planes_subnets(
    rule: Harness, found: tuple[Subnet, ...], index: str, message: str
) -> None:
    rule.fails(
        "CW-N027",
        IN_A_NETWORK,
        {network.Subnets(): found},
        path=f"network.existing.control_plane_subnet_ids{index}",
        message=message,
    )
    rule.passes("CW-N027", IN_A_NETWORK, {network.Subnets(): GOOD})
    rule.passes("CW-N027", EKS, tested=False)


@pytest.mark.parametrize("spec", [EKS, HYPERPOD, PARALLELCLUSTER], ids=lambda s: s["platform"])
def test_log_groups_of_every_platform_are_looked_for(rule: Harness, spec: dict[str, Any]) -> None:
    names = [name for name, _ in log_groups(specs.load(rule.folder, spec).cluster)]
    name = names[0]
    everywhere: dict[Any, Any] = {LogGroups(other): () for other in names}
    everywhere |= {LogGroups("/clusterwright/test/"): (name,), LogGroups(name): (name,)}
    rule.fails(
        "CW-E003", spec, {**everywhere, **stacks()}, path="environment", message=f"{name} already"
    )


OLD_IMAGE = {"image_id": "ami-0123456789abcdef0", "released": "2024-07-31"}


def test_a_release_with_a_published_fault_is_found(rule: Harness) -> None:
    rule.fails(
        "CW-I017",
        {"image": OLD_IMAGE},
        path="image",
        message="auto-resume does not work with GPUs configured in Slurm (GRES) "
        "(awslabs/awsome-distributed-ai#197)",
        severity="warning",
    )
    rule.passes("CW-I017", {"image": {**OLD_IMAGE, "released": "2024-08-01"}})
    # Who does not ask for auto-resume, or counts no GPUs, does not meet it.
    rule.passes("CW-I017", {"image": OLD_IMAGE, "resilience.node_recovery": "none"})
    rule.passes("CW-I017", {"image": OLD_IMAGE, "compute.1.instance_type": "trn1.32xlarge"})
    rule.passes("CW-I017", PARALLELCLUSTER_WHOLE)
    rule.passes("CW-I017", tested=False)
    undated = {"image": {"image_id": "ami-0123456789abcdef0"}}
    said = rule.fails(
        "CW-I017",
        undated,
        path="image",
        message="ami-0123456789abcdef0 is not stated; issues until 2024-07-31: auto-resume",
        severity="warning",
    )
    assert "the HyperPod image that yours is based on" in str(said.hint)
    released = {"image": {"release_version": "1.2.3"}}
    said = rule.fails(
        "CW-I017", released, path="image", message="of the image 1.2.3 is not stated"
    )
    assert "from HyperPod's release notes" in str(said.hint)
    rule.passes("CW-I017", {**undated, "resilience.node_recovery": "none"})


def test_every_published_fault_is_met_by_some_release_and_not_by_the_one_after() -> None:
    """And none of the releases that are taken has one that is not said."""
    charts = [fault for faults in known_faults.CHARTS.values() for fault in faults]
    for fault in (*known_faults.PARALLELCLUSTER, *known_faults.HYPERPOD_IMAGES, *charts):
        assert fault.has(fault.first)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", fault.thread)
        if fault.last is None:
            continue
        assert fault.first <= fault.last
        assert fault.has(fault.last)
        assert not fault.has((*fault.last[:-1], fault.last[-1] + 1))
    threads = [fault.thread for fault in known_faults.PARALLELCLUSTER]
    assert len(set(threads)) == len(threads)


@pytest.mark.parametrize(
    ("group", "key", "said"),
    [
        ({"count": 201}, "count", "201 nodes start with the cluster and may take 3,900 s"),
        ({"count": 900, "min_count": 400}, "min_count", "400 nodes start with the cluster"),
        ({"count": 200}, "count", None),
        ({"count": 900, "min_count": 200}, "min_count", None),
    ],
)
def test_static_nodes_come_up_while_cloudformation_waits(
    rule: Harness, group: dict[str, Any], key: str, said: str | None
) -> None:
    changes = {f"compute.1.{name}": value for name, value in group.items()}
    spec = {**PARALLELCLUSTER_WHOLE, **changes}
    if said is None:
        rule.passes("CW-L015", spec)
    else:
        rule.fails(
            "CW-L015",
            spec,
            path=f"compute[1].{key}",
            message=said,
            severity="warning",
            numbers=(int(said.split()[0]), None, 200),
        )
    rule.passes("CW-L015", changes, tested=False)
