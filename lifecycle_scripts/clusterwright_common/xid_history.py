"""The Xid events of a node over weeks, in a file that survives reboots.

The history belongs to one instance: on another one, such as a replacement that was started from
an image of this disk, it is empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Optional

from clusterwright_common import records
from clusterwright_common.probe import Probe
from clusterwright_common.xid import LOST, LOST_AS, SWITCH, Event, Message

FILE = "/var/lib/clusterwright/xid_history.json"
KEPT_DAYS = 28
KEPT_EVENTS = 2000
_CGROUPS = ("/sys/fs/cgroup/system.slice", "/sys/fs/cgroup/memory/slurm", "/sys/fs/cgroup")
_SAME_SECONDS = 60.0
"""One event a minute is kept for each GPU, code and program: a broken GPU logs thousands."""


def update(probe: Probe, messages: Iterable[Message], now: float) -> list[Event]:
    """Add the messages of this start of the machine, write the file, return the history.

    `now` is in seconds since 1970. If the file cannot be written the history is returned all the
    same: a full disk is a finding of another check.
    """
    path = probe.path(FILE)
    instance = instance_id(probe)
    kept = read(records.read(path), instance)
    boot, started, job = boot_id(probe), _boot_time(probe), job_of_node(probe)
    fresh = []
    for message in messages:
        code = LOST_AS if message.kind == LOST else message.code
        if message.kind == SWITCH or code is None:
            continue
        event = Event(now, boot, message.bus, code, job, message.pid)
        if message.uptime_seconds is not None and started is not None:
            fresh.append(replace(event, time=started + message.uptime_seconds))
        elif not any(_source(other) == _source(event) for other in kept):
            fresh.append(event)
    events = merged(kept, fresh, now)
    if events != kept:
        try:
            records.write(path, to_json(events, instance))
        except OSError as error:
            print(f"clusterwright_common: {error}")
    return events


def merged(kept: Sequence[Event], fresh: Sequence[Event], now: float) -> list[Event]:
    """Both, each event once, of the last weeks, bounded.

    The job of an event is the one that ran when the event was first seen.
    """
    found = list(kept)
    by_source: dict[tuple[object, ...], list[float]] = {}
    for event in found:
        by_source.setdefault(_source(event), []).append(event.time)
    for event in fresh:
        times = by_source.setdefault(_source(event), [])
        if not any(abs(time - event.time) <= _SAME_SECONDS for time in times):
            found.append(event)
            times.append(event.time)
    recent = [event for event in found if now - event.time <= KEPT_DAYS * 86_400]
    return sorted(recent, key=lambda event: (event.time, event.bus, event.code))[-KEPT_EVENTS:]


def read(content: dict[str, Any], instance: Optional[str]) -> list[Event]:
    """The events in the content of the file; none if it belongs to another instance."""
    if content.get("instance_id") != instance:
        return []
    found = []
    rows = content.get("events")
    for row in rows if isinstance(rows, list) else []:
        try:
            job, pid = row["job"], row["pid"]
            found.append(
                Event(
                    float(row["time"]),
                    str(row["boot"]),
                    str(row["bus"]),
                    int(row["code"]),
                    None if job is None else str(job),
                    None if pid is None else int(pid),
                )
            )
        except (KeyError, TypeError, ValueError):
            continue
    return found


def to_json(events: Sequence[Event], instance: Optional[str]) -> dict[str, Any]:
    rows = [
        {
            "time": round(event.time, 3),
            "boot": event.boot,
            "bus": event.bus,
            "code": event.code,
            "job": event.job,
            "pid": event.pid,
        }
        for event in events
    ]
    return {"schema_version": 1, "instance_id": instance, "events": rows}


def instance_id(probe: Probe) -> Optional[str]:
    """The EC2 instance id, which Nitro instances have as the asset tag; None elsewhere."""
    tag = (probe.read("/sys/devices/virtual/dmi/id/board_asset_tag") or "").strip()
    return tag if tag.startswith("i-") else None


def boot_id(probe: Probe) -> str:
    return (probe.read("/proc/sys/kernel/random/boot_id") or "").strip()


def job_of_node(probe: Probe) -> Optional[str]:
    """The Slurm job that runs on the node, if exactly one does."""
    jobs = set()
    for root in _CGROUPS:
        for name in probe.names(root):
            if "slurmstepd.scope" in name or name.startswith("uid_"):
                jobs |= {
                    entry[4:]
                    for entry in probe.names(f"{root}/{name}")
                    if entry.startswith("job_")
                }
    return jobs.pop() if len(jobs) == 1 else None


def _boot_time(probe: Probe) -> Optional[float]:
    for line in (probe.read("/proc/stat") or "").splitlines():
        if line.startswith("btime "):
            return float(line.split()[1])
    return None


def _source(event: Event) -> tuple[object, ...]:
    return event.boot, event.bus, event.code, event.pid
