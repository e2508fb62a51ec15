"""Slurm's settings that PCS knows, and those that a spec needs.

The lists are those of the PCS user guide: slurm-custom-settings-cluster, -cng and -queue,
slurmdbd-custom-settings and cgroup-custom-settings (read 2026-11).
"""

from __future__ import annotations

from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.slurm import Partition
from clusterwright.platforms import accelerators
from clusterwright.platforms.slurm_settings import (
    OPENMETRICS_SINCE,
    accounting_settings,
    openmetrics_settings,
    preemption_settings,
)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SLURM: Final = _names(
    """
    AccountingStorageEnforce AccountingStorageTRES AccountingStoreFlags AuthAltParameters
    CliFilterParameters CliFilterPlugins CommunicationParameters DefMemPerCPU Epilog
    EnforcePartLimits FairShareDampeningFactor FirstJobId HealthCheckInterval HealthCheckNodeState
    HealthCheckProgram JobRequeue LaunchParameters Licenses MetricsType MinJobAge OverTimeLimit
    PreemptExemptTime PreemptMode PreemptParameters PreemptType PriorityCalcPeriod
    PriorityDecayHalfLife PriorityFavorSmall PriorityFlags PriorityMaxAge PriorityUsageResetPeriod
    PriorityWeightAge PriorityWeightAssoc PriorityWeightFairshare PriorityWeightJobSize
    PriorityWeightPartition PriorityWeightQOS PriorityWeightTRES Prolog PrologFlags RequeueExit
    RequeueExitHold SchedulerParameters SelectTypeParameters SrunPortRange TaskEpilog
    TaskPluginParam TaskProlog TrackWCKey UnkillableStepProgram UnkillableStepTimeout
    """
)
SLURMDBD: Final = _names(
    """
    AllowNoDefAcct AllResourcesAbsolute CommitDelay DefaultQOS MaxQueryTimeRange Parameters
    PrivateData PurgeEventAfter PurgeJobAfter PurgeResvAfter PurgeStepAfter PurgeSuspendAfter
    PurgeTXNAfter PurgeUsageAfter TrackWCKey
    """
)
CGROUP: Final = _names(
    """
    AllowedRAMSpace AllowedSwapSpace ConstrainCores ConstrainDevices ConstrainRAMSpace
    ConstrainSwapSpace IgnoreSystemd MaxRAMPercent MaxSwapPercent MinRAMSpace
    SignalChildrenProcesses
    """
)
LISTS: Final = {
    "slurm_settings": SLURM,
    "slurmdbd_settings": SLURMDBD,
    "cgroup_settings": CGROUP,
}
"""The names that each key of `pcs` may have."""

SINCE: Final = {"MetricsType": OPENMETRICS_SINCE}
"""Settings that need a version (the same pages)."""

_COMMUNICATION: Final = "CommunicationParameters"
ENABLE_HTTP: Final = "enable_http"

VALUES_SINCE: Final = {
    (_COMMUNICATION, ENABLE_HTTP): "25.11",
    ("SelectTypeParameters", "CR_Socket"): "25.11",
    ("SelectTypeParameters", "CR_Socket_Memory"): "25.11",
}
"""Values that need a version (the same pages)."""

REST_SINCE: Final = "25.05"
"""The version from which PCS offers Slurm's REST API (PCS user guide, slurm-rest-api)."""

LEAST_MIN_JOB_AGE_SECONDS: Final = 5
AUTODETECT_SINCE: Final = "25.11"
"""The version from which a record of gres.conf may have AutoDetect (gres-custom-settings)."""

HEALTH: Final = {
    "Prolog": "/opt/clusterwright/slurm/prolog",
    "Epilog": "/opt/clusterwright/slurm/epilog",
    "HealthCheckProgram": "/opt/clusterwright/slurm/health_check",
    "HealthCheckInterval": "300",
    "HealthCheckNodeState": "ANY",
}
"""Programs that the step `health` writes on each node before slurmd starts
(`lifecycle_scripts/clusterwright_node/slurm_health.py`)."""


