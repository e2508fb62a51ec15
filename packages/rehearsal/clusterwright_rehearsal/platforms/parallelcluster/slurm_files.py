"""The Slurm configuration files that ParallelCluster's cookbook writes.

`slurm.conf.erb`, `slurm_parallelcluster.conf`, `slurm_parallelcluster_queue_partition.conf` and
`slurm_parallelcluster_queue_gres.conf` of the cookbook, for the queues of a configuration.
Two groups of settings differ, after a comment in the files: what does not work on an emulated node
(cgroups, `REPLACED`), and timeouts for which a rehearsal waits (`SHORT_TIMEOUTS`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright_rehearsal.nodes.hardware import hardware_of

FOLDER = "/opt/slurm/etc"
SCRIPTS = "/opt/parallelcluster/scripts/slurm"
PORT = 6820
SHORT_TIMEOUTS = {
    "SlurmdTimeout": "20",
    "MessageTimeout": "10",
    "KillWait": "2",
    "UnkillableStepTimeout": "60",
    # A job that lost its node waits until its credential expires.
    "AuthInfo": "cred_expire=10",
}
REPLACED = {
    "ProctrackType": "proctrack/linuxproc",
    "TaskPlugin": "task/none",
    "JobAcctGatherType": "jobacct_gather/linux",
    "PrologFlags": "Alloc",
    # Nodes are configured with more processors than this machine has.
    "SlurmdParameters": "config_overrides",
}
"""Replacements for settings that slurmd refuses on a host with mixed cgroups."""
NO_OP_PROGRAM = """#!/bin/sh
# Instead of ParallelCluster's program: the rehearsal starts and terminates instances.
exit 0
"""
_REAL_MEMORY_SHARE = 0.95
"""ParallelCluster's realmemory_to_ec2memory_ratio."""


def node_names(queue: Mapping[str, Any], resource: Mapping[str, Any], *, static: bool) -> str:
    """The host list of static or dynamic nodes: `train-st-workers-[1-2]`; empty without nodes."""
    least, most = int(resource.get("MinCount", 0)), int(resource["MaxCount"])
    count = least if static else most - least
    kind = "st" if static else "dy"
    return f"{queue['Name']}-{kind}-{resource['Name']}-[1-{count}]" if count else ""


def files(name: str, configuration: Mapping[str, Any], head: str, address: str) -> dict[str, str]:
    """Path below `FOLDER` to text, for the head node `head` at `address`."""
    scheduling = configuration["Scheduling"]
    settings = scheduling.get("SlurmSettings") or {}
    custom = {
        str(key): str(value)
        for entry in settings.get("CustomSlurmSettings") or []
        for key, value in entry.items()
    }
    found = {
        "slurm.conf": _slurm_conf(name, custom),
        "slurm_parallelcluster.conf": _included(configuration, head, address),
        "pcluster/custom_slurm_settings_include_file_slurm.conf": _lines(
            {
                **{key: value for key, value in custom.items() if key not in REPLACED},
                **{key: SHORT_TIMEOUTS[key] for key in custom if key in SHORT_TIMEOUTS},
            }
        ),
        "gres.conf": "include slurm_parallelcluster_gres.conf\n",
        "cgroup.conf": "CgroupPlugin=disabled\n",
        "pcluster/.slurm_plugin/.keep": "",
        "scripts/prolog.d/90_pcluster_health_check_manager": NO_OP_PROGRAM,
        "scripts/epilog.d/90_pcluster_noop": NO_OP_PROGRAM,
    }
    gres = ["AutoDetect=off"]
    for index, queue in enumerate(scheduling["SlurmQueues"]):
        path = f"pcluster/slurm_parallelcluster_{queue['Name']}_partition.conf"
        found[path] = "\n".join(_partition(queue, default=index == 0)) + "\n"
        gres += _gres(queue)
    found["slurm_parallelcluster_gres.conf"] = "\n".join(gres) + "\n"
    return found


