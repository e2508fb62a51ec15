"""The files that configure a node; their contract is docs/reference/node-files.md.

`cluster.json` holds what is known at synthesis and is part of the hash of the scripts;
`deployment.json` and `provisioning_parameters.json` hold tokens that CloudFormation fills in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.slurm import User
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.platforms import accelerators, software
from clusterwright.platforms.derived_names import job_role_arn
from clusterwright.platforms.hyperpod.instance_groups import lustre_mounted_by_hyperpod
from clusterwright.platforms.node_artefacts import artefacts_of
from clusterwright.platforms.node_hardware import hardware
from clusterwright.platforms.parallelcluster.storage import mounted_by_parallelcluster
from stacks.base import names
from stacks.lifecycle import scripts
from stacks.lifecycle.node_contract import build, contract, installation, to_json
from stacks.slurm.accounting_stack import AccountingDatabase
from stacks.storage.home import HomeMount
from stacks.storage.lustre import LustreMount

MIB_PER_GIB = 1024

PROVISIONING_VERSION = "1.0.0"
"""Of HyperPod's provisioning_parameters.json."""


def cluster_json(cluster: Cluster, catalog: Catalog) -> dict[str, Any]:
    """`cluster.json`: everything that a node needs and that a reviewer sees.

    It does not contain the number of nodes: a change of `count` must not change the content hash
    of the scripts. Keys of the same name in spec and contract are copied.
    """
    return to_json(_cluster_file(cluster, catalog))


def program_files(own: Mapping[str, str]) -> dict[str, str]:
    """The digest of the node program with the custom steps `own`, as a file of the folder.

    Nodes compute the same of what they install, and `clusterwright drift` compares.
    """
    contents = scripts.contents_of(scripts.FOLDER)
    contents |= {name: text.encode() for name, text in own.items()}
    return {installation.UPLOADED: installation.version(contents) + "\n"}


def queue_json(cluster: Cluster, catalog: Catalog, queue: str) -> dict[str, Any]:
    """`cluster.json` for the compute nodes of a queue of ParallelCluster."""
    return to_json(for_queue(_cluster_file(cluster, catalog), queue))


def for_queue(file: contract.ClusterFile, queue: str) -> contract.ClusterFile:
    """The part of the file that compute nodes of a queue read.

    It has their groups and their partition, and neither other groups nor the settings of Slurm
    that the head node applies. ParallelCluster replaces nodes whose scripts change, so a change
    that concerns other nodes only must not change this part.
    """
    groups = tuple(
        group for group in file.groups if group.role == "controller" or group.partition == queue
    )
    return replace(
        file,
        groups=groups,
        # The head node loads files from S3, for every node.
        lustre=tuple(replace(entry, preload=()) for entry in file.lustre),
        users=tuple(replace(user, slurm_account=None) for user in file.users),
        acceptance=_acceptance_of(file.acceptance, groups),
        slurm=replace(
            file.slurm,
            partitions=(
                contract.Partition(
                    name=queue, default=False, max_time_minutes=None, priority_tier=1
                ),
            ),
            priority_weights=contract.DEFAULT_WEIGHTS,
            timeouts=contract.DEFAULT_TIMEOUTS,
            preemption="off",
            qos=(),
            accounts=(),
        ),
    )


def _cluster_file(cluster: Cluster, catalog: Catalog) -> contract.ClusterFile:
    storage, slurm = cluster.storage, cluster.slurm
    partition_of = {name: p.name for p in slurm.partitions for name in p.groups}
    containers = slurm.containers
    return contract.ClusterFile(
        schema_version=contract.SCHEMA_VERSION,
        cluster=cluster.environment,
        region=cluster.region,
        platform=cluster.platform,
        configuration=configuration(cluster),
        groups=tuple(_group(cluster, group, partition_of, catalog) for group in cluster.compute),
        lustre=tuple(_lustre(cluster, index, fs) for index, fs in enumerate(storage.lustre)),
        home=build(contract.Home, storage.home) if storage.home is not None else None,
        user_groups=tuple(build(contract.UserGroup, group) for group in slurm.user_groups),
        users=tuple(_user(cluster, user) for user in slurm.users),
        slurm=build(
            contract.Slurm,
            slurm,
            # Jobs without a partition go to the first one.
            partitions=tuple(
                build(contract.Partition, partition, default=index == 0)
                for index, partition in enumerate(slurm.partitions)
            ),
            accounting=slurm.accounting.kind,
            topology={"auto": "automatic"}.get(slurm.topology, slurm.topology),
        ),
        containers=contract.Containers(
            pyxis=containers.pyxis,
            install="mirrored" if containers.install == "mirrored" else "image",
        ),
        artefacts=_artefacts(cluster),
        mountpoints=tuple(
            contract.Mountpoint(bucket=bucket.name, prefix=None, mount_path=bucket.mount_path)
            for bucket in storage.buckets
            if bucket.mount_path is not None
        ),
        directory_buckets=tuple(
            names.directory_bucket(bucket, cluster)
            for bucket in storage.buckets
            if bucket.directory
        ),
        checkpoint_path=storage.checkpoint_path,
        metrics=_metrics(cluster),
        job_role_arn=job_role_arn(cluster),
        acceptance=_acceptance(cluster),
        state_bucket=names.lifecycle_bucket(cluster),
        node_steps={},
    )


