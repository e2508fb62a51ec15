"""Xid and SXid messages of NVIDIA's drivers, and what to do about them.

The verdicts are data, in `xid_verdicts.json`: one table for the health check of nodes, `diagnose`
and alerts. This module reads messages and applies the table; it does no I/O except reading the
table.

Forms of messages: `NVRM: Xid (PCI:0000:b9:00): 79, pid=77, name=python, TEXT`, on MIG
`Xid (PCI:0000:b9:00 GPU-I:05): 43, ...`; without a number `NVRM: GPU 0000:b9:00.0: GPU has fallen
off the bus.`; `nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20009, Non-fatal, Link 28 ...`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

XID, SWITCH, LOST, REPEATED = "xid", "sxid", "lost", "repeated"
RECOVERY = 154
_APPLICATION, _UVM = "restart_application", "check_uvm"
LOST_AS = 79
"""The code of the message without a number: the GPU has fallen off the bus."""
_DAY = 86_400.0

_UPTIME = r"(?:^|\s)\[\s*(?P<uptime>[0-9]+\.[0-9]+)\]"
_XID = re.compile(
    r"NVRM: Xid \((?:PCI:)?(?P<bus>[0-9A-Fa-f:.]+)[^)]*\): (?P<code>[0-9]+)\b,?\s*(?P<rest>.*)"
)
_SXID = re.compile(
    r"SXid \((?:PCI:)?(?P<bus>[0-9A-Fa-f:.]+)[^)]*\): (?P<code>[0-9]+), "
    r"(?P<fatal>Fatal|Non-fatal)\b,?\s*(?P<rest>.*)"
)
_LOST = re.compile(
    r"NVRM: GPU (?:at )?(?:PCI:)?"
    r"(?P<bus>[0-9A-Fa-f:.]*[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}[0-9A-Fa-f.:]*?)"
    r"[:,]?\s.*fallen off the bus"
)
_LOST_ANYWHERE = re.compile(r"NVRM:.*GPU.*fallen off the bus")
_PID = re.compile(r"\bpid='?(\d+)'?")
_NAME = re.compile(r"\bname='?([^,']+)'?")
_RECOVERY = re.compile(r"recovery action changed from .*? to 0x[0-9A-Fa-f]+ \(([^)]*)\)")


@dataclass(frozen=True)
class Message:
    """One line of the kernel's log.

    `kind` is xid, sxid or lost; `uptime_seconds` is None where the line has no time stamp;
    `fatal` and `recovery` (the text of Xid 154) are None where they do not apply.
    """

    kind: str
    bus: str
    code: Optional[int]
    text: str
    uptime_seconds: Optional[float] = None
    pid: Optional[int] = None
    fatal: Optional[bool] = None
    recovery: Optional[str] = None


@dataclass(frozen=True)
class Event:
    """An Xid of the history. `boot` identifies a start of the machine, `job` a Slurm job."""

    time: float
    boot: str
    bus: str
    code: int
    job: Optional[str] = None
    pid: Optional[int] = None


@dataclass(frozen=True)
class Verdict:
    """What to do about the messages of one code on one device.

    `action` is none, report, check, reboot or replace; `level` is that of the check. With `drains`
    no job may start on the node until the action was taken.
    """

    kind: str
    bus: str
    code: Optional[int]
    bucket: str
    action: str
    drains: bool
    text: str
    level: Optional[str] = None
    count: int = 1

    @property
    def label(self) -> str:
        """Such as `79 on 0000:b9:00: GPU has fallen off the bus`."""
        named = "" if self.code is None else f"{'SXid ' * (self.kind == SWITCH)}{self.code} "
        return f"{named}on {self.bus}: {self.text}"


class Table:
    """The verdicts of `xid_verdicts.json`."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        self._bucket = {
            code: bucket for bucket, codes in content["codes"].items() for code in codes
        }

    @property
    def codes(self) -> frozenset[int]:
        return frozenset(self._bucket)

    def bucket(self, code: int) -> str:
        """The name of the code's bucket; `undocumented` if the catalogue does not have it."""
        return str(self._bucket.get(code, "undocumented"))

    def entry(self, bucket: str) -> Mapping[str, Any]:
        """The bucket's `action`, `drains`, `meaning` and, for checks, `level`."""
        found: Mapping[str, Any] = self.content["buckets"][bucket]
        return found

    def text(self, code: int) -> str:
        return str(self.content["texts"].get(str(code), self.entry(self.bucket(code))["meaning"]))


