"""Advise a platform, with the reasons.

The decision tree: a team with Slurm scripts that needs automatic recovery uses HyperPod with
Slurm, without it ParallelCluster. A team on Kubernetes that needs features for training uses
HyperPod with EKS, without them EKS. Otherwise ParallelCluster. MIG needs Kubernetes. If the
platform does not support the capacity or the instance type, the next one that does is advised. A
requested platform is always the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.platforms.capabilities import capability
from clusterwright.platforms.registry import PLATFORMS, PlatformName, traits_of

WARNED_NODES = 64
"""Nodes from which recovery by an operator is a caution."""


@dataclass(frozen=True)
class Preferences:
    """What the team has and needs; `None` if not stated.

    `able` are the platforms that support the instance type; `None` if unknown.
    """

    slurm_scripts: bool | None = None
    automatic_recovery: bool | None = None
    kubernetes: bool | None = None
    training_features: bool | None = None
    mig: bool = False
    capacity_kind: str | None = None
    nodes: int = 1
    platform: PlatformName | None = None
    able: tuple[PlatformName, ...] | None = None


@dataclass(frozen=True)
class Advice:
    """The platform, with reasons and cautions; `built` if `stacks/` can deploy it."""

    platform: PlatformName
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]
    built: bool = True


def advise(preferences: Preferences) -> Advice:
    """Walk the decision tree; answers that are not stated are assumed, and marked."""
    reasons: list[str] = []
    cautions: list[str] = []
    platform = preferences.platform or _by_preferences(preferences, reasons)
    if preferences.platform is not None:
        reasons.append(f"{platform} was requested")
    if not traits_of(platform).on_hyperpod and preferences.nodes >= WARNED_NODES:
        cautions.append(
            f"{preferences.nodes} nodes fail about every "
            f"{24 / (preferences.nodes * 3.8e-3):.0f} hours; on {platform} recovery is "
            f"{capability('recovery').cells[platform].words}, and jobs are not resumed "
            "automatically"
        )
    if preferences.mig:
        cautions.append("MIG is for small jobs and inference: NCCL does not train across slices")
    return Advice(platform, tuple(reasons), tuple(cautions))


def _by_preferences(preferences: Preferences, reasons: list[str]) -> PlatformName:
    def answer(stated: bool | None, default: bool, yes: str, no: str) -> bool:
        chosen = default if stated is None else stated
        reasons.append((yes if chosen else no) + ("" if stated is not None else " (assumed)"))
        return chosen

    kubernetes_first = preferences.slurm_scripts is None and bool(preferences.kubernetes)
    slurm, hyperpod = True, False
    if not kubernetes_first and answer(
        preferences.slurm_scripts,
        True,
        "the team uses Slurm scripts",
        "the team has no Slurm scripts",
    ):
        hyperpod = answer(
            preferences.automatic_recovery,
            True,
            "nodes must be replaced and jobs resumed automatically",
            "recovery by an operator is acceptable",
        )
    elif answer(
        preferences.kubernetes, False, "Kubernetes is required", "Kubernetes is not required"
    ):
        slurm = False
        hyperpod = answer(
            preferences.training_features,
            True,
            "health checks, recovery and task governance for training are required",
            "a general cluster for containers is sufficient",
        )
    if preferences.mig and slurm:
        reasons.append("MIG is required, and Kubernetes schedules GPU slices by profile")
        slurm, hyperpod = False, True
    platform = next(
        name
        for name in PLATFORMS
        if (traits_of(name).uses_slurm, traits_of(name).on_hyperpod) == (slurm, hyperpod)
    )
    platform = _by_capacity(platform, preferences.capacity_kind, reasons)
    return _by_type(platform, preferences, reasons)


def _by_capacity(platform: PlatformName, kind: str | None, reasons: list[str]) -> PlatformName:
    if kind is None or kind in traits_of(platform).capacity_kinds:
        return platform
    refused = traits_of(platform).refused_capacity
    reason = refused.get(kind, f"{platform} does not support {kind}")
    for other in _alternatives(platform):
        if kind in traits_of(other).capacity_kinds:
            reasons.append(f"{kind} capacity: {reason}; {other} supports it")
            return other
    return platform


def _by_type(platform: PlatformName, preferences: Preferences, reasons: list[str]) -> PlatformName:
    if preferences.able is None or platform in preferences.able:
        return platform
    kind = preferences.capacity_kind
    for other in _alternatives(platform):
        if other in preferences.able and (kind is None or kind in traits_of(other).capacity_kinds):
            reasons.append(f"{platform} does not support the instance type; {other} does")
            return other
    return platform


def _alternatives(platform: PlatformName) -> list[PlatformName]:
    """All platforms: those of the same scheduler first, HyperPod before EC2."""
    scheduler = traits_of(platform).scheduler
    return sorted(
        PLATFORMS,
        key=lambda name: (traits_of(name).scheduler != scheduler, not traits_of(name).on_hyperpod),
    )
