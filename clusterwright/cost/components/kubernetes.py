"""The control plane of platforms on EKS. Add-ons that the cluster runs are on its own nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.pricing import Item, Pricing

CONTROL_PLANE = Item("eks", "cluster standard support", "hour")
PLATFORMS = ("hyperpod-eks", "eks")


def lines(pricing: Pricing) -> Iterator[Line]:
    """One cluster, on a version in standard support; extended support has a rate of its own."""
    if pricing.cluster.platform in PLATFORMS:
        yield pricing.line(
            "kubernetes",
            "EKS control plane, standard support",
            1,
            CONTROL_PLANE,
            path=("platform",),
            per="hour",
            note="a version past its standard support costs the rate of extended support",
        )
