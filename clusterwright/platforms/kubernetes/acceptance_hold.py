"""The Deployment that holds nodes as soon as they change; it follows them with a watch.

Sources: Kubernetes, "Deployments", "Taints and tolerations" (tolerationSeconds), "Configure
liveness probes", "Guaranteed scheduling for critical add-on pods".
"""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.kubernetes.acceptance_pods import (
    NAMESPACE,
    STATE_FOLDER,
    api_container,
    api_pod,
    pod_template,
)
from clusterwright.platforms.kubernetes.groups import group_labels
from clusterwright.platforms.kubernetes.objects import Manifest, manifest

HOLD: Final = "acceptance-hold"
"""Its name, and that of its service account."""
WATCHED: Final = f"{STATE_FOLDER}/watched"
"""Touched before each watch; `clusterwright_acceptance.kubernetes_hold` has it too."""
_SILENT_SECONDS: Final = 300
"""Without a new watch in this time the kubelet starts the program again."""


def hold_deployment(
    cluster: Cluster,
    groups: list[ComputeGroup],
    image: str,
    programs: dict[str, dict[str, str]],
    digest: str,
) -> Manifest:
    """Return the Deployment that follows the nodes; without the hold it has no replica."""
    command = ["hold", f"--selector={_selector(cluster, groups)}"]
    container = api_container("hold", image, command, cpu="20m", memory="128Mi")
    is_silent = (
        "import os, sys, time; "
        f"sys.exit(time.time() - os.stat('{WATCHED}').st_mtime > {_SILENT_SECONDS})"
    )
    container["livenessProbe"] = {
        "exec": {"command": ["python3", "-c", is_silent]},
        "initialDelaySeconds": 60,
        "periodSeconds": 60,
        "timeoutSeconds": 10,
    }
    pod = {
        **api_pod(HOLD, container, programs),
        # The scheduler does not end it for pods of users.
        "priorityClassName": "system-cluster-critical",
        # It has nothing to finish.
        "terminationGracePeriodSeconds": 1,
    }
    # Soon elsewhere when its own node is gone: the default is 300 seconds.
    pod["tolerations"] += [
        {
            "key": f"node.kubernetes.io/{state}",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 10,
        }
        for state in ("not-ready", "unreachable")
    ]
    return manifest(
        "apps/v1",
        "Deployment",
        HOLD,
        namespace=NAMESPACE,
        spec={
            "replicas": 1 if cluster.acceptance.hold and groups else 0,
            "selector": {"matchLabels": {"app.kubernetes.io/name": HOLD}},
            # Two for a moment do the same twice; none would miss changes.
            "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": pod_template(pod, HOLD, digest),
        },
    )


def _selector(cluster: Cluster, groups: list[ComputeGroup]) -> str:
    """Return the label selector of the nodes of the groups."""
    (key,) = {key for group in cluster.compute for key in group_labels(cluster, group)}
    names = sorted(group_labels(cluster, group)[key] for group in groups)
    return f"{key} in ({','.join(names)})"
