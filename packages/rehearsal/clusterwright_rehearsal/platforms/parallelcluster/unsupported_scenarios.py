"""Scenarios that do not apply to ParallelCluster, with the reasons."""

from __future__ import annotations

_DRAINED = "it resumes a drained node, which is replaced here; see sick-instance"
_API = "it uses HyperPod's API"
_OWN = "Slurm is set up by ParallelCluster"

REASONS = {
    "acceptance-hold": "nodes test themselves before slurmd starts; see acceptance-at-boot",
    "accounting-secret-denied": _OWN,
    "alerts": "it reboots a node with HyperPod's API; the rules are the same on every platform",
    "artefact-wrong-checksum": "it replaces nodes with HyperPod's API",
    "auto-resume": "--auto-resume is HyperPod's option of srun",
    "checkpoint-resume": "HyperPod replaces the node in it; see instance-replaced",
    "checkpoint-shards": "HyperPod replaces the node in it",
    "container-job": "ParallelCluster's images contain Enroot and Pyxis in other folders",
    "controller-restart": _OWN,
    "database-down": _OWN,
    "deep-health-check": _API,
    "denied": "HyperPod downloads the scripts in it; see custom-action-fails",
    "devices-late": "ParallelCluster starts slurmd, with its own unit",
    "drain-killed": "HyperPod replaces the node in it",
    "efa-down": _DRAINED,
    "emergency-checkpoint": "HyperPod replaces the node in it",
    "gpu-ecc": _DRAINED,
    "gpu-hangs": _DRAINED,
    "gpu-lost": _DRAINED,
    "gpu-xid": _DRAINED,
    "health-timer-stopped": _DRAINED,
    "lustre-unreachable-at-boot": "HyperPod mounts in the background in it",
    "lustre-unreachable-mid-job": _DRAINED,
    "neuron-ecc": _DRAINED,
    "neuron-lost": _DRAINED,
    "node-lost": "HyperPod replaces the node in it; see instance-replaced",
    "pcie-degraded": _DRAINED,
    "power-cycle": "ParallelCluster starts Slurm's daemons, with its own units",
    "race": f"{_API} for new nodes; here all nodes boot at once anyway",
    "reboot-and-replace": _API,
    "rollout": f"{_API}; see users-updated",
    "scale": _API,
    "silent-corruption": "it depends on HyperPod's configuration",
    "spares-reserved": "ParallelCluster launches no spare nodes",
    "spot-notice": f"{_API}: capacity of the spec is changed to Spot",
    "training": "HyperPod replaces the node in it; see instance-replaced",
    "two-groups": _OWN,
}
