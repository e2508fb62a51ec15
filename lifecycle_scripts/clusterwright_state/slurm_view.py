"""Slurm's nodes, jobs, partitions and reservations, as the file `scheduler.json` has them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

from clusterwright_common.probe import Probe
from clusterwright_common.scontrol import words

from clusterwright_state.records import (
    SEPARATOR,
    reason_parts,
    rows,
    state_words,
    text_or_none,
    time_or_none,
)

AWAY = frozenset(
    (
        *("DOWN", "FAIL", "FAILING", "INVALID_REG", "NOT_RESPONDING", "POWERED_DOWN"),
        *("POWERING_DOWN", "POWERING_UP", "POWER_DOWN", "POWER_UP", "REBOOT_ISSUED", "UNKNOWN"),
    )
)
"""States of a node that may come back after another boot."""
TAKES_NO_JOB = AWAY | {"DRAIN", "DRAINED", "DRAINING", "MAINTENANCE", "REBOOT_REQUESTED"}
MOST_ENDED = 500
ENDED_HOURS = 24
_TIMEOUT_SECONDS = 20.0
CONFIGURATIONS = (
    "/opt/slurm/etc/slurm.conf",
    "/etc/slurm/slurm.conf",
    # What slurmd keeps of the controller's files (slurm.conf(5), configless).
    "/run/slurm/conf/slurm.conf",
)
# Values of slurm.conf that may be secret are not published.
_SECRET = re.compile(r"pass|key|secret|token|authaltparam|authinfo", re.IGNORECASE)
_LAYER = re.compile(r"network-node-layer-([0-9]+)$")
_ENDED_WELL = ("COMPLETED", "RUNNING", "PENDING", "SUSPENDED", "COMPLETING", "CONFIGURING")
_SQUEUE = ("%i", "%u", "%T", "%r", "%S", "%V", "%N", "%j")
_SACCT = (
    "JobIDRaw", "User", "State", "ExitCode", "Reason", "NodeList", "Start", "End", "Restarts",
    "Comment", "SystemComment", "JobName",
)  # fmt: skip


def nodes(
    probe: Probe,
    instances: Mapping[str, tuple[str, str]],
    reserved: Mapping[str, str],
    network: Optional[Mapping[str, list[str]]] = None,
) -> Optional[list[dict[str, Any]]]:
    """Every node; None if slurmctld does not answer.

    Parameters
    ----------
    instances:
        Group and instance id by address, from HyperPod's list of instances.
    reserved:
        The reservation of a node, by name.
    network:
        AWS's network nodes by address, from the top down; None where neither they nor Slurm's tree
        are needed.
    """
    answer = _ask(probe, "scontrol", "--oneliner", "show", "nodes")
    if answer is None:
        return None
    paths = {} if network is None else _switch_paths(probe)
    found = []
    for line in answer.splitlines():
        record = words(line)
        if "NodeName" not in record:
            continue
        name = record["NodeName"]
        reason, by, at = reason_parts(record.get("Reason", ""))
        group, instance = instances.get(record.get("NodeAddr", ""), (None, None))
        found.append(
            {
                "name": name,
                "group": group,
                "instance_id": instance or text_or_none(record.get("InstanceId", "")),
                "address": text_or_none(record.get("NodeAddr", "")),
                "states": state_words(record.get("State", "")),
                "reason": reason,
                "reason_by": by,
                "reason_at": at,
                "partitions": [p for p in record.get("Partitions", "").split(",") if p],
                "reservation": reserved.get(name),
                "boot_time": time_or_none(record.get("BootTime", "")),
                "slurmd_start_time": time_or_none(record.get("SlurmdStartTime", "")),
                "switch_path": (network or {}).get(record.get("NodeAddr", "")),
                "slurm_switch_path": paths.get(name),
            }
        )
    return found


def jobs(probe: Probe) -> Optional[dict[str, Any]]:
    """Counts by state, and the running and pending jobs; None if slurmctld does not answer.

    The nodes of a job are None where Slurm does not name them.
    """
    form = SEPARATOR.join(_SQUEUE)
    answer = _ask(probe, "squeue", "--noheader", "--all", "--states=all", f"--format={form}")
    if answer is None:
        return None
    counts: Counter[str] = Counter()
    running, pending = [], []
    for job, user, state, reason, start, submitted, node_list, name in rows(answer, 8):
        counts[state] += 1
        entry: dict[str, Any] = {"id": job, "name": name, "user": user}
        if state == "RUNNING":
            entry.update(nodes=hosts(probe, node_list), since=time_or_none(start))
            running.append(entry)
        elif state == "PENDING":
            entry.update(reason=reason, since=time_or_none(submitted))
            pending.append(entry)
    return {"jobs": dict(sorted(counts.items())), "running": running, "pending": pending}


def ended(probe: Probe) -> Optional[list[dict[str, Any]]]:
    """The jobs of the last day that did not complete; None without an accounting database."""
    answer = _ask(
        probe, "sacct", "--allusers", "--allocations", "--duplicates", "--noheader", "--parsable2",
        f"--delimiter={SEPARATOR}", f"--starttime=now-{ENDED_HOURS}hours",
        f"--format={','.join(_SACCT)}",
    )  # fmt: skip
    if answer is None:
        return None
    found = []
    for row in _last_ended(rows(answer, len(_SACCT))):
        job, user, state, code, reason, listed, start, end, restarts, comment, ours, name = row
        found.append(
            {
                "id": job,
                "name": name,
                "user": user,
                "state": _word(state),
                "exit_code": code,
                "reason": reason,
                "nodes": hosts(probe, listed),
                "start": time_or_none(start),
                "end": time_or_none(end),
                "restarts": int(restarts) if restarts.isdigit() else None,
                "comment": comment,
                "system_comment": ours,
            }
        )
    return found


def _last_ended(every: Iterable[list[str]]) -> list[list[str]]:
    """The rows of the jobs that are published: each list of nodes is a command of its own."""
    state, end = _SACCT.index("State"), _SACCT.index("End")
    bad = [row for row in every if _word(row[state]) not in ("", *_ENDED_WELL)]
    return sorted(bad, key=lambda row: time_or_none(row[end]) or "")[-MOST_ENDED:]


def _word(state: str) -> str:
    """`CANCELLED by 1000` without its user."""
    return state.partition(" ")[0]


def partitions(probe: Probe) -> Optional[list[dict[str, Any]]]:
    """Every partition with its nodes; None if slurmctld does not answer."""
    answer = _ask(probe, "scontrol", "--oneliner", "show", "partitions")
    if answer is None:
        return None
    records = [words(line) for line in answer.splitlines()]
    return [
        {
            "name": record["PartitionName"],
            "state": record.get("State"),
            "nodes": hosts(probe, record.get("Nodes", "")),
        }
        for record in records
        if "PartitionName" in record
    ]


def reservations(probe: Probe) -> Optional[list[dict[str, Any]]]:
    """Every reservation with its nodes; None if slurmctld does not answer, or names no nodes.

    Whoever changes a reservation has to know all of its nodes.
    """
    answer = _ask(probe, "scontrol", "--oneliner", "show", "reservations")
    if answer is None:
        return None
    records = [words(line) for line in answer.splitlines()]
    found = [
        {
            "name": record["ReservationName"],
            "nodes": hosts(probe, record.get("Nodes", "")),
            "flags": [flag for flag in record.get("Flags", "").split(",") if flag],
            "end": time_or_none(record.get("EndTime", "")),
        }
        for record in records
        if "ReservationName" in record
    ]
    return None if any(one["nodes"] is None for one in found) else found


def running_configuration(probe: Probe) -> Optional[dict[str, str]]:
    """`scontrol show config` without values that may be secret."""
    answer = _ask(probe, "scontrol", "show", "config")
    if answer is None:
        return None
    found = {}
    for line in answer.splitlines():
        key, separator, value = line.partition("=")
        name = key.strip()
        if separator and " " not in name and not _SECRET.search(name):
            found[name] = value.strip()
    # The time of the answer: without it an unchanged state is published again and again.
    return {key: value for key, value in found.items() if key != "BOOT_TIME"}


def version(probe: Probe) -> Optional[str]:
    """`24.11.5`; None if Slurm is not installed."""
    answer = _ask(probe, "scontrol", "--version")
    match = re.search(r"([0-9]+(?:\.[0-9]+)+)", answer or "")
    return match.group(1) if match else None


def daemons(probe: Probe) -> dict[str, Optional[str]]:
    """`up`, `down`, or None for a daemon that this cluster does not have."""
    ping = _ask(probe, "scontrol", "ping")
    plugin = _ask(probe, "scontrol", "show", "config") or ""
    uses_database = re.search(r"AccountingStorageType\s*=\s*accounting_storage/slurmdbd", plugin)
    database = None
    if uses_database:
        database = "up" if _ask(probe, "sacctmgr", "--noheader", "show", "cluster") else "down"
    munge = None
    if _uses_munge(probe, plugin):
        munge = "up" if probe.run(["munge", "--no-input"], _TIMEOUT_SECONDS).ok else "down"
    return {
        "slurmctld": "up" if " UP" in (ping or "") else "down",
        "slurmdbd": database,
        "munge": munge,
    }


def _uses_munge(probe: Probe, configuration: str) -> bool:
    """Whether Slurm's AuthType is auth/munge, its default; that of AWS PCS is auth/slurm.

    Without an answer of slurmctld the files say it.
    """
    for text in (configuration, *map(probe.read, CONFIGURATIONS)):
        found = re.search(r"^\s*AuthType\s*=\s*(\S+)", text or "", re.IGNORECASE | re.MULTILINE)
        if found:
            return found.group(1) == "auth/munge"
    return True


def hosts(probe: Probe, node_list: str) -> Optional[list[str]]:
    """`node-[1-3],other` as names; None if Slurm, which lists with brackets need, does not say."""
    if text_or_none(node_list) is None or node_list.startswith("("):
        return []
    if "[" not in node_list:
        return [name for name in node_list.split(",") if " " not in name]
    answer = _ask(probe, "scontrol", "show", "hostnames", node_list)
    return (answer or "").split() or None


def instances_by_address(text: Optional[str]) -> dict[str, tuple[str, str]]:
    """Group and instance id by address, from HyperPod's `resource_config.json`."""
    try:
        groups = json.loads(text or "{}")["InstanceGroups"]
        return {
            str(one["CustomerIpAddress"]): (str(group["Name"]), str(one["InstanceId"]))
            for group in groups
            for one in group["Instances"]
        }
    except (ValueError, KeyError, TypeError):
        return {}


