"""Kubernetes: why pods do not start, and why nodes do not join, in the words of its components.

Sources: Kubernetes, events of pods, "Assigning Pods to Nodes", "Admission webhooks"; containerd,
errors of pulls; kubernetes-sigs/aws-fsx-csi-driver, threads in docs/explanations.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Signature, Values
from clusterwright.diagnosis.wording import kind_of

_EVENTS: Final = "kubectl get events --all-namespaces"
_DESCRIBE: Final = "kubectl describe nodes"

# Reasons of a status of the API ("Kubernetes API conventions", metav1.StatusReason).
_REASONS: Final = {
    "Forbidden": "the user or service account may not do this (RBAC), or a policy or quota refuses it",
    "Unauthorized": "the credentials are not valid, or the role has no access entry",
    "Conflict": "the object was changed at the same time",
    "Invalid": "the object is not valid",
    "BadRequest": "the request is not valid",
    "TooManyRequests": "the API server refuses more requests for a while, or a disruption budget does",
    "InternalError": "the API server or a webhook behind it failed",
    "ServiceUnavailable": "the API server or a service behind it does not answer",
    "Timeout": "the API server or a webhook did not answer in time",
    "ServerTimeout": "the API server or a webhook did not answer in time",
}


def _api_error(values: Values) -> str:
    said = _REASONS.get(values["code"], "the API server failed")
    if "waiting to start" in values["message"]:
        said = "a container has not started yet: an init container, its image or a volume is not ready"
    return f"Kubernetes: {said}: {values['message']}"


def _refusal(values: Values) -> str:
    """What a webhook says against an object, or that its controller could not look at it."""
    message = values["message"]
    kind = kind_of(message)
    if kind is not None and kind.id in _OWN_FAILURES:
        return (
            f"Kubernetes: {kind.sentence}, for the controller of the admission webhook "
            f"{values['webhook']}, which so refuses objects: {message}"
        )
    return f"Kubernetes: the admission webhook {values['webhook']} refuses the object: {message}"


_OWN_FAILURES: Final = frozenset({"credentials", "name", "refused", "unreachable", "certificate"})
"""Kinds of failure that a webhook's controller has itself, and no object."""

