"""The nodes of a cluster: the platform's view and the scheduler's view joined."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.deep_health import DeepHealthResult
from clusterwright.cluster_state.not_read import known
from clusterwright.cluster_state.published import (
    NodeAcceptance,
    NodeHistory,
    SchedulerNode,
    SchedulerState,
)
from clusterwright.cluster_state.results import ClusterState, PlatformNode
from clusterwright.operate.results import Accepted, NodeStatus

ABSENT: Final = "absent"
UNKNOWN: Final = "unknown"

NOT_RUNNING: Final = frozenset({"POWERED_DOWN", "POWERING_DOWN", "FUTURE"})
"""Slurm's states of a node that has no instance on purpose (power saving)."""


@dataclass(frozen=True)
class JoinedNode:
    """A node in both views; at least one of them has it.

    Attributes
    ----------
    role:
        The role of its group in the spec; None if the spec does not have the group.
    """

    platform: PlatformNode | None
    scheduler: SchedulerNode | None
    acceptance: NodeAcceptance | None
    group: str | None
    role: str | None
    history: NodeHistory | None = None
    deep_health: DeepHealthResult | None = None

    @property
    def name(self) -> str:
        """The scheduler's name, else the platform's."""
        if self.scheduler is not None:
            return self.scheduler.name
        assert self.platform is not None
        return self.platform.name

    @property
    def names(self) -> frozenset[str]:
        """Every name by which a user may name it."""
        found = {self.name}
        if self.platform is not None:
            parts = (
                self.platform.instance_id,
                self.platform.logical_id,
                self.platform.hostname,
            )
            found |= {part for part in parts if part}
        return frozenset(found)

    @property
    def deep_health_failure(self) -> DeepHealthResult | None:
        """HyperPod's own result, if it failed; not if the reboot that it wants has happened."""
        found = self.deep_health
        if found is None or found.passed:
            return None
        booted = self.scheduler.boot_time if self.scheduler is not None else None
        is_over = found.action == "reboot" and booted is not None and booted > found.at
        return None if is_over else found

    @property
    def is_compute(self) -> bool:
        """Whether it runs jobs: login nodes run slurmd too, and are not compute nodes."""
        return self.role in ("compute", "system", None)

    def has_state(self, *words: str) -> bool:
        """Whether the scheduler reports one of the states or flags."""
        states = (self.scheduler.states if self.scheduler is not None else None) or ()
        return bool({state.upper() for state in states} & set(words))


def joined_nodes(cluster: Cluster, state: ClusterState) -> tuple[JoinedNode, ...]:
    """Every node, in the order of the spec's groups; powered-down nodes of Slurm are left out."""
    roles: dict[str | None, str] = {group.name: group.role for group in cluster.compute}
    order = {group.name: index for index, group in enumerate(cluster.compute)}
    scheduler = state.scheduler.current
    index = _Index(scheduler)
    deep_health = known(state.deep_health) or {}
    found: list[JoinedNode] = []
    for node in known(state.nodes) or ():
        match = index.take(node)
        group = node.group or (match.group if match is not None else None)
        found.append(
            JoinedNode(
                node,
                match,
                _acceptance(scheduler, match, node),
                group,
                roles.get(group),
                _history(scheduler, match, node.instance_id),
                deep_health.get(node.instance_id or ""),
            )
        )
    for rest in index.rest():
        if set(rest.states or ()) & NOT_RUNNING:
            continue
        role = roles.get(rest.group)
        accepted_as = _acceptance(scheduler, rest, None)
        past = _history(scheduler, rest, None)
        found.append(JoinedNode(None, rest, accepted_as, rest.group, role, past))
    last = len(order)
    return tuple(sorted(found, key=lambda n: (order.get(n.group or "", last), _natural(n.name))))


def node_status(node: JoinedNode, state: ClusterState) -> NodeStatus:
    """The row of a node."""
    platform = node.platform
    reason, since = _reason(node)
    if platform is not None:
        platform_state = platform.state
    else:
        platform_state = ABSENT if known(state.nodes) is not None else UNKNOWN
    return NodeStatus(
        node.name,
        node.group,
        node.role,
        _instance_id(node),
        platform.instance_type if platform is not None else None,
        platform_state,
        _scheduler_state(node, state),
        accepted(node.acceptance),
        reason,
        since,
    )


def accepted(acceptance: NodeAcceptance | None) -> Accepted:
    """Whether a node may take jobs; `unknown` also where no program accepts nodes."""
    states: Mapping[str, Accepted] = {"accepted": "yes", "rejected": "no", "new": "no"}
    return UNKNOWN if acceptance is None else states.get(acceptance.state, UNKNOWN)


