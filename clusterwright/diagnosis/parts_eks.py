"""Errors of EKS's network plug-in by the package that wrote them, and of Karpenter by their words.

Sources: aws/amazon-vpc-cni-k8s (cmd, pkg: messages of Errorf and Error),
aws/karpenter-provider-aws and kubernetes-sigs/karpenter (pkg: texts of Errorf and errors.New);
read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.aws_errors import CAPACITY
from clusterwright.diagnosis.parts import part
from clusterwright.diagnosis.writer import Writer, fields

_LEVEL: Final = r"\blevel\"?: ?\"?(?:error|ERROR|fatal|panic)\b"


def _line(*after: str) -> re.Pattern[str]:
    """A line with a level of error and other fields after it."""
    return re.compile(fields(_LEVEL, *after))


VPC_CNI: Final = Writer(
    "EKS's network plug-in (VPC CNI)",
    _line(
        r"\bcaller\"?: ?\"?(?P<place>(?:routed-eni-cni-plugin|awsutils|networkutils|"
        r"netlinkwrapper|aws-vpc-cni|egress-cni-plugin|aws-k8s-agent|k8sapi|eventrecorder|ipamd|"
        r"datastore|cni-metrics-helper|eniconfig|sgpp|vpc)/[\w.-]+:\d+)",
        r"\bmsg\"?: ?\"?(?P<message>\S[^\n]*)",
    ),
    (
        part(
            "it cannot be configured: an environment variable of aws-node is not valid",
            r"must be|MUST be|cannot be (?:longer|less)|\bnot (?:a )?valid|Failed to parse|"
            r"is an IPV6 CIDR|both (?:enabled|disabled)|not supported|supported only|_DELEGATION|"
            r"AWS_VPC_\w+",
        ),
        part(
            "the node does not reach the Kubernetes API, or may not read it: routes, security "
            "groups, kube-proxy or the role of aws-node",
            r"kube(?:rnetes)? client|API server|k8s client|REST config|event recorder|\bpod \(|"
            r"get node\b|host aws-node pod|k8s config",
            place=r"k8sapi/|eventrecorder/|eniconfig/",
        ),
        part(
            "the network policies of a pod cannot be set: its agent does not answer",
            r"network policy",
        ),
        part(
            "EC2 refuses or does not answer a request for interfaces, addresses or prefixes: the "
            "role of aws-node, the subnet's addresses or a limit of the instance type",
            r"allocat|\bENI\b|ec2:|CreateNetworkInterface|EC2 control plane",
            place=r"awsutils/",
        ),
        part(
            "addresses of pods cannot be given out or taken back by its daemon (ipamd)",
            r"DelNetwork|delete request|release IP|unassigned IPs|IPAMKey|Prefix|pod UID",
            place=r"ipamd/|datastore/",
        ),
        part(
            "the interface or routes of a pod cannot be made or removed on the node",
            place=r"routed-eni-cni-plugin/|egress-cni-plugin/",
        ),
        part(
            "routes, rules or iptables of the node cannot be set",
            place=r"networkutils/|netlinkwrapper/",
        ),
        part("its metrics cannot be sent", place=r"cni-metrics-helper/|metrics/"),
        part("its daemon does not start", place=r"aws-k8s-agent/|aws-vpc-cni/"),
    ),
    harmless=re.compile(
        # The plug-in asks again, and pods get their addresses a second later; sandboxes that are
        # gone are removed twice.
        r"no available IP|Failed to find sandbox|unknown (?:sandbox|pod)|Success == false|"
        r"no unassigned IPs|Unable to get (?:unassigned )?(?:IP|prefix)"
    ),
)

_NOT_LAUNCHED: Final = (
    "an instance cannot be launched: its launch template, profile, role or a limit of EC2"
)

KARPENTER: Final = Writer(
    "Karpenter",
    re.compile(
        fields(
            # Earlier releases write lines of another form, and have other controllers.
            rf"{_LEVEL}|\tERROR\t",
            r"\bcontroller\"?: ?\"?(?:awsnodetemplate|machine|nodeclaim|nodepool|nodeclass|"
            r"node|disruption|provisioner|interruption|state|static|metrics|providers)\b",
            r"\berror\"?: ?\"?(?P<message>\S[^\n]*)",
        )
    ),
    (
        part(
            "no instance type, zone or reservation has capacity for a node",
            r"unavailable during launch|capacity offerings|reserved offering|"
            r"could not be reserved|"
            # Of a fleet's errors (`code: message; code: message`) every one.
            rf"fleet error\(s\), (?!(?:[^\n]*; )?(?!\w*?(?:{CAPACITY}))(?-i:[A-Z])[\w.]+: )",
        ),
        part(_NOT_LAUNCHED, r"fleet error"),
        part(
            "its version does not fit that of Kubernetes or of the AMI",
            r"not compatible with kubernetes|kubernetes version|requires EKS version|"
            r"longer supported on EKS",
        ),
        part(
            "it reads no messages about interruptions from its queue (SQS): the queue, its policy "
            "or its role",
            r"\bsqs\b|\bqueue\b|interruption message|handling message|\bmessages?\b",
        ),
        part(
            "a setting of a NodePool, NodeClass or of itself is not valid",
            r"spec\.kubelet|kubelet|expression|\bCEL\b|user-?data|multi-?part|NodeConfig|\bMIME|"
            r"archive|CABundle|cluster endpoint|invalid (?:key|value|values|cron)|"
            r"requirements?, restricted|in labels|operator|must be|"
            r"can(?:no|')t be (?:set|(?:a )?negative)|refresh-interval|cli flags|feature gates|"
            r"scheduler config|options|qualified name|known values|valid values|taint Key|"
            r"using label|topologyKey|maxSkew|whenUnsatisfiable|matchLabelKeys|labelSelector|"
            r"duration|maxPods|kubeReserved|systemReserved|cluster-name|podTemplateRef|"
            r"scalableRef|unsupported|reserved-enis|vm-memory|is not a valid|not supported",
        ),
        part(
            "it cannot find what a NodeClass names (AMI, subnets, security groups, reservations, "
            "placement group), or EC2, SSM or the price list do not answer",
            r"describing|\bAMI\b|\bami\b|images|subnets?|security ?groups?|ssm parameter|pricing|"
            r"capacity reservations?|placement group|zonal shift|instance type|\bregion\b|"
            r"\bIMDS\b|CIDR|caBundle",
        ),
        part(
            _NOT_LAUNCHED,
            r"creating (?:instance|fleet|launch|node ?claim)|launch(?:ing)? (?:template|nodeclaim|"
            r"replacement)|ec2:\w+ authorization|role attached|tagging|instances? from output|"
            r"single instance",
        ),
        part(
            "a node cannot be emptied or ended: a disruption budget (PDB), an annotation or a "
            "volume holds it, or pods wait",
            r"drain|evict|\bpdb\b|disrupt|candidate|terminat|force-deleting|volume ?attachments|"
            r"replacement|consolidation|nominated|finalizer",
        ),
        part(
            "pods cannot be planned: their volumes, claims, topology or ports",
            r"volume|\bpvc\b|storage class|topolog|affinit|host ?port|claim \d|resourceclaim|"
            r"resourceslices|DeviceClass|scheduling|schedule|pending pods|daemon pods|"
            r"Dynamic Resource|node resources|allocat|device",
        ),
        part(
            "a node or NodeClaim of it does not exist (any more), is not ready, or has a double",
            r"nodeclaim|provider.?id|node (?:is|isn't|doesn't|claim)|instance does not exist|"
            r"getting (?:node|instance)|cluster sync|initiali[sz]ed",
        ),
        part(
            "objects of the cluster cannot be read or changed through the API server",
            r"listing|getting|patching|updating|removing|adding|deleting|creating|tainting|"
            r"marking|retrieving",
        ),
    ),
    harmless=re.compile(r"waiting on cluster sync|context cancell?ed"),
)

WRITERS: Final = (VPC_CNI, KARPENTER)