def network_by_address(text: Optional[str]) -> dict[str, list[str]]:
    """AWS's network nodes by address, from the top down, from `resource_config.json`.

    HyperPod's labels `network-node-layer-1` (the top) and following of an instance, with or
    without a prefix such as `topology.k8s.aws/` (awslabs/awsome-distributed-ai,
    hyperpod-mental-model.md, 2026-07-23).
    """
    try:
        found = {}
        for group in json.loads(text or "{}")["InstanceGroups"]:
            for one in group["Instances"]:
                layers = dict(_layers(one))
                if layers:
                    found[str(one["CustomerIpAddress"])] = [layers[n] for n in sorted(layers)]
        return found
    except (ValueError, KeyError, TypeError):
        return {}


def _layers(value: Any) -> Iterator[tuple[int, str]]:
    """The layers in an instance's entry: as keys of an object, or as a list of keys and values."""
    if isinstance(value, dict):
        pairs = [*value.items(), (value.get("Key"), value.get("Value"))]
        for key, part in pairs:
            layer = _LAYER.search(str(key))
            if layer and isinstance(part, str) and part:
                yield int(layer.group(1)), part
            elif key != "Value":
                yield from _layers(part)
    elif isinstance(value, list):
        for part in value:
            yield from _layers(part)


def _switch_paths(probe: Probe) -> dict[str, list[str]]:
    """The switches above each node, from the root, if Slurm has a tree topology."""
    answer = _ask(probe, "scontrol", "--oneliner", "show", "topology")
    if answer is None or "SwitchName" not in answer:
        return {}
    levels = []
    for line in answer.splitlines():
        record = words(line)
        if "SwitchName" in record and record.get("Level", "").isdigit():
            below = hosts(probe, record.get("Nodes", ""))
            if below is None:
                return {}
            levels.append((int(record["Level"]), record["SwitchName"], set(below)))
    paths: dict[str, list[str]] = {}
    for _, switch, members in sorted(levels, key=lambda one: -one[0]):
        for name in members:
            paths.setdefault(name, []).append(switch)
    return paths


def _ask(probe: Probe, *argv: str) -> Optional[str]:
    # Slurm's commands print local times.
    answer = probe.run(["env", "TZ=UTC", *argv], _TIMEOUT_SECONDS)
    return answer.stdout if answer.ok else None