def cluster_settings(cluster: Cluster, catalog: Catalog) -> dict[str, str]:
    """Return the custom settings of slurm.conf; those of the spec take precedence.

    They are the settings of `lifecycle_scripts/clusterwright_node/slurm_generate.py` that PCS
    knows: it offers no SlurmdTimeout, MessageTimeout, KillWait, AuthInfo and PriorityType.
    """
    slurm = cluster.slurm
    weights = slurm.priority_weights
    found = {
        "UnkillableStepTimeout": str(5 * slurm.timeouts.message_seconds),
        # `Contain` keeps user shells within the limits of their job (pam_slurm_adopt).
        "PrologFlags": "Alloc,Contain",
        "SchedulerParameters": "bf_continue,nohold_on_prolog_fail",
        "PriorityWeightJobSize": str(weights.job_size),
        "PriorityWeightPartition": str(weights.partition),
        "PriorityFavorSmall": "NO",
        **HEALTH,
    }
    if slurm.accounting.kind == "managed":
        found |= accounting_settings(
            slurm,
            has_gpus=any(_is_nvidia(group, catalog) for group in cluster.compute),
            is_enforced=bool(slurm.qos or slurm.accounts or cluster.tenants),
        )
    found |= preemption_settings(slurm)
    own = cluster.pcs.slurm_settings or {}
    written = {name.lower(): name for name in own}
    joined: dict[str, str] = {}
    openmetrics = openmetrics_settings(cluster)
    if openmetrics:
        found |= openmetrics
        # PCS serves HTTP on slurmctld's port only with it; options of the spec stay.
        name = written.get(_COMMUNICATION.lower(), _COMMUNICATION)
        options = [part for part in own.get(name, "").split(",") if part]
        if ENABLE_HTTP not in (part.strip().lower() for part in options):
            joined[name] = ",".join([*options, ENABLE_HTTP])
    kept = {name: value for name, value in found.items() if name.lower() not in written}
    return kept | own | joined


def queue_settings(partition: Partition, *, default: bool) -> dict[str, str]:
    """Return the custom settings of a queue."""
    found = {
        "Default": "YES" if default else "NO",
        # Nodes are not shared: each job has all GPUs, network and memory of its nodes.
        "OverSubscribe": "EXCLUSIVE",
        "PriorityTier": str(partition.priority_tier),
    }
    if partition.max_time_minutes is not None:
        found["MaxTime"] = str(partition.max_time_minutes)
    return found


def group_settings(group: ComputeGroup, catalog: Catalog) -> dict[str, str]:
    """Return the custom settings of a compute node group: its GPUs, from the catalogue."""
    if group.role != "compute" or not _is_nvidia(group, catalog):
        return {}
    count = accelerators.count(group.instance_type, catalog)
    return {"Gres": f"gpu:{count}"} if count else {}


def gres_records(cluster: Cluster, group: ComputeGroup, catalog: Catalog) -> list[dict[str, str]]:
    """Return the records of gres.conf for the setting `Gres`, which must have one.

    Slurm finds the devices itself from 25.11; before, the record names them.
    """
    if not group_settings(group, catalog):
        return []
    if at_least(cluster.pcs.slurm_version, AUTODETECT_SINCE):
        return [{"AutoDetect": "nvml", "Name": "gpu"}]
    count = accelerators.count(group.instance_type, catalog)
    devices = "/dev/nvidia0" if count == 1 else f"/dev/nvidia[0-{count - 1}]"
    return [{"Name": "gpu", "Count": str(count), "File": devices}]


def at_least(version: str, wanted: str) -> bool:
    """Return whether a Slurm version such as `25.05` is `wanted` or newer."""
    return _parts(version) >= _parts(wanted)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _is_nvidia(group: ComputeGroup, catalog: Catalog) -> bool:
    return accelerators.family(group.instance_type, catalog) == "nvidia"
