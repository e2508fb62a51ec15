"""The scheduler's view as evidence: nodes, jobs, daemons and partitions.

The document is the one that the controller publishes (docs/designs/operating.md), or the jobs of
`sacct --json`. Jobs that wait for a usual reason are evidence only for a question about that job.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from clusterwright.diagnosis import acceptance
from clusterwright.diagnosis.model import Evidence, Target

PUBLISHED: Final = "state/scheduler.json"
STALE_AFTER: Final = dt.timedelta(minutes=15)
"""A document that is older says what was, not what is (docs/designs/operating.md)."""

BOOT_MARGIN: Final = dt.timedelta(seconds=30)
"""Slurm computes a node's boot from the uptime in its registration, which may wait. A job starts
after its nodes have registered, so that the boot of a healthy one is earlier by itself."""

_TROUBLE: Final = frozenset({"DOWN", "DRAIN", "FAIL", "FAILING", "NOT_RESPONDING", "ERROR"})
_TASKS: Final = r"\*|\[(?!\])[\d,:-]*(?:\.{3})?(?:%\d+)?\]"
"""Tasks of an array that have not begun: `[0-99:4%10]`; Slurm ends a long list by `...`, before
the limit of tasks that run at once."""

_JOB_ID: Final = re.compile(rf"[1-9]\d*(?:[_+]\d+|_(?:{_TASKS}))?(?:\.\w+)?")
_NOT_FAILED: Final = frozenset(
    {
        *("COMPLETED", "RUNNING", "PENDING", "CANCELLED", "COMPLETING"),
        *("SUSPENDED", "CONFIGURING"),
    }
)
_PROGRAM: Final = frozenset({"FAILED", "OUT_OF_MEMORY", "TIMEOUT"})
_USUAL: Final = (
    "None",
    "Resources",
    "Priority",
    "Dependency",
    "BeginTime",
    "Reservation",
    "Cleaning",
    "Prolog",
    "JobArrayTaskLimit",
    "Licenses",
)
_LIMITS: Final = re.compile(r"^\(?(?:QOS|Assoc|Max)\w*")
_DAEMON_USERS: Final = ("", "root", "slurm")
_MARKS: Final = re.compile(r"[*~#!%$@^+-]+$")
_RANGE: Final = re.compile(r"\[([^\]]+)\]")


def of_document(document: Mapping[str, Any], target: Target, now: dt.datetime) -> list[Evidence]:
    """The evidence in a published document; a field that is null is no evidence."""
    written = time_of(document.get("written_at"))
    found: list[Evidence] = []
    if written is not None and now - written > STALE_AFTER:
        text = f"the controller's state was written at {_utc(written)}"
        found.append(Evidence("controller", PUBLISHED, "written_at", written, text, failed=True))
    found += _daemons(document, written)
    nodes = [_plain(node) for node in _list(document.get("nodes"))]
    found += [item for node in nodes for item in _node(node, target)]
    found += [item for node in nodes for item in _reservation(node, target, written)]
    found += _acceptance(document)
    found += _history(document)
    found += _partitions(document)
    for job in _list(document.get("ended")):
        found += of_ended(job, PUBLISHED)
    for job in _list(document.get("pending")):
        found += _pending(job, target, nodes)
    booted = {str(node.get("name")): time_of(node.get("boot_time")) for node in nodes}
    for job in _list(document.get("running")):
        found += _outlived(job, booted)
    return found


def names_of(document: Mapping[str, Any]) -> dict[str, str]:
    """Names of nodes by their instance ids."""
    return {
        str(node["instance_id"]): str(node["name"])
        for node in _list(document.get("nodes"))
        if node.get("instance_id") and node.get("name")
    }


def nodes_in(document: Mapping[str, Any]) -> frozenset[str]:
    """Names of every node of the document."""
    return frozenset(
        str(node["name"]) for node in _list(document.get("nodes")) if node.get("name")
    )


def jobs_in(document: Mapping[str, Any]) -> frozenset[str]:
    """Ids of every job of the document."""
    return frozenset(
        str(job["id"])
        for key in ("running", "pending", "ended")
        for job in _list(document.get(key))
        if job.get("id") is not None
    )


def is_running(document: Mapping[str, Any], job: str) -> bool:
    """Whether a job runs now."""
    return any(same_job(str(one.get("id")), job) for one in _list(document.get("running")))


def nodes_of_job(document: Mapping[str, Any], job: str) -> frozenset[str]:
    """The nodes on which a job runs or ran."""
    return frozenset(
        node
        for key in ("running", "ended")
        for entry in _list(document.get(key))
        if same_job(str(entry.get("id")), job)
        for node in _hosts(entry.get("nodes"))
    )


def is_job_id(text: str) -> bool:
    """Whether a text is the id of a Slurm job: also of an array's task or a component."""
    return _JOB_ID.fullmatch(text) is not None


