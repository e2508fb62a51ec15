"""The Kubernetes version is supported."""

from __future__ import annotations

import datetime as dt

from clusterwright.platforms.kubernetes import control_plane
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects, Unknown

SOON = dt.timedelta(days=60)


class KubernetesVersion(Rule[str]):
    id = "CW-I020"
    prevents = (
        "a version that EKS or HyperPod refuses, or that EKS upgrades automatically while jobs run"
    )
    source = control_plane.VERSIONS_SOURCE

    def subjects(self, context: Context) -> Subjects[str]:
        if context.cluster.uses_kubernetes:
            yield ("kubernetes", "version"), context.cluster.kubernetes.version

    def check(self, version_name: str, context: Context) -> Results:
        name, today = version_name, context.today
        known = ", ".join(
            each.name for each in control_plane.VERSIONS if each.end_of_standard > today
        )
        oldest = _minor(control_plane.VERSIONS[-1].name)
        if _minor(name) < oldest:
            # HyperPod uses an EKS control plane: a version removed from EKS is removed from both.
            yield Fail(
                message=f"EKS no longer supports Kubernetes {name}",
                hint=f"in standard support: {known}",
            )
            return
        if context.cluster.on_hyperpod and name not in control_plane.HYPERPOD_VERSIONS:
            first, last = control_plane.HYPERPOD_VERSIONS[0], control_plane.HYPERPOD_VERSIONS[-1]
            yield Unknown(
                message=f"whether HyperPod supports Kubernetes {name}: its documentation of "
                f"2026-11 lists {first} to {last}",
                hint=f"in standard support: {known}",
            )
            return
        version = control_plane.version(name)
        if version is None:
            yield Unknown(
                message=f"whether EKS supports Kubernetes {name}: no source lists it yet",
                hint=f"in standard support: {known}",
            )
            return
        extended = context.cluster.kubernetes.support == "extended"
        yield from _by_date(version, today, extended=extended, known=known)


def _by_date(
    version: control_plane.KubernetesVersion, today: dt.date, *, extended: bool, known: str
) -> Results:
    if version.end_of_extended <= today:
        yield Fail(
            message=f"support of Kubernetes {version.name} ended on {version.end_of_extended}",
            hint=f"in standard support: {known}",
        )
    elif version.end_of_standard <= today and not extended:
        yield Fail(
            message=f"standard support of Kubernetes {version.name} ended on "
            f"{version.end_of_standard}",
            hint=f"use a version in standard support ({known}), or support: extended at extra "
            "cost",
        )
    elif version.end_of_standard <= today:
        yield Fail(
            message=f"Kubernetes {version.name} is in extended support until "
            f"{version.end_of_extended}, at extra cost; on that date EKS upgrades it",
            hint=f"in standard support: {known}",
            severity="info",
        )
    elif version.end_of_standard <= today + SOON and not extended:
        yield Fail(
            message=f"on {version.end_of_standard} EKS upgrades the control plane from Kubernetes "
            f"{version.name} automatically",
            hint=f"use a later version ({known}), or support: extended",
            severity="warning",
        )


def _minor(name: str) -> int:
    return int(name.partition(".")[2])
