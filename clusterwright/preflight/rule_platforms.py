"""Which platforms a rule applies to: all of them, or those that a row of `LIMITS` leaves.

A row states why a rule has nothing to check there. `tests/preflight/test_rule_platforms.py`
compares the rows with the subjects that each rule has in specs of every platform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clusterwright.platforms.registry import HYPERPOD, KUBERNETES, PLATFORMS, SLURM


@dataclass(frozen=True)
class Limit:
    """Rules that do not apply to some platforms, and why."""

    rules: tuple[str, ...]
    platforms: tuple[str, ...]
    reason: str


_ON_EC2: Final = tuple(name for name in PLATFORMS if name not in HYPERPOD)
_NOT_MANAGED: Final = tuple(name for name in PLATFORMS if name != "hyperpod-slurm")
_NOT_EKS: Final = tuple(name for name in PLATFORMS if name != "eks")
_NOT_PARALLELCLUSTER: Final = tuple(name for name in PLATFORMS if name != "parallelcluster")
_NOT_PCS: Final = tuple(name for name in PLATFORMS if name != "pcs")
_NOT_HYPERPOD_EKS: Final = tuple(name for name in PLATFORMS if name != "hyperpod-eks")
_NO_KEY_PAIR: Final = tuple(name for name in PLATFORMS if name not in ("parallelcluster", "pcs"))

LIMITS: Final = (
    Limit(
        ("CW-C003", "CW-E002"),
        _ON_EC2,
        "nodes are EC2 instances, and there is no HyperPod cluster",
    ),
    Limit(
        ("CW-Q001", "CW-Q002", "CW-Q003", "CW-Q004", "CW-Q005", "CW-Q006", "CW-Q007"),
        _ON_EC2,
        "nodes count against the quotas of EC2, CW-Q020 to CW-Q022",
    ),
    Limit(
        ("CW-Q020", "CW-Q021", "CW-Q022"),
        HYPERPOD,
        "nodes count against the quotas of HyperPod, CW-Q001 to CW-Q007",
    ),
    Limit(
        (
            *("CW-C030", "CW-C031", "CW-C032", "CW-C033", "CW-C034"),
            *("CW-C035", "CW-C036", "CW-C037", "CW-C038", "CW-C039"),
        ),
        HYPERPOD,
        "HyperPod accepts neither reservations nor capacity blocks of EC2",
    ),
    Limit(
        ("CW-L001", "CW-C023"),
        KUBERNETES,
        "a job selects its nodes by group or instance type; there are no partitions",
    ),
    Limit(
        ("CW-L002", "CW-L003", "CW-L005", "CW-L008", "CW-L019"),
        KUBERNETES,
        "there is no Slurm, no controller and no login node",
    ),
    Limit(
        (
            *("CW-E005", "CW-I005", "CW-I009", "CW-N013", "CW-N029"),
            *("CW-Q070", "CW-Q071", "CW-Q072", "CW-Q073"),
        ),
        KUBERNETES,
        "there is no accounting database",
    ),
    Limit(
        ("CW-L010",),
        KUBERNETES,
        "containerd unpacks images on the node's root volume, not in home directories",
    ),
    Limit(
        ("CW-I015",),
        KUBERNETES,
        "the spec names no CUDA version of pods: the image of each job determines it",
    ),
    Limit(
        ("CW-L006",),
        KUBERNETES,
        "nodes download no artefacts; charts and images are pinned by digest",
    ),
    Limit(
        ("CW-L011", "CW-L012", "CW-L013", "CW-L014", "CW-L016"),
        KUBERNETES,
        "the folder of lifecycle scripts configures Slurm",
    ),
    Limit(
        ("CW-L018",),
        KUBERNETES,
        "without `acceptance.image`, an image of yours, no node is tested",
    ),
    Limit(
        ("CW-L007", "CW-L009"),
        _NOT_MANAGED,
        "only HyperPod writes a slurm.conf of its own, and resumes jobs",
    ),
    Limit(
        ("CW-I001",),
        _NOT_MANAGED,
        "only HyperPod's image with Slurm contains the slurmdbd that needs the date",
    ),
    Limit(
        ("CW-I018", "CW-I019", "CW-I027", "CW-I028", "CW-I029", "CW-N033"),
        SLURM,
        "there are no access entries, pods or capabilities of EKS",
    ),
    Limit(
        ("CW-S038",),
        _NOT_PARALLELCLUSTER,
        "home directories are mounted by DNS name, without the id of a volume",
    ),
    Limit(
        ("CW-I026",),
        _NO_KEY_PAIR,
        "nodes have no EC2 key pair: access is through Session Manager or users' own keys",
    ),
    Limit(
        ("CW-I006",),
        _NOT_MANAGED,
        "CloudFormation's schema refuses the release on clusters with Slurm only",
    ),
    Limit(
        ("CW-I016",),
        ("parallelcluster",),
        "ParallelCluster's own stack creates the role of the nodes",
    ),
    Limit(
        ("CW-L004",),
        ("parallelcluster",),
        "slurmctld replaces failed nodes, and no key of the spec changes that",
    ),
    Limit(
        ("CW-L003",),
        ("pcs",),
        "AWS runs the controller; the limits of its size are validation errors",
    ),
    Limit(
        ("CW-C039",),
        ("pcs",),
        "PCS supports no UltraServers",
    ),
    Limit(
        ("CW-I017",),
        ("pcs",),
        "images of PCS have no release that reported faults name",
    ),
    Limit(
        ("CW-N004",),
        ("pcs",),
        "launch templates determine the interfaces with an address",
    ),
    Limit(
        ("CW-E005", "CW-I005", "CW-I009", "CW-N013", "CW-N029"),
        ("pcs",),
        "AWS keeps the accounting database, outside the account",
    ),
    Limit(
        ("CW-Q070", "CW-Q071", "CW-Q072", "CW-Q073"),
        ("pcs",),
        "AWS keeps the accounting database, outside the account",
    ),
    Limit(
        ("CW-L004",),
        ("pcs",),
        "PCS replaces failed instances, and no key of the spec changes that",
    ),
    Limit(
        ("CW-N004",),
        ("parallelcluster",),
        "EC2 documents one address for each network card",
    ),
    Limit(
        ("CW-I022", "CW-Q023"),
        HYPERPOD,
        "volumes of nodes are in HyperPod's account",
    ),
    Limit(
        ("CW-I022",),
        ("eks",),
        "launch templates and Karpenter's node classes name the cluster's key",
    ),
    Limit(
        ("CW-I023", "CW-I024"),
        HYPERPOD,
        "nodes are launched in HyperPod's account, where other settings apply",
    ),
    Limit(
        ("CW-I024",),
        ("eks", "pcs"),
        "launch templates and Karpenter's node classes set these options",
    ),
    Limit(
        ("CW-L015",),
        _NOT_PARALLELCLUSTER,
        "only ParallelCluster's provider waits for static nodes in a custom resource",
    ),
    Limit(
        ("CW-E008", "CW-I020", "CW-I021", "CW-N027", "CW-Q060"),
        SLURM,
        "there is no EKS control plane",
    ),
    Limit(
        ("CW-E014", "CW-E015", "CW-E016", "CW-I031", "CW-L017", "CW-N034", "CW-Q063"),
        _NOT_PCS,
        "there is no cluster of PCS",
    ),
    Limit(
        ("CW-Q083",),
        _NOT_HYPERPOD_EKS,
        "only HyperPod's inference operator needs an OpenID Connect provider",
    ),
    Limit(
        ("CW-N036",),
        _NOT_HYPERPOD_EKS,
        "only HyperPod's inference operator creates load balancers",
    ),
    Limit(
        ("CW-C024", "CW-Q061", "CW-Q062"),
        _NOT_EKS,
        "there are no managed node groups",
    ),
)


def limits_of(rule: str) -> dict[str, str]:
    """Return the platforms that a rule does not apply to, with the reason for each."""
    return {
        platform: limit.reason
        for limit in LIMITS
        if rule in limit.rules
        for platform in limit.platforms
    }


def platforms_text(rule: str) -> str:
    """Return the platforms of a rule as a sentence for the reference."""
    limits = limits_of(rule)
    if not limits:
        return "all platforms."
    applies = ", ".join(name for name in PLATFORMS if name not in limits)
    reasons: dict[str, list[str]] = {}
    for platform, reason in limits.items():
        reasons.setdefault(reason, []).append(platform)
    but = "; ".join(f"not {' and '.join(names)}: {why}" for why, names in reasons.items())
    return f"{applies}; {but}."
