"""Instance types that are missing from the lists of validators.

cfn-lint and the CDK's validation each carry a list of HyperPod's instance types by region, with
a date. If such a list lacks a type that SageMaker's API has, the finding is accepted for clusters
with that type only. CW-C002 checks whether a zone offers the type.

Compared on 2026-11-20: botocore 1.44.5 (ClusterInstanceType), cfn-lint 1.58.0 (its list is of
2026-10-20), CDK validation 1.12.1 (aws-cdk-lib 2.275.0), in us-east-1, us-east-2 and us-west-2.
"""

from __future__ import annotations

import aws_cdk as cdk

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from stacks.base.acknowledge import acknowledge, ignore_lint

RULE = "E3644"

MISSING_IN_CFN_LINT = frozenset(
    {
        "p5e.48xlarge",
        "p6-b300.48xlarge",
        "p6e-gb200.36xlarge",
        "trn2.3xlarge",
        "trn2.48xlarge",
    }
)
"""Types that cfn-lint's list lacks in at least one of the regions compared."""

MISSING_IN_CDK_VALIDATION = MISSING_IN_CFN_LINT | {"p6-b200.48xlarge"}


def acknowledge_dated_types(resource: cdk.CfnResource, cluster: Cluster) -> None:
    """Accept that the lists lack a type of this cluster, if it is one of the types above.

    That version of the CDK's schema also lacks a property; its finding is accepted if the
    property is used.
    """
    types = {group.instance_type for group in cluster.compute}
    for missing, accept, rule in (
        (MISSING_IN_CFN_LINT, ignore_lint, RULE),
        (MISSING_IN_CDK_VALIDATION, acknowledge, f"CloudFormation-Validate::{RULE}"),
    ):
        found = sorted(types & missing)
        if found:
            names = ", ".join(ml_name(name) for name in found)
            accept(
                resource,
                rule,
                f"{names}: in botocore 1.44.5, not in the validator's list (seen 2026-11-20)",
            )
    if cluster.image.release_version is not None:
        acknowledge(
            resource,
            "CloudFormation-Validate::F3002",
            "the CDK's validation 1.12.1 (seen 2026-11-20) does not know ImageReleaseVersion; "
            "the CDK's typed property and cfn-lint's schema do",
        )


EC2_RULE = "E3628"

MISSING_IN_CFN_LINT_FOR_EC2 = frozenset(
    {
        "p5e.48xlarge",
        "p6-b300.48xlarge",
        "trn2.3xlarge",
        "trn2.48xlarge",
        "trn2u.48xlarge",
    }
)
"""Types that cfn-lint's list of EC2 lacks in at least one of the regions compared, although EC2's
API names them (botocore 1.44.5, InstanceType). CW-C002 checks whether a zone offers one."""


def ignore_dated_instance_type(template: cdk.CfnResource, instance_type: str) -> None:
    """Accept that cfn-lint's list lacks the type of a launch template, if it is one of these."""
    if instance_type in MISSING_IN_CFN_LINT_FOR_EC2:
        ignore_lint(
            template,
            EC2_RULE,
            f"{instance_type}: in botocore 1.44.5, not in the validator's list of every region "
            "(seen 2026-11-20)",
        )
