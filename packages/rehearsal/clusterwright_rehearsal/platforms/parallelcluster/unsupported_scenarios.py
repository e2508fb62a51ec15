"""Scenarios that are not for ParallelCluster, and why."""

from __future__ import annotations

_DRAINED = "its node is drained and comes back; here it is replaced, see sick-instance"
_API = "it asks HyperPod's API"
_OWN = "Slurm's set-up is ParallelCluster's own"

REASONS = {
    "accounting-secret-denied": _OWN,
    "artefact-wrong-checksum": "nodes are replaced by HyperPod's API in it",
    "auto-resume": "--auto-resume is HyperPod's option of srun",
    "checkpoint-resume": "HyperPod gives the node back; see instance-replaced",
    "checkpoint-shards": "HyperPod gives the node back in it",
    "container-job": "ParallelCluster's images bring Enroot and Pyxis in places of their own",
    "controller-restart": _OWN,
    "database-down": _OWN,
    "denied": "HyperPod fetches the scripts in it; see custom-action-fails",
    "drain-killed": "HyperPod gives the node back in it",
    "efa-down": _DRAINED,
    "emergency-checkpoint": "HyperPod gives the node back in it",
    "gpu-ecc": _DRAINED,
    "gpu-hangs": _DRAINED,
    "gpu-lost": _DRAINED,
    "gpu-xid": _DRAINED,
    "health-timer-stopped": _DRAINED,
    "lustre-unreachable-at-boot": "HyperPod mounts in the background in it",
    "lustre-unreachable-mid-job": _DRAINED,
    "metrics": "what it asks of Slurm's own metrics is HyperPod's configuration",
    "neuron-ecc": _DRAINED,
    "neuron-lost": _DRAINED,
    "node-lost": "HyperPod gives the node back; see instance-replaced",
    "pcie-degraded": _DRAINED,
    "race": f"{_API} for fresh nodes; here all nodes boot at once anyway",
    "reboot-and-replace": _API,
    "rollout": f"{_API}; see users-updated",
    "scale": _API,
    "silent-corruption": "it looks for what HyperPod's configuration would notice",
    "spot-notice": f"{_API}: capacity of the spec is changed to Spot",
    "two-groups": _OWN,
}
