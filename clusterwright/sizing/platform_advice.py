"""Which platform, as reasons: the founding documents' tree, held against what each takes.

The tree (document 003). Existing Slurm scripts? Then: automatic recovery wanted? HyperPod on
Slurm, else ParallelCluster. No scripts: Kubernetes wanted? Then: features for training wanted?
HyperPod on EKS, else EKS. No Kubernetes: ParallelCluster. After it, capacity that the platform
does not take moves the answer, and says so (`platforms.registry`), and so does an instance type.
MIG is a Kubernetes matter. A platform that was asked for is the answer, whatever the tree says.
"""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.platforms.capabilities import capability
from clusterwright.platforms.registry import PLATFORMS, PlatformName, traits_of

BUILT: tuple[PlatformName, ...] = PLATFORMS
"""What `stacks/` builds today; others are advised all the same, and marked."""


@dataclass(frozen=True)
class Preferences:
    """What the team has and wants. `None` is "not said".

    `able` are the platforms that take the instance type; `None` where that was not asked.
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
    """The platform, each reason on the way to it, and what was not asked."""

    platform: PlatformName
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]
    built: bool


def advise(preferences: Preferences) -> Advice:
    """Walk the tree; what is not said takes the branch that suits training, and says so."""
    reasons: list[str] = []
    cautions: list[str] = []
    platform = preferences.platform or _by_the_tree(preferences, reasons)
    if preferences.platform is not None:
        reasons.append(f"{platform} is what was asked for")
    if platform in {"parallelcluster", "eks"} and preferences.nodes >= 64:
        cautions.append(
            f"{preferences.nodes} nodes fail about every "
            f"{24 / (preferences.nodes * 3.8e-3):.0f} hours; on {platform} recovery is "
            f"{capability('recovery').cells[platform].words}, and no job is resumed by itself"
        )
    if preferences.mig:
        cautions.append("MIG is for small jobs and inference: NCCL does not train across slices")
    if platform not in BUILT:
        cautions.append(f"{platform} is not built yet: `platform: hyperpod-slurm` is")
    return Advice(platform, tuple(reasons), tuple(cautions), platform in BUILT)


def _by_the_tree(preferences: Preferences, reasons: list[str]) -> PlatformName:

    def said(value: bool | None, otherwise: bool, yes: str, no: str) -> bool:
        chosen = otherwise if value is None else value
        reasons.append((yes if chosen else no) + ("" if value is not None else " (assumed)"))
        return chosen

    kubernetes_first = preferences.slurm_scripts is None and bool(preferences.kubernetes)
    platform: PlatformName
    if not kubernetes_first and said(
        preferences.slurm_scripts,
        True,
        "Slurm scripts exist or are what the team writes",
        "no Slurm scripts to keep",
    ):
        recovers = said(
            preferences.automatic_recovery,
            True,
            "nodes shall be replaced and jobs resumed without a person",
            "recovery by hand will do",
        )
        platform = "hyperpod-slurm" if recovers else "parallelcluster"
    elif said(preferences.kubernetes, False, "Kubernetes is wanted", "Kubernetes is not wanted"):
        features = said(
            preferences.training_features,
            True,
            "health checks, recovery and task governance for training are wanted",
            "a general cluster of containers will do",
        )
        platform = "hyperpod-eks" if features else "eks"
    else:
        platform = "parallelcluster"
    if preferences.mig and platform in {"hyperpod-slurm", "parallelcluster"}:
        reasons.append("GPUs shall be split (MIG), which Kubernetes schedules by profile")
        platform = "hyperpod-eks"
    platform = _by_capacity(platform, preferences.capacity_kind, reasons)
    return _by_type(platform, preferences, reasons)


def _by_type(platform: PlatformName, preferences: Preferences, reasons: list[str]) -> PlatformName:
    if preferences.able is None or platform in preferences.able:
        return platform
    kind = preferences.capacity_kind
    for other in _order(platform):
        if other in preferences.able and (kind is None or kind in traits_of(other).capacity_kinds):
            reasons.append(f"{platform} does not take the instance type; {other} does")
            return other
    return platform


def _order(platform: PlatformName) -> tuple[PlatformName, ...]:
    """The other platforms, those of the same scheduler first."""
    if platform in {"hyperpod-slurm", "parallelcluster"}:
        return ("hyperpod-slurm", "parallelcluster", "hyperpod-eks", "eks")
    return ("hyperpod-eks", "eks", "hyperpod-slurm", "parallelcluster")


def _by_capacity(platform: PlatformName, kind: str | None, reasons: list[str]) -> PlatformName:
    if kind is None or kind in traits_of(platform).capacity_kinds:
        return platform
    why = traits_of(platform).refused_capacity.get(kind, f"{platform} takes no {kind}")
    for other in _order(platform):
        if kind in traits_of(other).capacity_kinds:
            reasons.append(f"{kind} capacity: {why}; {other} takes it")
            return other
    return platform
