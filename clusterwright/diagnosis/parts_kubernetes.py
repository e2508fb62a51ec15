"""Events of Kubernetes by their reason, which is a closed list for each component.

Sources: kubernetes/kubernetes (pkg/kubelet/events, the controllers, the scheduler and volume
binder), kubernetes-sigs/karpenter (pkg/events), kubernetes-sigs/kueue; read 2026-11. Reasons whose
message says more than they do (Failed, FailedMount, FailedScheduling) are not here.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.parts import Part, part, reason, wrong_part

_EVENT: Final = re.compile(
    r"(?:^|\s)Warning\s+(?P<reason>[A-Z]\w+)\s+(?:\S+ \(x\d+ over \S+\)|<\w+>|\S+)\s+"
    r"(?:[\w.-]+(?:, \S+)?\s{2,})?(?P<message>\S.*)|"
    r'type="Warning" reason="(?P<logged>\w+)" message="(?P<told>[^"]*)'
)
EVENTS: Final[tuple[Part, ...]] = (
    part(
        "a quota of the namespace (ResourceQuota or LimitRange) does not allow the pod",
        r"exceeded quota:|maximum \w+ usage per|minimum \w+ usage per|failed quota",
    ),
    part(
        "a policy of the cluster (Pod Security, an admission webhook) refuses the pod",
        r"violates PodSecurity|admission webhook|denied the request",
    ),
    part(
        "the job's pods failed as often as its backoffLimit allows; the logs of the pods have the "
        "cause",
        place=r"^BackoffLimitExceeded$|^PodFailurePolicy$|^FailedIndexes$",
    ),
    part(
        "the job ran longer than its activeDeadlineSeconds",
        place=r"^DeadlineExceeded$",
    ),
    part(
        "the node does not have the processors, memory or devices that the pod was given by the "
        "scheduler: other pods came first, or a device plug-in reports fewer",
        place=r"^OutOf|^Insufficient(?:Free|pods)|^FailedPlacement$|^ResourceAllocation",
    ),
    part(
        "the kubelet cannot place the pod's processors, devices and memory on one NUMA node, as "
        "its Topology Manager policy asks",
        place=r"^TopologyAffinityError$",
    ),
    part(
        "the node does not match the pod's node selector, affinity or ports any more",
        place=r"^NodeAffinity$|^NodeSelectorMismatching$|^HostPortConflict$|^NodePorts$",
    ),
    part(
        "the kubelet does not allow what the pod asks for on this node (sysctl, AppArmor, host "
        "network, privileges)",
        place=r"^SysctlForbidden$|^AppArmor$|^(?:HostNetwork|ProcMount|Sysctl)NotSupported$|^Forbidden",
    ),
    part(
        "a volume cannot be resized: its driver or the file system on the node refuses",
        place=r"(?:Volume|FileSystem)ResizeFailed$|^ControllerResizeError$",
    ),
    part(
        "a volume cannot be given to a pod as a block device or unmounted on the node: its driver "
        "does not run there or does not answer",
        place=r"^FailedMapVolume$|^FailedUnMount$|^FailedUnmapDevice$|^FailedDetachVolume$|"
        r"^VolumeFailedDelete$|^MountFailed$",
    ),
    part(
        "a claim of a volume cannot be bound: no volume or storage class fits, or its volume was "
        "deleted",
        place=r"^FailedBinding$|^ClaimLost$|^VolumeMismatch$|^ClaimMisbound$|^VolumeFailedRecycle$",
    ),
    part(
        "the devices that the pod claims (dynamic resource allocation) cannot be prepared: the "
        "driver of the devices is not registered or does not run on the node",
        place=r"DynamicResources?$|^ResourceClaim",
    ),
    part(
        "an image's name is not valid",
        place=r"^InspectFailed$|^InvalidImageName$",
    ),
    part(
        "the image is not on the node, and imagePullPolicy Never does not pull it",
        place=r"^ErrImageNeverPull$",
    ),
    part(
        "the node's disk is full with images or containers, which the kubelet cannot remove "
        "(ImageGC), or the container runtime does not answer it",
        place=r"^(?:Image|Container)GCFailed$|^FreeDiskSpaceFailed$",
    ),
    part(
        "a command of the pod's lifecycle (postStart, preStop) failed",
        place=r"^FailedP(?:ostStart|reStop)Hook$",
    ),
    part(
        "the container runtime of the node (containerd) does not end a pod or does not answer",
        place=r"^FailedKillPod$|^ExceededGracePeriod$|^FailedSync$",
    ),
    part(
        "the kubelet cannot start on the node: its settings, cgroups or the container runtime",
        place=r"^KubeletSetupFailed$|^NodeAllocatableEnforcementFailed$|^CgroupManager|"
        r"^FailedNodeAllocatableEnforcement$|^FailedToStartContainerManager$",
    ),
    part(
        "the nodes have no range of addresses left for pods (CIDR)",
        place=r"^CIDR(?:NotAvailable|AssignmentFailed)$",
    ),
    part(
        "a pod of a DaemonSet fails on a node; its own log has the cause",
        place=r"^FailedDaemonPod$",
    ),
    part(
        "the scheduler made room for a pod of a higher priority (preemption)",
        place=r"^Preempt(?:ed|ing)$",
    ),
    part(
        "a node's taint evicts the pod, such as of a node that is not ready or is drained",
        place=r"^TaintManagerEviction$",
    ),
    part(
        "the node runs out of a resource, and the kubelet evicts pods",
        place=r"^EvictionThresholdMet$|^SystemOOM$",
    ),
    part(
        "the probe of a container fails: its program does not answer, or starts slower than the "
        "probe allows",
        place=r"^Unhealthy$|^ProbeWarning$|^ProbeError$",
    ),
    part(
        "a node was rebooted",
        place=r"^Rebooted$",
    ),
    part(
        "Karpenter: a node that it launched lacks a resource that its type has, such as a GPU: "
        "the "
        "device plug-in does not run on it, or the type's AMI has no driver",
        place=r"^FailedConsistencyCheck$|^ConsistencyCheck",
    ),
    part(
        "Karpenter: no instance type fits the NodePool's requirements and the pods",
        place=r"^NoCompatibleInstanceTypes$",
    ),
    part(
        "Karpenter: a NodeClass is not ready: its AMI, subnets, security groups, role or instance "
        "profile are not found",
        r"\bNodeClass not ready",
        r"^NodeClassNotReady$",
    ),
    part(
        "Karpenter: a node cannot be drained: a disruption budget (PDB), an annotation or pods "
        "that do not end",
        place=r"^FailedDraining$|^DisruptionBlocked$",
    ),
    part(
        "Karpenter: it does not repair unhealthy nodes, as too many of the pool are unhealthy",
        place=r"^NodeRepairBlocked$",
    ),
)
"""By the reason of an event; in the order in which they are tried."""

_MILD: Final = re.compile(
    r"^(?:Unhealthy (?!Liveness|Startup)|Probe|Rebooted|Preempt|DisruptionBlocked|FailedSync|"
    r"ExceededGrace|NodeRepair|"
    r"FailedDraining|FailedKillPod|Taint|EvictionThreshold)"
)
"""Reasons that healthy clusters have too."""

_NO_QUOTA: Final = re.compile(
    r"exceeded quota: |BackoffLimitExceeded|backoff limit|Nameserver limits|\bDNSConfigForming\b"
)
FOREIGN: Final = frozenset({"quota", "throttled"})
"""Signatures for whose words events have another meaning."""


def is_no_quota(text: str) -> bool:
    """Whether a limit in a line is one of Kubernetes, not of AWS."""
    return bool(_NO_QUOTA.search(text))


def event(text: str, known_to_fail: bool = True) -> str | None:
    """The cause that an event says; None for other lines, for reasons that say too little, and
    for those that healthy clusters have too, if nothing is known to have failed.
    """
    found = _EVENT.search(text)
    if found is None:
        return None
    name = found.group("reason") or found.group("logged")
    message = (found.group("message") or found.group("told") or "").strip()
    said = wrong_part(EVENTS, message, name)
    if said is None:
        return None
    if _MILD.search(f"{name} {message}") and not known_to_fail:
        return None
    answer = reason(message) if name != "DeadlineExceeded" else None
    start = said if said.startswith("Karpenter") else f"Kubernetes: {said}"
    return f"{start}: {answer + ': ' if answer else ''}{name}: {message[:200]}"
