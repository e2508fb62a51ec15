"""The control plane of EKS. Add-ons run on the nodes of the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder
from clusterwright.platforms.kubernetes import control_plane

CONTROL_PLANE = Item("eks", "cluster standard support", "hour")
EXTENDED = Item("eks", "cluster extended support", "hour")
CAPABILITY = Item("eks", "capability", "hour")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """The cluster, at the rate of the current support of its version.

    With `support: standard` EKS upgrades a version at the end of its standard support, so that
    the rate stays; older versions cannot be created with it.
    """
    if not builder.cluster.uses_kubernetes:
        return
    kubernetes = builder.cluster.kubernetes
    version = control_plane.version(kubernetes.version)
    extended = version is not None and version.end_of_standard <= builder.today
    if version is None:
        note = f"no source states the end of standard support of {kubernetes.version}"
    elif extended:
        note = f"the standard support of {version.name} ended on {version.end_of_standard}"
    elif kubernetes.support == "extended":
        note = f"from {version.end_of_standard}, the rate of extended support applies"
    else:
        note = f"on {version.end_of_standard} EKS upgrades {version.name} automatically"
    support = "extended" if extended else "standard"
    yield builder.line(
        "kubernetes",
        f"EKS control plane, {support} support",
        1,
        EXTENDED if extended else CONTROL_PLANE,
        path=("platform",),
        per="hour",
        note=note,
    )
    yield from _capabilities(builder)


def _capabilities(builder: LineBuilder) -> Iterator[Line]:
    """Capabilities that EKS runs outside the nodes; no source has their rates."""
    capabilities = builder.cluster.kubernetes.capabilities
    for name, text, wanted in (
        ("argocd", "Argo CD", capabilities.argocd is not None),
        ("ack", "AWS Controllers for Kubernetes", capabilities.ack),
        ("kro", "kro", capabilities.kro),
    ):
        if wanted:
            yield builder.line(
                "kubernetes",
                f"EKS capability, {text}",
                1,
                Item(CAPABILITY.service, f"{CAPABILITY.name} {name}", CAPABILITY.unit),
                path=("kubernetes", "capabilities", name),
                per="hour",
                note="resources that it manages may be charged in addition",
            )
