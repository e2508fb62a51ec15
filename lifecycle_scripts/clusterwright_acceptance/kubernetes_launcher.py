"""Start a program on several nodes with an indexed Job of Kubernetes.

The Job comes from a template, which has the group's devices: a pod starts only on a node whose
accelerators and EFA interfaces are all free. The names of the nodes are an affinity, not
`nodeName`, so that the scheduler sees to that. The standard error goes to the termination message,
because a log has both outputs.

Sources: Kubernetes, "Indexed Job", "Pod affinity", "Customizing the termination message".
"""

from __future__ import annotations

import copy
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from clusterwright_acceptance import kubernetes_nodes
from clusterwright_acceptance.kubernetes_api import Api, KubernetesError
from clusterwright_acceptance.launcher import Launched

START_SECONDS = 300.0
"""How long pods may wait for a node whose devices are free, and for their image."""
POLL_SECONDS = 2.0
LABEL = "clusterwright.dev/acceptance"
INDEX = "batch.kubernetes.io/job-completion-index"
SERVICE = "acceptance"
PORT = 29400
CONTAINER = "test"
_PYTHON = "/usr/bin/python3"
_WRAPPER = ["sh", "-c", '"$@" 2>/dev/termination-log', "sh"]
_NOT_STARTED = 125


@dataclass
class KubernetesLauncher:
    """Jobs of one group. `template` is the specification of a Job, without nodes and command.

    `priority_class` is that of re-checks, whose pods the scheduler ends for pods of users.
    `interrupted` is told why a test was ended by others, or did not start on several nodes.
    """

    api: Api
    namespace: str
    template: Mapping[str, Any]
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    new_name: Callable[[], str] = lambda: f"test-{uuid.uuid4().hex[:12]}"
    priority_class: Optional[str] = None
    start_seconds: float = START_SECONDS
    interrupted: Callable[[str], None] = lambda _: None

    def allreduce_argv(self, sizes_mib: Sequence[int], processes: int) -> list[str]:
        """The all-reduce without MPI: one program on each node, which starts the ranks."""
        sizes = ",".join(str(size) for size in sizes_mib)
        return [_PYTHON, "-B", "-m", "clusterwright_acceptance.ranks", sizes, str(processes)]

    def run(
        self,
        nodes: Sequence[str],
        argv: Sequence[str],
        *,
        tasks_per_node: int,
        timeout_seconds: float,
        env: Mapping[str, str],
    ) -> Launched:
        if tasks_per_node != 1:
            # Several ranks of a node are started by `ranks`: a pod has all of its devices.
            raise ValueError("one process on each node")
        name = self.new_name()
        path = f"/apis/batch/v1/namespaces/{self.namespace}/jobs"
        try:
            self.api.create(path, self.job(name, nodes, argv, timeout_seconds, env))
            try:
                return self._wait(name, nodes, timeout_seconds)
            finally:
                self.api.delete(f"{path}/{name}?propagationPolicy=Background")
        except KubernetesError as error:
            return Launched(_NOT_STARTED, "", f"the Kubernetes API: {error}")

    def job(
        self,
        name: str,
        nodes: Sequence[str],
        argv: Sequence[str],
        timeout_seconds: float,
        env: Mapping[str, str],
    ) -> dict[str, Any]:
        """The Job: one pod on each of the nodes."""
        spec: dict[str, Any] = copy.deepcopy(dict(self.template))
        found: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "spec": spec}
        found["metadata"] = {"name": name, "namespace": self.namespace}
        spec["completions"] = spec["parallelism"] = len(nodes)
        spec["activeDeadlineSeconds"] = int(timeout_seconds + START_SECONDS) + 60
        labels = {LABEL: name}
        spec["template"]["metadata"]["labels"].update(labels)
        pod = spec["template"]["spec"]
        pod["affinity"] = _affinity(nodes, labels)
        if self.priority_class is not None:
            pod["priorityClassName"] = self.priority_class
        container = pod["containers"][0]
        # The image decides where its Python is.
        words = ["python3" if word == _PYTHON else word for word in argv]
        container["command"] = [*_WRAPPER, *words]
        more = {
            **env,
            "MASTER_ADDR": f"{name}-0.{SERVICE}.{self.namespace}.svc",
            "MASTER_PORT": str(PORT),
            "CLUSTERWRIGHT_NODES": str(len(nodes)),
        }
        container["env"] += [{"name": key, "value": more[key]} for key in sorted(more)]
        return found

    def _wait(self, name: str, nodes: Sequence[str], timeout_seconds: float) -> Launched:
        began, started = self.clock(), None
        while True:
            pods = self._pods(name)
            if any(_is_disrupted(pod) for pod in pods):
                return self._interrupted("a pod of the test was ended for another one")
            ended = [pod for pod in pods if _phase(pod) in ("Succeeded", "Failed")]
            if len(ended) == len(nodes) or any(_phase(pod) == "Failed" for pod in ended):
                return self._ended(pods, nodes)
            if started is None and len(pods) == len(nodes):
                waiting = any(_phase(pod) == "Pending" for pod in pods)
                started = None if waiting else self.clock()
            if started is None and self.clock() - began > self.start_seconds:
                if len(nodes) > 1:
                    return self._interrupted(_why_waiting(pods))
                return Launched(_NOT_STARTED, "", _why_waiting(pods))
            if started is not None:
                lost = self._lost(nodes)
                if lost:
                    return Launched(1, "", "", lost)
                if len(pods) < len(nodes):
                    # Its Job creates no other one; the node has done nothing wrong.
                    return self._interrupted("a pod of the test was deleted")
                if self.clock() - started > timeout_seconds:
                    return Launched(None, "", "")
            self.sleep(POLL_SECONDS)

    def _interrupted(self, reason: str) -> Launched:
        self.interrupted(reason)
        return Launched(_NOT_STARTED, "", reason)

    def _pods(self, name: str) -> list[dict[str, Any]]:
        path = f"/api/v1/namespaces/{self.namespace}/pods?labelSelector={LABEL}%3D{name}"
        found = self.api.get(path).get("items") or []
        return sorted(found, key=_index)

    def _ended(self, pods: Sequence[Mapping[str, Any]], nodes: Sequence[str]) -> Launched:
        outputs, errors, codes = [], [], []
        for pod in pods:
            name, state = pod["metadata"]["name"], _terminated(pod)
            codes.append(_NOT_STARTED if state is None else int(state.get("exitCode", 1)))
            if state is None:
                continue
            path = f"/api/v1/namespaces/{self.namespace}/pods/{name}/log?container={CONTAINER}"
            outputs.append(_labelled(_index(pod), self.api.text(path)))
            errors.append(_labelled(_index(pod), str(state.get("message") or "")))
        lost = self._lost(nodes) if any(codes) else ()
        return Launched(max(codes, default=1), "".join(outputs), "".join(errors), lost)

    def _lost(self, nodes: Sequence[str]) -> tuple[str, ...]:
        """Nodes that are gone or not ready."""
        found = []
        for name in nodes:
            try:
                node = self.api.get(f"/api/v1/nodes/{name}")
            except KubernetesError as error:
                if error.code == 404:
                    found.append(name)
                continue
            if not kubernetes_nodes.is_ready(node):
                found.append(name)
        return tuple(found)