def same_job(one: str, other: str) -> bool:
    """Whether two ids are the same job: `12_3` and `12.0` belong to `12`, and to `12_*`."""
    return one == other or re.split(r"[._+]", one)[0] == other.removesuffix("_*")


def of_ended(job: Mapping[str, Any], source: str) -> list[Evidence]:
    """A job of `ended`, or of `sacct_jobs`; nothing if it completed or was cancelled by a user."""
    state = str(job.get("state") or "")
    if not state or state.split(maxsplit=1)[0] in _NOT_FAILED:
        return []
    code = str(job.get("exit_code") or "0:0")
    reason = str(job.get("reason") or "")
    comments = [str(job.get(key) or "") for key in ("comment", "system_comment")]
    text = f"{state.split(maxsplit=1)[0]} exit {code}"
    text += f" reason {reason}" if reason not in ("", "None") else ""
    text += "".join(f"; {comment}" for comment in comments if comment)
    ident = str(job.get("id"))
    start = time_of(job.get("start"))
    return [
        Evidence(
            kind="job",
            source=source,
            id=f"job {ident}",
            time=time_of(job.get("end")),
            text=text,
            job=ident,
            failed=True,
            fields={
                "nodes": ",".join(_hosts(job.get("nodes"))),
                "start": start.isoformat() if start else "",
                "user": str(job.get("user") or ""),
                "name": str(job.get("name") or ""),
                "ended_by": "program" if state.split(maxsplit=1)[0] in _PROGRAM else "slurm",
            },
        )
    ]


def time_of(value: object) -> dt.datetime | None:
    """An ISO time or seconds since 1970; None for anything else. Without a zone it is UTC."""
    if isinstance(value, bool) or value in (None, "", 0):
        return None
    try:
        if isinstance(value, (int, float)):
            return dt.datetime.fromtimestamp(value, dt.timezone.utc)
        # Python 3.9 reads no Z.
        found = dt.datetime.fromisoformat(re.sub("Z$", "+00:00", str(value)))
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=dt.timezone.utc)


def hosts(text: str) -> tuple[str, ...]:
    """The names of a Slurm host list: `workers-[1-2,5]` is three."""
    names: list[str] = []
    for part in re.split(r",(?![^\[]*\])", text):
        bracket = _RANGE.search(part)
        if bracket is None:
            names += [part.strip()] if part.strip() else []
            continue
        for piece in bracket.group(1).split(","):
            first, _, last = piece.partition("-")
            if not last:
                names.append(part[: bracket.start()] + first + part[bracket.end() :])
                continue
            if not (first.isdigit() and last.isdigit()) or int(last) - int(first) > 10_000:
                continue
            names += [
                f"{part[: bracket.start()]}{n:0{len(first)}d}{part[bracket.end() :]}"
                for n in range(int(first), int(last) + 1)
            ]
    return tuple(names)


def _plain(node: Mapping[str, Any]) -> dict[str, Any]:
    states = node.get("states") or node.get("state") or []
    words = states if isinstance(states, list) else re.split(r"[+ ,]", str(states))
    return {**node, "states": [_MARKS.sub("", str(word)).upper() for word in words]}


def _node(node: Mapping[str, Any], target: Target) -> Iterator[Evidence]:
    states = set(node["states"]) & _TROUBLE
    reason = str(node.get("reason") or "").strip("\r\n\t")
    if reason.strip() in ("none", "None"):
        reason = ""
    if not states or (not reason and states == {"DRAIN"}):
        return
    quiet = "NOT_RESPONDING" in states and not reason
    by = str(node.get("reason_by") or "")
    # A person's drain is no failure; a question about the node is still answered.
    person = by.partition("(")[0] not in _DAEMON_USERS and states == {"DRAIN"}
    text = "Not responding" if quiet else reason or f"{'+'.join(sorted(states))} without a reason"
    yield Evidence(
        kind="scheduler-node",
        source=PUBLISHED,
        id=f"node {node.get('name')}",
        time=time_of(node.get("reason_at")),
        text=text,
        node=str(node.get("name") or ""),
        instance=str(node.get("instance_id") or ""),
        failed=not person or target.subject == "node",
        fields={"states": "+".join(node["states"]), "by": by if person else ""},
    )


def _reservation(
    node: Mapping[str, Any], target: Target, written: dt.datetime | None
) -> Iterator[Evidence]:
    """A node is in a reservation on purpose: evidence only for a question about the node."""
    name = str(node.get("name") or "")
    if not node.get("reservation") or target.subject != "node":
        return
    yield Evidence(
        kind="reservation",
        source=PUBLISHED,
        id=f"node {name}",
        time=written,
        text=f"in the reservation {node['reservation']}",
        node=name,
        instance=str(node.get("instance_id") or ""),
    )


