"""Metrics on Kubernetes: the scrape configuration of AWS's collector, and the exporter of nodes.

The collector (a scraper of Managed Prometheus) runs outside the cluster, in the subnets of its
control plane: no pod needs write permission or network access to the workspace. The exporter is
the same program as on the Slurm platforms, so that metrics have the same names; it reads the
node's files from a container with the image of the spec, and changes nothing.

Sources: AMP user guide, "Set up managed collectors for Amazon EKS" (default scrape configuration);
Prometheus, "Configuration" (kubernetes_sd_config, role node; relabel_config; tls_config);
CloudWatch user guide, "Scraper configuration" (tls_config is supported; read 2026-11-29); Kueue,
"Prometheus Metrics", and its chart (port `https` of the service of metrics, whose certificate is
self-signed; who reads it is authorised for `/metrics`, as AWS's collector is); Kubernetes,
"DaemonSet", "Pod Security Standards", "Downward API"; NVIDIA Container Toolkit, "Specialized
Configurations with Docker" (NVIDIA_VISIBLE_DEVICES, NVIDIA_DRIVER_CAPABILITIES).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from clusterwright import files as file_access
from clusterwright.cluster_spec import repository_root
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.operations import NodeMetrics
from clusterwright.cluster_spec.validation.metrics import collected
from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.platforms.eks.launch_templates import GROUP_LABEL
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.platforms.kubernetes.groups import HYPERPOD_GROUP
from clusterwright.platforms.kubernetes.objects import Manifest, manifest

NAMESPACE: Final = "clusterwright-metrics"
NAME: Final = "node-exporter"
PROGRAM: Final = "clusterwright_metrics"
PACKAGES: Final = (PROGRAM, "clusterwright_common")
PROGRAM_FOLDER: Final = "/opt/clusterwright"
HOST: Final = "/host"
"""The mount path of the node's files in the container."""

NODE_JOB: Final = "nodes"

_QUEUE_METRICS = (
    "kueue_pending_workloads",
    "kueue_admitted_active_workloads",
    "kueue_evicted_workloads_total",
    "kueue_cluster_queue_(status|resource_usage|nominal_quota)",
)
"""Without the histograms of waiting times, and without the LocalQueues, one for each queue."""

_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"  # noqa: S105
_NAME: Final = ("__name__",)
_SERVICE_PORT: Final = (
    "__meta_kubernetes_namespace",
    "__meta_kubernetes_service_name",
    "__meta_kubernetes_endpoint_port_name",
)
_API_SERVER = "kubernetes.default.svc:443"

_CONTAINER_METRICS = (
    "container_cpu_usage_seconds_total",
    "container_fs_(reads|writes)_bytes_total",
    "container_memory_(working_set_bytes|rss)",
    "container_network_(receive|transmit)_(bytes|packets_dropped|errors)_total",
    "container_oom_events_total",
)
"""A selection of cAdvisor's hundred metrics, because each sample costs money."""


class UnknownProgramError(Exception):
    """The exporter's files are missing, for example outside a checkout of the repository."""


def scrape_configuration(cluster: Cluster) -> str:
    """Return the scrape configuration of the collector, as JSON, which is valid YAML.

    Jobs: the API server, the containers by cAdvisor, and, where they are installed, Kueue and the
    exporter of nodes.
    Samples have the labels of the other platforms: cluster, group, node, instance_id.
    """
    jobs = [_api_server(), _containers(cluster)]
    if queued(cluster):
        jobs.append(_kueue())
    if has_exporter(cluster):
        jobs.append(_nodes(cluster))
    document = {
        "global": {
            "scrape_interval": f"{cluster.observability.metrics.interval_seconds}s",
            "external_labels": {"cluster": cluster_name(cluster)},
        },
        "scrape_configs": jobs,
    }
    return json.dumps(document, indent=1)


