"""The Slurm that HyperPod sets up by itself in the managed configuration, as texts of files.

The roles and partitions are those of the groups' `SlurmConfig`, the database that of
`Orchestrator.Slurm.AccountingDatabase`, else MariaDB on the controller. Timeouts are shorter than
anybody would choose for production, because a rehearsal waits for them: `COMPRESSED` lists them,
and the verdict says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusterwright_localaws.drivers import Member
from clusterwright_rehearsal.nodes.hardware import hardware_of

FOLDER = "/opt/slurm/etc"
PORT = 6817
COMPRESSED = {
    "SlurmdTimeout": "10",
    "MessageTimeout": "8",
    "KillWait": "2",
    # Without it a job that lost its node waits for its credential to expire, 120 s by default.
    "AuthInfo": "cred_expire=8",
}
SITE_FILES = {
    f"{FOLDER}/clusterwright-site/slurm.conf": (
        "# What this kind of machine cannot do, and nodes that are larger than it.\n"
        "ProctrackType=proctrack/linuxproc\n"
        "TaskPlugin=task/none\n"
        "JobAcctGatherType=jobacct_gather/linux\n"
        "PrologFlags=Alloc\n"
        "SlurmdParameters=config_overrides\n"
    ),
    f"{FOLDER}/clusterwright-site/cgroup.conf": "CgroupPlugin=disabled\n",
}
"""The site's own settings, which the node program puts over its own (scripted configuration)."""
_BEGIN = "# --- nodes and partitions, written by HyperPod"
_END = "# --- end of nodes and partitions"
_MEMORY_SHARE = 0.95


@dataclass(frozen=True)
class Database:
    """Where slurmdbd keeps its records."""

    host: str
    port: int
    name: str
    user: str
    password: str


def host_name(address: str) -> str:
    """HyperPod's name of a node: ip-10-0-1-5, seen in public job scripts and threads."""
    return "ip-" + address.replace(".", "-")


def node_type(specification: Mapping[str, Any]) -> str | None:
    """`Controller`, `Login` or `Compute`; None where HyperPod is not told."""
    return (specification.get("SlurmConfig") or {}).get("NodeType")


def slurm_conf(
    cluster: str,
    controller: Member,
    compute: Sequence[tuple[Member, Mapping[str, Any]]],
    *,
    accounting: bool,
) -> str:
    """The whole slurm.conf; `compute` are the nodes with their groups' specifications."""
    host = host_name(controller.address)
    lines = [
        "# Written by the rehearsal in HyperPod's place; the real image's file is not known.",
        f"ClusterName={cluster_name(cluster)}",
        f"SlurmctldHost={host}({controller.address})",
        "SlurmctldParameters=enable_configless",
        "SlurmUser=slurm",
        "AuthType=auth/munge",
        f"SlurmctldPort={PORT}",
        "SlurmdPort=6818",
        "StateSaveLocation=/var/spool/slurmctld",
        "SlurmdSpoolDir=/var/spool/slurmd",
        "SlurmctldPidFile=/run/slurmctld/slurmctld.pid",
        "SlurmdPidFile=/run/slurm/slurmd.pid",
        "SlurmctldLogFile=/var/log/slurm/slurmctld.log",
        "SlurmdLogFile=/var/log/slurm/slurmd.log",
        # This kind of machine refuses Slurm's cgroup v2 plugin.
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "JobAcctGatherType=jobacct_gather/linux",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core_Memory",
        # Nodes are said to have more processors than this machine.
        "SlurmdParameters=config_overrides",
        "ReturnToService=1",
        "MpiDefault=none",
        "JobRequeue=1",
        "PriorityType=priority/multifactor",
        "SchedulerParameters=bf_interval=2,sched_interval=2",
        *(f"{key}={value}" for key, value in COMPRESSED.items()),
    ]
    gres = sorted({g for member, _ in compute if (g := gres_name(member.instance_type))})
    if gres:
        lines.append(f"GresTypes={','.join(gres)}")
    if accounting:
        lines += [
            "AccountingStorageType=accounting_storage/slurmdbd",
            f"AccountingStorageHost={host}",
        ]
        lines += [f"AccountingStorageTRES={','.join(f'gres/{g}' for g in gres)}"] if gres else []
    return "\n".join(lines) + "\n" + nodes_block(compute)


