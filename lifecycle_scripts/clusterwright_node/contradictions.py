"""Contradictions within cluster.json that its types and patterns do not exclude."""

from __future__ import annotations

from collections.abc import Sequence

from clusterwright_node.contract import DIRECTORY_BUCKET, PARALLELCLUSTER, PCS, ClusterFile
from clusterwright_node.paths import is_under


def contradictions(cluster: ClusterFile) -> list[str]:
    found: list[str] = []
    # On HyperPod the configuration is managed or scripted, elsewhere it has the platform's name.
    other = (PARALLELCLUSTER, PCS)
    if cluster.platform != cluster.configuration and (
        cluster.platform in other or cluster.configuration in other
    ):
        found.append(
            f"platform is {cluster.platform}, and configuration is {cluster.configuration}"
        )
    found.extend(_group_contradictions(cluster))
    found.extend(_user_contradictions(cluster))
    found.extend(_slurm_contradictions(cluster))
    found.extend(_path_contradictions(cluster))
    found.extend(_artefact_contradictions(cluster))
    for name in cluster.directory_buckets:
        if not DIRECTORY_BUCKET.fullmatch(name):
            found.append(f"directory_buckets: {name} is not the name of a directory bucket")
    return found


def _artefact_contradictions(cluster: ClusterFile) -> list[str]:
    files = () if cluster.artefacts is None else cluster.artefacts.files
    found = _repeated(
        "artefacts.files: name and architecture",
        [f"{each.name} for {each.architecture}" for each in files],
    )
    for index, each in enumerate(files):
        if (each.sha256 is None) != (each.size_bytes is None):
            found.append(f"artefacts.files[{index}]: only one of sha256 and size_bytes is unknown")
    if cluster.containers.install == "mirrored" and not cluster.containers.pyxis:
        found.append("containers: install is mirrored, but pyxis is false")
    if cluster.containers.install == "mirrored" and not files:
        found.append("containers: install is mirrored, but artefacts has no files")
    return found


def _group_contradictions(cluster: ClusterFile) -> list[str]:
    found: list[str] = []
    partitions = [partition.name for partition in cluster.slurm.partitions]
    found.extend(_repeated("groups: name", [group.name for group in cluster.groups]))
    found.extend(_repeated("lustre: name", [entry.name for entry in cluster.lustre]))
    found.extend(_repeated("slurm.partitions: name", partitions))
    controllers = [group.name for group in cluster.groups if group.role == "controller"]
    if cluster.platform == PCS and controllers:
        found.append(f"groups: AWS PCS runs slurmctld, but {controllers[0]} is a controller")
    elif cluster.platform != PCS and len(controllers) != 1:
        found.append(f"groups: one group has role controller, found {len(controllers)}")
    if sum(partition.default for partition in cluster.slurm.partitions) > 1:
        found.append("slurm.partitions: more than one default")
    for index, group in enumerate(cluster.groups):
        where = f"groups[{index}]"
        if (group.accelerator == "none") != (group.accelerator_count == 0):
            found.append(
                f"{where}: accelerator {group.accelerator} with accelerator_count"
                f" {group.accelerator_count}"
            )
        if group.role == "compute" and group.partition not in partitions:
            found.append(f"{where}.partition: {group.partition} is not in slurm.partitions")
        if group.role != "compute" and group.partition is not None:
            found.append(f"{where}.partition: must be null for a {group.role} group")
        if group.role != "compute" and group.spare_count:
            found.append(f"{where}.spare_count: must be 0 for a {group.role} group")
    return found


