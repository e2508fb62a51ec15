"""HyperPod, ParallelCluster, EKS and Kubernetes: the reports of the services themselves.

EKS codes: botocore's NodegroupIssueCode, ClusterIssueCode and AddonIssueCode; ParallelCluster: the
logs of aws-parallelcluster-node (clustermgtd, slurm_resume) 3.x; Kubernetes: events of the
scheduler and the kubelet.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis import parts_operators
from clusterwright.diagnosis.parts import reason
from clusterwright.diagnosis.signature import Signature, Values
from clusterwright.diagnosis.wording import kind_of, meaning_of

_CHECK: Final = "clusterwright check {file} --only {rules}"
_GROUP: Final = ("node-group", "scaling-activity", "log", "cluster-event")
_PCLUSTER: Final = "pcluster describe-cluster --cluster-name {environment} --region {region}"


_LACKS: Final = re.compile(r"(?P<nodes>\d+) Insufficient (?P<what>[\w./-]+?)(?=[.,]*(?:\s|$))")


def _unschedulable(values: Values) -> str:
    """What most nodes lack; a device counts before processors and memory."""
    lacks = {m["what"]: int(m["nodes"]) for m in _LACKS.finditer(values.get("predicates", ""))}
    if not lacks:
        return f"Kubernetes: pods cannot be scheduled: insufficient {values['what'].rstrip('.')}"
    most = max(lacks, key=lambda what: ("/" in what, lacks[what]))
    others = [what for what in lacks if what != most]
    also = f" (some nodes also lack {', '.join(others)})" if others else ""
    return f"Kubernetes: pods cannot be scheduled: insufficient {most}{also}"


def _network_plugin(values: Values) -> str:
    return parts_operators.plugin(values.get("line", ""))


def _missing_device(values: Values) -> str:
    return (
        f"Kubernetes: the node has fewer {values.get('what', 'healthy devices')} than the kubelet "
        "gave to pods: a device is missing, or its plug-in does not answer"
    )


def _webhook(values: Values) -> str:
    """Why a webhook gives no answer, as far as the rest of the message says it."""
    rest = values.get("rest", "")
    said = (
        "its controller has no pod that is ready"
        if "no endpoints" in rest
        else "its certificate is not trusted or has expired"
        if "x509" in rest
        else reason(rest)
    )
    why = f": {said}" if said else ""
    return (
        f"Kubernetes: the admission webhook {values['what']} does not answer, so objects cannot "
        f"be created{why}"
    )


_GANG: Final = (
    "the nodes have no place for the whole group of pods at once (gang scheduling), or not all of "
    "its pods exist yet"
)
_REASON: Final = re.compile(r"(\d+) ((?:node\(s\) )?[^,\d][^,]{3,120})")
_PREDICATES: Final = (
    (r"unbound|persistentvolumeclaim|PersistentVolume", "their claims of volumes are not bound"),
    (r"volume node affinity", "their volumes are in another zone than the nodes"),
    (
        r"anti-?affinity|pod affinity|topology spread",
        "rules of affinity or of spreading allow no node",
    ),
    (r"unschedulable|cordon", "the nodes are cordoned"),
    (r"\bgang\b|pod ?group", _GANG),
    (r"ports", "a port of the host is in use on the nodes"),
    (r"max volume count", "the nodes have as many volumes as they may"),
)


def _predicate(values: Values) -> str:
    """What most nodes do not have or do not allow, of the reasons that the scheduler counts."""
    text = values["predicates"].partition("preemption:")[0]
    reasons = {m[2].strip(" .,"): int(m[1]) for m in _REASON.finditer(text)}
    said = max(reasons, key=lambda reason: reasons[reason]) if reasons else text.strip(" .")[:160]
    meaning = meaning_of(_PREDICATES, said) or ""
    return f"Kubernetes: pods cannot be scheduled: {meaning}{': ' if meaning else ''}{said}"


_KARPENTER: Final = (
    # The scheduler's reasons: karpenter/pkg/controllers/provisioning/scheduling/nodeclaim.go.
    (
        r"(?:has|had) (?:the|a) required offering",
        "the types that fit are not offered in the zones and with the capacity (spot, on-demand, "
        "reserved) that the pod and the node pool allow, or had no capacity a short time ago",
    ),
    (
        r"has enough resources|had the required resources",
        "the pod and the daemon sets ask for more than any type of the node pool has",
    ),
    (
        r"met all requirements|met the scheduling requirements",
        "no type has the labels, the architecture or the zone that the pod and the node pool require",
    ),
    (r"exceed limits", "the limits of the node pool are reached"),
    (r"minValues", "fewer types than the node pool's minValues fit"),
)


def _karpenter(values: Values) -> str:
    """Why Karpenter starts no node, by its scheduler's reason."""
    message = values["message"].strip('()\\" ')
    meaning = meaning_of(_KARPENTER, message)
    said = f"{meaning}: {message}" if meaning else message
    return f"Karpenter: it cannot start nodes: {said}"


