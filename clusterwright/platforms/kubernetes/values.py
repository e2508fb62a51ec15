"""Chart values derived from the groups of the spec, overridden by values in the spec.

Sources of the keys: NVIDIA/k8s-device-plugin, deployments/helm/nvidia-device-plugin/values.yaml
(00f2a02); aws/eks-charts, stable/aws-efa-k8s-device-plugin/values.yaml (050f81e);
aws-neuron/neuron-helm-charts, values.yaml (b77a6f9); kubernetes-sigs/kueue,
charts/kueue/values.yaml (0324f7c); aws/sagemaker-hyperpod-cli, helm_chart/HyperPodHelmChart,
values.yaml (1504d53).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.workloads import Chart
from clusterwright.platforms import accelerators
from clusterwright.platforms.kubernetes import karpenter
from clusterwright.platforms.kubernetes.charts import wanted_charts
from clusterwright.platforms.kubernetes.groups import (
    GPU,
    HYPERPOD_HEALTH,
    INSTANCE_TYPE,
    NEURON,
    has_efa,
    held_tolerations,
    instance_label,
    tolerations,
)
from clusterwright.platforms.kubernetes.objects import TENANT_LABEL
from clusterwright.platforms.kubernetes.operator_releases import MPI_JOB, PYTORCH_JOB
from clusterwright.platforms.kubernetes.operators import job_kinds

Values = dict[str, Any]

EXCLUDED_FROM_QUOTAS = ("vpc.amazonaws.com", "hugepages-", "ephemeral-storage")
"""Resources that are allocated together with the accelerators of the node."""

FRAMEWORKS = (
    "batch/job",
    "jobset.x-k8s.io/jobset",
    "kubeflow.org/mpijob",
    "kubeflow.org/pytorchjob",
    "pod",
)
HYPERPOD_JOB = "HyperPodPyTorchJob.v1.sagemaker.amazonaws.com"
"""Kind, version and group, in the format of Kueue's `externalFrameworks`."""


def chart_values(cluster: Cluster, catalog: Catalog) -> dict[str, Values]:
    """Return the values of each chart that the cluster needs, by name."""
    found: dict[str, Values] = {}
    given: dict[str, Chart] = {chart.name: chart for chart in cluster.kubernetes.workloads.charts}
    for name in wanted_charts(cluster, catalog):
        values = _OURS[name](cluster, catalog)
        own = given.get(name)
        for path, value in sorted(own.values.items()) if own is not None else ():
            _put(values, path, value)
        found[name] = values
    return found


def _put(values: Values, path: str, value: object) -> None:
    *above, last = path.split(".")
    here = values
    for part in above:
        below = here.get(part)
        here[part] = here = below if isinstance(below, dict) else {}
    here[last] = value


def _nvidia(cluster: Cluster, catalog: Catalog) -> Values:
    groups = _groups(cluster, catalog, "nvidia")
    divided = any(group.mig_profile is not None for group in groups)
    return {
        "migStrategy": "mixed" if divided else "none",
        "affinity": _on(cluster, groups),
        "tolerations": _tolerated(cluster, groups, GPU),
    }


def _efa(cluster: Cluster, catalog: Catalog) -> Values:
    groups = [g for g in cluster.compute if g.role == "compute" and has_efa(g, catalog)]
    return {
        "supportedInstanceLabels": {
            "keys": [INSTANCE_TYPE],
            "values": sorted({instance_label(cluster, group) for group in groups}),
        },
        # Pods on these nodes tolerate the taints of accelerators, and so does the plug-in.
        "tolerations": [
            {"key": "CriticalAddonsOnly", "operator": "Exists"},
            *_tolerated(cluster, groups, GPU, NEURON),
        ],
    }


def _neuron(cluster: Cluster, catalog: Catalog) -> Values:
    groups = _groups(cluster, catalog, "neuron")
    return {
        "neuronInstances": sorted({instance_label(cluster, group) for group in groups}),
        "devicePlugin": {
            "tolerations": [
                {"key": "CriticalAddonsOnly", "operator": "Exists"},
                *_tolerated(cluster, groups, NEURON),
            ]
        },
        "scheduler": {"enabled": False},
        # EKS and HyperPod monitor the health of nodes themselves.
        "npd": {"enabled": False},
    }