def _daemons(document: Mapping[str, Any], written: dt.datetime | None) -> Iterator[Evidence]:
    daemons = document.get("daemons")
    for name, state in sorted(daemons.items()) if isinstance(daemons, Mapping) else ():
        if state is None or str(state).lower() in ("up", "active", "disabled", "absent"):
            continue
        text = f"{name} is {state}"
        yield Evidence("daemon", PUBLISHED, f"daemon {name}", written, text, failed=True)


def _acceptance(document: Mapping[str, Any]) -> Iterator[Evidence]:
    records = document.get("acceptance")
    for name, record in sorted(records.items()) if isinstance(records, Mapping) else ():
        if not isinstance(record, Mapping):
            continue
        found = acceptance.of_record(name, record)
        if found is not None:
            yield replace(found, source=PUBLISHED, time=time_of(record.get("since")))


def _history(document: Mapping[str, Any]) -> Iterator[Evidence]:
    records = document.get("history")
    for name, record in sorted(records.items()) if isinstance(records, Mapping) else ():
        if not isinstance(record, Mapping) or record.get("advice") != "replace":
            continue
        events = _list(record.get("events"))
        kinds = ", ".join(f"{str(one.get('at'))[:10]} {one.get('kind')}" for one in events[-5:])
        yield Evidence(
            kind="node-history",
            source=PUBLISHED,
            id=f"history {name}",
            time=time_of(events[-1].get("at")) if events else None,
            text=f"history advises replace: {record.get('reason')} ({kinds})",
            node=name,
            instance=str(record.get("instance_id") or ""),
            failed=True,
        )


def _partitions(document: Mapping[str, Any]) -> Iterator[Evidence]:
    for partition in _list(document.get("partitions")):
        state = str(partition.get("state") or "").upper()
        if state in ("DOWN", "DRAIN", "INACTIVE"):
            name = str(partition.get("name"))
            text = f"partition {name} is {state}"
            yield Evidence(
                "partition", PUBLISHED, f"partition {name}", None, text, resource=name, failed=True
            )


def _pending(
    job: Mapping[str, Any], target: Target, nodes: Sequence[Mapping[str, Any]]
) -> Iterator[Evidence]:
    reason = str(job.get("reason") or "").replace("NotAvail,_", "NotAvail, ")
    reason = reason.replace("_", " ") if reason.startswith("Nodes_required") else reason
    ident = str(job.get("id"))
    asked = target.subject == "job" and same_job(ident, target.name)
    usual = reason.strip("()") in _USUAL or bool(_LIMITS.match(reason))
    if not reason or (usual and not asked):
        return
    bad = [node for node in nodes if set(node["states"]) & _TROUBLE]
    named = re.search(r"UnavailableNodes: ?([\w,\[\]-]+)", reason)
    yield Evidence(
        kind="pending",
        source=PUBLISHED,
        id=f"job {ident}",
        time=time_of(job.get("since")),
        text=f"pending: {reason}",
        job=ident,
        failed=reason != "None",
        fields={
            "user": str(job.get("user") or ""),
            "nodes": ",".join(hosts(named.group(1))) if named else "",
            "down": str(len(bad)) if bad else "",
        },
    )


def _outlived(
    job: Mapping[str, Any], booted: Mapping[str, dt.datetime | None]
) -> Iterator[Evidence]:
    """The nodes of a running job that booted after it began: no process of it is there any more.

    A node that registers again within SlurmdTimeout (slurm.conf(5)) was never down, so that its
    jobs are not ended. The start of a job that was requeued, or waited for its nodes to boot, is
    later than their boot.
    """
    ident, start = str(job.get("id")), time_of(job.get("since"))
    for name in _hosts(job.get("nodes")) if start is not None else ():
        boot = booted.get(name)
        if start is not None and boot is not None and boot > start + BOOT_MARGIN:
            yield Evidence(
                kind="running",
                source=PUBLISHED,
                id=f"job {ident}, node {name}",
                time=boot,
                text=f"RUNNING since {_utc(start)} on {name}, which booted at {_utc(boot)}",
                node=name,
                job=ident,
                failed=True,
                fields={"user": str(job.get("user") or "")},
            )


def _utc(time: dt.datetime) -> str:
    return f"{time.astimezone(dt.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def _hosts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return hosts(value)
    return tuple(str(name) for name in value) if isinstance(value, list) else ()


def _list(value: object) -> list[Mapping[str, Any]]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list) else []