_VOLUMES: Final = (
    (
        r"Multi-Attach|already exclusively attached|VolumeInUse|already attached to (?:an|another|instance)",
        "it is still attached to another node",
    ),
    (
        r"no NodeID annotation|CSINode",
        "the node is not registered with the CSI driver: its pod does not run there",
    ),
    (
        r"Instance \S+ not found|InvalidInstanceID|instance \S+ does not exist",
        "the node's instance does not exist any more",
    ),
    (
        r"expected device to be attached|context (?:cancell?ed|deadline)|timed out waiting|is still attaching",
        "it was not attached or mounted in time",
    ),
    (
        r"volume limit|maximum number of volumes|attachment limit",
        "the instance has as many volumes as it may",
    ),
)


_PROVISIONING: Final = (
    (
        r"at '\w+' failed to satisfy constraint",
        "its storage class has a value that AWS does not accept ({field})",
    ),
    (
        r"Access denied for (?:import|export) path|unable to validate access to the S3 bucket",
        "FSx has no access to the S3 bucket of its storage class: the role of the driver lacks "
        "permissions on the bucket, or the bucket is in another region",
    ),
)


def _provisioning(values: Values) -> str:
    """Why a claim gets no volume, by the words of the API behind those of the driver."""
    message = values["message"]
    field = re.search(r"at '(\w+)' failed to satisfy constraint", message)
    said = meaning_of(_PROVISIONING, message)
    if said is None:
        return _volume(values)
    name = field.group(1) if field else ""
    inner = message.rpartition("Could not create volume ")[2].partition(": ")[2]
    return (
        "Kubernetes: a volume cannot be created: "
        f"{said.replace('{field}', name)}: {inner[:_LONGEST_VOLUME]}"
    )


_CHEF: Final = re.compile(
    r"\W{1,3}(?P<action>\w{2,30})\W{1,3} on resource '(?P<type>\w{2,40})\[(?P<name>[^\]\n]{1,160})\]"
)
_CHEF_TYPES: Final = {
    "mount": "cannot mount {name}",
    "execute": "a command failed ({name})",
    "bash": "a script failed ({name})",
    "script": "a script failed ({name})",
    "ruby_block": "a step failed ({name})",
    "package": "cannot install the package {name}",
    "yum_package": "cannot install the package {name}",
    "apt_package": "cannot install the package {name}",
    "service": "the service {name} cannot be started, stopped or enabled",
    "remote_file": "cannot download {name}",
}
"""Types of Chef's resources, and what their failure means."""


def _chef(values: Values) -> str | None:
    """What Chef could not do on a node; None for a line that has only the class of the error."""
    said = "ParallelCluster: the cookbook (Chef) failed on a node"
    message = values.get("message", "").strip(" :\"',.")
    resource = _CHEF.search(values.get("message", ""))
    if resource is None:
        return f"{said}: {message}" if message else None
    name = resource["name"].removeprefix(f"{resource['type']} ")
    what = _CHEF_TYPES.get(resource["type"], "cannot {action} the {type} {name}")
    return (
        f"{said}: it {what}".format(name=name, action=resource["action"], type=resource["type"])
        .replace("it a ", "a ")
        .replace("it the ", "the ")
    )