def _scheduler_state(node: JoinedNode, state: ClusterState) -> str | None:
    if state.scheduler.current is None or state.scheduler.current.nodes is None:
        return UNKNOWN
    if node.scheduler is None:
        return ABSENT if node.is_compute else None
    return "+".join(node.scheduler.states) if node.scheduler.states else UNKNOWN


def _instance_id(node: JoinedNode) -> str | None:
    if node.platform is not None:
        return node.platform.instance_id
    return node.scheduler.instance_id if node.scheduler is not None else None


def _reason(node: JoinedNode) -> tuple[str | None, dt.datetime | None]:
    scheduler, acceptance, platform = node.scheduler, node.acceptance, node.platform
    if scheduler is not None and scheduler.reason:
        return scheduler.reason, scheduler.reason_at
    if acceptance is not None and acceptance.state != "accepted" and acceptance.reason:
        return acceptance.reason, acceptance.since
    if platform is not None and platform.message:
        return platform.message, None
    if platform is not None and platform.condition == "starting":
        return None, platform.launched_at
    return None, acceptance.since if acceptance is not None else None


def _acceptance(
    scheduler: SchedulerState | None, node: SchedulerNode | None, platform: PlatformNode | None
) -> NodeAcceptance | None:
    """The acceptance of a node; that of an instance that was replaced does not count."""
    if scheduler is None or node is None or scheduler.acceptance is None:
        return None
    found = scheduler.acceptance.get(node.name)
    if found is None or found.state != "accepted" or platform is None:
        return found
    if None in (node.instance_id, platform.instance_id) or (
        node.instance_id == platform.instance_id
    ):
        return found
    # The published id is that of the former instance, and so is what was tested before the launch.
    launched = platform.launched_at
    is_former = found.since is None or (launched is not None and found.since < launched)
    if not is_former:
        return found
    reason = f"the test was of the instance {node.instance_id}"
    return found.model_copy(update={"state": "new", "reason": reason, "since": launched})


def _history(
    scheduler: SchedulerState | None, node: SchedulerNode | None, instance_id: str | None
) -> NodeHistory | None:
    """The history of a node's instance; not that of one that it replaced."""
    if scheduler is None or node is None or scheduler.history is None:
        return None
    found = scheduler.history.get(node.name)
    if found is None or found.instance_id != (instance_id or node.instance_id):
        return None
    return found


class _Index:
    """The scheduler's nodes by instance id, name and address; each is taken once."""

    def __init__(self, scheduler: SchedulerState | None) -> None:
        nodes: Iterable[SchedulerNode] = (scheduler.nodes if scheduler is not None else None) or ()
        self._by_name = {node.name: node for node in nodes}
        self._by_id = {node.instance_id: node for node in nodes if node.instance_id}
        self._by_address = _by_address(nodes)

    def take(self, node: PlatformNode) -> SchedulerNode | None:
        """The scheduler's node of an instance.

        After a replacement Slurm keeps the name, and the published instance id may be the old one
        for some minutes, so the host name counts too. Nodes of ParallelCluster and PCS have names
        of their own and no instance id in Slurm; their NodeAddr is the instance's address, of
        which a node without an instance may still state the former one.
        """
        found = self._by_id.get(node.instance_id or "")
        if found is None or found.name not in self._by_name:
            found = self._by_name.get(node.hostname or "")
        if found is None:
            found = self._by_address.get(node.address or "")
        return None if found is None else self._by_name.pop(found.name, None)

    def rest(self) -> Iterable[SchedulerNode]:
        return self._by_name.values()


def _by_address(nodes: Iterable[SchedulerNode]) -> dict[str, SchedulerNode]:
    """The node of each address; of several those that run, and none if these are several too."""
    stated: dict[str, list[SchedulerNode]] = {}
    for node in nodes:
        if node.address:
            stated.setdefault(node.address, []).append(node)
    found = {}
    for address, those in stated.items():
        running = [node for node in those if not NOT_RUNNING & {*(node.states or ())}]
        chosen = those if len(those) == 1 else running
        if len(chosen) == 1:
            found[address] = chosen[0]
    return found


def _natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """A sort key in which workers-2 is before workers-10."""
    parts: list[tuple[int, int | str]] = []
    digits = ""
    for character in [*name, ""]:
        if character.isdigit():
            digits += character
            continue
        if digits:
            parts.append((0, int(digits)))
            digits = ""
        if character:
            parts.append((1, character))
    return tuple(parts)
