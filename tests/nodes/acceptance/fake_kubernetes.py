"""A Kubernetes API in memory, in which Jobs run at once as a test says."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from clusterwright_acceptance.kubernetes_api import KubernetesError

NAMESPACE = "clusterwright-acceptance"
GROUPS = {"workers": {"clusterwright.dev/group": "workers"}}
Answer = tuple[int, str, str]
"""Exit code, log and termination message of a pod."""


def template(group: str) -> dict[str, Any]:
    container = {"name": "test", "image": "i", "command": [], "env": [{"name": "A", "value": "b"}]}
    pod = {"nodeSelector": GROUPS[group], "containers": [container]}
    return {
        "metadata": {
            "name": f"nodes-{group}",
            "labels": {"clusterwright.dev/acceptance-group": group},
        },
        "spec": {
            "jobTemplate": {
                "spec": {"template": {"metadata": {"labels": {"app": "test"}}, "spec": pod}}
            }
        },
    }


def node(name: str, *taints: dict[str, str], ready: bool = True, boot: str = "boot-1") -> Any:
    return {
        "metadata": {"name": name, "labels": dict(GROUPS["workers"]), "resourceVersion": "1"},
        "spec": {
            "providerID": f"aws:///use1-az6/i-{name}",
            "taints": [dict(one) for one in taints],
        },
        "status": {
            "nodeInfo": {"bootID": boot},
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }


class FakeKubernetes:
    """`program(node, words)` is what a test's pod does on a node; None for one that waits."""

    def __init__(
        self, nodes: list[dict[str, Any]], program: Callable[[str, list[str]], Answer | None]
    ) -> None:
        self.nodes = {one["metadata"]["name"]: one for one in nodes}
        self.program = program
        self.jobs: dict[str, dict[str, Any]] = {}
        self.created: list[dict[str, Any]] = []
        self.maps: dict[str, dict[str, Any]] = {}
        self.logs: dict[str, str] = {}
        self.conflicts = 0
        self.refused: set[str] = set()
        """Nodes of which an admission webhook refuses every change."""
        self.lists = 0
        self.stored = 0

    def get(self, path: str) -> dict[str, Any]:
        parts = urlsplit(path)
        words = parts.path.strip("/").split("/")
        selector = unquote(parse_qs(parts.query).get("labelSelector", [""])[0])
        if parts.path == "/api/v1/nodes":
            self.lists += 1
            items = copy.deepcopy(list(self.nodes.values()))
            return {"metadata": {"resourceVersion": f"list-{self.lists}"}, "items": items}
        if parts.path.startswith("/api/v1/nodes/"):
            return copy.deepcopy(self._found(self.nodes, words[-1]))
        assert f"/namespaces/{NAMESPACE}/" in parts.path
        if words[-1] == "cronjobs":
            return {"items": [template(group) for group in GROUPS]}
        if words[-1] == "pods":
            return {"items": self._pods(selector.partition("=")[2])}
        if words[-1] == "configmaps":
            wanted = selector.partition("=")[0]
            maps = self.maps.values()
            return {"items": [one for one in maps if wanted in one["metadata"].get("labels", {})]}
        return copy.deepcopy(self._found(self.maps, words[-1]))

    def text(self, path: str) -> str:
        return self.logs[path.split("/pods/")[1].partition("/")[0]]

    def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        name = body["metadata"]["name"]
        if path.endswith("/jobs"):
            self.created.append(body)
            self.jobs[name] = body
            return body
        if name in self.maps:
            raise KubernetesError(409, "already exists")
        return self._store(body)

    def replace(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        before = self._found(self.maps, path.rpartition("/")[2])
        wanted = body["metadata"].get("resourceVersion")
        if wanted not in (None, before["metadata"]["resourceVersion"]):
            raise KubernetesError(409, "the object has been modified")
        return self._store(body)

    def _store(self, body: dict[str, Any]) -> dict[str, Any]:
        one = json.loads(json.dumps(body))
        self.stored += 1
        one["metadata"]["resourceVersion"] = str(self.stored)
        self.maps[one["metadata"]["name"]] = one
        return dict(one)

    def patch(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        one = self._found(self.nodes, path.rpartition("/")[2])
        if one["metadata"]["name"] in self.refused:
            raise KubernetesError(500, "failed calling webhook")
        if self.conflicts:
            self.conflicts -= 1
            raise KubernetesError(409, "the object has been modified")
        version = one["metadata"]["resourceVersion"]
        if body["metadata"].get("resourceVersion") not in (None, version):
            raise KubernetesError(409, "the object has been modified")
        one["metadata"]["resourceVersion"] = str(int(version) + 1)
        annotations = one["metadata"].setdefault("annotations", {})
        annotations.update(body["metadata"].get("annotations", {}))
        for key in [key for key, value in annotations.items() if value is None]:
            del annotations[key]
        if "spec" in body:
            one["spec"]["taints"] = body["spec"]["taints"]
        return one

    def delete(self, path: str) -> None:
        name = path.partition("?")[0].rpartition("/")[2]
        self.jobs.pop(name, None)
        self.maps.pop(name, None)

    def taints(self) -> dict[str, list[str]]:
        return {
            name: [one.get("value", "") for one in each["spec"]["taints"]]
            for name, each in self.nodes.items()
        }

    def _pods(self, job: str) -> list[dict[str, Any]]:
        pod = self.jobs[job]["spec"]["template"]["spec"]
        terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        names = [one["matchFields"][0]["values"][0] for one in terms["nodeSelectorTerms"]]
        return [self._pod(job, index, name, pod) for index, name in enumerate(names)]

    def _pod(self, job: str, index: int, name: str, spec: dict[str, Any]) -> dict[str, Any]:
        answer = self.program(name, spec["containers"][0]["command"][4:])
        metadata = {
            "name": f"{job}-{index}-x",
            "annotations": {"batch.kubernetes.io/job-completion-index": str(index)},
        }
        if answer is None:
            message = "0/3 nodes are available: insufficient nvidia.com/gpu"
            condition = {"type": "PodScheduled", "status": "False", "message": message}
            return {
                "metadata": metadata,
                "status": {"phase": "Pending", "conditions": [condition]},
            }
        code, log, message = answer
        self.logs[f"{job}-{index}-x"] = log
        state = {"terminated": {"exitCode": code, "message": message}}
        return {
            "metadata": metadata,
            "status": {
                "phase": "Failed" if code else "Succeeded",
                "containerStatuses": [{"name": "test", "state": state}],
            },
        }

    def _found(self, where: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
        if name not in where:
            raise KubernetesError(404, f"{name} not found")
        return where[name]