def _volume(values: Values) -> str:
    """Why a volume is not usable, by the words of the CSI driver behind Kubernetes' own."""
    message = values["message"]
    inner = message.rpartition("desc = ")[2]
    kind = kind_of(inner)
    said = meaning_of(_VOLUMES, message) or (
        kind.sentence
        if kind is not None and kind.group in ("access", "network", "resource")
        else ""
    )
    return (
        f"Kubernetes: a volume cannot be attached or mounted: {said}{': ' if said else ''}"
        f"{message[:_LONGEST_VOLUME]}"
    )


_LONGEST_VOLUME: Final = 220


SIGNATURES: Final = (
    Signature(
        "node-creation",
        "EKS: instances started but did not join the cluster in time (their bootstrap, role, "
        "endpoint or network)",
        (
            r"NodeCreationFailure|Instances? failed to join the kubernetes cluster|"
            r"failed to join the (?:Kubernetes )?cluster|Unhealthy nodes in the kubernetes cluster",
        ),
        confidence="likely",
        rank=1,
        next=(_CHECK, "clusterwright drift {file}"),
        rules=("CW-N022", "CW-N023", "CW-I016"),
    ),
    Signature(
        "asg-missing",
        "EKS: the node group's Auto Scaling group was deleted or changed outside EKS",
        (
            r"AutoScalingGroup(?:NotFound|InvalidConfiguration|OptInRequired|InstanceRefreshActive)",
        ),
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "node-role",
        "EKS: the node role or its instance profile does not exist or was changed",
        (
            r"IamInstanceProfileNotFound|IamNodeRoleNotFound|IamRoleNotFound|"
            r"(?:Instance Profile|instance profile).{0,60}(?:not found|invalid|does not exist)|"
            r"Invalid IAM Instance Profile",
        ),
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "cluster-unreachable",
        "EKS: the control plane or the nodes do not reach each other (ClusterUnreachable)",
        (r"ClusterUnreachable|Kubernetes API.{0,60}(?:unreachable|timed out)",),
        confidence="likely",
        next=(_CHECK,),
        rules=("CW-N022", "CW-N023", "CW-N027"),
    ),
    Signature(
        "addon",
        "EKS: an add-on does not work: {code}[: {message}]",
        (
            r"^(?P<code>ConfigurationConflict|InsufficientNumberOfReplicas|AdmissionRequestDenied|"
            r"K8sResourceNotFound|AddonPermissionFailure):? ?(?P<message>[^\n]{0,200})",
        ),
        confidence="likely",
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "pod-eviction",
        "EKS: nodes cannot be drained or terminated: pods resist eviction (PodDisruptionBudget)",
        (
            r"PodEvictionFailure|NodeTerminationFailure|Cannot evict pod|PodDisruptionBudget|"
            r"violate the pod's disruption budget",
        ),
        confidence="likely",
        next=("kubectl get poddisruptionbudgets --all-namespaces",),
    ),
    Signature(
        "unschedulable",
        _unschedulable,
        (
            r"nodes are available(?P<predicates>.{0,300}Insufficient (?P<what>[\w./-]+)[^\n]{0,300})",
            r"FailedScheduling.{0,300}Insufficient (?P<what>[\w./-]+)",
        ),
        next=("clusterwright capacity {file}", "kubectl describe nodes"),
    ),
    Signature(
        "container-runtime-down",
        "Kubernetes: the kubelet does not reach the node's container runtime (containerd): its "
        "service ended or hangs",
        (
            r"container runtime is (?:down|not running)|PLEG is not healthy",
            r"GenericPLEG: Unable to retrieve pods|KillContainerError: |Error listing containers: ",
        ),
        confidence="likely",
        kinds=("log",),
        next=("kubectl describe nodes",),
    ),
    Signature(
        "taint",
        "Kubernetes: pods cannot be scheduled: no node matches (taint, selector or affinity)",
        (
            r"untolerated taint|didn't match (?:Pod's )?node (?:affinity|selector)|"
            r"had taint|did not tolerate",
        ),
        confidence="likely",
        next=("kubectl describe nodes",),
    ),
    Signature(
        "unschedulable-otherwise",
        _predicate,
        (r"(?<!\d)0/\d+ nodes are available: (?P<predicates>[^\n]{3,400})",),
        next=("kubectl describe nodes", "kubectl get events --all-namespaces"),
    ),
    Signature(
        "gang",
        f"Kubernetes: pods cannot be scheduled: {_GANG}",
        (
            # Volcano (pkg/scheduler/plugins/gang), and the coscheduling plug-in of Kubernetes.
            # Pods that ended are in no gang any more, and a group without Pending has its places.
            r"\d+/\d+ tasks in gang unschedulable(?![^\n]*\bSucceeded)[^\n]*\b[1-9]\d* Pending",
            r"pod ?group [^\n]{0,80}(?:cannot be scheduled|is unschedulable|gets? rejected)",
        ),
        confidence="likely",
        rank=1,
        kinds=("log",),
        next=("kubectl get podgroups --all-namespaces", "kubectl describe nodes"),
    ),
    Signature(
        "autoscaler-no-group",
        "cluster-autoscaler: no node group can hold the pod, also if it grows: {reason}: the groups' "
        "types have less, are at their maximum, or their tags do not state the accelerator of an empty "
        "group (k8s.io/cluster-autoscaler/node-template/resources/...)",
        (
            r"pod didn't trigger scale-up[^\n]{0,80}?: (?P<reason>[^\n]{0,160}\d+ (?:Insufficient|"
            r"node\(s\)|max)[^\n]{0,120})",
        ),
        confidence="likely",
        rank=1,
        kinds=("log",),
        next=("kubectl describe nodes",),
    ),
    Signature(
        "karpenter",
        _karpenter,
        (
            r"(?P<message>no instance type (?:which )?(?:met|has|had)[^\n]{3,200}|all available instance types "
            r"exceed limits[^\n]{0,120}|minValues requirement is not met[^\n]{0,80})",
            r"(?P<message>(?:could not schedule pod|no instance type (?:satisfied|met)[^\n]*|"
            r"incompatible (?:with )?(?:nodepool|requirements)[^\n]*|"
            r"(?:nodeclaim|NodeClaim)[^\n]*(?:fail|not found|liveness)[^\n]*))",
        ),
        confidence="likely",
        rank=1,
        next=("kubectl describe nodepools",),
    ),
    Signature(
        "network-plugin",
        _network_plugin,
        (
            r"(?P<line>(?:NetworkPlugin cni failed|plugin type=\\*\"aws-cni\\*\"[^\n]{0,200}fail)[^\n]*)|"
            r"127\.0\.0\.1:50051[^\n]{0,80}(?:refused|timed? ?out|Unavailable)|Timed out waiting for IPAM|IPAM connectivity[ .]{1,12}failed|"
            r"ipamd[^\n]{0,40}(?:fail|not running|crash)|"
            r"cni plugin not initialized|"
            r"aws-node\b.{0,60}(?:CrashLoop|fail|not ready)",
        ),
        confidence="likely",
        next=("kubectl get pods --namespace kube-system --selector k8s-app=aws-node -o wide",),
    ),
    Signature(
        "device-missing",
        _missing_device,
        (
            r"requested number of devices unavailable for (?P<what>[\w./-]+?)[.,]? ",
            r"endpoint not found in cache for a registered resource: (?P<what>[\w./-]+)",
            r"cannot allocate unhealthy devices (?P<what>[\w./-]+?)[.,]? ",
            r"UnexpectedAdmissionError.{0,80}Allocate",
        ),
        confidence="likely",
        next=("kubectl describe nodes",),
    ),
    Signature(
        "device-allocation",
        "Kubernetes: the node did not give the pod the device for which it was scheduled there: {reason}: "
        "the device plug-in and the scheduler of GPUs do not agree; the pod must be made again",
        (r"Pod Allocate failed due to (?P<reason>[^\n]{0,160})",),
        confidence="likely",
        next=("kubectl describe nodes",),
    ),
    Signature(
        "devices-unhealthy",
        "Kubernetes: no {what} of a node is healthy, so the kubelet refuses pods",
        (r"no healthy devices present; cannot allocate unhealthy devices (?P<what>[\w./-]+\w)",),
        confidence="likely",
        next=("kubectl describe nodes",),
    ),
    Signature(
        "claim-unbound",
        "Kubernetes: pods wait for a volume: a PersistentVolumeClaim is not bound",
        (r"unbound immediate PersistentVolumeClaims",),
        confidence="likely",
        rank=1,
        next=("kubectl describe persistentvolumeclaims --all-namespaces",),
    ),
    Signature(
        "evicted",
        "Kubernetes: pods were evicted: the node is low on {what}",
        (
            r"node was low on resource: (?P<what>[\w-]+)",
            r"must evict pod\(s\) to reclaim\\?\"? resourceName=\\?\"(?P<what>[\w-]+)",
        ),
        next=("kubectl describe nodes",),
    ),
    Signature(
        "kueue-quota",
        "Kueue: the quota for {what} is used up, so the workload waits",
        (r"insufficient (?:unused )?quota for (?P<what>[\w./-]+)",),
        next=("kubectl get clusterqueues",),
    ),
    Signature(
        "kueue-queue",
        "Kueue: the workload's queue does not exist in its namespace or is inactive, so that it is "
        "not admitted (label kueue.x-k8s.io/queue-name): {reason}",
        (
            r"(?P<reason>(?:local|cluster) ?queue[^\n]{0,60}(?:does(?:n't| not) exist|is inactive|not found)"
            r"[^\n]{0,60})",
        ),
        confidence="likely",
        next=("kubectl get localqueues,clusterqueues --all-namespaces",),
    ),
    Signature(
        "kueue-flavor",
        "Kueue: no flavor of the queue fits the workload, so it waits: {reason}",
        (r"couldn't assign flavors to pod set [^\s:]{1,80}: (?P<reason>[^\n]{1,200})",),
        next=("kubectl get clusterqueues,resourceflavors",),
    ),
    Signature(
        "autoscaler-group",
        "Kubernetes: the cluster autoscaler does not enlarge the group {group}, because nodes that it asked for "
        "did not come or are not ready: capacity, a quota, or nodes that do not join",
        (r"Node group (?P<group>\S+) is not ready for scale-?up",),
        confidence="likely",
        rank=1,
        kinds=("log",),
        next=("kubectl describe nodes",),
    ),
    Signature(
        "webhook",
        _webhook,
        (r"failed (?:calling|to call) webhook \\?\"(?P<what>[\w.-]+)(?P<rest>[^\n]*)",),
        confidence="likely",
        next=("kubectl get endpointslices --all-namespaces",),
    ),
    Signature(
        "kubernetes-access",
        "Kubernetes: {user} may not {verb} {what} (RBAC, or an access entry is missing)",
        (
            r"forbidden: User \\?\"(?P<user>[^\"\\]+)\\?\" cannot (?P<verb>\w+) resource "
            r"\\?\"(?P<what>[^\"\\]+)",
        ),
        next=("aws eks list-access-entries --cluster-name {environment} --region {region}",),
    ),
    Signature(
        "volume-creation",
        _provisioning,
        (r"(?:ProvisioningFailed|failed to provision volume)(?P<message>[^\n]{0,900})",),
        confidence="likely",
        next=("kubectl describe storageclasses", "kubectl get events --all-namespaces"),
    ),
    Signature(
        "volume",
        _volume,
        (
            r"(?P<message>(?:FailedAttachVolume|AttachVolume\.\w+ failed|NodeStageVolume\w* failed|FailedMount|MountVolume\.\w+ failed|"
            r"Unable to attach or mount volumes|failed to provision volume|ProvisioningFailed|"
            r"Could not (?:attach|detach) volume)[^\n]{0,600})",
        ),
        confidence="likely",
        next=("kubectl get events --all-namespaces",),
    ),
    Signature(
        "pod-sandbox",
        "Kubernetes: the node cannot create the sandbox of a pod: {message}",
        (r"Failed to create pod sandbox: (?P<message>[^\n]{1,200})",),
        confidence="likely",
        rank=1,
        next=("kubectl get events --all-namespaces",),
    ),
    Signature(
        "crash-loop",
        "Kubernetes: a container starts and ends again and again (CrashLoopBackOff)",
        (r"CrashLoopBackOff|Back-off restarting failed container",),
        rank=1,
        next=("kubectl logs --previous POD",),
    ),
    Signature(
        "node-not-ready",
        "Kubernetes: a node is not ready",
        (
            r"NodeNotReady|node(?:\(s\))? (?:is|are|were|was) not ready|"
            r"status is now: NodeNotReady|KubeletNotReady|PLEG is not healthy",
        ),
        rank=1,
        per_node=True,
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "protected-mode",
        "ParallelCluster: the cluster is in PROTECTED mode: nodes failed to boot again and again, "
        "and queues were disabled",
        (
            r"protected (?:mode|status)|(?-i:\bPROTECTED\b)|is set (?:to )?INACTIVE|"
            r"(?:disabled|deactivat\w+).{0,40}(?:queue|partition)",
        ),
        kinds=("log", "partition", "cluster"),
        rank=1,
        next=(
            "pcluster update-compute-fleet --cluster-name {environment} --status "
            "START_REQUESTED --region {region}",
            "clusterwright diagnose {file} deploy",
        ),
    ),
    Signature(
        "pcluster-custom-action",
        "ParallelCluster: a custom action (OnNodeStart, OnNodeConfigured or OnNodeUpdated) failed"
        "[: {message}]",
        (
            r"(?:Failed to (?:execute|run|download)|Error (?:executing|downloading|occurred)).{0,60}"
            r"OnNode(?:Start|Configured|Updated)\b(?P<message>[^\n]{0,200})",
            r"OnNode(?:Start|Configured|Updated)\w*(?: script)?.{0,40}(?:fail|error|exit|return)"
            r"(?P<message>[^\n]{0,200})",
        ),
        rank=1,
        next=(_PCLUSTER,),
    ),
    Signature(
        "pcluster-chef",
        _chef,
        (
            r"(?:Chef::Exceptions|FATAL: .*chef|Chef Infra Client failed|Error executing action|"
            r"Command chef failed|"
            r"Mixlib::ShellOut::\w+|cinc.{0,40}fail)(?P<message>[^\n]{0,200})",
        ),
        confidence="likely",
        rank=1,
        next=(_PCLUSTER,),
    ),
    Signature(
        # What cfn-init writes about the failure of anything that it ran.
        "cfn-init",
        "CloudFormation: cfn-init failed on the node[: {message}]; the messages before it say why",
        (
            r"Error encountered during build of (?P<message>[^\n]{0,120})|BUILD FAILED",
            r"cfn-init[^\n]{0,40}(?P<message>fail[^\n]{0,120})",
        ),
        confidence="likely",
        rank=2,
        next=(_PCLUSTER,),
    ),
    Signature(
        "pcluster-configuration",
        "ParallelCluster: the configuration is not valid: {message}",
        (
            r"configurationValidationErrors[^\n]{0,40}level\W{1,6}ERROR[^\n]{0,120}message\W{1,4}"
            r"(?P<message>[^\n]{3,200}?)(?:\"\}|$)",
        ),
        next=(_PCLUSTER,),
    ),
    Signature(
        "pcluster-ami",
        "ParallelCluster: the AMI does not fit: {message}",
        (r"(?P<message>This AMI was (?:created with|not baked by)[^\n'\"]{0,160})",),
        next=(_PCLUSTER,),
    ),
    Signature(
        "pcluster-bootstrap",
        "ParallelCluster: nodes failed to boot or to join in time (bootstrap failure)",
        (
            r"HeadNodeBootstrapFailure|HeadNode\w*(?:Timeout|Failure)|bootstrap (?:failure|error|"
            r"failed|timeout)|failed (?:to|during) bootstrap|(?:timed out|timeout).{0,40}bootstrap|"
            r"Resume timeout (?:expires|expired)|cfn-init.{0,40}fail|Received (?:\d+ )?FAILURE signal|cfn-signal.{0,40}FAILURE|"
            r"node.{0,40}(?:did not (?:come|boot|register)|failed to (?:launch|start|boot))",
        ),
        confidence="likely",
        rank=1,
        next=(_PCLUSTER, "clusterwright diagnose {file} deploy"),
    ),
    Signature(
        "pcluster-launch",
        "ParallelCluster: the instances of nodes[ {names}] could not be launched (capacity, quota, "
        "permission or request); the messages before it in slurm_resume.log say why",
        (
            r"Failed to launch (?:the )?following nodes[^\[\n]{0,80}\(x[1-9]\d{0,4}\) "
            r"\['?(?P<names>[\w.-]{1,80})",
            r"Failed to launch (?:the )?following nodes\b(?![^\n]{0,80}\(x0\))",
        ),
        confidence="likely",
        rank=1,
        next=("clusterwright capacity {file}", _PCLUSTER),
    ),
    Signature(
        "pcluster-backing-instance",
        "ParallelCluster: the instance behind a node was terminated outside Slurm",
        (
            r"no (?:corresponding|backing) (?:EC2 )?instance|backing instance.{0,60}(?:terminated|"
            r"missing|unhealthy)|instance.{0,40}not (?:found|visible) in EC2",
        ),
        confidence="likely",
        rank=1,
        next=("clusterwright status {file}",),
    ),
    Signature(
        "software-update",
        "HyperPod: an update of the image or the software failed and was rolled back",
        (
            r"(?:UpdateClusterSoftware|software update|AMI update|image update|patching).{0,100}"
            r"(?:fail|roll(?:ed|ing)? ?back|unsuccessful|error)",
        ),
        confidence="likely",
        rank=1,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "replacement-failed",
        "HyperPod: a node's replacement failed and is not tried again by the service",
        (r"(?:replace\w*).{0,80}(?:fail|unsuccessful|did not succeed|could not)",),
        confidence="likely",
        rank=1,
        kinds=("cluster-event", "node-status"),
        next=("clusterwright node replace {file} {nodes} --because 'the replacement failed'",),
    ),
    Signature(
        "hyperpod-dependencies",
        "HyperPod EKS: the required Helm charts or access entries are missing in the EKS cluster",
        (
            r"(?:helm|dependenc|prerequisite|health-monitoring-agent).{0,120}(?:not (?:found|"
            r"installed|present)|missing)|access ?entr(?:y|ies).{0,80}(?:missing|not|denied|fail)|"
            r"(?:not installed|missing).{0,60}(?:helm|dependenc)",
        ),
        confidence="likely",
        kinds=("stack-event", "cluster-event", "cluster"),
        next=("cdk deploy -c config={file} --all",),
    ),
    Signature(
        "stack-state",
        "CloudFormation: stack {stack} is {state}[: {message}]",
        (r"^(?P<state>[A-Z_]+)(?:: (?P<message>[^\n]+))?$",),
        kinds=("stack-state",),
        rank=2,
        next=(
            "aws cloudformation describe-stack-events --stack-name {stack} --region {region}",
            _CHECK,
        ),
        rules=("CW-E007",),
    ),
    Signature(
        "nodes-missing",
        "HyperPod: group {group} has {current} of {target} instances; they may still be starting",
        (r"has (?P<current>\d+) of (?P<target>\d+) instances",),
        confidence="possible",
        kinds=("group-state",),
        rank=2,
        next=("clusterwright status {file}", "clusterwright capacity {file}"),
    ),
    Signature(
        "node-pending",
        "HyperPod: a node has been pending for more than an hour",
        (r"^Pending since ",),
        confidence="possible",
        kinds=("node-status",),
        rank=2,
        next=("clusterwright diagnose {file} node {node}",),
    ),
    Signature(
        "cluster-failed",
        "the cluster or a node reports a failure without a reason",
        (
            r"^(?:Failed|CREATE_FAILED|UPDATE_FAILED|Failure):? ?$",
            r"^Failed to provision EC2 Instance|^Failed to create (?:an )?instance|"
            r"instance creation failed|EC2 provisioning failed",
        ),
        rank=2,
        kinds=("cluster", "cluster-event", "node-status", "node-group"),
        next=("clusterwright diagnose {file} deploy",),
    ),
)
