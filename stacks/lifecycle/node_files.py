"""The files that tell a node what to be; their contract is docs/reference/node-files.md.

`cluster.json` holds what is known at synthesis and is part of the hash of the scripts;
`deployment.json` and `provisioning_parameters.json` hold tokens that CloudFormation fills in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clusterwright.artefacts.lock import UNKNOWN, Artefact
from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.slurm import User
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.platforms import accelerators
from clusterwright.platforms.hyperpod.instance_groups import lustre_mounted_by_hyperpod
from clusterwright.platforms.node_artefacts import artefacts_of
from clusterwright.platforms.parallelcluster.storage import mounted_by_parallelcluster
from stacks.base import names
from stacks.slurm.accounting_stack import AccountingDatabase
from stacks.storage.home import HomeMount
from stacks.storage.lustre import LustreMount

SCHEMA_VERSION = 1

MIB_PER_GIB = 1024

PROVISIONING_VERSION = "1.0.0"
"""Of HyperPod's provisioning_parameters.json."""


def cluster_json(cluster: Cluster, catalog: Catalog) -> dict[str, Any]:
    """Everything that a node needs and that a reviewer has seen; never the number of nodes."""
    storage, slurm = cluster.storage, cluster.slurm
    partition_of = {name: p.name for p in slurm.partitions for name in p.groups}
    accounting = slurm.accounting.kind
    return {
        "schema_version": SCHEMA_VERSION,
        "cluster": cluster.environment,
        "region": cluster.region,
        "platform": cluster.platform,
        "configuration": configuration(cluster),
        "groups": [_group(cluster, group, partition_of, catalog) for group in cluster.compute],
        "lustre": [
            {
                "name": fs.name,
                "mount_path": fs.mount_path,
                "efa": fs.efa,
                "by_platform": mounted_by_parallelcluster(fs)
                if cluster.platform == "parallelcluster"
                else index < lustre_mounted_by_hyperpod(cluster),
                "preload": preload_paths(fs),
                "existing": fs.existing is not None,
            }
            for index, fs in enumerate(storage.lustre)
        ],
        "home": {"mount_path": storage.home.mount_path} if storage.home is not None else None,
        "user_groups": [{"name": group.name, "gid": group.gid} for group in slurm.user_groups],
        "users": [_user(user, has_accounts=accounting != "none") for user in slurm.users],
        "slurm": {
            "partitions": [
                {
                    "name": partition.name,
                    # Jobs that name no partition go to the first one.
                    "default": index == 0,
                    "max_time_minutes": partition.max_time_minutes,
                    "priority_tier": partition.priority_tier,
                }
                for index, partition in enumerate(slurm.partitions)
            ],
            "accounting": accounting,
            "topology": {"auto": "automatic"}.get(slurm.topology, slurm.topology),
            "priority_weights": slurm.priority_weights.model_dump(),
            "timeouts": slurm.timeouts.model_dump(),
            "preemption": slurm.preemption,
            "qos": [qos.model_dump() for qos in slurm.qos],
            "accounts": [account.model_dump() for account in slurm.accounts],
            "restrict_ssh_to_jobs": slurm.restrict_ssh_to_jobs,
        },
        "containers": {
            "pyxis": slurm.containers.pyxis,
            # Only where it is not the default: the scripts of other clusters keep their hash.
            **({"install": "mirrored"} if slurm.containers.install == "mirrored" else {}),
        },
        **_artefacts(cluster),
        "mountpoints": [
            {"bucket": bucket.name, "prefix": None, "mount_path": bucket.mount_path}
            for bucket in storage.buckets
            if bucket.mount_path is not None
        ],
        "directory_buckets": [
            names.directory_bucket(bucket, cluster)
            for bucket in storage.buckets
            if bucket.directory
        ],
        "checkpoint_path": storage.checkpoint_path,
        "metrics": _metrics(cluster),
        "node_steps": {},
    }


def configuration(cluster: Cluster) -> str:
    """Who sets Slurm up on the nodes: `managed`, `scripted`, or `parallelcluster`."""
    if cluster.platform == "parallelcluster":
        return "parallelcluster"
    return cluster.slurm.configuration


def deployment_json(
    lustre: Sequence[LustreMount],
    home: HomeMount | None,
    accounting: AccountingDatabase | None,
    munge_key_secret_arn: str | None = None,
    prometheus_workspace_id: str | None = None,
) -> dict[str, Any]:
    """Where things are; values are tokens until CloudFormation has made the things."""
    return {
        "schema_version": SCHEMA_VERSION,
        "lustre": [
            {"name": fs.name, "dns_name": fs.dns_name, "mount_name": fs.mount_name}
            for fs in lustre
        ],
        "home": (
            {"dns_name": home.dns_name, "volume_path": home.volume_path}
            if home is not None
            else None
        ),
        "accounting": (
            {
                "endpoint": accounting.endpoint,
                "port": accounting.port,
                "database": accounting.database_name,
                "secret_arn": accounting.secret_arn,
            }
            if accounting is not None
            else None
        ),
        # HyperPod's own log group carries the cluster's id, which does not exist yet.
        "log_group_name": None,
        "munge_key_secret_arn": munge_key_secret_arn,
        "prometheus_workspace_id": prometheus_workspace_id,
    }