def _acceptance(cluster: Cluster) -> contract.Acceptance:
    return build(
        contract.Acceptance,
        cluster.acceptance,
        waivers=tuple(
            build(
                contract.AcceptanceWaiver,
                waiver,
                reason=" ".join(waiver.reason.split()),
                expires=waiver.expires.isoformat(),
            )
            for waiver in cluster.acceptance.waivers
        ),
    )


def _acceptance_of(
    acceptance: contract.Acceptance, groups: Sequence[contract.Group]
) -> contract.Acceptance:
    """The part that concerns nodes of some groups; level and re-checks are the controller's."""
    names = {group.name for group in groups}
    return replace(
        acceptance,
        level="quick",
        recheck_hours=None,
        floors=tuple(row for row in acceptance.floors if not row.groups or names & {*row.groups}),
        waivers=tuple(
            row for row in acceptance.waivers if not row.groups or names & {*row.groups}
        ),
    )


def configuration(cluster: Cluster) -> str:
    """What configures Slurm on the nodes: `managed`, `scripted`, or `parallelcluster`."""
    return cluster.traits.node_setup or cluster.slurm.configuration


def deployment_json(
    lustre: Sequence[LustreMount],
    home: HomeMount | None,
    accounting: AccountingDatabase | None,
    munge_key_secret_arn: str | None = None,
    prometheus_workspace_id: str | None = None,
) -> dict[str, Any]:
    """`deployment.json`: where things are. Values are tokens that CloudFormation resolves."""
    file = contract.DeploymentFile(
        schema_version=contract.SCHEMA_VERSION,
        lustre=tuple(build(contract.DeployedLustre, fs) for fs in lustre),
        home=build(contract.DeployedHome, home) if home is not None else None,
        accounting=(
            build(contract.Accounting, accounting, database=accounting.database_name)
            if accounting is not None
            else None
        ),
        # HyperPod's own log group has the cluster's id in its name, which does not exist yet.
        log_group_name=None,
        munge_key_secret_arn=munge_key_secret_arn,
        prometheus_workspace_id=prometheus_workspace_id,
    )
    return to_json(file)


def provisioning_parameters(
    cluster: Cluster, lustre: Sequence[LustreMount], home: HomeMount | None
) -> dict[str, Any]:
    """HyperPod's own file of the scripted mode: which group is the controller, and so on."""
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


def preload_paths(file_system: Lustre) -> list[str]:
    """Paths on nodes of folders that are loaded from S3; `/` of a repository is its path."""
    found = []
    for repository in file_system.repositories:
        for folder in repository.preload:
            parts = [file_system.mount_path, repository.path, folder]
            found.append("/" + "/".join(part.strip("/") for part in parts if part.strip("/")))
    return found


def _metrics(cluster: Cluster) -> contract.Metrics | None:
    metrics = cluster.observability.metrics
    return build(contract.Metrics, metrics) if metrics.listen != "off" else None


def _lustre(cluster: Cluster, index: int, file_system: Lustre) -> contract.Lustre:
    return build(
        contract.Lustre,
        file_system,
        by_platform=(
            index < lustre_mounted_by_hyperpod(cluster)
            if cluster.on_hyperpod
            else mounted_by_parallelcluster(file_system)
        ),
        preload=preload_paths(file_system),
        existing=file_system.existing is not None,
    )


def _group(
    cluster: Cluster, group: ComputeGroup, partition_of: dict[str, str], catalog: Catalog
) -> contract.Group:
    scratch = group.scratch
    return build(
        contract.Group,
        group,
        accelerator=accelerators.family(group.instance_type, catalog),
        accelerator_count=accelerators.count(group.instance_type, catalog),
        partition=partition_of.get(group.name),
        # ParallelCluster does not launch spare nodes: every running node takes jobs.
        spare_count=0 if cluster.traits.spares_from_reserved_capacity else group.spare_count,
        scratch=(
            contract.Scratch(mount_path=scratch.mount_path, raid_level=0) if scratch else None
        ),
        efa=has_efa(group, catalog),
        **hardware(group, catalog),
        software=tuple(
            contract.DeclaredVersion(component=name, version=version)
            for name, version in sorted(software.stated(cluster, group, catalog).items())
            if name in cluster.software or name in group.software
        ),
        spot=group.capacity.kind == "spot",
    )


def _artefacts(cluster: Cluster) -> contract.Artefacts | None:
    """The files that nodes download. Nodes refuse a file whose checksum is unknown."""
    files = artefacts_of(cluster)
    if not files:
        return None
    return contract.Artefacts(
        bucket=names.lifecycle_bucket(cluster),
        files=tuple(build(contract.Artefact, each, file=each.file_name) for each in files),
    )


def _user(cluster: Cluster, user: User) -> contract.User:
    has_accounts = cluster.slurm.accounting.kind != "none"
    return build(
        contract.User,
        user,
        gid=user.gid if user.gid is not None else user.uid,
        slurm_account=user.slurm_account if has_accounts else None,
    )
