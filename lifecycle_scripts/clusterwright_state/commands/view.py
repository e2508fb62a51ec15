"""The scheduler's state, read now, with what all commands say of it."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from clusterwright_state import acceptance, requests, service
from clusterwright_state.commands import account, published
from clusterwright_state.commands.setting import ENTRY, Setting

SCHEMA_VERSION = 1
DOWN = frozenset(("DOWN", "FAIL", "FAILING", "NOT_RESPONDING"))
DRAIN = frozenset(("DRAIN", "DRAINED", "DRAINING"))
NOT_RUNNING = frozenset(("POWERED_DOWN", "POWERING_DOWN", "FUTURE"))
"""Nodes that have no instance on purpose are left out."""
Node = Mapping[str, Any]
_SHOWN = 5


@dataclass(frozen=True)
class View:
    """The state in the form of `state/scheduler.json`, and when it was read.

    `acceptance_unknown` is why acceptance is unknown; `published_at` is when it was published,
    where it is not read on the node that keeps it.
    """

    setting: Setting
    state: Mapping[str, Any]
    read_at: str
    acceptance_unknown: Optional[str]
    published_at: Optional[str] = None

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """Nodes that exist, with their groups, in the order of the groups; none if unknown."""
        order = [str(one["name"]) for one in self.setting.groups]
        found = [
            {**node, "group": self._group(node)}
            for node in self.state["nodes"] or ()
            if not NOT_RUNNING.intersection(node["states"])
        ]
        last = len(order)
        return sorted(
            found,
            key=lambda one: (
                order.index(one["group"]) if one["group"] in order else last,
                _natural(str(one["name"])),
            ),
        )

    @property
    def compute_nodes(self) -> list[dict[str, Any]]:
        """The nodes that run jobs."""
        return [node for node in self.nodes if self.is_compute(node)]

    def role(self, node: Node) -> Optional[str]:
        """The role of a node; login nodes of AWS PCS are nodes of Slurm without a partition."""
        if self.setting.platform == "pcs" and not node["partitions"]:
            return "login"
        return self.setting.role_of(node["group"])

    def is_compute(self, node: Node) -> bool:
        return self.role(node) in ("compute", None)

    def acceptance(self, node: Node) -> Mapping[str, Any]:
        """What acceptance says of a node; empty if nothing is known."""
        return dict((self.state["acceptance"] or {}).get(node["name"], {}))

    def is_reserved(self, node: Node) -> bool:
        """Whether an operator's reservation keeps jobs from a node, which may be in several."""
        ours = requests.reservation_of(str(node["name"]))
        return node["reservation"] == ours or any(
            each["name"] == ours and node["name"] in each["nodes"]
            for each in self.state["reservations"] or ()
        )

    def history(self, node: Node) -> Mapping[str, Any]:
        """The faults of a node over weeks; empty without one."""
        return dict((self.state["history"] or {}).get(node["name"], {}))

    def unknown(self) -> Iterator[dict[str, Any]]:
        """Parts of the scheduler's view that could not be read."""
        for part in ("nodes", "jobs"):
            if self.state[part] is None:
                yield unknown(f"the scheduler's {part}", "slurmctld does not answer")

    def jobs_on(self, names: Container[str]) -> Optional[list[Mapping[str, Any]]]:
        """Running jobs on the nodes; None if unknown: a job on unknown nodes may be there."""
        jobs = self.state["running"]
        if jobs is None or not all(job["nodes"] for job in jobs):
            return None
        return [job for job in jobs if any(node in names for node in job["nodes"])]

    def without_nodes_of_jobs(self) -> Iterator[dict[str, Any]]:
        """Running jobs whose nodes Slurm does not name."""
        found = [str(job["id"]) for job in self.state["running"] or () if not job["nodes"]]
        if found:
            named = f"job{'s' * (len(found) > 1)} {', '.join(found[:_SHOWN])}"
            more = " and others" if len(found) > _SHOWN else ""
            reason = f"slurmctld does not name those of {named}{more}"
            yield unknown("the nodes of running jobs", reason)

    def without_acceptance(self, command: str) -> Iterator[dict[str, Any]]:
        """The acceptance of nodes, where it could not be read."""
        if self.acceptance_unknown is not None:
            hint = None if os.geteuid() == 0 else f"sudo {ENTRY} {command}"
            yield unknown("the acceptance of nodes", self.acceptance_unknown, hint)

    def envelope(
        self,
        command: str,
        findings: Sequence[Mapping[str, Any]],
        unknown_parts: Sequence[Mapping[str, Any]],
    ) -> dict[str, Any]:
        """The keys that the answers of `status`, `topology` and `capacity` begin with."""
        return {
            **head(self.setting, command, exit_code(findings, unknown_parts)),
            "read_at": self.read_at,
        }

    def _group(self, node: Node) -> Optional[str]:
        """HyperPod's group, else the only group of the node's partitions."""
        if node["group"] is not None:
            return str(node["group"])
        found = [
            str(one["name"])
            for one in self.setting.groups
            if one["partition"] is not None and one["partition"] in node["partitions"]
        ]
        named = [name for name in found if str(node["name"]).startswith(f"{name}-")]
        candidates = named or found
        return candidates[0] if len(candidates) == 1 else None