def _user_contradictions(cluster: ClusterFile) -> list[str]:
    found: list[str] = []
    names = {group.name for group in cluster.user_groups}
    gids = {group.gid: group.name for group in cluster.user_groups}
    found.extend(_repeated("users: name", [user.name for user in cluster.users]))
    found.extend(_repeated("users: uid", [str(user.uid) for user in cluster.users]))
    found.extend(_repeated("user_groups: name", [group.name for group in cluster.user_groups]))
    found.extend(_repeated("user_groups: gid", [str(group.gid) for group in cluster.user_groups]))
    private: dict[int, str] = {}
    for index, user in enumerate(cluster.users):
        where = f"users[{index}]"
        for group in user.groups:
            if group not in names:
                found.append(f"{where}.groups: {group} is not in user_groups")
        if user.gid not in gids:
            if user.gid in private:
                found.append(
                    f"{where}.gid: {user.gid} is the private group of {private[user.gid]}; put it"
                    " in user_groups"
                )
            elif user.name in names:
                found.append(f"{where}.gid: user_groups has a group {user.name} with another GID")
            private.setdefault(user.gid, user.name)
        if user.slurm_account is not None and cluster.slurm.accounting == "none":
            found.append(f"{where}.slurm_account: slurm.accounting is none")
    return found


def _slurm_contradictions(cluster: ClusterFile) -> list[str]:
    slurm = cluster.slurm
    found = _repeated("slurm.qos: name", [qos.name for qos in slurm.qos])
    found += _repeated("slurm.accounts: name", [account.name for account in slurm.accounts])
    names = {qos.name for qos in slurm.qos}
    for index, qos in enumerate(slurm.qos):
        for other in qos.preempts:
            if other not in names | {"normal"}:
                found.append(f"slurm.qos[{index}].preempts: {other} is not in slurm.qos")
    for index, account in enumerate(slurm.accounts):
        for other in account.qos:
            if other not in names | {"normal"}:
                found.append(f"slurm.accounts[{index}].qos: {other} is not in slurm.qos")
    kinds = ("none", "managed") if cluster.platform == PCS else ("none", "local", "rds")
    if slurm.accounting not in kinds:
        found.append(f"slurm.accounting is {slurm.accounting}, platform is {cluster.platform}")
    found += _order_of_timeouts(cluster)
    if slurm.accounting == "none":
        for key, value in (("qos", slurm.qos), ("accounts", slurm.accounts)):
            if value:
                found.append(f"slurm.{key}: slurm.accounting is none")
    return found


def _order_of_timeouts(cluster: ClusterFile) -> list[str]:
    timeouts = cluster.slurm.timeouts
    if timeouts.message_seconds < timeouts.node_down_seconds:
        return []
    return ["slurm.timeouts: message_seconds must be less than node_down_seconds"]


def _path_contradictions(cluster: ClusterFile) -> list[str]:
    found: list[str] = []
    mounts = [(f"lustre {entry.name}", entry.mount_path) for entry in cluster.lustre]
    mounts += [(f"mountpoint {entry.bucket}", entry.mount_path) for entry in cluster.mountpoints]
    if cluster.home is not None:
        mounts.append(("home", cluster.home.mount_path))
    scratches: set[str] = {group.scratch.mount_path for group in cluster.groups if group.scratch}
    mounts += [("scratch", path) for path in sorted(scratches)]
    for index, (kind, path) in enumerate(mounts):
        for other_kind, other in mounts[index + 1 :]:
            if is_under(path, other) or is_under(other, path):
                if kind == other_kind == "scratch" and path != other:
                    continue  # of different groups, so never on one node
                found.append(f"{kind} at {path} and {other_kind} at {other} overlap")
    for index, lustre in enumerate(cluster.lustre):
        for path in lustre.preload:
            if not is_under(path, lustre.mount_path):
                found.append(f"lustre[{index}].preload: {path} is not below {lustre.mount_path}")
    if cluster.checkpoint_path is not None:
        for entry in cluster.mountpoints:
            if is_under(cluster.checkpoint_path, entry.mount_path):
                found.append(
                    f"checkpoint_path: {cluster.checkpoint_path} is on a read-only Mountpoint for"
                    f" S3 ({entry.mount_path})"
                )
    return found


def _repeated(where: str, values: Sequence[str]) -> list[str]:
    seen: set[str] = set()
    found = []
    for value in values:
        if value in seen:
            found.append(f"{where}: duplicate {value}")
        seen.add(value)
    return found
