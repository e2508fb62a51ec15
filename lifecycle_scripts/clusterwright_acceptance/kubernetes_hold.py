"""Hold nodes of Kubernetes by the taint, as soon as they change.

The controller of the tests looks every two minutes, and not at all while tests run; the kubelet
adds the taint only when a node registers. So a node that boots again would be open until that
look. `NodeWatch` follows the nodes instead, and taints a node

- that has booted since its test, or was never tested and has no taint;
- that is not ready: the control plane says so of a node whose kubelet is silent for its grace
  period (kube-controller-manager, `--node-monitor-grace-period`: 40 seconds, 50 in later
  versions). The kubelet of a node that rebooted does not start before that time (the script
  `kubelet_wait.sh` of clusterwright.platforms.kubernetes), so it finds the taint.

It also evicts the pods that were bound to such a node before the taint and that no kubelet has
taken (`kubernetes_pods`). It starts no test. The controller sets the taint at its looks, too
(`keep`).

Sources: Kubernetes, "API concepts" (watches, bookmarks, `410 Gone`), "Nodes" (conditions,
heartbeats); issue 43992 of kubernetes/kubernetes (taints are for the registration only).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn, Optional

from clusterwright_acceptance import kubernetes_nodes, kubernetes_pods
from clusterwright_acceptance.kubernetes_api import (
    CONFLICT,
    NOT_FOUND,
    KubernetesError,
    PatchApi,
    WatchApi,
    selected,
)

WATCHED = "/var/lib/clusterwright/watched"
"""Touched before each watch, by which the kubelet sees that the program goes on."""
WATCH_SECONDS = 25
"""After this time the server ends a watch, and another one goes on from its last version."""
SILENT_SECONDS = 35.0
"""A lost connection is noticed after this time, within the grace period of nodes."""
LONGEST_PAUSE_SECONDS = 30.0
EVICTING_SECONDS = 120.0
"""Pods are looked for, with each watch, until an accepted node is away for this time: what the
scheduler decided before the taint may reach the API later.
"""
_SHORT_SECONDS = 1.0
"""A watch that ends sooner counts as a failure: it is repeated with pauses."""


def keep(
    api: PatchApi, node: kubernetes_nodes.Node, say: Callable[[str], None]
) -> kubernetes_nodes.Node:
    """Set or remove the taint of one node, as `hold_patch` decides; the node afterwards.

    Raises KubernetesError, but not for a node that is gone or has changed: its next state is
    looked at again.
    """
    patch = kubernetes_nodes.hold_patch(node)
    if patch is None:
        return node
    name = kubernetes_nodes.name_of(node)
    try:
        changed = api.patch(f"/api/v1/nodes/{name}", patch)
    except KubernetesError as error:
        if error.code not in (CONFLICT, NOT_FOUND):
            raise
        return node
    value = kubernetes_nodes.taint_of(changed)
    say(f"{name}: {'opened' if value is None else f'held ({value})'}")
    return changed


@dataclass
class NodeWatch:
    """Holds the nodes that `selector` selects. `alive` is called before each request."""

    api: WatchApi
    selector: str
    say: Callable[[str], None] = print
    alive: Callable[[], None] = lambda: None
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _version: Optional[str] = field(default=None, init=False)
    """Of the last state or change that was looked at; None before a list."""
    _failures: int = field(default=0, init=False)
    _unfinished: bool = field(default=False, init=False)
    """Whether the API refused to change a node: then the nodes are listed again."""
    _away: dict[str, Optional[float]] = field(default_factory=dict, init=False)
    """Accepted nodes that are away, each with the time until which pods are evicted from it; None
    before the first look at pods."""
    _looked_at: float = field(default=float("-inf"), init=False)

    def run(self) -> NoReturn:
        """Follow the nodes for ever."""
        while True:
            self.step()

    def step(self) -> None:
        """List the nodes if that is needed, and follow one watch to its end.

        Errors of the API are said; the first is followed by another attempt at once, others by
        pauses that double.
        """
        self.alive()
        began = self.clock()
        self._evict(began)
        try:
            if self._version is None:
                self._list()
            self._follow()
        except KubernetesError as error:
            self.say(f"the watch of nodes: {error}")
            self._failures += 1
            if error.code:
                # The server does not keep changes since that version any more (410), or does not
                # know it, as after a restored etcd (400, 504).
                self._version = None
        else:
            is_short = self.clock() - began < _SHORT_SECONDS
            self._failures = self._failures + 1 if is_short else 0
        if self._unfinished:
            self._version = None
        if self._failures > 1:
            self.sleep(min(LONGEST_PAUSE_SECONDS, 2.0 ** (self._failures - 2)))

    @property
    def _path(self) -> str:
        return selected("/api/v1/nodes", self.selector)

    def _list(self) -> None:
        self._unfinished = False
        found = self.api.get(self._path)
        names = {kubernetes_nodes.name_of(node) for node in found.get("items") or ()}
        self._away = {name: until for name, until in self._away.items() if name in names}
        for node in found.get("items") or ():
            self._keep(node)
        self._evict_if_new()
        self._version = str(found["metadata"]["resourceVersion"])

    def _follow(self) -> None:
        path = (
            f"{self._path}&watch=true&allowWatchBookmarks=true"
            f"&resourceVersion={self._version}&timeoutSeconds={WATCH_SECONDS}"
        )
        for event in self.api.watch(path, SILENT_SECONDS):
            if event["type"] in ("ADDED", "MODIFIED"):
                self._keep(event["object"])
                self._evict_if_new()
            elif event["type"] == "DELETED":
                self._away.pop(kubernetes_nodes.name_of(event["object"]), None)
            self._version = str(event["object"]["metadata"]["resourceVersion"])

    def _keep(self, node: kubernetes_nodes.Node) -> None:
        """As `keep`; a refusal does not end the watch of the other nodes."""
        # A slow server may need minutes for all nodes of a list.
        self.alive()
        name = kubernetes_nodes.name_of(node)
        try:
            kept = keep(self.api, node, self.say)
        except KubernetesError as error:
            self.say(f"{name}: {error}")
            self._unfinished = True
            return
        if kubernetes_nodes.taint_of(kept) != kubernetes_nodes.AWAY:
            self._away.pop(name, None)
        elif name not in self._away:
            self._away[name] = None

    def _evict_if_new(self) -> None:
        """Evict pods of nodes that are away since the last look at pods, or leave it to the next.

        When many nodes change together, their taints come first.
        """
        if None in self._away.values():
            now = self.clock()
            if now - self._looked_at >= _SHORT_SECONDS:
                self._evict(now)

    def _evict(self, now: float) -> None:
        """Evict the pods that nodes have not taken. A refusal is said, and tried again."""
        for name, until in self._away.items():
            self._away[name] = now + EVICTING_SECONDS if until is None else until
        away = {name for name, until in self._away.items() if until is not None and now < until}
        if not away:
            return
        self._looked_at = now
        self.alive()
        try:
            found = self.api.get(kubernetes_pods.PATH)
        except KubernetesError as error:
            self.say(f"pods of {', '.join(sorted(away))}: {error}")
            return
        for pod in kubernetes_pods.not_taken(found.get("items") or ()):
            if kubernetes_pods.node_of(pod) in away:
                self._evict_one(pod)

    def _evict_one(self, pod: kubernetes_pods.Pod) -> None:
        node = kubernetes_pods.node_of(pod)
        path, body = kubernetes_pods.eviction(pod)
        try:
            self.api.create(path, body)
        except KubernetesError as error:
            # It is gone, or has changed: the next look finds what it is then.
            if error.code not in (CONFLICT, NOT_FOUND):
                self.say(f"{node}: {error}")
        else:
            self.say(f"{node}: evicted {kubernetes_pods.name_of(pod)}, which it had not taken")