def read_table() -> Table:
    path = Path(__file__).with_name("xid_verdicts.json")
    return Table(json.loads(path.read_text(encoding="utf-8")))


def parse(lines: Iterable[str]) -> list[Message]:
    """The messages in the log, in its order, each once.

    The same message is in `dmesg` and in the journal: equal device, code and time are one message.
    """
    found: list[Message] = []
    seen: set[tuple[object, ...]] = set()
    for line in lines:
        message = parse_line(line)
        if message is None:
            continue
        time = message.uptime_seconds
        key = (message.kind, message.bus, message.code, message.recovery, message.pid)
        if time is None:
            # Without a time it is the same as any other with the same device and code.
            if any(other[:5] == key for other in seen):
                continue
            seen.add((*key, None))
        elif (*key, round(time, 3)) in seen:
            continue
        else:
            seen.add((*key, round(time, 3)))
        found.append(message)
    return found


def parse_line(line: str) -> Optional[Message]:
    """The message of one line; None if it has none."""
    stamp = re.search(_UPTIME, line)
    uptime = float(stamp.group("uptime")) if stamp else None
    match = _SXID.search(line)
    if match:
        fatal = match.group("fatal") == "Fatal"
        code, text = int(match.group("code")), match.group("rest").strip()
        return Message(SWITCH, _bus(match.group("bus")), code, text, uptime, fatal=fatal)
    match = _XID.search(line)
    if match:
        rest = match.group("rest").strip()
        pid, recovery = _PID.search(rest), _RECOVERY.search(rest)
        words = [part for part in rest.split(", ") if not re.match(r"(pid|name)=", part)]
        return Message(
            XID,
            _bus(match.group("bus")),
            int(match.group("code")),
            ", ".join(words)[:120],
            uptime,
            pid=int(pid.group(1)) if pid else None,
            recovery=recovery.group(1).strip() if recovery else None,
        )
    if _LOST_ANYWHERE.search(line):
        match = _LOST.search(line)
        bus = _bus(match.group("bus")) if match else "an unknown device"
        return Message(LOST, bus, None, "GPU has fallen off the bus", uptime)
    return None


def decide(
    messages: Sequence[Message],
    table: Table,
    *,
    uvm_in_use: Optional[bool] = None,
    history: Sequence[Event] = (),
    boot: str = "",
    now: float = 0.0,
) -> list[Verdict]:
    """The verdicts of the messages since the machine started, drained devices first.

    `history` has the events of earlier starts, and of this one (`boot`), with times in seconds
    since 1970; `uvm_in_use` is whether unified memory is in use, None if that is not known.
    """
    on_bus: dict[str, list[Message]] = {}
    for message in messages:
        on_bus.setdefault(message.bus, []).append(message)
    links = {message.bus for message in messages if message.code == 74 and message.kind == XID}
    widespread = len(links) > 1 or any(message.kind == SWITCH for message in messages)
    found: list[Verdict] = []
    for bus, here in on_bus.items():
        found += _of_device(bus, here, table, uvm_in_use=uvm_in_use, widespread=widespread)
    found = [_escalated(verdict, table, history, boot, now) for verdict in found]
    found += _repeated(table, history, now)
    return sorted(found, key=lambda verdict: not verdict.drains)


def act_after_seconds(table: Table, *, has_node_recovery: bool) -> int:
    """How long the controller waits before it reboots or replaces a drained node.

    With HyperPod's automatic node recovery our verdict yields: the node is drained and reported,
    and we act only if HyperPod has not within this time.
    """
    return int(table.content["yield_to_node_recovery_seconds"]) if has_node_recovery else 0


