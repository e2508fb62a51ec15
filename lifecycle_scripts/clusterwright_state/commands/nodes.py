"""`clusterwright node drain`, `resume`, `reboot` and `replace` on a node: Slurm's own commands.

HyperPod's reboot and replacement are calls of SageMaker, which no node has the right to make.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional

from clusterwright_common.probe import Probe

from clusterwright_state import requests, slurm_view
from clusterwright_state.commands.setting import ENTRY, Setting, Stop
from clusterwright_state.commands.view import DOWN, DRAIN, Node, View, head

VERBS = ("drain", "resume", "reboot", "replace")
MAXIMUM_NODES = 25
POLL_SECONDS = 10.0
_DEADLINE_SECONDS = 120.0
_AGENT = ("Action:Reboot", "Action:Replace")
_EFFECTS = {
    "drain": "Slurm starts no new job on the nodes; running jobs go on",
    "resume": "Slurm starts jobs on the nodes again",
    "reboot": "Slurm reboots each node when its jobs have ended, and resumes it",
}


@dataclass(frozen=True)
class Action:
    """What is done with one node; `refused` or `unchanged` say why nothing is."""

    node: Node
    refused: Optional[str]
    unchanged: Optional[str]


class Work:
    """A verb for named nodes.

    Raises
    ------
    Stop
        A name is unknown, or the options are wrong.
    """

    def __init__(self, view: View, verb: str, names: Sequence[str], because: str) -> None:
        self._view = view
        self.verb = verb
        self.because = because
        self.actions = [self._action(node) for node in _chosen(view, names)]
        self.refused = any(one.refused is not None for one in self.actions)
        self.wanted = [
            one for one in self.actions if one.refused is None and one.unchanged is None
        ]
        self._outcomes: dict[str, tuple[str, str]] = {}

    @property
    def effects(self) -> list[str]:
        return [] if _no_means(self._view.setting, self.verb) else [_EFFECTS[self.verb]]

    @property
    def jobs(self) -> Optional[list[dict[str, Any]]]:
        """Running jobs on the nodes; None if unknown."""
        found = self._view.jobs_on({one.node["name"] for one in self.wanted})
        if found is None:
            return None
        return [
            {**{key: job[key] for key in ("id", "name", "user")}, "nodes": len(job["nodes"])}
            for job in found
        ]

    def act(self, wait_seconds: float, tell: Callable[[str], None]) -> None:
        """Carry it out, and follow a reboot."""
        wanted = [str(one.node["name"]) for one in self.wanted]
        asked_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        by = requests.plain(os.environ.get("SUDO_USER") or "root")
        request = requests.Request(
            "local", self.verb, tuple(wanted), requests.plain(self.because), by
        )
        answer = requests.carry_out(
            Probe(deadline_seconds=_DEADLINE_SECONDS),
            request,
            wanted,
            reserve=self._view.setting.reserve,
        )
        for row in answer["refused"]:
            self._outcomes[row["node"]] = ("refused", row["reason"])
        done = [row["node"] for row in answer["done"]]
        if self.verb != "reboot":
            for row in answer["done"]:
                self._outcomes[row["node"]] = ("done", row["result"])
            return
        self._follow(done, asked_at, wait_seconds, tell)

    def answer(self) -> dict[str, Any]:
        """The document of the command."""
        setting = self._view.setting
        rows = [self._row(one) for one in self.actions]
        jobs = self.jobs
        idle = self.verb == "resume" or not self.wanted
        zero = {"least": 0, "most": 0}
        return {
            **head(setting, "node", _exit_code(rows)),
            "verb": self.verb,
            "because": self.because,
            "means": None if _no_means(setting, self.verb) else "controller",
            "nodes": rows,
            "jobs": jobs,
            "jobs_stop": False,
            "node_minutes": zero if idle else None,
            "cost_usd": zero if idle else None,
            "cost_per_hour_usd": None,
            "effects": self.effects,
            "warnings": [],
            "unknown": [*self._view.unknown(), *self._view.without_nodes_of_jobs()],
        }

    def _action(self, node: Node) -> Action:
        refused = self._refused(node)
        return Action(node, refused, None if refused else self._unchanged(node))

    def _refused(self, node: Node) -> Optional[str]:
        view = self._view
        no_means = _no_means(view.setting, self.verb)
        if no_means is not None:
            return no_means.format(name=node["name"])
        if not view.is_compute(node):
            return f"it is a {view.role(node)} node, on which no job runs"
        if self.verb != "resume":
            return None
        if node["reason"] in _AGENT:
            return f"HyperPod's health agent drained it: {node['reason']}"
        if view.acceptance_unknown is not None and view.setting.has_service:
            asks = f"sudo {ENTRY} node resume {node['name']} --because TEXT"
            return (
                f"its acceptance is unknown: {view.acceptance_unknown}; on "
                f"{view.setting.administrator}: {asks}"
            )
        tested = view.acceptance(node)
        if tested and tested["state"] != "accepted":
            why = f": {tested['reason']}" if tested.get("reason") else ""
            return f"acceptance: {tested['state']}{why}"
        return None

    def _unchanged(self, node: Node) -> Optional[str]:
        drained = bool(DRAIN.intersection(node["states"])) or self._view.is_reserved(node)
        if self.verb == "drain" and drained:
            return "it is drained already" + (f": {node['reason']}" if node["reason"] else "")
        if self.verb == "resume" and not drained and not DOWN.intersection(node["states"]):
            return "it is not drained"
        return None

    def _follow(
        self, names: Sequence[str], asked_at: str, wait_seconds: float, tell: Callable[[str], None]
    ) -> None:
        """Wait until each node has booted after the request and can take jobs."""
        ends = time.monotonic() + wait_seconds
        waiting = list(names)
        seen = dict.fromkeys(names, "asked, not followed")
        while waiting and time.monotonic() < ends:
            time.sleep(min(POLL_SECONDS, max(0.0, ends - time.monotonic())))
            probe = Probe(deadline_seconds=_DEADLINE_SECONDS)
            found = {one["name"]: one for one in slurm_view.nodes(probe, {}, {}) or ()}
            for name in list(waiting):
                node = found.get(name)
                if node is None:
                    seen[name] = "Slurm does not show it"
                    continue
                seen[name] = "+".join(node["states"])
                booted = node["boot_time"] is not None and node["boot_time"] >= asked_at
                if booted and not slurm_view.TAKES_NO_JOB.intersection(node["states"]):
                    self._outcomes[name] = ("done", f"booted at {node['boot_time']}")
                    waiting.remove(name)
            if waiting:
                tell("; ".join(f"{name}: {seen[name]}" for name in waiting))
        for name in waiting:
            self._outcomes[name] = ("unfinished", seen[name])

    def _row(self, action: Action) -> dict[str, Any]:
        node = action.node
        if action.refused is not None:
            outcome, reason = "refused", action.refused
        elif action.unchanged is not None:
            outcome, reason = "unchanged", action.unchanged
        else:
            default = "another node is refused" if self.refused else "nobody confirmed"
            outcome, reason = self._outcomes.get(str(node["name"]), ("not-done", default))
        return {
            "name": node["name"],
            "group": node["group"],
            "instance_id": node["instance_id"],
            "new_instance_id": None,
            "outcome": outcome,
            "reason": reason,
        }


def reason(because: Optional[str]) -> str:
    """The text of --because. Raises Stop."""
    text = " ".join((because or "").split())
    if not text:
        raise Stop("the reason is missing", "--because TEXT")
    if not requests.plain(text):
        raise Stop(
            "the reason has no character that Slurm's reason keeps",
            "--because TEXT, in ASCII and not of quotes alone",
        )
    if len(text) > requests.LONGEST_REASON:
        raise Stop(
            f"the reason has {len(text)} characters", f"at most {requests.LONGEST_REASON} are kept"
        )
    return text


def _chosen(view: View, names: Sequence[str]) -> list[Node]:
    """Each named node once; Slurm has to answer. Raises Stop."""
    wanted = list(dict.fromkeys(names))
    if len(wanted) > MAXIMUM_NODES:
        raise Stop(f"{len(wanted)} nodes are named", f"{MAXIMUM_NODES} at a time")
    if view.state["nodes"] is None or view.state["running"] is None:
        raise Stop("slurmctld does not answer: nothing was done", exit_code=2)
    found: dict[str, Node] = {}
    for name in wanted:
        match = next(
            (node for node in view.nodes if name in (node["name"], node["instance_id"])), None
        )
        if match is None:
            raise Stop(f"the cluster has no node {name}", "clusterwright status")
        found.setdefault(str(match["name"]), match)
    return list(found.values())


def _no_means(setting: Setting, verb: str) -> Optional[str]:
    """Why a node cannot carry a verb out; None if it can."""
    if setting.on_hyperpod and verb in ("reboot", "replace"):
        return (
            f"SageMaker {verb}s nodes of HyperPod, and this node has no right to ask it; from a "
            f"workstation: clusterwright node {verb} FILE {{name}} --because TEXT"
        )
    if verb == "replace":
        return (
            "EC2 terminates the instance for it, and this node has no right to ask it; from a "
            "workstation: clusterwright node replace FILE {name} --because TEXT"
        )
    return None


def _exit_code(rows: Sequence[dict[str, Any]]) -> int:
    outcomes = {row["outcome"] for row in rows}
    if outcomes & {"refused", "failed"}:
        return 1
    if "unfinished" in outcomes:
        return 2
    return 1 if "not-done" in outcomes else 0
