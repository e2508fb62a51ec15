"""EKS: codes of health issues that no signature knows by its message, and nodeadm.

Sources: see `eks_issues.py`; awslabs/amazon-eks-ami, nodeadm; threads in
docs/explanations/diagnosed-failures-thirteenth-hold-out.yaml.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import eks_issues
from clusterwright.diagnosis.signature import Signature

_CODES: Final = "|".join(sorted(eks_issues.CODES, key=len, reverse=True))

SIGNATURES: Final = (
    Signature(
        "nodeadm-request",
        "EKS: a node that starts does not reach the API of {service} ({action}), so it does not join: "
        "its subnet has no route to the internet and no endpoint of the service, or a security group "
        "blocks it",
        # Two attempts are normal while the network of an instance comes up.
        (
            r"retrying request (?P<service>\w{2,30})/(?P<action>\w{3,60}), attempt (?:[3-9]|\d\d)\b",
        ),
        confidence="likely",
        kinds=("log",),
        per_node=True,
        next=("clusterwright check {file} --only CW-N022,CW-N023,CW-N025",),
        rules=("CW-N022", "CW-N023", "CW-N025"),
    ),
    Signature(
        "eks-issue",
        eks_issues.cause,
        (
            rf"\bcode\W{{1,4}}(?P<code>{_CODES})\b(?:[^\n]{{0,10}}message\W{{1,4}}(?P<message>[^\n]{{3,200}}))?",
            rf"^(?:\S{{1,80}}: )?(?P<code>{_CODES}): (?P<message>[^\n]{{3,200}})",
        ),
        confidence="likely",
        kinds=("stack-event", "node-group", "log", "cluster"),
        next=("aws eks describe-cluster --name {environment} --region {region}",),
    ),
)
