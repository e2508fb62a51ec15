"""The Slurm configuration files that HyperPod writes.

In the managed configuration, roles and partitions come from `SlurmConfig` of the groups, and the
database from `Orchestrator.Slurm.AccountingDatabase`, else it is MariaDB on the controller.
Timeouts are shorter than in production, because a rehearsal waits for them: `SHORT_TIMEOUTS` lists
them, and the verdict mentions it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from clusterwright_localaws.drivers import Member
from clusterwright_rehearsal.nodes.databases import Database
from clusterwright_rehearsal.nodes.hardware import hardware_of

FOLDER = "/opt/slurm/etc"
PORT = 6817
SHORT_TIMEOUTS = {
    "SlurmdTimeout": "10",
    "MessageTimeout": "8",
    "KillWait": "2",
    # A job that lost its node waits until its credential expires, by default 120 s.
    "AuthInfo": "cred_expire=8",
}
SITE_FILES = {
    f"{FOLDER}/clusterwright-site/slurm.conf": (
        "# For an emulated node: no cgroups, and fewer processors than configured.\n"
        "ProctrackType=proctrack/linuxproc\n"
        "TaskPlugin=task/none\n"
        "JobAcctGatherType=jobacct_gather/linux\n"
        "PrologFlags=Alloc\n"
        "SlurmdParameters=config_overrides\n"
    ),
    f"{FOLDER}/clusterwright-site/cgroup.conf": "CgroupPlugin=disabled\n",
}
"""Site settings, which override those of the node program (scripted configuration)."""
_BEGIN = "# --- nodes and partitions, written by HyperPod"
_END = "# --- end of nodes and partitions"
_MEMORY_SHARE = 0.95


def host_name(address: str) -> str:
    """HyperPod's host name of a node: ip-10-0-1-5, as in public job scripts and threads."""
    return "ip-" + address.replace(".", "-")


def node_type(specification: Mapping[str, Any]) -> str | None:
    """`Controller`, `Login` or `Compute`; None if the request has no `SlurmConfig`."""
    return (specification.get("SlurmConfig") or {}).get("NodeType")


def slurm_conf(
    cluster: str,
    controller: Member,
    compute: Sequence[tuple[Member, Mapping[str, Any]]],
    *,
    accounting: bool,
) -> str:
    """slurm.conf; `compute` are the compute nodes with the specifications of their groups."""
    host = host_name(controller.address)
    lines = [
        "# Written by the rehearsal instead of HyperPod; the file of the real image is not known.",
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
        # Slurm's cgroup v2 plugin does not work on an emulated node.
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "JobAcctGatherType=jobacct_gather/linux",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core_Memory",
        # Nodes are configured with more processors than this machine has.
        "SlurmdParameters=config_overrides",
        "ReturnToService=1",
        "MpiDefault=none",
        "JobRequeue=1",
        "PriorityType=priority/multifactor",
        "SchedulerParameters=bf_interval=2,sched_interval=2",
        *(f"{key}={value}" for key, value in SHORT_TIMEOUTS.items()),
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
    """The part of slurm.conf that changes with the nodes, between two marker comments."""
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
    """`text` with its nodes and partitions replaced; other changes to the file are kept."""
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
    """gres.conf: the device files of the accelerators, one line per node."""
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
    """Slurm's name of a cluster, which must be lowercase."""
    return name.lower()
