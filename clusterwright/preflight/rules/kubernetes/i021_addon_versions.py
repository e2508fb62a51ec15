"""What EKS installs is what was reviewed: each add-on has a version in the spec."""

from __future__ import annotations

from clusterwright.platforms.kubernetes import control_plane
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects


class AddonVersions(Rule[tuple[str, ...]]):
    id = "CW-I021"
    title = "Add-ons of EKS have a version"
    severity = "info"
    scope = "offline"
    prevents = "another version of the network or DNS on another day, without a change of the file"
    source = "EKS user guide, Create an Amazon EKS add-on: the default version is of the day"

    def subjects(self, context: Context) -> Subjects[tuple[str, ...]]:
        if context.cluster.uses_kubernetes:
            names = tuple(
                a.name for a in control_plane.addons(context.cluster) if a.version is None
            )
            yield Subject(("platform",), names)

    def check(self, addons: tuple[str, ...], context: Context) -> Results:
        if addons:
            version = context.cluster.kubernetes.version
            yield Fail(
                message=f"EKS chooses the versions of {', '.join(addons)} on the day of "
                "the deployment",
                hint=f"`aws eks describe-addon-versions --kubernetes-version {version}` lists "
                "them; then addons: [{name: ..., version: ...}]",
            )


RULE = AddonVersions()
