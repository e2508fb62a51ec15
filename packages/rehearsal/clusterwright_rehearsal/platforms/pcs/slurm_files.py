"""Slurm's files on the controller that AWS PCS runs.

PCS publishes no slurm.conf: the settings are those that its features need (configless, auth/slurm
with the cluster's shared secret, power saving) and the custom settings of the API. As elsewhere in
a rehearsal, what does not work on an emulated node (cgroups, `REPLACED`) and timeouts for which a
rehearsal waits (`SHORT_TIMEOUTS`) differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright_localaws.drivers import PcsGroupOrder, PcsOrder
from clusterwright_rehearsal.nodes.hardware import hardware_of

FOLDER = "/opt/slurm/etc"
KEY = f"{FOLDER}/slurm.key"
PROGRAMS = "/opt/pcs"
REQUESTS = "/run/pcs"
"""Where the programs for power saving leave the names of nodes."""
SHORT_TIMEOUTS = {
    "SlurmdTimeout": "10",
    "MessageTimeout": "10",
    "KillWait": "2",
    "UnkillableStepTimeout": "60",
    # A job that lost its node waits until its credential expires. The controller has no users.
    "AuthInfo": "use_client_ids,cred_expire=10",
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
_REAL_MEMORY_SHARE = 0.95
"""Of the memory of the instance type; PCS's share is not published."""


def programs() -> dict[str, str]:
    """The programs for power saving, by path.

    Each writes the names of nodes to a file of its own, which is complete when it has its name.
    """
    return {
        f"{PROGRAMS}/{name}": f"""#!/bin/sh
# The service of PCS reads the names, and launches or terminates their instances.
new=$(mktemp {REQUESTS}/.XXXXXX) || exit 1
/usr/bin/scontrol show hostnames "$1" >"$new" && mv "$new" "$(mktemp -u {REQUESTS}/{name}.XXXXXX)"
"""
        for name in ("resume", "suspend")
    }


def files(order: PcsOrder, host: str) -> dict[str, str]:
    """Path below `FOLDER` to text, for the controller with the host name `host`."""
    return {
        "slurm.conf": _slurm_conf(order, host),
        "gres.conf": "".join(f"{line}\n" for line in ("AutoDetect=off", *_gres(order))),
        "cgroup.conf": "CgroupPlugin=disabled\n",
    }


def slurmdbd_conf(order: PcsOrder, host: str, password: str) -> str:
    """slurmdbd.conf, with the custom settings of the cluster."""
    return _lines(
        {
            "AuthType": "auth/slurm",
            "DbdHost": host,
            "DbdAddr": order.address,
            "SlurmUser": "slurm",
            "LogFile": "/var/log/slurmdbd.log",
            "PidFile": "/run/slurmdbd/slurmdbd.pid",
            "StorageType": "accounting_storage/mysql",
            "StorageHost": "localhost",
            "StorageUser": "slurm",
            "StoragePass": password,
            "StorageLoc": "slurm_acct_db",
            **_custom(_configuration(order), "slurmdbdCustomSettings"),
        }
    )


def has_accounting(order: PcsOrder) -> bool:
    """Whether the service runs slurmdbd."""
    return bool(_configuration(order)["accounting"]["mode"] == "STANDARD")