def provisioning_parameters(
    cluster: Cluster, lustre: Sequence[LustreMount], home: HomeMount | None
) -> dict[str, Any]:
    """HyperPod's own file of the scripted mode: which group is what."""
    partition_of = {name: p.name for p in cluster.slurm.partitions for name in p.groups}
    by_role: dict[str, list[str]] = {}
    for group in cluster.compute:
        by_role.setdefault(group.role, []).append(group.name)
    parameters: dict[str, Any] = {
        "version": PROVISIONING_VERSION,
        "workload_manager": "slurm",
        "controller_group": by_role["controller"][0],
        "worker_groups": [
            {"instance_group_name": name, "partition_name": partition_of[name]}
            for name in by_role["compute"]
        ],
    }
    if "login" in by_role:
        parameters["login_group"] = by_role["login"][0]
    if lustre:
        parameters["fsx_dns_name"] = lustre[0].dns_name
        parameters["fsx_mountname"] = lustre[0].mount_name
    if home is not None:
        parameters["fsx_openzfs_dns_name"] = home.dns_name
    return parameters


def has_efa(group: ComputeGroup, catalog: Catalog) -> bool:
    """Whether the group's nodes have EFA; types that the catalogue does not describe have none."""
    instance = catalog.instance(group.instance_type)
    if instance is None or not isinstance(instance.efa_interfaces, Known):
        return False
    return instance.efa_interfaces.value > 0


def hardware(group: ComputeGroup, catalog: Catalog) -> dict[str, int | None]:
    """What slurm.conf says of a node; None where no source does."""
    instance = catalog.instance(group.instance_type)
    if instance is None:
        return {"cores": None, "threads_per_core": None, "memory_mib": None}
    cores, threads, memory = instance.cores, instance.threads_per_core, instance.memory_gib
    return {
        "cores": cores.value if isinstance(cores, Known) else None,
        "threads_per_core": group.threads_per_core
        or (threads.value if isinstance(threads, Known) else None),
        "memory_mib": int(memory.value * MIB_PER_GIB) if isinstance(memory, Known) else None,
    }


def preload_paths(file_system: Lustre) -> list[str]:
    """Folders that are loaded from S3, as nodes see them; `/` of a repository is its path."""
    found = []
    for repository in file_system.repositories:
        for folder in repository.preload:
            parts = [file_system.mount_path, repository.path, folder]
            found.append("/" + "/".join(part.strip("/") for part in parts if part.strip("/")))
    return found


def _metrics(cluster: Cluster) -> dict[str, Any] | None:
    metrics = cluster.observability.metrics
    # An image is for nodes of Kubernetes; the node program knows no such key.
    return metrics.model_dump(exclude={"image"}) if metrics.listen != "off" else None


def _group(
    cluster: Cluster, group: ComputeGroup, partition_of: dict[str, str], catalog: Catalog
) -> dict[str, Any]:
    return {
        "name": group.name,
        "role": group.role,
        "instance_type": group.instance_type,
        "accelerator": accelerators.family(group.instance_type, catalog),
        "accelerator_count": accelerators.count(group.instance_type, catalog),
        "partition": partition_of.get(group.name),
        # ParallelCluster's spares are not launched: every node there is takes jobs.
        "spare_count": 0 if cluster.platform == "parallelcluster" else group.spare_count,
        "scratch": (
            {"mount_path": group.scratch.mount_path, "raid_level": 0}
            if group.scratch is not None
            else None
        ),
        "efa": has_efa(group, catalog),
        **hardware(group, catalog),
        # Only where it is: the scripts of other clusters keep their hash.
        **({"spot": True} if group.capacity.kind == "spot" else {}),
    }


def _artefacts(cluster: Cluster) -> dict[str, Any]:
    """What nodes fetch from the bucket. An unknown checksum goes with it, and is refused there."""
    files = artefacts_of(cluster)
    if not files:
        return {}
    bucket = names.lifecycle_bucket(cluster)
    return {"artefacts": {"bucket": bucket, "files": [_artefact(each) for each in files]}}


def _artefact(artefact: Artefact) -> dict[str, Any]:
    return {
        "name": artefact.name,
        "version": artefact.version,
        "architecture": artefact.architecture,
        "file": artefact.file_name,
        "sha256": artefact.sha256 or UNKNOWN,
        "size_bytes": UNKNOWN if artefact.size_bytes is None else artefact.size_bytes,
        "used_by": list(artefact.used_by),
    }


def _user(user: User, *, has_accounts: bool) -> dict[str, Any]:
    return {
        "name": user.name,
        "uid": user.uid,
        "gid": user.gid if user.gid is not None else user.uid,
        "groups": list(user.groups),
        "ssh_public_keys": list(user.ssh_public_keys),
        "slurm_account": user.slurm_account if has_accounts else None,
        "sudo": user.sudo,
    }
