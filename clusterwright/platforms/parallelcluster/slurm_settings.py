"""`Scheduling/SlurmSettings`: accounting, and custom lines of slurm.conf."""

from __future__ import annotations

from typing import Any

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.parallelcluster.queues import compute_groups, is_nvidia
from clusterwright.platforms.parallelcluster.supplied import Database, Supplied
from clusterwright.platforms.slurm_settings import (
    accounting_settings,
    openmetrics_settings,
    preemption_settings,
)

STRATEGIES = {
    "drain": "DRAIN",
    "terminate": "TERMINATE",
    "compute-fleet-stop": "COMPUTE_FLEET_STOP",
}


def slurm_settings(cluster: Cluster, catalog: Catalog, supplied: Supplied) -> dict[str, Any]:
    """Return the settings of the whole cluster."""
    ours = cluster.parallelcluster
    found: dict[str, Any] = {
        # Static nodes are never scaled down. Not -1 if all nodes are static: a change of the value
        # requires a stopped fleet, and the first group with dynamic nodes would then require one.
        "ScaledownIdletime": ours.scaledown_idle_minutes,
        "QueueUpdateStrategy": STRATEGIES[ours.queue_update_strategy],
        "CustomSlurmSettings": [
            {key: value} for key, value in custom_settings(cluster, catalog).items()
        ],
    }
    if cluster.network.egress == "closed" and cluster.network.existing is None:
        # Route 53 has no endpoint, so nodes could not register their names (ParallelCluster's
        # guide, "AWS ParallelCluster in a single subnet with no internet access").
        found["Dns"] = {"DisableManagedDns": True, "UseEc2Hostnames": True}
    database = _database(cluster, supplied)
    if database is not None:
        found["Database"] = {
            "Uri": f"{database.host}:{database.port}",
            "UserName": database.user_name,
            "PasswordSecretArn": database.password_secret_arn,
            "DatabaseName": database.name,
        }
    return found


def custom_settings(cluster: Cluster, catalog: Catalog) -> dict[str, str]:
    """Return the lines of slurm.conf in addition to those of ParallelCluster, without denied ones.

    They are the same as in the scripted configuration of HyperPod
    (`lifecycle_scripts/clusterwright_node/slurm_generate.py`), which has the reasons.
    """
    slurm = cluster.slurm
    times, weights = slurm.timeouts, slurm.priority_weights
    found = {
        "SlurmdTimeout": str(times.node_down_seconds),
        "MessageTimeout": str(times.message_seconds),
        "UnkillableStepTimeout": str(5 * times.message_seconds),
        "KillWait": str(times.kill_wait_seconds),
        "AuthInfo": f"cred_expire={times.credential_seconds}",
        # `Contain` keeps user shells within the limits of their job (pam_slurm_adopt).
        "PrologFlags": "Alloc,Contain",
        "SchedulerParameters": "bf_continue,nohold_on_prolog_fail",
        "PriorityType": "priority/multifactor",
        "PriorityWeightJobSize": str(weights.job_size),
        "PriorityWeightPartition": str(weights.partition),
        "PriorityFavorSmall": "NO",
    }
    if slurm.accounting.kind == "rds":
        found |= accounting_settings(
            slurm,
            has_gpus=any(is_nvidia(group, catalog) for group in compute_groups(cluster)),
            is_enforced=bool(slurm.qos or slurm.accounts),
        )
    return found | preemption_settings(slurm) | openmetrics_settings(cluster)


def _database(cluster: Cluster, supplied: Supplied) -> Database | None:
    accounting = cluster.slurm.accounting
    if accounting.kind != "rds":
        return None
    existing = accounting.existing
    if existing is None:
        if supplied.database is None:
            raise KeyError("the accounting database is not supplied")
        return supplied.database
    return Database(
        host=existing.endpoint,
        port=str(existing.port),
        user_name=str(existing.user_name),
        password_secret_arn=existing.secret_arn,
        name=existing.database_name,
    )
