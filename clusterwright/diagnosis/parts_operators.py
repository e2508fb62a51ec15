"""Controllers of Kubernetes for training: Kueue, JobSet, Kubeflow's operators, Karpenter, EKS's
VPC CNI, CoreDNS and containerd, by the reasons of their events and the words of their lines.

Sources: kubernetes-sigs/kueue (apis/kueue, pkg/cache, pkg/scheduler, pkg/controller),
kubernetes-sigs/jobset (pkg/constants), kubeflow/trainer, kubeflow/mpi-operator
(pkg/controller), kubernetes-sigs/karpenter and aws/karpenter-provider-aws (pkg),
aws/amazon-vpc-cni-k8s (pkg, cmd), coredns/coredns (plugin/loop, plugin/forward); read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.parts import Part, part, reason, whole, wrong_part
from clusterwright.diagnosis.programs import Program

_QUEUE_MISSING: Final = (
    "a queue that the job names does not exist, or its ClusterQueue does not (label "
    "kueue.x-k8s.io/queue-name)"
)
_QUEUE_STOPPED: Final = "the job's queue is stopped or inactive, so that it admits nothing"

EVENTS: Final[tuple[Part, ...]] = (
    part(
        "Kueue: the queue references a flavor, a topology or an admission check that does not "
        "exist, so that it admits nothing",
        place=r"^(?:Flavor|Topology|AdmissionCheck)NotFound$|^AdmissionCheckInactive$",
    ),
    part(
        "Kueue: pods of an admitted job did not become ready in time, so that it was evicted: "
        "nodes, images or devices are missing",
        place=r"^EvictedDueToPodsReadyTimeout$|^PodsReadyTimeout$|^WaitingForPodsReady$",
    ),
    part(
        "Kueue: an admission check (such as a provisioning request for nodes) rejected the job",
        place=r"^AdmissionCheckRejected$|^EvictedDueToAdmissionCheck$|"
        r"^NoReservationUnsatisfiedChecks$",
    ),
    part(
        "Kueue: the job was evicted for one of a higher priority (preemption)",
        place=r"^(?:EvictedDueTo)?Preempted$|^InCohort\w+$|^InClusterQueue$",
    ),
    part(
        "Kueue: the job asks for more than its queue may ever have",
        place=r"^ExceedsMaxQuota$",
    ),
    part(
        "Kueue: no group of nodes of the topology has room for the job's pods",
        place=r"^TopologyPlacementFailed$|^SecondPassFailed$",
    ),
    part("Kueue: no flavor of the queue fits the job's pods", place=r"^NoMatchingFlavor$"),
    part(f"Kueue: {_QUEUE_MISSING}", place=r"^Misconfigured$"),
    part(
        f"Kueue: {_QUEUE_STOPPED}",
        place=r"^ClusterQueueIsInactive$|^EvictedDueTo(?:ClusterQueue|LocalQueue)Stopped$",
    ),
    part(
        "JobSet: jobs of it failed, so that it ended; the logs of their pods have the cause",
        place=r"^FailedJobs$|^ReachedMaxRestarts$|^FailJobSetFailurePolicyAction$",
    ),
    part(
        "JobSet: the placement of one job per domain is violated: pods of two jobs are on it",
        place=r"^ExclusivePlacementViolation$",
    ),
    part(
        "JobSet: its jobs or its headless service cannot be created: the name is too long or "
        "exists, or a quota or policy refuses them",
        place=r"^JobCreationFailed$|^HeadlessServiceCreationFailed$",
    ),
    part(
        "MPI operator: the job ended with an error, or a pod of it cannot be created; the "
        "launcher's log has the cause",
        place=r"^MPIJobFailed$|^ValidationError$",
    ),
    part(
        "MPI operator: a launcher or worker of the job was evicted from its node: the node's "
        "memory or disk, a drain, or pods of a higher priority",
        place=r"^MPIJobEvicted$",
    ),
    part(
        "training operator: the job failed; the logs of its pods have the cause",
        place=r"^(?:PyTorch|TF|JAX|MX|XGBoost|Paddle)JobFailed$|^JobFailed$|^TrainJobFailed$",
    ),
    part(
        "trainer: the runtime that the job names does not exist or is not supported",
        place=r"^TrainingRuntimeNotSupported$",
    ),
)
"""By the reason of an event or condition; in the order in which they are tried."""

_EVENT: Final = re.compile(
    r"\b(?P<reason>(?:Evicted|Preempted|AdmissionCheck|Flavor|Topology|ExceedsMax|NoMatching|"
    r"ClusterQueueIs|InCohort|PodsReady|WaitingForPods|NoReservation|Misconfigured|FailedJobs|"
    r"ReachedMax|FailJobSet|Exclusive|JobCreation|HeadlessService|MPIJob|ValidationError|"
    r"JobFailed|TrainJob|PyTorchJob|TFJob|JAXJob|TrainingRuntime|SecondPass)\w*)\b"
    r"(?P<message>[^\n]*)"
)
_FROM: Final = re.compile(
    r"kueue|jobset|mpi-?job|mpi-operator|training-?operator|trainjob|pytorchjob|trainer|workload",
    re.IGNORECASE,
)
_IS_EVENT: Final = re.compile(
    r"(?:^|\s)(?:Warning|Normal)\s|\b[Rr]eason[=:][ \"]{0,20}"
    r"(?=[A-Z]\w*[a-z][A-Z]|Preempted|Misconfigured)"
)


def event(text: str) -> str | None:
    """What an event or condition of these controllers says; None for other lines."""
    found = _EVENT.search(text)
    if found is None or not _IS_EVENT.search(text) or not _FROM.search(text):
        return None
    name, message = found["reason"], " ".join(found["message"].split())
    wrong = next((p.wrong for p in EVENTS if p.place and p.place.search(name)), None)
    if wrong is None:
        return None
    answer = reason(message) if "Timeout" not in name else None
    return (
        f"{wrong}: {answer + ': ' if answer else ''}{name}{': ' if message else ''}{message[:200]}"
    )


KUEUE: Final = Program(
    "Kueue",
    (
        r"\bkueue\b",
        r"\b(?:Cluster|Local)Queue \S+ (?:is|doesn't|not)\b",
        r"\bCan't admit new workloads",
    ),
    (
        part(
            "the queue references a flavor, a topology or an admission check that does not exist, "
            "so that it admits nothing",
            r"references (?:missing|inactive)|there is no Topology",
        ),
        part(_QUEUE_MISSING, r"Queue \S+ (?:doesn't exist|not found|is terminating)"),
        part(_QUEUE_STOPPED, r"Queue \S+ is (?:stopped|inactive)|Can't admit new workloads"),
        part(
            "no group of nodes of the topology has room for the job's pods",
            r"topology domains?|requested topology level|doesn't allow to fit|TAS cache|"
            r"TopologyAware",
        ),
        part(
            "a worker cluster (MultiKueue) is not reached or its credentials are not valid",
            r"client config failed|worker cluster|Inactive clusters|Missing clusters",
        ),
    ),
    frozenset({"kueue-quota", "kueue-flavor", "kueue-queue", "webhook", "webhook-refusal"}),
)

KARPENTER: Final = Program(
    "Karpenter",
    (
        r"\bkarpenter(?:\.sh|\.k8s\.aws|-provider|\b)",
        r"\bcontroller\.(?:provision|nodeclaim|nodeclass)|\bcontroller: (?:nodeclaim|"
        r"nodeclass|provisioner|disruption|nodepool|state\.)\b",
        r"\bNode(?:Claim|Pool|Class) event\b|\bEC2NodeClass\b",
    ),
    (
        part(
            "no subnet, security group or image has the tags that the node class selects",
            r"no (?:subnets|security groups|amis?) (?:exist|matched|found)|getting (?:subnets|"
            r"security groups|amis),|SubnetsNotFound|SecurityGroupsNotFound|AMINotFound|"
            r"failed to discover any AMIs",
        ),
        part(
            "the role or instance profile of the nodes does not exist or may not be passed",
            r"instance profile|InstanceProfileNotFound",
        ),
        part(
            "the node class does not exist or is not ready",
            r"ec2nodeclass(?:es)?[^\n]{0,60}not found|failed to find ec2nodeclass|"
            r"NodeClassNotReady|resolving (?:ec2)?node ?class",
        ),
        part(
            "its permissions for EC2 do not suffice (CreateFleet, CreateLaunchTemplate, "
            "RunInstances)",
            r"AuthCheckFailed|isn't authorized to call",
        ),
        part(
            "the limits of the node pool are reached",
            r"exceed limits for nodepool|limits have been exhausted",
        ),
        part(
            "no instance type fits the node pool's requirements and the pods",
            r"filtered out all|no instance type|incompatible with nodepool|minValues|"
            r"incompatible requirements|"
            r"did not tolerate",
        ),
        part(
            "user data or kubelet settings of the node class are not valid",
            r"UserData|user data|Kubelet(?:Configuration|Expression)|spec\.kubelet",
        ),
    ),
    frozenset({"karpenter", "node-claim", "node-claim-timeout", "unschedulable"}),
)

NETWORK_PLUGIN: Final = Program(
    "EKS's network plug-in (VPC CNI)",
    (
        r"\bcaller: (?:ipamd|awsutils|rpc_handler|networkutils|datastore/data_store|"
        r"aws-k8s-agent|eniconfig)\b",
        r"\baws-node\b[^\n]*(?:ipamd|error|fail)",
        r"\bipamd/|\bawsutils/|\baws-k8s-agent/|\bipamd\.go",
    ),
    (
        part(
            "its daemon (ipamd) does not answer: it is not running, or has not started yet",
            r"127\.0\.0\.1:50051[^\n]{0,80}(?:refused|timed? ?out|Unavailable)",
        ),
        part(
            "the node does not reach the Kubernetes API: routes, security groups or kube-proxy",
            r"API server|apiserver|kube-?proxy|create client",
        ),
        part(
            "the custom network setting (ENIConfig) of the node's zone does not exist or is not "
            "valid",
            r"eniconfig",
        ),
        part(
            "another interface cannot be attached or changed: EC2 refuses, or the type has no "
            "more",
            r"AllocENI|attach|create ENI|ModifyNetworkInterface|security groups",
        ),
        part(
            "the node's metadata service (IMDS) gives no answer or another one than EC2",
            r"IMDS|metadata",
        ),
        part(
            "routes, rules or interfaces of the node cannot be changed",
            r"iptables|rule|route|veth|netlink|link by",
        ),
    ),
    frozenset({"pod-addresses", "network-plugin", "interface-limit"}),
)

_OPERATION: Final = re.compile(
    # Programs that quote the message escape its quotation marks, once or several times.
    r"(?:\badd|\bdel(?:ete)?) (?:cmd|command): (?P<message>[^\n\"\\]{3,300}"
    r"(?:(?<=desc = )\\*\"[^\n\"\\]{3,300})?)"
)
_QUOTE: Final = re.compile(r"\\*\"")
_PLUGIN: Final = "EKS: the network plug-in (VPC CNI, pod aws-node) does not work on the node"


def plugin(line: str) -> str:
    """That a pod gets no network, and why by the errors behind the plug-in's operation."""
    found = _OPERATION.search(line)
    message = _QUOTE.sub("", found["message"]) if found else ""
    said = wrong_part(NETWORK_PLUGIN.parts, message)
    return f"{_PLUGIN}: {whole(said, message)}" if said else _PLUGIN