def _hyperpod(cluster: Cluster, catalog: Catalog) -> Values:
    """The plug-ins are subcharts with separate values."""
    nvidia = _groups(cluster, catalog, "nvidia")
    divided = any(group.mig_profile is not None for group in nvidia)
    efa = [g for g in cluster.compute if g.role == "compute" and has_efa(g, catalog)]
    kinds = job_kinds(cluster)
    return {
        # It partitions GPUs and includes the device plug-in; its images depend on the region.
        "gpu-operator": {"enabled": divided},
        "nvidia-device-plugin": {
            "devicePlugin": {"enabled": bool(nvidia) and not divided},
            **_nvidia(cluster, catalog),
        },
        "aws-efa-k8s-device-plugin": {
            "devicePlugin": {"enabled": bool(efa)},
            **_efa(cluster, catalog),
        },
        "neuron-device-plugin": {
            "devicePlugin": {"enabled": bool(_groups(cluster, catalog, "neuron"))}
        },
        "trainingOperators": {"enabled": PYTORCH_JOB in kinds},
        "mpi-operator": {"enabled": MPI_JOB in kinds},
        "health-monitoring-agent": {"enabled": True},
        "deep-health-check": {"enabled": bool(cluster.resilience.deep_health_checks)},
        "job-auto-restart": {"enabled": True},
        "hyperpod-patching": {"enabled": True},
        # Kueue, cert-manager and roles of users are installed separately, or belong to tenants.
        "cert-manager": {"enabled": False},
        "cluster-role-and-bindings": {"enabled": False},
        "namespaced-role-and-bindings": {"enable": False},
        "team-role-and-bindings": {"enabled": False},
        "inferenceOperators": {"enabled": False},
        "storage": {"enabled": False},
        "mlflow": {"enabled": False},
    }


def _kueue(cluster: Cluster, catalog: Catalog) -> Values:  # noqa: ARG001
    integrations: dict[str, Any] = {"frameworks": list(FRAMEWORKS)}
    if any(addon.name == "training-operator" for addon in cluster.hyperpod.addons):
        integrations["externalFrameworks"] = [HYPERPOD_JOB]
    configuration: dict[str, Any] = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta1",
        "kind": "Configuration",
        "integrations": integrations,
        # The port of the chart's service of metrics; quotas and their use are off by default.
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "fairSharing": {
            "enable": True,
            "preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"],
        },
        "resources": {"excludeResourcePrefixes": list(EXCLUDED_FROM_QUOTAS)},
    }
    if any(group.spare_count for group in cluster.compute):
        # A job without a queue would start at once, on nodes outside every quota (Kueue,
        # Configuration API: manageJobsWithoutQueueName, managedJobsNamespaceSelector).
        configuration["manageJobsWithoutQueueName"] = True
        configuration["managedJobsNamespaceSelector"] = {
            "matchExpressions": [{"key": TENANT_LABEL, "operator": "Exists"}]
        }
    gates = []
    if cluster.kubernetes.workloads.topology_api is not None:
        gates = [{"name": "TopologyAwareScheduling", "enabled": True}]
    return {
        "controllerManager": {"featureGates": gates},
        # The chart expects text; JSON is valid YAML, and its format is unambiguous.
        "managerConfig": {
            "controllerManagerConfigYaml": json.dumps(configuration, indent=2, sort_keys=True)
        },
    }


_OURS: dict[str, Callable[[Cluster, Catalog], Values]] = {
    "kueue": _kueue,
    "nvidia-device-plugin": _nvidia,
    "aws-efa-k8s-device-plugin": _efa,
    "neuron-helm-chart": _neuron,
    "hyperpod-helm-chart": _hyperpod,
    "karpenter": karpenter.chart_values,
}


def _groups(cluster: Cluster, catalog: Catalog, family: str) -> list[ComputeGroup]:
    return [
        group
        for group in cluster.compute
        if accelerators.family(group.instance_type, catalog) == family
    ]


def _on(cluster: Cluster, groups: list[ComputeGroup]) -> Values:
    """Return an affinity to nodes with the device, because nothing sets the labels of the default
    rule.
    """
    types = sorted({instance_label(cluster, group) for group in groups})
    if not types:
        return {}
    expression = {"key": INSTANCE_TYPE, "operator": "In", "values": types}
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [expression]}]
            }
        }
    }


def _tolerated(
    cluster: Cluster, groups: list[ComputeGroup], *resources: str
) -> list[dict[str, str]]:
    """Return tolerations for the taints of devices, of unhealthy nodes and of the groups."""
    found = [{"key": name, "operator": "Exists", "effect": "NoSchedule"} for name in resources]
    found.append(
        {
            "key": HYPERPOD_HEALTH,
            "operator": "Equal",
            "value": "Unschedulable",
            "effect": "NoSchedule",
        }
    )
    for group in groups:
        found += [each for each in tolerations(group) if each not in found]
    # Tests request the devices of nodes that are held.
    return [*found, *held_tolerations(cluster)]
