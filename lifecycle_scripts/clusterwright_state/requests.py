"""Requests of operators: what a request may ask for, and how it is carried out.

A request is `requests/ID.json`: `{schema_version, id, verb, nodes, because, by, created_at,
expires_at}`; with the verb `accept` also `level`, `lustre` (capacity in GiB and tier by mount
path) and `waivers` (`clusterwright_common.waivers`), and no nodes mean all. Its answer is
`state/answers/ID.json`: `{schema_version, id, verb, at, done: [{node, result}], refused: [{node,
reason}]}`. IAM decides who can write requests. A request is carried out once: its id is recorded
before the first command runs.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional

from clusterwright_common import waivers
from clusterwright_common.probe import CommandResult, Probe

from clusterwright_state import acceptance

SCHEMA_VERSION = 1
ACCEPT = "accept"
VERBS = ("accept", "drain", "reboot", "resume")
FOLDER = "requests/"
ANSWERS = "state/answers/"
LOCAL = "/var/lib/clusterwright/local"
"""Requests of root on this node: `requests/ID.json`, and `answers/ID.json`."""
LONGEST_MINUTES = 60
_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
LONGEST_REASON = 180
_LONGEST_BY = 100
# A reason with this prefix is that of the health checks, which resume such nodes by themselves.
_HEALTH = "clusterwright: "
_TIMEOUT_SECONDS = 30.0


class Refused(Exception):
    """The request as a whole is refused; the message says why."""


@dataclass(frozen=True)
class Request:
    id: str
    verb: str
    nodes: tuple[str, ...]
    because: str
    by: str
    level: str = ""
    lustre: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    waivers: Optional[list[dict[str, Any]]] = None
    """None where the request says nothing of them."""


def is_id(text: str) -> bool:
    """Whether a text can be the id of a request."""
    return _ID.fullmatch(text) is not None


def id_of(key: str) -> Optional[str]:
    """The id in `requests/ID.json`; None for other keys."""
    name = key[len(FOLDER) :]
    if not key.startswith(FOLDER) or not name.endswith(".json"):
        return None
    found = name[: -len(".json")]
    return found if is_id(found) else None


def created_at(value: Optional[Mapping[str, Any]]) -> str:
    """The time at which a request was made, in a form that sorts; "" if it has none."""
    found = time_of((value or {}).get("created_at"))
    return "" if found is None else found.isoformat()


def read(value: Optional[Mapping[str, Any]], expected_id: str, now: dt.datetime) -> Request:
    """Check a request. Raises Refused."""
    if value is None:
        raise Refused("the request is not a JSON object")
    if value.get("schema_version") != SCHEMA_VERSION:
        raise Refused(f"schema_version must be {SCHEMA_VERSION}")
    if value.get("id") != expected_id:
        raise Refused("the id is not that of the object's key")
    if value.get("verb") not in VERBS:
        raise Refused(f"the verb must be one of {', '.join(VERBS)}")
    nodes = _nodes(value.get("nodes"), may_be_empty=value["verb"] == ACCEPT)
    because = value.get("because")
    if not isinstance(because, str) or not because.strip():
        raise Refused("because must be a text")
    if not plain(because):
        raise Refused("because has no character that Slurm's reason keeps: ASCII without quotes")
    _check_times(value, now)
    found = Request(
        expected_id, str(value["verb"]), nodes, plain(because), plain(value.get("by", ""))
    )
    if found.verb != ACCEPT:
        return found
    if value.get("level") not in acceptance.LEVELS:
        raise Refused(f"level must be one of {', '.join(acceptance.LEVELS)}")
    return replace(
        found,
        level=str(value["level"]),
        lustre=_lustre(value.get("lustre") or {}),
        waivers=_waivers(value.get("waivers")),
    )


def _check_times(value: Mapping[str, Any], now: dt.datetime) -> None:
    created, expires = time_of(value.get("created_at")), time_of(value.get("expires_at"))
    if created is None or expires is None:
        raise Refused("created_at and expires_at must be times such as 2026-11-23T08:00:00Z")
    if not created < expires:
        raise Refused("expires_at must be after created_at")
    if expires - min(created, now) > dt.timedelta(minutes=LONGEST_MINUTES):
        raise Refused(f"a request can be valid for at most {LONGEST_MINUTES} minutes")
    if expires < now:
        raise Refused(f"the request expired at {value['expires_at']}")


def start(
    runs: acceptance.Runs,
    request: Request,
    compute_nodes: Collection[str],
    reserved: Optional[Mapping[str, str]] = None,
) -> dict[str, Any]:
    """Start an acceptance run, which has the request's id; one at a time.

    `reserved` are the nodes of this service's own reservations, which only root may use.
    """
    unknown = [
        {"node": name, "reason": "Slurm has no compute node of this name"}
        for name in request.nodes
        if name not in compute_nodes
    ]
    if unknown:
        return answer_of(request.id, request.verb, [], unknown)
    other = runs.busy()
    if other is not None:
        reason = f"the run {other} has not ended; follow it with --run {other}"
        return answer_of(request.id, request.verb, [], [{"node": "", "reason": reason}])
    try:
        if request.waivers is not None:
            runs.keep_waivers(request.waivers, request.id, request.by)
        runs.start(request.id, request.level, request.nodes, request.lustre, reserved)
    except OSError as error:
        return answer_of(request.id, request.verb, [], [{"node": "", "reason": str(error)}])
    names = request.nodes or sorted(compute_nodes)
    result = f"level {request.level} started"
    if request.waivers is not None:
        result += f"; waivers of the request, in place of those kept: {len(request.waivers)}"
    done = [{"node": name, "result": result} for name in names]
    return answer_of(request.id, request.verb, done, [])


def carry_out(
    probe: Probe, request: Request, compute_nodes: Collection[str], *, reserve: bool = False
) -> dict[str, Any]:
    """Carry out a request on every node; nodes that Slurm does not have are refused.

    With `reserve` a node is drained by a reservation: ParallelCluster terminates and replaces
    nodes whose state is DRAINED (aws-parallelcluster-node, clustermgtd.py: the default of
    `terminate_drain_nodes` is True).
    """
    done, refused = [], []
    for name in request.nodes:
        if name not in compute_nodes:
            refused.append({"node": name, "reason": "Slurm has no compute node of this name"})
            continue
        answer = _carried_out(probe, request, name, reserve)
        if answer.ok:
            done.append({"node": name, "result": _RESULTS[request.verb]})
        else:
            refused.append({"node": name, "reason": f"scontrol: {answer.summary}"})
    return answer_of(request.id, request.verb, done, refused)


def answer_of(
    request_id: str,
    verb: Optional[str],
    done: list[dict[str, str]],
    refused: list[dict[str, str]],
) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "id": request_id,
        "verb": verb,
        "at": dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "done": done,
        "refused": refused,
    }


_RESULTS = {"drain": "drained", "reboot": "reboots when its jobs have ended", "resume": "resumed"}


def reservation_of(name: str) -> str:
    """The reservation that keeps jobs from a node."""
    return f"clusterwright_drain_{name}"


def _carried_out(probe: Probe, request: Request, name: str, reserve: bool) -> CommandResult:
    reason = _reason(request)
    node, reservation = f"NodeName={name}", f"ReservationName={reservation_of(name)}"
    if request.verb == "reboot":
        words = ["reboot", "ASAP", "nextstate=RESUME", f"Reason={reason}", name]
    elif request.verb == "drain" and reserve:
        words = ["create", "reservation", reservation, f"Nodes={name}", "StartTime=now"]
        words += ["Duration=UNLIMITED", "Users=root", "Flags=MAINT,IGNORE_JOBS"]
        words.append(f"Comment={reason}")
    elif request.verb == "drain":
        words = ["update", node, "State=DRAIN", f"Reason={reason}"]
    elif reserve and _run(probe, ["show", reservation]).ok:
        words = ["delete", reservation]
    else:
        words = ["update", node, "State=RESUME"]
    return _run(probe, words)


def _reason(request: Request) -> str:
    """Why and who, as long as Slurm may show it; who is kept."""
    by = f" ({request.by[:_LONGEST_BY]})" if request.by else ""
    because = request.because
    if because.startswith(_HEALTH):
        because = "operator: " + because
    return because[: LONGEST_REASON - len(by)] + by


def _run(probe: Probe, words: Sequence[str]) -> CommandResult:
    return probe.run(["scontrol", *words], _TIMEOUT_SECONDS)


def _nodes(value: Any, *, may_be_empty: bool) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise Refused("nodes must be a list of node names")
    if not value and not may_be_empty:
        raise Refused("nodes must be a list of at least one node name")
    return tuple(value)


def _lustre(value: Any) -> dict[str, tuple[int, int]]:
    try:
        found = {str(path): (int(row[0]), int(row[1])) for path, row in value.items()}
    except (AttributeError, TypeError, ValueError, OverflowError, LookupError) as error:
        raise Refused("lustre must be capacity and tier by mount path") from error
    if not all(path.startswith("/") for path in found):
        raise Refused("the mount paths of lustre must be absolute")
    return found


def _waivers(value: Any) -> Optional[list[dict[str, Any]]]:
    try:
        return None if value is None else waivers.read(value)
    except ValueError as error:
        raise Refused(str(error)) from error


def plain(text: Any) -> str:
    """One line of printable characters, without the quotes that scontrol would interpret."""
    return " ".join(re.sub(r"[^ -!#-&(-~]+", " ", str(text)).split())


def time_of(value: Any) -> Optional[dt.datetime]:
    """The time of a text such as 2026-11-23T08:00:00Z; None of anything else."""
    try:
        return dt.datetime.strptime(f"{value}+0000", "%Y-%m-%dT%H:%M:%SZ%z")
    except ValueError:
        return None
