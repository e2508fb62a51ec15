"""The service quotas that a planned cluster needs, with their documented defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clusterwright.catalog import Catalog, Fact, Known
from clusterwright.platforms.registry import HYPERPOD, PlatformName
from clusterwright.sizing.goal import Goal
from clusterwright.sizing.plan_types import Candidate
from clusterwright.sizing.report_types import QuotaNeed

HYPERPOD_QUOTAS: Final = {
    "on-demand": "hyperpod-cluster",
    "spot": "hyperpod-spot",
    "training-plan": "reserved-capacity",
}
EC2_QUOTAS: Final = {
    "on-demand": "ec2-on-demand",
    "reservation": "ec2-on-demand",
    "spot": "ec2-spot",
    "capacity-block": "capacity-block",
}
"""EC2 counts vCPUs."""
INSTANCES_PER_CLUSTER: Final = "L-2CE978FC"
"""HyperPod's quota of instances in one cluster."""


def quota_needs(
    chosen: Candidate,
    spares: int,
    kinds: Sequence[str],
    catalog: Catalog,
    goal: Goal,
    platform: PlatformName,
) -> tuple[QuotaNeed, ...]:
    """One quota per kind of capacity, and HyperPod's quota of instances per cluster."""
    name = chosen.hardware.instance_type
    if name is None:
        return ()
    wanted, unit = chosen.nodes + spares, ""
    on_hyperpod = platform in HYPERPOD
    if not on_hyperpod:
        instance = catalog.instance(name)
        vcpus = instance.vcpus if instance is not None else None
        if not isinstance(vcpus, Known):
            reason = "its vCPUs were not found" if vcpus is None else vcpus.reason
            return (QuotaNeed(f"vCPUs of {name}", None, wanted, None, reason),)
        wanted, unit = wanted * vcpus.value, ", in vCPUs"
    needs = []
    for kind in kinds:
        use = (HYPERPOD_QUOTAS if on_hyperpod else EC2_QUOTAS).get(kind)
        if use is None:
            continue
        fact = catalog.quota_for(name, use)  # type: ignore[arg-type]
        if not isinstance(fact, Known):
            needs.append(QuotaNeed(f"{kind}: {name}", None, wanted, None, fact.reason))
            continue
        quota = fact.value
        default = quota.default_in(goal.region) if goal.region else quota.default
        needs.append(
            QuotaNeed(quota.name, quota.code, wanted, _value(default), f"for {kind}{unit}")
        )
    cluster = catalog.quota("sagemaker", INSTANCES_PER_CLUSTER) if on_hyperpod else None
    if cluster is not None:
        needs.append(
            QuotaNeed(
                cluster.name,
                INSTANCES_PER_CLUSTER,
                wanted + 2,
                _value(cluster.default),
                "with a controller and a login node",
            )
        )
    return tuple(needs)


def _value(fact: Fact[float]) -> float | None:
    return float(fact.value) if isinstance(fact, Known) else None
