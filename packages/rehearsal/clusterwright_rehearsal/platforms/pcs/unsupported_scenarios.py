"""Scenarios that do not apply to AWS PCS, with the reasons."""

from __future__ import annotations

_API = "it uses HyperPod's API"
_OWN = "AWS PCS runs the controller, on which it works"
_UNTRIED = "it has not been tried on PCS; its check is the same on every platform"

REASONS = {
    "acceptance-hold": "nodes of PCS test themselves before slurmd starts; see acceptance-at-boot",
    "accounting-secret-denied": "PCS keeps the accounting database itself",
    "alerts": _OWN,
    "artefact-wrong-checksum": "it replaces nodes with HyperPod's API",
    "auto-resume": "--auto-resume is HyperPod's option of srun",
    "checkpoint-resume": "HyperPod replaces the node in it; see instance-replaced",
    "checkpoint-shards": "HyperPod replaces the node in it",
    "container-job": "PCS has Slurm and its plug-ins in other folders",
    "controller-restart": _OWN,
    "custom-action-fails": "ParallelCluster runs custom actions; see lifecycle-action-fails",
    "database-down": "PCS keeps the accounting database itself",
    "deep-health-check": _API,
    "denied": "HyperPod downloads the scripts in it; see lifecycle-action-fails",
    "devices-late": "the agent of PCS starts slurmd, with its own unit",
    "drain-killed": "HyperPod replaces the node in it",
    "efa-down": "slurmd's own health check may come between the two that it counts",
    "emergency-checkpoint": "HyperPod replaces the node in it",
    "health-timer-stopped": "Slurm runs the health checks, no timer",
    "lustre-unreachable-at-boot": "HyperPod mounts in the background in it",
    "neuron-ecc": _UNTRIED,
    "neuron-lost": _UNTRIED,
    "node-lost": "HyperPod replaces the node in it; see instance-replaced",
    "people": "it updates the head node of ParallelCluster",
    "power-cycle": "the agent of PCS starts slurmd, with its own unit",
    "race": f"{_API} for new nodes; here all nodes boot at once anyway",
    "reboot-and-replace": _API,
    "rollout": f"{_API}; an update of PCS replaces the instances",
    "scale": f"{_API}; see scale-to-jobs",
    "sick-instance": "whether PCS replaces drained nodes is not published",
    "silent-corruption": _UNTRIED,
    "spares-reserved": "PCS launches no spare nodes",
    "spot-notice": f"{_API}: capacity of the spec is changed to Spot",
    "topology": "PCS offers no topology plug-in",
    "training": "HyperPod replaces the node in it; see instance-replaced",
    "two-groups": _OWN,
    "users-updated": "an update of PCS replaces the instances; see first-boot",
}
