"""Carries out what `clusterwright node` planned, and follows it until it is done."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from clusterwright.aws.errors import AwsUnavailable

if TYPE_CHECKING:
    from clusterwright.aws.session import AwsSession
    from clusterwright.cluster_spec.models.cluster import Cluster
    from clusterwright.cluster_state.requests import Answer, Verb
    from clusterwright.cluster_state.results import ClusterState
    from clusterwright.operate.node_progress import Progress
    from clusterwright.operate.results import NodeAction, NodeOutcome, NodePlan, NodeResult

ANSWER_SECONDS: Final = 300
"""How long the controller may take to answer a request."""

_ANSWER_POLL_SECONDS: Final = 5.0
_STATE_POLL_SECONDS: Final = 30.0
"""HyperPod has no waiters; its operators poll every 30 to 60 seconds (awslabs/
awsome-distributed-ai, hyperpod-mental-model.md, 2026-07-23)."""

_READ_SECONDS: Final = 60.0

Tell = Callable[[str], None]


class NodeWork:
    """One plan that is carried out.

    Parameters
    ----------
    by:
        Who asks, which Slurm's reason names.
    wait_seconds:
        How long to follow reboots and replacements; 0 only asks.
    tell:
        Prints progress.
    """

    def __init__(
        self,
        session: AwsSession,
        cluster: Cluster,
        state: ClusterState,
        plan: NodePlan,
        *,
        by: str,
        wait_seconds: float,
        tell: Tell,
    ) -> None:
        self._session = session
        self._cluster = cluster
        self._state = state
        self._plan = plan
        self._by = by
        self._wait_seconds = wait_seconds
        self._tell = tell
        self._results: dict[str, NodeResult] = {}
        self._drained: set[str] = set()
        self._asked: tuple[NodeAction, ...] = ()

    def run(self) -> tuple[NodeResult, ...]:
        """Act and follow; the results are in the order of the plan.

        Errors of AWS become results: what was asked before stays asked.
        """
        for action in self._plan.actions:
            if action.unchanged is not None:
                self._end(action, "unchanged", action.unchanged)
        if self._plan.means in ("controller", "kubernetes"):
            self._through_scheduler()
        else:
            self._through_platform()
        return tuple(self._results[action.name] for action in self._plan.actions)

    def _through_scheduler(self) -> None:
        verb = self._plan.verb
        assert verb != "replace"
        asked_at = _now()
        done = self._ask_scheduler(verb, self._plan.wanted)
        if verb != "reboot":
            self._end_all(done, "done", "drained" if verb == "drain" else "resumed")
            return
        self._follow(done, asked_at)

    def _ask_scheduler(self, verb: Verb, wanted: Sequence[NodeAction]) -> list[NodeAction]:
        """The nodes on which Slurm's controller or Kubernetes did it; others have their result."""
        if self._cluster.uses_slurm:
            return self._request(verb, wanted)
        return self._scheduled(verb == "resume", wanted)

    def _scheduled(self, resumed: bool, wanted: Sequence[NodeAction]) -> list[NodeAction]:
        """Resume or drain nodes through the Kubernetes API; those on which it was done."""
        from clusterwright.cluster_state import kubernetes_nodes
        from clusterwright.cluster_state.not_read import NotRead

        done = []
        try:
            api = kubernetes_nodes.kubernetes_nodes(self._session, self._cluster)
        except AwsUnavailable as error:
            self._end_all(wanted, "refused", error.message)
            return []
        for action in wanted:
            problem = (
                api
                if isinstance(api, NotRead)
                else api.set_schedulable(action.scheduler_name or action.name, resumed)
            )
            if problem is None:
                done.append(action)
            else:
                hint = f": {problem.hint}" if problem.hint else ""
                self._end(action, "refused", problem.reason + hint)
        return done

    def _drain(self, wanted: Sequence[NodeAction]) -> list[NodeAction]:
        """Drain nodes; with Slurm the others have their result."""
        drained = self._ask_scheduler("drain", wanted)
        if not self._cluster.uses_slurm:
            for action in wanted:
                if action not in drained:  # pods stop anyway: a new one would only stop too
                    result = self._results.pop(action.name)
                    self._tell(f"{action.name}: not drained: {result.reason}")
        return drained

    def _through_platform(self) -> None:
        wanted = self._plan.wanted
        if self._plan.drains_first:
            loose = [a for a in wanted if not a.drained and a.scheduler_name is not None]
            self._drained = {action.name for action in self._drain(loose)}
            wanted = tuple(action for action in wanted if action.name not in self._results)
        asked_at = _now()
        if self._plan.means == "hyperpod":
            asked = self._ask_hyperpod(wanted)
        else:
            asked = self._ask_ec2(wanted)
        self._follow(asked, asked_at)
        # Those that were refused work as before.
        refused = [
            action
            for action in wanted
            if action.name in self._drained and self._results[action.name].outcome == "refused"
        ]
        self._resume(refused)

    def _ask_hyperpod(self, wanted: Sequence[NodeAction]) -> list[NodeAction]:
        """The nodes of which HyperPod took the request."""
        from clusterwright.aws import hyperpod

        if not wanted:
            return []
        call = hyperpod.reboot if self._plan.verb == "reboot" else hyperpod.replace
        ids = [action.instance_id for action in wanted if action.instance_id is not None]
        try:
            refusals = call(self._session, self._cluster.environment, ids)
        except AwsUnavailable as error:
            for action in wanted:
                self._end(action, "refused", error.message)
            return []
        reasons = {each.instance_id: f"{each.code}: {each.message}" for each in refusals}
        taken = []
        for action in wanted:
            reason = reasons.get(action.instance_id or "")
            if reason is None:
                taken.append(action)
            else:
                self._end(action, "refused", reason)
        return taken

    def _ask_ec2(self, wanted: Sequence[NodeAction]) -> list[NodeAction]:
        """The nodes whose instances EC2 reboots or terminates."""
        from clusterwright.aws.ec2 import instances

        call = instances.reboot if self._plan.verb == "reboot" else instances.terminate
        taken = []
        for action in wanted:
            assert action.instance_id is not None
            try:
                call(self._session, action.instance_id)
            except AwsUnavailable as error:
                self._end(action, "refused", error.message)
            else:
                taken.append(action)
        return taken

    def _request(self, verb: Verb, wanted: Sequence[NodeAction]) -> list[NodeAction]:
        """Ask the controller, and wait for its answer; the nodes on which it was carried out."""
        from clusterwright.cluster_state import requests
        from clusterwright.cluster_state.published import publishing_node
        from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket

        if not wanted:
            return []
        publisher = publishing_node(self._cluster)
        by_name = {action.scheduler_name or action.name: action for action in wanted}
        bucket = lifecycle_bucket(self._cluster)
        request = requests.new_request(
            verb, tuple(by_name), self._plan.because, by=self._by, now=_now()
        )
        try:
            requests.send(self._session, bucket, request)
        except AwsUnavailable as error:
            self._end_all(wanted, "refused", error.message)
            return []
        self._tell(f"{verb}: waiting for the answer of {publisher}")
        reason = f"{publisher} did not answer within {ANSWER_SECONDS} s"
        for _ in _turns(ANSWER_SECONDS, _ANSWER_POLL_SECONDS):
            try:
                found = requests.answer(self._session, bucket, request.id)
            except AwsUnavailable as error:
                reason = error.message
                continue
            if isinstance(found, requests.Answer):
                return self._answered(found, by_name)
            if found is not None:
                reason = found.reason
                break
        self._end_all(wanted, "unfinished", reason)
        return []

    def _answered(self, answer: Answer, by_name: Mapping[str, NodeAction]) -> list[NodeAction]:
        done = [by_name[each.node] for each in answer.done if each.node in by_name]
        reasons = {each.node: each.reason for each in answer.refused}
        for name, action in by_name.items():
            if action not in done:
                reason = reasons.get(name) or reasons.get("") or "the answer does not name it"
                self._end(action, "refused", f"the controller: {reason}")
        return done

    def _follow(self, asked: Sequence[NodeAction], asked_at: dt.datetime) -> None:
        """Wait until each node can take jobs, and resume those that were drained for it."""
        waiting = list(asked)
        self._asked = tuple(asked)
        last: dict[str, Progress] = {}
        for _ in _turns(self._wait_seconds, _STATE_POLL_SECONDS) if waiting else ():
            last = self._look(waiting, asked_at)
            ready = [a for a in waiting if last[a.name].stage == "ready"]
            if self._is_same_node:
                self._resume([action for action in ready if action.name in self._drained])
            for action in waiting:
                found = last[action.name]
                if found.stage == "failed":
                    self._end(action, "failed", found.reason, found.new_instance_id)
                elif found.stage == "ready" and action.name not in self._results:
                    left = found.drained and action.name not in self._drained
                    more = "; it is still drained: clusterwright node resume" if left else ""
                    self._end(action, "done", found.reason + more, found.new_instance_id)
            waiting = [action for action in waiting if action.name not in self._results]
            if not waiting:
                return
            self._tell(
                "; ".join(f"{action.name}: {last[action.name].reason}" for action in waiting)
            )
        for action in waiting:
            seen = last.get(action.name)
            reason = "asked, not followed" if seen is None else seen.reason
            if action.name in self._drained and self._is_same_node:
                scheduler = "Slurm" if self._cluster.uses_slurm else "Kubernetes"
                reason += f"; {scheduler} has it drained: clusterwright node resume"
            self._end(
                action, "unfinished", reason, seen.new_instance_id if seen is not None else None
            )

    @property
    def _is_same_node(self) -> bool:
        """Whether the node outlives the action: a Kubernetes node ends with its instance."""
        return self._cluster.uses_slurm or self._plan.verb == "reboot"

    def _look(self, waiting: Sequence[NodeAction], asked_at: dt.datetime) -> dict[str, Progress]:
        from clusterwright.cluster_state.reading import read_nodes
        from clusterwright.operate.node_progress import progress

        self._state = read_nodes(
            self._session,
            self._cluster,
            self._state,
            now=_now(),
            deadline_seconds=_READ_SECONDS,
        )
        return {
            action.name: progress(
                self._cluster,
                self._state,
                action,
                self._plan.verb,
                asked_at=asked_at,
                rank=self._rank(action),
            )
            for action in waiting
        }

    def _rank(self, action: NodeAction) -> int:
        """How many of the group's replacements were asked for before that of this node."""
        group = [asked.name for asked in self._asked if asked.group == action.group]
        return group.index(action.name)

    def _resume(self, wanted: Sequence[NodeAction]) -> None:
        """Resume nodes that this work drained; what fails becomes their result."""
        if not wanted:
            return
        former = {a.name: self._results.pop(a.name, None) for a in wanted}
        resumed = {action.name for action in self._ask_scheduler("resume", wanted)}
        for action in wanted:
            before = former[action.name]
            if action.name in resumed and before is not None:
                self._results[action.name] = before
            elif action.name not in resumed:
                found = self._results[action.name]
                text = f"it is drained, and could not be resumed: {found.reason}"
                self._results[action.name] = replace(found, outcome="failed", reason=text)

    def _end_all(self, actions: Iterable[NodeAction], outcome: NodeOutcome, reason: str) -> None:
        for action in actions:
            self._end(action, outcome, reason)

    def _end(
        self, action: NodeAction, outcome: NodeOutcome, reason: str, new: str | None = None
    ) -> None:
        self._results[action.name] = result_of(action, outcome, reason, new)


def result_of(
    action: NodeAction, outcome: NodeOutcome, reason: str, new: str | None = None
) -> NodeResult:
    """The result of an action."""
    from clusterwright.operate.results import NodeResult

    return NodeResult(action.name, action.group, action.instance_id, new, outcome, reason)


def _turns(seconds: float, pause_seconds: float) -> Iterable[None]:
    """Turn after turn with pauses between, until the time is over; at least one if it is not 0."""
    end = time.monotonic() + seconds
    while seconds > 0:
        yield
        if time.monotonic() + pause_seconds > end:
            return
        time.sleep(pause_seconds)


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