def _affinity(nodes: Sequence[str], labels: Mapping[str, str]) -> dict[str, Any]:
    """One pod on each of these nodes."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [node]} for node in nodes]
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                # `In` of a field takes one value; terms are alternatives.
                "nodeSelectorTerms": [{"matchFields": [field]} for field in fields]
            }
        },
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {
                    "labelSelector": {"matchLabels": dict(labels)},
                    "topologyKey": "kubernetes.io/hostname",
                }
            ]
        },
    }


def _phase(pod: Mapping[str, Any]) -> str:
    return str(pod.get("status", {}).get("phase", "Pending"))


def _is_disrupted(pod: Mapping[str, Any]) -> bool:
    """Whether Kubernetes ends the pod: for one of a higher priority, a drain or a taint."""
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(
        one.get("type") == "DisruptionTarget" and one.get("status") == "True" for one in conditions
    )


def _index(pod: Mapping[str, Any]) -> int:
    metadata = pod["metadata"]
    text = (metadata.get("annotations") or {}).get(INDEX, "0")
    return int(text) if str(text).isdigit() else 0


def _terminated(pod: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
    for one in pod.get("status", {}).get("containerStatuses") or ():
        if one.get("name") == CONTAINER:
            found: Optional[Mapping[str, Any]] = one.get("state", {}).get("terminated")
            return found
    return None


def _labelled(index: int, text: str) -> str:
    return "".join(f"{index}: {line}\n" for line in text.splitlines())


def _why_waiting(pods: Sequence[Mapping[str, Any]]) -> str:
    """Why the pods do not run: what the scheduler or the kubelet says of the first that waits."""
    for pod in pods:
        status = pod.get("status", {})
        for one in status.get("containerStatuses") or ():
            waiting = one.get("state", {}).get("waiting") or {}
            if waiting.get("message"):
                return f"{waiting.get('reason', 'waiting')}: {waiting['message']}"[:300]
        for condition in status.get("conditions") or ():
            if condition.get("status") == "False" and condition.get("message"):
                return str(condition["message"])[:300]
    return f"the pods did not start within {START_SECONDS:.0f} s"
