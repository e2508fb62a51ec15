"""The script that delays the kubelet of a held node after a reboot, until the control plane knows.

It runs in the first boot of a node, before the kubelet: as user data on EKS, as a lifecycle script
on HyperPod.

Sources: awslabs/amazon-eks-ami, 81fec2e, nodeadm-run.service (after cloud-init's last stage, on
each boot) and nodeadm/internal/daemon/systemd.go (waits for the kubelet without a limit);
awslabs/awsome-distributed-ai, on_create_main.sh of HyperPod with EKS (moves the kubelet's folder,
so the unit `kubelet.service` exists and has not started); Kubernetes, kube-controller-manager
(`--node-monitor-grace-period`, `--node-monitor-period`); systemd.service(5), systemd.unit(5).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.kubernetes.groups import held_taints

SCRIPT: Final = "kubelet_wait.sh"


def delays_kubelet(cluster: Cluster, group: ComputeGroup) -> bool:
    """Return whether the kubelet of the group's nodes waits after a reboot: if they are held."""
    return bool(held_taints(cluster, group))


def script() -> str:
    """Return the script, in ASCII."""
    return Path(__file__).with_name(SCRIPT).read_text(encoding="ascii")
