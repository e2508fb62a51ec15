"""Lines of slurm.conf that platforms add to those of their service."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.slurm import Slurm


def accounting_settings(slurm: Slurm, *, has_gpus: bool, is_enforced: bool) -> dict[str, str]:
    """Return the settings that need an accounting database.

    The reasons are in `lifecycle_scripts/clusterwright_node/slurm_generate.py`, which writes the
    same for the scripted configuration of HyperPod.
    """
    weights = slurm.priority_weights
    found = {
        "PriorityWeightAge": str(weights.age),
        "PriorityMaxAge": "7-0",
        "PriorityWeightFairshare": str(weights.fair_share),
        "PriorityWeightQOS": str(weights.qos),
        "PriorityDecayHalfLife": "14-0",
    }
    if has_gpus:
        found["AccountingStorageTRES"] = "gres/gpu"
    if is_enforced:
        # Enforces limits of accounts, and refuses jobs of users without an account.
        found["AccountingStorageEnforce"] = "associations,limits,qos"
    return found


OPENMETRICS_SINCE: Final = "25.11"
"""The version of Slurm from which slurmctld serves metrics (SchedMD, Metrics Guide,
slurm.schedmd.com/metrics.html, read 2026-11-28)."""


def openmetrics_settings(cluster: Cluster) -> dict[str, str]:
    """Return the setting with which slurmctld serves metrics; none without the spec's key."""
    metrics = cluster.observability.metrics
    if metrics.listen == "off" or not metrics.slurm_openmetrics:
        return {}
    return {"MetricsType": "metrics/openmetrics"}


def preemption_settings(slurm: Slurm) -> dict[str, str]:
    """Return the settings of preemption by QOS; none if it is off."""
    if slurm.preemption == "off":
        return {}
    return {"PreemptType": "preempt/qos", "PreemptMode": slurm.preemption.upper()}