def has_exporter(cluster: Cluster) -> bool:
    """Return whether nodes run the exporter, which needs an image."""
    return cluster.uses_kubernetes and cluster.observability.metrics.image is not None


def metrics_manifests(cluster: Cluster) -> Iterator[Manifest]:
    """Return the namespace, program and DaemonSet; nothing without an image.

    Raises
    ------
    UnknownProgramError
        The exporter's files are missing.
    """
    if not has_exporter(cluster):
        return
    files = program_files()
    text = json.dumps(files, sort_keys=True)
    yield manifest(
        "v1",
        "Namespace",
        NAMESPACE,
        # It reads the node's files and listens on the node's address, which no tenant's pod may
        # do.
        labels={"pod-security.kubernetes.io/enforce": "privileged"},
    )
    yield manifest(
        "v1",
        "ConfigMap",
        NAME,
        namespace=NAMESPACE,
        data={_key(path): body for path, body in sorted(files.items())},
    )
    yield _daemon_set(cluster, sorted(files), hashlib.sha256(text.encode()).hexdigest())


def program_files() -> dict[str, str]:
    """Return the exporter's files by their paths below the folder of the lifecycle scripts."""
    root = repository_root.root()
    scripts = root / repository_root.SCRIPTS if root is not None else None
    if scripts is None or not (scripts / PROGRAM).is_dir():
        raise UnknownProgramError(f"{repository_root.SCRIPTS}/{PROGRAM} is missing")
    return {
        str(path.relative_to(scripts)): file_access.read_text(path)
        for package in PACKAGES
        for path in sorted((scripts / package).rglob("*.py"))
    }


def _key(path: str) -> str:
    """Return the key in the ConfigMap, which cannot contain a slash."""
    return path.replace("/", ".")