def read(
    setting: Setting, folder: str = acceptance.FOLDER, *, needs_acceptance: bool = True
) -> View:
    """Read Slurm's view; nothing is raised, what cannot be read is None.

    Where this node does not keep the acceptance of nodes, and it is needed, that of the published
    state is used.
    """
    reader = service.reader(setting.environment, setting.region, setting.resource_config, folder)
    state = reader.state()
    reason = None
    if not setting.administers:
        reason = f"{setting.administrator} keeps it, and this node is another"
    elif os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK):  # noqa: PTH112
        reason = f"only root reads {folder}"
    if reason is None or not needs_acceptance:
        return View(setting, state, now(), reason)
    try:
        found = published.read(setting, state["nodes"], dt.datetime.now(dt.timezone.utc))
    except published.NotReadable as error:
        return View(setting, state, now(), f"{reason}; {error}")
    state = {**state, "acceptance": found.acceptance, "history": found.history}
    return View(setting, state, now(), None, found.written_at)


def head(setting: Setting, command: str, code: int) -> dict[str, Any]:
    """The keys that every answer begins with."""
    return {
        "schema_version": SCHEMA_VERSION,
        "command": command,
        "exit_code": code,
        "file": setting.file,
        "environment": setting.environment,
        "platform": setting.platform,
        "account": setting.account or account.of_instance(),
        "region": setting.region,
    }


def without_platform(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer of a command whose document has no platform."""
    return {key: value for key, value in answer.items() if key != "platform"}


def unknown(what: str, reason: str, hint: Optional[str] = None) -> dict[str, Any]:
    """One part that is not known."""
    return {"what": what, "reason": reason, "hint": hint, "iam_action": None}


def of_aws(what: str, command: str) -> dict[str, Any]:
    """A part that only AWS knows."""
    return unknown(
        what,
        "this node has no right to read it from AWS",
        f"from a workstation: clusterwright {command} FILE",
    )


def finding(
    code: str, severity: str, message: str, resources: Sequence[str], hint: Optional[str] = None
) -> dict[str, Any]:
    """Something that is wrong, or worth knowing (`info`)."""
    return {
        "code": code,
        "severity": severity,
        "message": message,
        "resources": list(resources),
        "hint": hint,
    }


def exit_code(
    findings: Sequence[Mapping[str, Any]], unknown_parts: Sequence[Mapping[str, Any]]
) -> int:
    """1 if something is wrong, else 2 if something is unknown, else 0."""
    if any(one["severity"] != "info" for one in findings):
        return 1
    return 2 if unknown_parts else 0


def most_severe_first(findings: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The findings by severity."""
    return sorted(findings, key=lambda one: ("error", "warning", "info").index(one["severity"]))


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A sort key in which workers-2 is before workers-10."""
    parts: list[tuple[int, int, str]] = []
    digits = ""
    for letter in [*name, ""]:
        if letter.isdigit():
            digits += letter
            continue
        if digits:
            parts.append((0, int(digits), ""))
            digits = ""
        parts.append((1, 0, letter))
    return parts
