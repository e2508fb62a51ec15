"""Write the message of the day: the node's identity, paths and versions."""

from __future__ import annotations

from clusterwright_node import job_files, software
from clusterwright_node.log import LOG
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing

AFTER = (
    "clock",
    "containers",
    "efa_transport",
    "job_files",
    "local_settings",
    "mountpoint_s3",
    "needrestart",
    "scratch",
    "slurm_accounts",
    "slurm_daemons",
    "slurm_follow",
    "software_versions",
    "sudo",
    "unattended_upgrades",
    "user_homes",
)
DEADLINE_SECONDS = 10
RETRIES = 0

# pam_motd shows this folder on Ubuntu and on Amazon Linux.
MOTD = "/etc/motd.d/50-clusterwright"


def applies(node: Node) -> Verdict:
    return APPLIES


def check(node: Node) -> Verdict:
    return (
        SATISFIED if node.machine.read_text(MOTD) == text(node) else missing(f"{MOTD} is outdated")
    )


def apply(node: Node) -> None:
    node.machine.write_text(MOTD, text(node))


def text(node: Node) -> str:
    cluster, group, identity = node.inputs.cluster, node.group, node.identity
    rows = [
        ("cluster", f"{cluster.cluster} in {cluster.region}"),
        ("node", f"{identity.name} ({identity.instance_id}), {group.role} of group {group.name}"),
        ("instance", group.instance_type + _devices(group.accelerator, group.accelerator_count)),
    ]
    if group.partition is not None:
        rows.append(("partition", group.partition))
    rows += [("lustre", entry.mount_path) for entry in cluster.lustre]
    if cluster.home is not None:
        rows.append(("home", f"{cluster.home.mount_path} (shared)"))
    if group.scratch is not None:
        rows.append(("scratch", f"{group.scratch.mount_path} (local, lost with the instance)"))
    for entry in cluster.mountpoints:
        source = f"s3://{entry.bucket}/{entry.prefix or ''}"
        rows.append(("s3", f"{entry.mount_path} (read-only, {source})"))
    if cluster.checkpoint_path is not None:
        rows.append(("checkpoints", cluster.checkpoint_path))
    if job_files.are_here(node):
        rows.append(("jobs", f"{job_files.FOLDER} (files for sbatch, see README there)"))
    rows += [("software", line) for line in _software(node)]
    rows.append(("log", LOG))
    if node.inputs.deployment.log_group_name is not None:
        rows.append(("log group", node.inputs.deployment.log_group_name))
    return "".join(f"{name:<12} {value}\n" for name, value in rows)


def _software(node: Node) -> list[str]:
    """The result of the step software_versions, three versions per line."""
    found = software.reported(node)
    words = [f"{name} {found[key]}" for key, name in software.NAMES.items() if key in found]
    return [", ".join(words[at : at + 3]) for at in range(0, len(words), 3)]


def _devices(accelerator: str, count: int) -> str:
    return "" if accelerator == "none" else f", {count} {accelerator} devices"
