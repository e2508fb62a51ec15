"""EKS: codes of health issues that no signature knows by its message, and nodeadm.

Sources: see `eks_issues.py`; awslabs/amazon-eks-ami, nodeadm; threads in
docs/explanations/diagnosed-failures-thirteenth-hold-out.yaml.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clusterwright.diagnosis import eks_issues
from clusterwright.diagnosis.signature import Signature

# Other services' and programs' codes too, which in a log say nothing about EKS.
_COMMON: Final = frozenset(
    {
        "AccessDenied",
        "ConfigurationConflict",
        "InstanceLimitExceeded",
        "InternalFailure",
        "LimitExceeded",
        "ResourceLimitExceeded",
        "ResourceNotFound",
        "UnsupportedVersion",
    }
)
_NEXT: Final = ("aws eks describe-cluster --name {environment} --region {region}",)


def _patterns(codes: Iterable[str]) -> tuple[str, ...]:
    """Return the forms of an issue: of the API, and as a code before its message."""
    listed = "|".join(sorted(codes, key=len, reverse=True))
    return (
        rf"\bcode\W{{1,4}}(?P<code>{listed})\b"
        r"(?:[^\n]{0,10}message\W{1,4}(?P<message>[^\n]{3,200}))?",
        rf"^(?:\S{{1,80}}: )?(?P<code>{listed}): (?P<message>[^\n]{{3,200}})",
    )


SIGNATURES: Final = (
    Signature(
        "nodeadm-request",
        "EKS: a node that starts does not reach the API of {service} ({action}), so it does not join: "
        "its subnet has no route to the internet and no endpoint of the service, or a security group "
        "blocks it",
        # Two attempts are normal while the network of an instance comes up.
        (
            r"retrying request (?P<service>\w{2,30})/(?P<action>\w{3,60}), attempt (?:[3-9]|\d\d)\b",
            r"\bnodeadm\[\d+\][^\n]*operation error (?P<service>\w{2,30}): (?P<action>\w{3,60}),"
            r"[^\n]{0,80}(?:StatusCode: 0\b|deadline exceeded|i/o timeout)",
        ),
        confidence="likely",
        kinds=("log",),
        per_node=True,
        next=("clusterwright check {file} --only CW-N022,CW-N023,CW-N025",),
        rules=("CW-N022", "CW-N023", "CW-N025"),
    ),
    Signature(
        "metadata-hops",
        "EKS: a pod does not reach the metadata service of its node, whose answers go no further "
        "than the node (a limit of one hop), or which is off: set AWS_REGION in the pod, and give it "
        "a role of its own",
        (
            r"Could not determine region from any metadata service|operation error ec2imds: \w{3,60}, "
            r"(?:request )?cancell?ed, context deadline exceeded",
        ),
        confidence="likely",
        kinds=("log",),
        next=("kubectl describe nodes",),
    ),
    Signature(
        "eks-issue",
        eks_issues.cause,
        _patterns(eks_issues.CODES),
        confidence="likely",
        kinds=("stack-event", "node-group", "cluster"),
        next=_NEXT,
    ),
    Signature(
        "eks-issue-logged",
        eks_issues.cause,
        _patterns(eks_issues.CODES.keys() - _COMMON),
        confidence="likely",
        kinds=("log",),
        next=_NEXT,
    ),
)