SIGNATURES: Final = (
    Signature(
        "held-nodes",
        "Kubernetes: pods wait for nodes that are not accepted: they have the taint "
        "clusterwright/acceptance",
        (r"untolerated taint\(?s?\)? \{clusterwright/acceptance",),
        next=("clusterwright status {file}", "clusterwright accept {file}"),
    ),
    Signature(
        "health-check-taint",
        "HyperPod: pods cannot be scheduled: the nodes are in a deep health check, or were found "
        "unhealthy (taint sagemaker.amazonaws.com/node-health-status): wait until the check has "
        "ended, or let what must run before that tolerate the taint",
        (r"untolerated taint\(?s?\)? \{sagemaker\.amazonaws\.com/node-health-status",),
        confidence="likely",
        next=("clusterwright status {file}", _DESCRIBE),
    ),
    Signature(
        "interface-limit",
        "EKS: a node has as many network interfaces or addresses as its type[ {type}] allows, so "
        "that more pods there get no address: let the network plug-in assign prefixes, or use fewer "
        "pods per node",
        (
            r"AttachmentLimitExceeded: Interface count \d+ exceeds the limit for (?P<type>[\w.-]+\w)",
            r"IpAddressLimitExceeded: Address count \d+ on[^\n]{0,60} exceeds the limit for "
            r"(?P<type>[\w.-]+\w)",
        ),
        confidence="likely",
        next=(_DESCRIBE,),
    ),
    Signature(
        "load-balancer-subnets",
        "Kubernetes: a service or an ingress finds no subnet for its load balancer: the subnets need "
        "the tag kubernetes.io/role/internal-elb, or kubernetes.io/role/elb where they are public",
        (
            r"could not find any suitable subnets? for creating the (?:[NA]?E?LB)|couldn't "
            r"auto-discover subnets|unable to (?:discover|resolve) at least one subnet",
        ),
        next=(_EVENTS, "aws ec2 describe-subnets --region {region}"),
    ),
    Signature(
        "taint-not-tolerated",
        "Kubernetes: pods cannot be scheduled: they do not tolerate the taint {taint} of the nodes",
        (
            r"nodes are available(?![^\n]*Insufficient)[^\n]*untolerated taint\(?s?\)? "
            r"\{(?P<taint>[^}\n]{1,120})\}",
        ),
        confidence="likely",
        next=(_DESCRIBE,),
    ),
    Signature(
        "too-many-pods",
        "Kubernetes: pods cannot be scheduled: too many pods on the nodes, whose type limits them",
        (r"nodes are available(?![^\n]*Insufficient)[^\n]*\bToo many pods",),
        next=(_DESCRIBE,),
    ),
    Signature(
        "image-rate",
        "container: the registry[ {host}] refuses more pulls for a while (its limit of the rate): log in to it, or "
        "copy the image to a registry of your own",
        (
            r"toomanyrequests|(?:[Ff]ailed to pull|[Pp]ulling image|/manifests/|/blobs/|\bregistry-1\.docker\.io|"
            r"\.dkr\.ecr\.|\bpublic\.ecr\.aws|\b(?:quay|nvcr|ghcr)\.io)[^\n]{0,200}"
            r"(?:429 Too Many Requests|rate limit|Rate exceeded)",
        ),
        next=("clusterwright check {file}",),
    ),
    Signature(
        "queue-quota",
        "Kubernetes: a job waits: its queue has no quota left for what it asks ({reason})",
        (r"(?P<reason>queue resource quota insufficient)",),
        confidence="likely",
        next=("kubectl get queues,clusterqueues,workloads --all-namespaces",),
    ),
    Signature(
        "image-not-found",
        "Kubernetes: the container image {image} does not exist in its registry",
        (
            r"Failed to pull image \\?\"(?P<image>[^\"\\\s]+)\\?\"(?![^\n]*no basic auth credentials)"
            r"[^\n]*(?:: not found|NotFound|manifest unknown|does not exist)",
            r"failed to resolve reference \\?\"(?P<image>[^\"\\\s]+)\\?\":[^\n]*: not found",
        ),
        next=("clusterwright check {file}",),
        rules=("CW-I027",),
    ),
    Signature(
        "pause-image",
        "Kubernetes: no pod starts on the node: its pause image ({image}) was removed, in most cases by "
        "kubelet because the disk was nearly full, and cannot be pulled again: {reason}; replace the node, "
        "and give it a larger root volume or a newer image, which keeps the pause image",
        (
            r"failed to get sandbox image \\?\"(?P<image>[^\s\"\\]{3,200})[^\n]*(?P<reason>\b(?:40[134] \w[\w ]{2,20}|not "
            r"found|no basic auth credentials|authorization failed))",
        ),
        confidence="likely",
        next=("clusterwright status {file}",),
    ),
    Signature(
        "image-credentials",
        "Kubernetes: the node has no credentials, or no valid ones, for the registry of the "
        "container image {image}: the kubelet's credential provider gave none (its role lacks "
        "ecr:GetAuthorizationToken, or it must be restarted), or the pod's secret has expired",
        (
            r"(?:Failed to pull image|failed to resolve reference) \\?\"(?P<image>[^\"\\\s]+)\\?\""
            r"[^\n]*(?:no basic auth credentials|authorization token has expired|"
            r"authentication required)",
        ),
        next=("clusterwright check {file}",),
    ),
    Signature(
        "image-refused",
        "Kubernetes: the registry refuses the node the container image {image}: its role or the "
        "repository's policy does not allow it",
        (
            r"(?:Failed to pull image|failed to resolve reference) \\?\"(?P<image>[^\"\\\s]+)\\?\""
            r"[^\n]*(?:403 Forbidden|401 Unauthorized|unexpected status: 40[13]\b|not authorized|"
            r"pull access denied)",
        ),
        next=("clusterwright check {file}",),
    ),
    Signature(
        "csi-driver",
        "Kubernetes: the CSI driver {driver} is not installed, or does not run on the node",
        (
            r"driver name (?P<driver>[\w.-]+) not found in the list of registered CSI drivers",
            r"/plugins/(?P<driver>[\w.-]+)/csi\.sock[^\n]{0,60}(?:refused|no such file)",
        ),
        next=("kubectl get csidrivers,daemonsets --all-namespaces", _EVENTS),
    ),
    Signature(
        "webhook-refusal",
        _refusal,
        (
            r"admission webhook \\?\"?(?P<webhook>[\w.-]+)\\?\"? denied the request: "
            r"(?P<message>[^\n\"]{1,160})",
        ),
        next=("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",),
    ),
    Signature(
        "resource-quota",
        "Kubernetes: the quota {quota} of the namespace is used up, so pods are not created: "
        "{message}",
        (r"is forbidden: exceeded quota: (?P<quota>[\w.-]{1,80}), (?P<message>[^\n\"]{1,160})",),
        next=("kubectl describe resourcequotas --all-namespaces",),
    ),
    Signature(
        "object-missing",
        "Kubernetes: a pod needs the {what} {name}, which does not exist",
        (
            r"\b(?P<what>secret|configmap|persistentvolumeclaim|serviceaccount|serviceaccounts) "
            r"\\?\"(?P<name>(?!kube-root-ca\.crt)[\w.-]{1,120})\\?\" not found",
        ),
        confidence="likely",
        kinds=("log",),
        next=(_EVENTS,),
    ),
    Signature(
        "bootstrap-script",
        "EKS: the nodes' user data calls bootstrap.sh, which images of AL2023 do not have: they "
        "join by nodeadm and a NodeConfig",
        (r"bootstrap\.sh has been removed from|/etc/eks/bootstrap\.sh: No such file",),
        next=("clusterwright check {file}",),
    ),
    Signature(
        "kubelet-certificate",
        "Kubernetes: the kubelet's client certificate has expired, so the node cannot join",
        (
            r"bootstrap client certificate is expired|"
            r"currently active client certificate has expired",
        ),
        kinds=("log",),
        per_node=True,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "kubelet-start",
        "Kubernetes: the kubelet does not start on the node: {message}",
        (
            r"\"(?:Failed to start ContainerManager|Failed to run kubelet|command failed|Failed to "
            r"load kubelet config file[^\"\n]{0,80})\" err=\\?\"(?P<message>[^\"\n]{1,160})",
            r"failed to run Kubelet: (?P<message>[^\n]{1,160})",
        ),
        rank=1,
        kinds=("log",),
        per_node=True,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "kubelet-refused",
        "EKS: a node may not join: its role has no access entry, or its credentials are not valid",
        (
            r"Unable to register node with API server[^\n]*(?:Unauthorized|forbidden)",
            r"kubelet[^\n]{0,200}Failed to (?:list|watch) \*v1\.\w{3,30}: Unauthorized",
        ),
        confidence="likely",
        next=("aws eks list-access-entries --cluster-name {environment} --region {region}",),
    ),
    Signature(
        "type-missing",
        "Kubernetes: the cluster does not have the type {what}: its operator or its custom resource "
        "definition is not installed, or has another version",
        (
            r"no matches for kind \\?\"(?P<what>\w{1,80})\\?\"",
            r"the server doesn't have a resource type \\?\"(?P<what>[\w.-]{1,80})",
        ),
        confidence="likely",
        next=("kubectl get customresourcedefinitions",),
    ),
    Signature(
        "helm",
        "Helm: a release was not installed or upgraded: {message}",
        (r"\b(?:INSTALLATION|UPGRADE|ROLLBACK) FAILED: (?P<message>[^\n]{1,200})",),
        confidence="likely",
        rank=1,
        kinds=("log", "job"),
        next=(_EVENTS,),
    ),
    Signature(
        "api-error",
        _api_error,
        (
            r"Error from server \((?P<code>(?!NotFound|AlreadyExists|[^\n]*failed calling webhook)\w{3,40})\): (?P<message>[^\n]{1,200})",
            r"Error from server: (?P<message>(?P<code>etcdserver|error dialing|context deadline)[^\n]{1,200})",
        ),
        confidence="likely",
        rank=1,
        kinds=("log", "job"),
        next=(_EVENTS,),
    ),
    Signature(
        "kubelet-unregistered",
        "EKS: a node cannot register with the Kubernetes API: {message}",
        (r"Unable to register node with API server[^\n]*err=\\?\"?(?P<message>[^\n]{1,160})",),
        confidence="likely",
        next=("clusterwright check {file}",),
    ),
)