DNS: Final = Program(
    "the cluster's DNS (CoreDNS)",
    (
        r"(?<![\w./-])plugin/(?:loop|forward|errors|kubernetes|reload|health): ",
        r"\bcoredns/plugin/",
    ),
    (
        part(
            "forwards queries to itself (a loop): its upstream in /etc/resolv.conf is a resolver "
            "on the node (127.0.0.53)",
            r"Loop ",
        ),
        part("has no upstream: /etc/resolv.conf names no server", r"no nameservers"),
        part(
            "may not read the cluster's API (services and endpoints)",
            r"Unauthorized|forbidden",
        ),
        part(
            "does not reach the cluster's API: kube-proxy or the network plug-in does not work on "
            "its node, or the API server does not run",
            # The signature of the API server says why there is no answer at all.
            r"Failed to (?:list|watch)(?![^\n]*(?:i/o timeout|no route|unreachable))",
        ),
        part(
            "does not start: its configuration (Corefile) is not valid",
            r"Corefile|unknown property|Unknown directive|plugin/reload",
        ),
    ),
    frozenset({"coredns", "name-resolution"}),
)

RUNTIME: Final = Program(
    "the container runtime of the node (containerd)",
    (
        r"\bcontainerd(?:\[\d+\])?: ",
        r"OCI runtime (?:create|exec|start) failed",
        r"failed to create (?:shim|containerd) task",
    ),
    (
        part(
            "does not start or loses its state: its database is damaged (/var/lib/containerd)",
            r"bolt|database|metadata\.db|recover state|malformed",
        ),
        part(
            "a program of it (its runtime, a hook or a plug-in) cannot be executed on the node: "
            "it is not installed there, is not executable or is for another processor",
            r"retrieve OCI runtime error[^\n]*\bexec\b|\bfork/exec ",
        ),
        part(
            "the command of a container does not exist in its image, or is no program",
            r"executable file not found|exec format|"
            r"(?<!log\.json: )no such file or directory[^\n]*(?:exec|init)|"
            r"(?:exec:|stat )[^\n]*no such file",
        ),
        part(
            "the container's cgroup cannot be made or changed: the cgroup driver of kubelet and "
            "containerd differs, or a limit of the node is reached",
            r"cgroup",
        ),
        part(
            "a volume, device or file cannot be mounted into a container",
            r"\bmount(?:ing|s)?\b|rootfs",
        ),
        part(
            "a container cannot be given its GPUs by NVIDIA's hook or CDI",
            r"nvidia|\bCDI\b|unresolvable",
        ),
        part(
            "its settings are not valid, or a plug-in of it cannot be loaded",
            r"failed to load plugin|config\.toml|unknown service|unmarshal",
        ),
        part(
            "its runtime (runc) failed to start a container",
            r"OCI runtime|failed to (?:create|start) (?:shim|containerd|sandbox|task)",
        ),
    ),
    frozenset(
        {
            "pause-image",
            "image-credentials",
            "image-refused",
            "image-not-found",
            "container-gpu-mount",
            "container-device",
            "cni",
            "network-plugin",
        }
    ),
)

PROGRAMS: Final = (KUEUE, KARPENTER, NETWORK_PLUGIN, DNS, RUNTIME)