def slurmdbd_conf(head: str, database: Any) -> str:
    """slurmdbd.conf with its include file, and the password that ParallelCluster downloads."""
    return _lines(
        {
            "AuthType": "auth/munge",
            "DbdHost": head,
            "SlurmUser": "slurm",
            "LogFile": "/var/log/slurmdbd.log",
            "PidFile": "/run/slurmdbd/slurmdbd.pid",
            "StorageType": "accounting_storage/mysql",
            "StorageHost": database.host,
            "StoragePort": str(database.port),
            "StorageUser": database.user,
            "StoragePass": database.password,
            "StorageLoc": database.name,
        }
    )


def _slurm_conf(name: str, custom: Mapping[str, str]) -> str:
    defaults = {
        "ClusterName": name,
        "SlurmUser": "slurm",
        "SlurmctldPort": f"{PORT}-{PORT + 9}",
        "SlurmdPort": "6818",
        "AuthType": "auth/munge",
        "StateSaveLocation": "/var/spool/slurm.state",
        "SlurmdSpoolDir": "/var/spool/slurmd",
        "SlurmctldPidFile": "/run/slurmctld/slurmctld.pid",
        "SlurmdPidFile": "/run/slurm/slurmd.pid",
        "ReconfigFlags": "KeepPartState",
        "SlurmctldParameters": "idle_on_node_suspend,power_save_min_interval=30",
        "TreeWidth": "65533",
        "CommunicationParameters": "NoAddrCache",
        "SuspendProgram": f"{SCRIPTS}/slurm_suspend",
        "ResumeProgram": f"{SCRIPTS}/slurm_resume",
        "ResumeFailProgram": f"{SCRIPTS}/slurm_suspend",
        "SuspendTimeout": "120",
        "RebootProgram": "/sbin/reboot",
        "PrivateData": "cloud",
        "ResumeRate": "0",
        "SuspendRate": "0",
        "Prolog": f"{FOLDER}/scripts/prolog.d/*",
        "Epilog": f"{FOLDER}/scripts/epilog.d/*",
        "SchedulerParameters": "nohold_on_prolog_fail",
        "BatchStartTimeout": "180",
        "SlurmctldTimeout": "300",
        "SlurmdTimeout": "180",
        "UnkillableStepTimeout": "180",
        "InactiveLimit": "0",
        "MinJobAge": "300",
        "KillWait": "30",
        "Waittime": "0",
        "MessageTimeout": "60",
        "AuthInfo": "cred_expire=70",
        "EnforcePartLimits": "ALL",
        "SchedulerType": "sched/backfill",
        "ProctrackType": "proctrack/cgroup",
        "MpiDefault": "none",
        "ReturnToService": "1",
        "TaskPlugin": "task/affinity,task/cgroup",
        "GresTypes": "gpu",
        "SelectType": "select/cons_tres",
        "SlurmctldLogFile": "/var/log/slurmctld.log",
        "SlurmdLogFile": "/var/log/slurmd.log",
    }
    # slurmctld warns of duplicate keys; custom ones are in the included file.
    kept = {key: value for key, value in defaults.items() if key not in custom}
    changed = {**{k: v for k, v in SHORT_TIMEOUTS.items() if k in kept}, **REPLACED}
    return (
        "# As in ParallelCluster's cookbook, except for the last lines.\n"
        + _lines({key: value for key, value in kept.items() if key not in changed})
        + "include slurm_parallelcluster.conf\n"
        + "include pcluster/custom_slurm_settings_include_file_slurm.conf\n"
        + "# Settings that the rehearsal changes.\n"
        + _lines(changed)
    )