def _of_device(
    bus: str,
    messages: Sequence[Message],
    table: Table,
    *,
    uvm_in_use: Optional[bool],
    widespread: bool,
) -> list[Verdict]:
    found: list[Verdict] = []
    counted: dict[int, int] = {}
    for message in messages:
        if message.kind == XID and message.code is not None:
            counted[message.code] = counted.get(message.code, 0) + 1
    recovery = [message.recovery for message in messages if message.code == RECOVERY]
    for code, count in counted.items():
        bucket = table.bucket(code)
        entry = table.entry(bucket)
        action, drains, text = str(entry["action"]), bool(entry["drains"]), table.text(code)
        level = entry.get("level")
        if code == RECOVERY:
            action, drains, level, text = _recovery(recovery[-1], table)
        elif bucket == "workflow_48" and (recovery or {63, 64} & set(counted)):
            # Those have verdicts of their own, which count.
            action, drains = "none", False
        elif bucket == "workflow_nvlink" and widespread:
            action = "replace"
        elif bucket == "workflow_nvlink5" and recovery:
            action, level = "none", None
        elif bucket == _UVM and not uvm_in_use:
            action, drains, level = "check", False, "quick"
        found.append(Verdict(XID, bus, code, bucket, action, drains, text, level, count))
    lost = [message for message in messages if message.kind == LOST]
    if lost and LOST_AS not in counted:
        entry = table.entry(table.bucket(LOST_AS))
        text, bucket = table.text(LOST_AS), table.bucket(LOST_AS)
        found.append(
            Verdict(LOST, bus, None, bucket, entry["action"], True, text, count=len(lost))
        )
    return found + _of_switch(bus, messages, table)


def _of_switch(bus: str, messages: Sequence[Message], table: Table) -> list[Verdict]:
    counted: dict[tuple[int, bool], int] = {}
    for message in messages:
        if message.kind == SWITCH and message.code is not None:
            key = (message.code, bool(message.fatal))
            counted[key] = counted.get(key, 0) + 1
    found = []
    for (code, fatal), count in counted.items():
        bucket = "fatal" if fatal else "non_fatal"
        entry = table.content["switch"][bucket]
        action, drains, text = entry["action"], entry["drains"], entry["meaning"]
        found.append(Verdict(SWITCH, bus, code, bucket, action, drains, text, count=count))
    return found


def _recovery(text: Optional[str], table: Table) -> tuple[str, bool, Optional[str], str]:
    """The action, whether it drains, the level and the text of the driver's own verdict."""
    if text is None:
        return "check", True, "quick", "recovery action changed, the message is not readable"
    action = table.content["recovery_actions"].get(text.lower())
    if action is None:
        # The driver asks for something that we do not know: no job until a person has seen it.
        return "check", True, "quick", f"unknown recovery action {text!r}"
    return str(action), action != "none", None, f"recovery action {text!r}"


def _escalated(
    verdict: Verdict, table: Table, history: Sequence[Event], boot: str, now: float
) -> Verdict:
    """Replace instead of a second reboot for the same device within the window."""
    if verdict.action != "reboot":
        return verdict
    days = float(table.content["thresholds"]["reboots_window_days"])
    earlier = [
        event
        for event in history
        if event.bus == verdict.bus
        and event.boot != boot
        and 0.0 <= now - event.time <= days * _DAY
        and table.entry(table.bucket(event.code))["action"] in ("reboot", "replace")
    ]
    if not earlier:
        return verdict
    text = f"{verdict.text}; again within {days:.0f} days, a reboot did not help"
    return Verdict(
        verdict.kind, verdict.bus, verdict.code, verdict.bucket, "replace", True, text,
        count=verdict.count,
    )  # fmt: skip


def _repeated(table: Table, history: Sequence[Event], now: float) -> list[Verdict]:
    """GPUs on which programs of several jobs failed: suspect, but no reason to drain."""
    limits = table.content["thresholds"]
    jobs: dict[str, set[str]] = {}
    for event in history:
        is_recent = 0.0 <= now - event.time <= float(limits["jobs_window_hours"]) * 3600.0
        if is_recent and table.bucket(event.code) == _APPLICATION:
            # Where the job is not known, another process is taken as another job.
            name = event.job or f"pid {event.pid}"
            jobs.setdefault(event.bus, set()).add(name)
    return [
        Verdict(
            REPEATED, bus, None, _APPLICATION, "check", False,
            f"application errors of {len(names)} jobs in {limits['jobs_window_hours']} hours",
            "full", len(names),
        )
        for bus, names in jobs.items()
        if len(names) >= int(limits["jobs_per_gpu"])
    ]  # fmt: skip


def _bus(text: str) -> str:
    """`0000:b9:00` for the forms `0000:b9:00`, `0000:b9:00.0` and `00000000:B9:00.0`."""
    parts = text.strip(":").partition(".")[0].lower().split(":")
    if len(parts) == 3:
        parts[0] = parts[0][-4:]
    return ":".join(parts)
