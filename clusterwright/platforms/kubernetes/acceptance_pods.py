"""Pods of the acceptance program: its files, and the pods that use the Kubernetes API."""

from __future__ import annotations

from typing import Any, Final

from clusterwright.platforms.kubernetes.groups import ACCEPTANCE_TAINT

NAMESPACE: Final = "clusterwright-acceptance"
PROGRAM: Final = "clusterwright_acceptance"
LIBRARY: Final = "/opt/clusterwright/lib"
STATE_FOLDER: Final = "/var/lib/clusterwright"


def api_container(
    name: str, image: str, command: list[str], *, cpu: str, memory: str
) -> dict[str, Any]:
    """Return a container that uses the Kubernetes API and nothing of its node."""
    return {
        "name": name,
        "image": image,
        "command": ["python3", "-B", "-m", PROGRAM, command[0]],
        "args": command[1:],
        "env": [{"name": "PYTHONPATH", "value": LIBRARY}],
        "resources": {
            "requests": {"cpu": cpu, "memory": memory},
            # The list of all nodes is in its memory for a moment.
            "limits": {"memory": "1Gi"},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": 65534,
        },
        "volumeMounts": [*program_mounts(), {"name": "state", "mountPath": STATE_FOLDER}],
    }


def api_pod(
    account: str, container: dict[str, Any], programs: dict[str, dict[str, str]]
) -> dict[str, Any]:
    """Return a pod of `api_container`."""
    return {
        "serviceAccountName": account,
        "containers": [container],
        "securityContext": {
            "fsGroup": 65534,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        # It has to run where every node is held.
        "tolerations": [{"key": ACCEPTANCE_TAINT, "operator": "Exists", "effect": "NoSchedule"}],
        "volumes": [*program_volumes(programs), {"name": "state", "emptyDir": {}}],
    }


def pod_template(pod: dict[str, Any], name: str, digest: str) -> dict[str, Any]:
    """Return the template of a pod; a changed `digest` of the program replaces the pods."""
    return {
        "metadata": {
            "labels": {"app.kubernetes.io/name": name},
            "annotations": {"clusterwright.dev/program-sha256": digest},
        },
        "spec": pod,
    }


def program_mounts() -> list[dict[str, Any]]:
    """Return the mount of `program_volumes`."""
    return [{"name": "program", "mountPath": LIBRARY, "readOnly": True}]


def program_volumes(programs: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    """Return the program, whose files are in ConfigMaps by folder."""
    sources = [
        {
            "configMap": {
                "name": map_name(folder),
                "items": [{"key": map_key(path), "path": path} for path in sorted(content)],
            }
        }
        for folder, content in programs.items()
    ]
    return [{"name": "program", "projected": {"sources": sources}}]


def map_name(folder: str) -> str:
    """Return the name of the ConfigMap of a folder."""
    return folder.replace("_", "-").replace("/", "-")


def map_key(path: str) -> str:
    """Return the key in the ConfigMap, which cannot contain a slash."""
    return path.replace("/", ".")