def _included(configuration: Mapping[str, Any], head: str, address: str) -> str:
    scheduling = configuration["Scheduling"]
    settings = scheduling.get("SlurmSettings") or {}
    idle = int(settings.get("ScaledownIdletime", 10))
    lines = {
        "SlurmctldHost": f"{head}({address})",
        "SuspendTime": str(-1 if idle == -1 else idle * 60),
        "ResumeTimeout": "600",
        "SelectTypeParameters": (
            "CR_CPU_Memory" if _true(settings.get("EnableMemoryBasedScheduling")) else "CR_CPU"
        ),
    }
    if settings.get("Database"):
        lines |= {
            "AccountingStorageType": "accounting_storage/slurmdbd",
            "AccountingStorageHost": head,
            "AccountingStoragePort": "6819",
            "AccountingStorageUser": "slurm",
        }
    text = _lines(lines)
    static = []
    for queue in scheduling["SlurmQueues"]:
        text += f"include {FOLDER}/pcluster/slurm_parallelcluster_{queue['Name']}_partition.conf\n"
        static += [
            names
            for resource in queue["ComputeResources"]
            if (names := node_names(queue, resource, static=True))
        ]
    return text + (f"SuspendExcNodes={','.join(static)}\n" if static else "")


def _partition(queue: Mapping[str, Any], *, default: bool) -> Iterator[str]:
    names = []
    for resource in queue["ComputeResources"]:
        for static in (True, False):
            own = node_names(queue, resource, static=static)
            if own:
                names.append(own)
                yield f"NodeName={own} {_node(resource, static=static)}"
    if not names:
        return
    yield f"NodeSet={queue['Name']}_nodes Nodes={','.join(names)}"
    words = [f"PartitionName={queue['Name']}", f"Nodes={queue['Name']}_nodes"]
    custom = {
        str(key): str(value) for key, value in (queue.get("CustomSlurmSettings") or {}).items()
    }
    words += [f"{key}={value}" for key, value in {"MaxTime": "INFINITE", **custom}.items()]
    words.append("State=UP")
    if _true(queue.get("JobExclusiveAllocation")):
        words.append("OverSubscribe=EXCLUSIVE")
    yield " ".join([*words, *(["Default=YES"] if default else [])])


def _node(resource: Mapping[str, Any], *, static: bool) -> str:
    found = hardware_of(resource["InstanceType"])
    cores = found.cores or 1
    threads = found.threads_per_core or 1
    if _true(resource.get("DisableSimultaneousMultithreading")):
        threads = 1
    words = [f"CPUs={cores * threads}"]
    if found.memory_gib:
        words.append(f"RealMemory={int(found.memory_gib * 1024 * _REAL_MEMORY_SHARE)}")
    features = ["static" if static else "dynamic", resource["InstanceType"], resource["Name"]]
    if _true((resource.get("Efa") or {}).get("Enabled")):
        features.append("efa")
    if found.kind == "nvidia":
        features.append("gpu")
    key, weight = ("StaticNodePriority", 1) if static else ("DynamicNodePriority", 1000)
    weight = int(resource.get(key, weight))
    words += ["State=CLOUD", f"Feature={','.join(features)}", f"Weight={weight}"]
    if found.kind == "nvidia":
        words.append(f"Gres=gpu:{_gpu(found.accelerator)}:{found.accelerator_count}")
    return " ".join(words)


def _gres(queue: Mapping[str, Any]) -> Iterator[str]:
    for resource in queue["ComputeResources"]:
        found = hardware_of(resource["InstanceType"])
        if found.kind != "nvidia":
            continue
        last = found.accelerator_count - 1
        files = f"/dev/nvidia[0-{last}]" if last else "/dev/nvidia0"
        for static in (True, False):
            own = node_names(queue, resource, static=static)
            if own:
                yield f"NodeName={own} Name=gpu Type={_gpu(found.accelerator)} File={files}"


def _gpu(accelerator: str) -> str:
    """ParallelCluster's `gpu_type`: EC2's name of the GPU in lowercase, without spaces."""
    return accelerator.lower().replace(" ", "")


def _lines(settings: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def _true(value: object) -> bool:
    return str(value).lower() == "true"
