"""Network interfaces of nodes, as EC2's quotas count them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from clusterwright.aws.sagemaker import Cluster
from clusterwright.catalog import Known
from clusterwright.platforms.hyperpod.instance_groups import ec2_name
from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Fail, Verdict
from clusterwright.preflight.rules.quotas.hyperpod_usage import own


def interfaces_per_node(context: Context, instance_type: str) -> int | None:
    """One per network card on HyperPod, as its launch template says elsewhere; None if unknown."""
    if context.on_hyperpod:
        instance = context.catalog.instance(instance_type)
        cards = instance.network_cards if instance else None
        return cards.value if isinstance(cards, Known) else None
    layout = context.catalog.interface_layout(instance_type)
    return len(layout.value) if isinstance(layout, Known) else None


def present_interfaces(context: Context, clusters: Iterable[Cluster]) -> int:
    """Interfaces that the nodes of this spec's cluster hold now; 0 before it is deployed."""
    cluster = own(clusters, context)
    return sum(
        group.count * (interfaces_per_node(context, ec2_name(group.instance_type)) or 0)
        for group in (cluster.groups if cluster else ())
    )


def milder_on_hyperpod(verdicts: Iterable[Verdict], context: Context) -> Iterator[Verdict]:
    """The same verdicts; on HyperPod warnings, because no source says that its nodes count.

    HyperPod's interfaces stand in the account's VPC, but the service makes them.
    """
    for verdict in verdicts:
        if isinstance(verdict, Fail) and context.on_hyperpod:
            yield dataclasses.replace(
                verdict,
                message=f"{verdict.message}; whether HyperPod's interfaces count, no source says",
                severity="warning",
            )
        else:
            yield verdict
