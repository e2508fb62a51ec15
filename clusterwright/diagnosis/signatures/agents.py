"""What agents and controllers of AWS's platforms report of nodes, and programs in Go that crash.

Sources: Amazon EKS User Guide, "Detect node health issues with the EKS node monitoring agent";
aws/aws-parallelcluster-node, slurm_plugin/clustermgtd.py (reasons of nodes);
kubernetes-sigs/karpenter, pkg/controllers/nodeclaim/lifecycle (registration.go, liveness.go);
kubernetes/kubernetes, plugin/pkg/auth/authorizer/node; EC2 and EKS User Guides, link-local addresses; threads in
docs/explanations/diagnosed-failures-twentieth-hold-out.yaml (read 2026-11).
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.go_panics import HEAD
from clusterwright.diagnosis.signature import Signature, Values

_REPLACE: Final = "clusterwright node replace {file} {nodes} --because {because}"
_NODE: Final = "clusterwright diagnose {file} node {node}"
_DRIFT: Final = "clusterwright drift {file}"
_NODES: Final = ("kubectl describe nodes",)
_NODE_CLAIMS: Final = ("kubectl describe nodeclaims",)

_ACCELERATORS: Final = "AcceleratedHardwareReady"
_OF_GPUS: Final = re.compile(r"dcgm|nvidia|(?<![a-z])xid", re.IGNORECASE)
_CONDITIONS: Final = {
    _ACCELERATORS: "a GPU, a Neuron device or EFA of the node fails its health checks",
    "ContainerRuntimeReady": "the container runtime of the node does not work",
    "KernelReady": "the kernel of the node reports errors",
    "NetworkingReady": "the network of the node does not work",
    "StorageReady": "the disks or file systems of the node report errors",
}
"""Conditions of nodes that EKS's node monitoring agent sets."""

_LISTED: Final = "|".join(_CONDITIONS)

_DEFECT: Final = (
    r"(?:runtime error: )?(?:index out of|slice bounds|invalid memory address|integer divide)|"
    r"assignment to entry in nil map|(?:close of|send on) (?:closed|nil) channel|"
    r"interface conversion: "
)
"""Panics of Go's own checks; others have a reason that the program gives."""

_PLACE: Final = r" in (?P<package>\S+) of (?P<program>[^\n]+)$"
_CRASHED: Final = "{program} crashed (panic): {message}, in {package}"

_LINK_LOCAL: Final = {
    "169.254.169.254": "the metadata service of EC2 (IMDS)",
    "fd00:ec2::254": "the metadata service of EC2 (IMDS)",
    "169.254.169.253": "the DNS resolver of the VPC",
    "fd00:ec2::253": "the DNS resolver of the VPC",
    "169.254.169.123": "the Amazon Time Sync Service",
    "fd00:ec2::123": "the Amazon Time Sync Service",
    "169.254.170.2": "the endpoint of a task's credentials",
    "169.254.170.23": "the EKS Pod Identity agent",
    "fd00:ec2::23": "the EKS Pod Identity agent",
}
"""Addresses that every instance has for AWS's own services, without a route to the internet."""


def _condition(values: Values) -> str:
    name, code = values["condition"], values["code"]
    message = values.get("message", "").strip(" .\"'")
    is_gpu = name == _ACCELERATORS and _OF_GPUS.search(f"{code} {message}")
    gpu = "GPU: " if is_gpu else ""
    return (
        f"{gpu}{_CONDITIONS[name]}, as EKS's node monitoring agent reports ({name}): {code}"
        f"{': ' + message if message else ''}"
    )


def _link_local(values: Values) -> str:
    address = values.get("address", _METADATA)
    return (
        f"network: the node or container does not reach {_LINK_LOCAL[address.lower()]} at {address}: its "
        "network is not up yet, it is switched off or limited to one hop, or a firewall or proxy "
        "takes the requests"
    )


_METADATA: Final = "169.254.169.254"
_ADDRESSES: Final = "|".join(re.escape(address) for address in _LINK_LOCAL)
_UNREACHED: Final = (
    r"(?:timed? ?out|refused|unreachable|Failed to connect|No route|Could not connect|"
    r"(?:deadline|Timeout) exceeded|connection reset|Giving up)"
)