def nodes_block(compute: Sequence[tuple[Member, Mapping[str, Any]]]) -> str:
    """The part of slurm.conf that changes when nodes come and go, between two marks."""
    lines = [_BEGIN]
    partitions: dict[str, list[str]] = {}
    for member, specification in compute:
        lines.append(node_line(member))
        for name in (specification.get("SlurmConfig") or {}).get("PartitionNames") or ["dev"]:
            partitions.setdefault(name, []).append(host_name(member.address))
    for index, (name, nodes) in enumerate(partitions.items()):
        default = "YES" if index == 0 else "NO"
        lines.append(
            f"PartitionName={name} Nodes={','.join(nodes)} Default={default} MaxTime=INFINITE"
            " State=UP"
        )
    return "\n".join([*lines, _END]) + "\n"


def with_nodes(text: str, compute: Sequence[tuple[Member, Mapping[str, Any]]]) -> str:
    """`text` with its nodes and partitions replaced; what else was added to the file stays."""
    pattern = re.compile(rf"{re.escape(_BEGIN)}\n.*?{re.escape(_END)}\n", re.DOTALL)
    if not pattern.search(text):
        return text + nodes_block(compute)
    return pattern.sub(lambda _: nodes_block(compute), text)


def node_line(member: Member) -> str:
    found = hardware_of(member.instance_type)
    words = [f"NodeName={host_name(member.address)}", f"NodeAddr={member.address}"]
    if found.cores and found.threads_per_core:
        words += [
            f"CPUs={found.cores * found.threads_per_core}",
            f"CoresPerSocket={found.cores}",
            f"ThreadsPerCore={found.threads_per_core}",
        ]
    if found.memory_gib:
        words.append(f"RealMemory={int(found.memory_gib * 1024 * _MEMORY_SHARE)}")
    gres = gres_name(member.instance_type)
    if gres:
        words.append(f"Gres={gres}:{found.accelerator_count}")
    return " ".join([*words, "State=UNKNOWN"])


def gres_conf(compute: Sequence[tuple[Member, Mapping[str, Any]]]) -> str:
    """Accelerators by their device files, node by node."""
    lines = ["AutoDetect=off"]
    for member, _ in compute:
        gres = gres_name(member.instance_type)
        if gres:
            device = {"gpu": "/dev/nvidia", "neuron": "/dev/neuron"}[gres]
            last = hardware_of(member.instance_type).accelerator_count - 1
            files = f"{device}[0-{last}]" if last else f"{device}0"
            lines.append(f"NodeName={host_name(member.address)} Name={gres} File={files}")
    return "\n".join(lines) + "\n"


def gres_name(instance_type: str) -> str | None:
    return {"nvidia": "gpu", "neuron": "neuron"}.get(hardware_of(instance_type).kind)


def cgroup_conf() -> str:
    return "CgroupPlugin=disabled\n"


def slurmdbd_conf(controller: Member, database: Database) -> str:
    return "\n".join(
        [
            "AuthType=auth/munge",
            f"DbdHost={host_name(controller.address)}",
            "SlurmUser=slurm",
            "LogFile=/var/log/slurm/slurmdbd.log",
            "PidFile=/run/slurmdbd/slurmdbd.pid",
            "StorageType=accounting_storage/mysql",
            f"StorageHost={database.host}",
            f"StoragePort={database.port}",
            f"StorageUser={database.user}",
            f"StoragePass={database.password}",
            f"StorageLoc={database.name}",
            "",
        ]
    )


def cluster_name(name: str) -> str:
    """Slurm's name of a cluster; it takes no capitals."""
    return name.lower()
