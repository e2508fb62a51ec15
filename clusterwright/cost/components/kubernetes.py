"""The control plane of platforms on EKS. Add-ons that the cluster runs are on its own nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, Pricing
from clusterwright.platforms.kubernetes import control_plane

CONTROL_PLANE = Item("eks", "cluster standard support", "hour")
EXTENDED = Item("eks", "cluster extended support", "hour")
CAPABILITY = Item("eks", "capability", "hour")
PLATFORMS = ("hyperpod-eks", "eks")


def lines(pricing: Pricing) -> Iterator[Line]:
    """One cluster, at the rate of the support that its version has today.

    With `support: standard` EKS upgrades a version at the end of its standard support, so that
    the rate stays; what is older cannot be made with it.
    """
    if pricing.cluster.platform not in PLATFORMS:
        return
    kubernetes = pricing.cluster.kubernetes
    version = control_plane.version(kubernetes.version)
    extended = version is not None and version.end_of_standard <= pricing.today
    if version is None:
        note = f"when the standard support of {kubernetes.version} ends is in no source"
    elif extended:
        note = f"the standard support of {version.name} ended on {version.end_of_standard}"
    elif kubernetes.support == "extended":
        note = f"from {version.end_of_standard} on, the rate of extended support"
    else:
        note = f"on {version.end_of_standard} EKS upgrades {version.name} by itself"
    support = "extended" if extended else "standard"
    yield pricing.line(
        "kubernetes",
        f"EKS control plane, {support} support",
        1,
        EXTENDED if extended else CONTROL_PLANE,
        path=("platform",),
        per="hour",
        note=note,
    )
    yield from _capabilities(pricing)


def _capabilities(pricing: Pricing) -> Iterator[Line]:
    """What EKS runs outside of the cluster's nodes; no source of ours has its rates."""
    capabilities = pricing.cluster.kubernetes.capabilities
    for name, text, wanted in (
        ("argocd", "Argo CD", capabilities.argocd is not None),
        ("ack", "AWS Controllers for Kubernetes", capabilities.ack),
        ("kro", "kro", capabilities.kro),
    ):
        if wanted:
            yield pricing.line(
                "kubernetes",
                f"EKS capability, {text}",
                1,
                Item(CAPABILITY.service, f"{CAPABILITY.name} {name}", CAPABILITY.unit),
                path=("kubernetes", "capabilities", name),
                per="hour",
                note="what it manages may be charged besides",
            )
