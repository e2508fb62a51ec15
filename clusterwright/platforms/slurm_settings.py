"""Lines of slurm.conf that platforms add to those of their service."""

from __future__ import annotations

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


def preemption_settings(slurm: Slurm) -> dict[str, str]:
    """Return the settings of preemption by QOS; none if it is off."""
    if slurm.preemption == "off":
        return {}
    return {"PreemptType": "preempt/qos", "PreemptMode": slurm.preemption.upper()}