def _container(metrics: NodeMetrics) -> dict[str, Any]:
    """Return the exporter's container."""
    return {
        "name": "exporter",
        "image": metrics.image,
        "command": [
            "python3",
            "-m",
            PROGRAM,
            # Whether a node has GPUs, EFA or Lustre is detected on the node.
            "--role=compute",
            f"--root={HOST}",
            f"--listen=$(NODE_ADDRESS):{metrics.port}",
        ],
        "env": [
            {
                "name": "NODE_ADDRESS",
                "valueFrom": {"fieldRef": {"fieldPath": "status.hostIP"}},
            },
            {"name": "PYTHONPATH", "value": PROGRAM_FOLDER},
            {"name": "PYTHONDONTWRITEBYTECODE", "value": "1"},
            # NVIDIA's runtime, if the node has it, adds nvidia-smi and allocates no GPU.
            {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
            {"name": "NVIDIA_DRIVER_CAPABILITIES", "value": "utility"},
        ],
        "ports": [{"name": "metrics", "containerPort": metrics.port, "hostPort": metrics.port}],
        "resources": {
            "requests": {"cpu": "50m", "memory": "64Mi"},
            "limits": {"memory": "1Gi"},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            # Only root can read the counters of Lustre.
            "runAsUser": 0,
        },
        "volumeMounts": [
            {"name": "program", "mountPath": PROGRAM_FOLDER, "readOnly": True},
            {
                "name": "host",
                "mountPath": HOST,
                "readOnly": True,
                "mountPropagation": "HostToContainer",
            },
        ],
    }


def _daemon_set(cluster: Cluster, paths: list[str], digest: str) -> Manifest:
    labels = {"app.kubernetes.io/name": NAME}
    return manifest(
        "apps/v1",
        "DaemonSet",
        NAME,
        namespace=NAMESPACE,
        spec={
            "selector": {"matchLabels": labels},
            "updateStrategy": {"rollingUpdate": {"maxUnavailable": "10%"}},
            "template": {
                "metadata": {
                    "labels": labels,
                    # A changed program replaces the pods; a changed ConfigMap alone does not.
                    "annotations": {"clusterwright.dev/program-sha256": digest},
                },
                "spec": {
                    "automountServiceAccountToken": False,
                    "containers": [_container(cluster.observability.metrics)],
                    "hostNetwork": True,
                    "nodeSelector": {"kubernetes.io/os": "linux"},
                    "priorityClassName": "system-node-critical",
                    "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
                    "tolerations": [{"operator": "Exists"}],
                    "volumes": [
                        {
                            "name": "program",
                            "configMap": {
                                "name": NAME,
                                "items": [{"key": _key(path), "path": path} for path in paths],
                            },
                        },
                        {"name": "host", "hostPath": {"path": "/", "type": "Directory"}},
                    ],
                },
            },
        },
    )


def _api_server() -> dict[str, Any]:
    return {
        "job_name": "kubernetes-apiservers",
        "scheme": "https",
        "authorization": {"credentials_file": _TOKEN},
        "kubernetes_sd_configs": [{"role": "endpoints"}],
        "relabel_configs": [_keep(_SERVICE_PORT, "default;kubernetes;https")],
        "metric_relabel_configs": [
            _keep(_NAME, "apiserver_request_total|apiserver_current_inflight_requests|up")
        ],
    }


def _containers(cluster: Cluster) -> dict[str, Any]:
    return {
        "job_name": "containers",
        "scheme": "https",
        "authorization": {"credentials_file": _TOKEN},
        "kubernetes_sd_configs": [{"role": "node"}],
        "relabel_configs": [
            *_labels(cluster),
            {"target_label": "__address__", "replacement": _API_SERVER},
            {
                "source_labels": ["__meta_kubernetes_node_name"],
                "target_label": "__metrics_path__",
                "regex": "(.+)",
                "replacement": "/api/v1/nodes/$1/proxy/metrics/cadvisor",
            },
        ],
        "metric_relabel_configs": [_keep(_NAME, "|".join(_CONTAINER_METRICS))],
    }


def _kueue() -> dict[str, Any]:
    return {
        "job_name": "kueue",
        "scheme": "https",
        "authorization": {"credentials_file": _TOKEN},
        "tls_config": {"insecure_skip_verify": True},
        "kubernetes_sd_configs": [{"role": "endpoints"}],
        "relabel_configs": [
            _keep(_SERVICE_PORT, "kueue-system;.*-controller-manager-metrics-service;https")
        ],
        "metric_relabel_configs": [_keep(_NAME, "|".join((*_QUEUE_METRICS, "up")))],
    }


def _nodes(cluster: Cluster) -> dict[str, Any]:
    return {
        "job_name": NODE_JOB,
        "kubernetes_sd_configs": [{"role": "node"}],
        "relabel_configs": [
            *_labels(cluster),
            {
                "source_labels": ["__meta_kubernetes_node_address_InternalIP"],
                "target_label": "__address__",
                "regex": "(.+)",
                "replacement": f"$1:{cluster.observability.metrics.port}",
            },
        ],
    }


def _keep(labels: Sequence[str], values: str) -> dict[str, Any]:
    """Keep what has these values of labels, a regular expression of the values joined by `;`."""
    return {"action": "keep", "source_labels": list(labels), "regex": values}


def _labels(cluster: Cluster) -> list[dict[str, Any]]:
    group = re.sub(r"[^A-Za-z0-9_]", "_", HYPERPOD_GROUP if cluster.on_hyperpod else GROUP_LABEL)
    return [
        {
            "source_labels": [f"__meta_kubernetes_node_label_{group}"],
            "target_label": "group",
        },
        {"source_labels": ["__meta_kubernetes_node_name"], "target_label": "node"},
        {
            "source_labels": ["__meta_kubernetes_node_provider_id"],
            "target_label": "instance_id",
            "regex": ".*(i-[0-9a-f]+)",
            "replacement": "$1",
        },
    ]


__all__ = [
    "UnknownProgramError",
    "collected",
    "has_exporter",
    "metrics_manifests",
    "program_files",
    "scrape_configuration",
]