SIGNATURES: Final = (
    Signature(
        "node-condition",
        _condition,
        (
            r"Reason: (?P<code>\w{3,60}) Message: (?P<message>[^\n]{0,200}?) Severity: Fatal\b"
            rf"[^\n]*?conditionType: (?P<condition>{_LISTED})\b",
            rf"^\s*(?P<condition>{_LISTED})\s+False\s+[^\n]{{20,100}}?\s(?P<code>(?!\d)\w{{6,60}})"
            r"(?:\s+(?P<message>[^\n]{3,200}))?$",
        ),
        per_node=True,
        next=(*_NODES, _REPLACE),
    ),
    Signature(
        "go-panic",
        f"{_CRASHED}: a defect of this version",
        (rf"^{HEAD}(?P<message>(?:{_DEFECT})[^\n]*){_PLACE}",),
        confidence="likely",
        rank=1,
        kinds=("log", "job"),
        next=_NODES,
    ),
    Signature(
        # Of a reason that a signature knows, the crash is a report.
        "go-panic-reason",
        _CRASHED,
        (rf"^{HEAD}(?P<message>[^\n]+){_PLACE}",),
        confidence="likely",
        rank=2,
        kinds=("log", "job"),
        next=_NODES,
    ),
    Signature(
        "link-local",
        _link_local,
        (
            rf"{_UNREACHED}[^\n]{{0,80}}?(?<![\d.])(?P<address>{_ADDRESSES})(?![\d.]*\d)",
            rf"curl: \(\d+\)[^\n]{{0,60}}(?<![\d.])(?P<address>{_ADDRESSES})(?![\d.]*\d)",
            rf"(?<![\d.])(?P<address>{_ADDRESSES})(?![\d.]*\d)[^\n]{{0,80}}?{_UNREACHED}",
            r"IMDS's HTTP endpoint is probably disabled|requesting Ec2 IMDSv2 API tokens|"
            r"\bE! ec2metadata is not available|fetching metadata from provider",
        ),
        confidence="likely",
        kinds=("log",),
        next=(_DRIFT,),
    ),
    Signature(
        "pcluster-unhealthy",
        "ParallelCluster: clustermgtd replaces the node, because its instance fails EC2's or "
        "Slurm's health checks, is gone, or did not boot and register in time: see the console "
        "output and cloud-init log of the instance",
        (
            r"Scheduler health check failed|Static node maintenance: unhealthy node is being "
            r"replaced",
        ),
        confidence="likely",
        per_node=True,
        next=(_NODE,),
    ),
    Signature(
        "clustermgtd-down",
        "ParallelCluster: the daemon clustermgtd does not run on the head node, so that no nodes "
        "are launched or replaced and running ones end themselves: see clustermgtd.log",
        (r"clustermgtd is down|No valid clustermgtd heartbeat",),
        kinds=("log",),
        next=(_NODE,),
    ),
    Signature(
        "node-claim",
        "Karpenter: an instance was launched and has not registered as a node of the cluster: so "
        "is each one while it boots; after 15 minutes Karpenter replaces it, and then its "
        "kubelet's log says why it did not join",
        (r"Node not registered with cluster",),
        confidence="possible",
        rank=1,
        severity="info",
        next=_NODE_CLAIMS,
    ),
    Signature(
        "node-claim-timeout",
        "Karpenter: an instance was launched but did not register as a node of the cluster in "
        "time: it does not boot, its role or user data does not fit the cluster, or it does not "
        "reach the API; see the kubelet's log",
        (
            r"terminating due to registration ttl|\bregistration_timeout\b|"
            r"\bRegistrationFailed\b[^\n]{0,60}Failed to register node",
        ),
        confidence="likely",
        rank=1,
        next=_NODE_CLAIMS,
    ),
    Signature(
        "node-name-differs",
        "Kubernetes: a node's kubelet uses a name that is not its own name in its credentials "
        "({user}), so the API refuses it: the name by which the node joined (the instance's "
        "private DNS name or its id) differs from the one in its configuration",
        (
            r"\bUser \\?\"(?P<user>system:node:[^\"\\]+)\\?\"[^\n]{0,300}can only access [^\n]{3,40} "
            r"with the same name as the requesting node",
        ),
        per_node=True,
        next=("aws eks list-access-entries --cluster-name {environment} --region {region}",),
    ),
    Signature(
        "pod-role",
        "IAM: a pod may not take its role with its service account "
        "(sts:AssumeRoleWithWebIdentity)[ {role}]: the role's trust policy does not name the "
        "cluster's OIDC provider, the namespace or the service account, or the service account "
        "names another role",
        (
            r"Not authorized to perform:? sts:AssumeRoleWithWebIdentity(?:[^\n]{0,80} on resource: "
            r"(?P<role>[\w:/+=,.@-]+))?",
        ),
        next=("aws iam get-role --role-name {role_name}",),
    ),
    Signature(
        "namespace-access",
        "Kubernetes: the user may not create or read {what} in the namespace {namespace}: the "
        "user's role has no access entry of EKS or no role binding (RBAC) there",
        (
            r"Access denied to resource '(?P<what>[^'\n]{1,200})' in namespace '(?P<namespace>[\w-]{1,63})'",
        ),
        next=("aws eks list-access-entries --cluster-name {environment} --region {region}",),
    ),
    Signature(
        "no-accounting",
        "accounting: the cluster has no accounting (AccountingStorageType in slurm.conf is not "
        "accounting_storage/slurmdbd), so sacct and sacctmgr do not work",
        (
            r"You are not running a supported accounting_storage plugin|"
            r"Slurm accounting storage is disabled|accounting_storage plugin[^\n]{0,20}"
            r"(?:not supported|is none)",
        ),
        kinds=("log", "job"),
        next=("clusterwright check {file}",),
    ),
    Signature(
        "imex-memory",
        "NVLink between nodes (IMEX): memory of a GPU cannot be shared with other nodes: the IMEX "
        "service cannot export or import it; restart the job's pods or the IMEX domain",
        (
            r"Failed to (?:get (?:new memory reference|export ref)|allocate memory reference)|"
            r"Received import response from node id \d+ with failure",
        ),
        confidence="likely",
        kinds=("log", "job"),
        next=_NODES,
    ),
)
