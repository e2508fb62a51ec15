"""EKS add-ons have a pinned version."""

from __future__ import annotations

from clusterwright.platforms.kubernetes import control_plane
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class AddonVersions(Rule[tuple[str, ...]]):
    id = "CW-I021"
    severity = "info"
    prevents = (
        "a different version of the network or DNS add-on on another day, without a "
        "change of the spec"
    )
    source = "EKS user guide, Create an Amazon EKS add-on: the default version changes over time"

    def subjects(self, context: Context) -> Subjects[tuple[str, ...]]:
        if context.cluster.uses_kubernetes:
            names = tuple(
                a.name for a in control_plane.addons(context.cluster) if a.version is None
            )
            yield ("platform",), names

    def check(self, addons: tuple[str, ...], context: Context) -> Results:
        if addons:
            version = context.cluster.kubernetes.version
            yield Fail(
                message=f"EKS chooses the versions of {', '.join(addons)} at deployment",
                hint=f"`aws eks describe-addon-versions --kubernetes-version {version}` lists "
                "them; then addons: [{name: ..., version: ...}]",
            )