def _slurm_conf(order: PcsOrder, host: str) -> str:
    configuration = _configuration(order)
    custom = _custom(configuration, "slurmCustomSettings")
    static = [names for group in order.groups if (names := _names(group, group.static_count))]
    settings = {
        "ClusterName": order.name,
        "SlurmctldHost": f"{host}({order.address})",
        "SlurmUser": "slurm",
        "SlurmctldPort": "6817",
        "SlurmdPort": "6818",
        "AuthType": "auth/slurm",
        "CredType": "cred/slurm",
        "StateSaveLocation": "/var/spool/slurm.state",
        "SlurmdSpoolDir": "/var/spool/slurmd",
        "SlurmctldPidFile": "/run/slurmctld/slurmctld.pid",
        "SlurmdPidFile": "/run/slurm/slurmd.pid",
        "SlurmctldParameters": "enable_configless,idle_on_node_suspend,power_save_interval=2"
        ",power_save_min_interval=0",
        "TreeWidth": "65533",
        "ResumeProgram": f"{PROGRAMS}/resume",
        "SuspendProgram": f"{PROGRAMS}/suspend",
        "ResumeTimeout": "600",
        "SuspendTimeout": "10",
        "SuspendTime": str(configuration["scaleDownIdleTimeInSeconds"]),
        "ResumeRate": "0",
        "SuspendRate": "0",
        "RebootProgram": "/usr/sbin/reboot",
        "PrivateData": "cloud",
        "ReturnToService": "2",
        "SchedulerType": "sched/backfill",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_CPU",
        "PriorityType": "priority/multifactor",
        "MpiDefault": "none",
        "SlurmctldTimeout": "300",
        "InactiveLimit": "0",
        "Waittime": "0",
        "SlurmctldLogFile": "/var/log/slurmctld.log",
        "SlurmdLogFile": "/var/log/slurmd.log",
        **({"SuspendExcNodes": ",".join(static)} if static else {}),
        **({"GresTypes": "gpu"} if any(_gres(order)) else {}),
        **_accounting(order),
        **custom,
        **SHORT_TIMEOUTS,
        **REPLACED,
    }
    return _lines(settings) + "".join(f"{line}\n" for line in _nodes_and_partitions(order))


def _accounting(order: PcsOrder) -> dict[str, str]:
    if not has_accounting(order):
        return {}
    return {
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStorageHost": order.address,
        "AccountingStoragePort": "6819",
    }


def _nodes_and_partitions(order: PcsOrder) -> Iterator[str]:
    names = {}
    for group in order.groups:
        names[group.id] = _names(group, group.members["scalingConfiguration"]["maxInstanceCount"])
        if names[group.id]:
            yield f"NodeName={names[group.id]} {_node(group)}"
    for queue in order.queues:
        ids = [
            str(one["computeNodeGroupId"])
            for one in queue.members["computeNodeGroupConfigurations"]
        ]
        nodes = ",".join(names[each] for each in ids if names.get(each))
        custom = _custom(queue.members.get("slurmConfiguration") or {}, "slurmCustomSettings")
        words = {"PartitionName": queue.name, "Nodes": nodes, "State": "UP", **custom}
        if nodes:
            yield " ".join(f"{key}={value}" for key, value in words.items())


def _names(group: PcsGroupOrder, count: int) -> str:
    """The names of the first `count` nodes of a group: `workers-[1-2]`; empty for none."""
    return f"{group.name}-[1-{count}]" if count else ""


def _node(group: PcsGroupOrder) -> str:
    # Of several types the first one: they must have the same processors and GPUs.
    found = hardware_of(group.members["instanceConfigs"][0]["instanceType"])
    words = {"CPUs": str((found.cores or 1) * (found.threads_per_core or 1))}
    if found.memory_gib:
        words["RealMemory"] = str(int(found.memory_gib * 1024 * _REAL_MEMORY_SHARE))
    words |= _custom(group.members.get("slurmConfiguration") or {}, "slurmCustomSettings")
    return " ".join(f"{key}={value}" for key, value in {**words, "State": "CLOUD"}.items())


def _gres(order: PcsOrder) -> Iterator[str]:
    """The records of gres.conf: with the device files where Slurm would look for GPUs itself.

    No plugin of NVML exists here.
    """
    for group in order.groups:
        count = group.members["scalingConfiguration"]["maxInstanceCount"]
        records = (group.members.get("slurmConfiguration") or {}).get("gresCustomSettings") or []
        if not count or not records:
            continue
        devices = hardware_of(group.members["instanceConfigs"][0]["instanceType"])
        last = devices.accelerator_count - 1
        for record in records:
            words = {key: str(value) for key, value in record.items() if value not in (None, "")}
            if words.pop("AutoDetect", None) is not None:
                words["File"] = f"/dev/nvidia[0-{last}]" if last else "/dev/nvidia0"
            yield f"NodeName={_names(group, count)} " + " ".join(
                f"{key}={value}" for key, value in words.items()
            )


def _configuration(order: PcsOrder) -> Mapping[str, Any]:
    found: Mapping[str, Any] = order.members["slurmConfiguration"]
    return found


def _custom(configuration: Mapping[str, Any], name: str) -> dict[str, str]:
    return {
        str(one["parameterName"]): str(one["parameterValue"])
        for one in configuration.get(name) or ()
    }


def _lines(settings: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in settings.items())
