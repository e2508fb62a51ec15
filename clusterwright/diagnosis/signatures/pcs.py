"""AWS PCS: states of clusters and groups, and the agent on nodes.

Messages: PCS API, CreateCluster and Cluster.status (botocore 1.44.5); names of the agent's programs:
aws-samples/aws-hpc-recipes #63; needrestart: awslabs/awsome-distributed-ai #1165; the lost
prolog: the same repository, aws-pcs/docs/OPERATIONS.md, 6.1. The service's messages about instance
profiles are not published: the words are those of the API model.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.signature import Signature

_CHECK: Final = "clusterwright check {file} --only {rules}"
_STATES: Final = ("cluster", "node-group")
_ANSWERS: Final = (*_STATES, "stack-event")
_LOGS: Final = ("log", "daemon")

SIGNATURES: Final = (
    Signature(
        "pcs-suspended",
        "PCS: AWS suspended the cluster: support of its Slurm version ended; the controller is "
        "down and its instances are terminated",
        (r"^SUSPEND(?:ED|ING)\b",),
        kinds=_STATES,
        next=(_CHECK, "clusterwright diff {file} --deployed"),
        rules=("CW-L017",),
    ),
    Signature(
        "pcs-creating",
        "PCS: another cluster of the account is being created: one at a time per Region",
        (r"only (?:be )?(?:1|one) cluster in (?:a|the|that) (?:Creating )?state",),
        kinds=_ANSWERS,
        next=(_CHECK,),
        rules=("CW-E015",),
    ),
    Signature(
        "pcs-role-name",
        "PCS: the instance profile is refused: the name of its role begins with AWSPCS, or its "
        "path is /aws-pcs/",
        (r"instance ?profile.{0,160}(?:AWSPCS|/aws-pcs/)",),
        confidence="likely",
        kinds=_ANSWERS,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "pcs-agent",
        "PCS: the agent's bootstrap fails on the node: the image's PCS agent or Slurm does not "
        "fit the cluster; PCS replaces the instance, which fails again",
        (
            r"pcs_bootstrap_(?:init|finalize)(?:\.sh)?\b[^\n]{0,160}(?:fail|error|exit (?:code|status)"
            r"|not found|No such file)",
        ),
        confidence="likely",
        kinds=_LOGS,
        next=(
            "aws ssm get-parameters-by-path --recursive --region {region} --path /aws/service/pcs/ami",
            "clusterwright status {file}",
        ),
    ),
    Signature(
        "pcs-prolog-lost",
        "slurmd was restarted while the node's first job began, because systemd could not set its "
        "cpuset: the job's prolog is lost, after 420 s the job ends and Slurm drains the node, "
        "which has no defect",
        (
            r"slurmd(?:-[\d.]+)?\.service: Failed to set 'cpuset\.\w+' attribute[^\n]{0,160}"
            r"No space left on device",
            r"REQUEST_LAUNCH_PROLOG notification failed, giving up after \d+ sec",
        ),
        kinds=_LOGS,
        per_node=True,
        next=("clusterwright node resume {file} {nodes} --because {because}",),
    ),
    Signature(
        "needrestart",
        "slurmd: needrestart restarted it after an installation of packages; that ends the jobs "
        "of the node",
        (r"(?:needrestart|Restarting services\.\.\.)[^\n]{0,200}\bslurmd",),
        confidence="likely",
        kinds=_LOGS,
        per_node=True,
        next=("clusterwright drift {file}",),
    ),
)
