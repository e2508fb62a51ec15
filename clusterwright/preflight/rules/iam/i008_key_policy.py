"""The KMS key policy allows the cluster's roles and services."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.platforms.derived_names import built_buckets, log_groups
from clusterwright.preflight.facts.buckets import KeyPolicy
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.iam.policy_evaluation import Answer, PolicyRequest, allowed
from clusterwright.preflight.rules.storage.data_repository_buckets import own_lustre
from clusterwright.preflight.rules.storage.fsx_access import dns_suffix, key_requests, role_arns

_THROUGH_IAM = ("kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey", "kms:CreateGrant")
_LOGS = ("kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey", "kms:DescribeKey")


class KmsKeyPolicy(Rule[str]):
    id = "CW-I008"
    prevents = (
        "CreateLogGroup fails, CreateFileSystem and nodes are denied the key, or a data "
        "repository association is MISCONFIGURED, because the key policy does not allow them"
    )
    source = (
        "KMS developer guide, default key policy; CloudWatch Logs user guide, encrypting log data "
        "with KMS; FSx for Lustre user guide, server-side encrypted buckets"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        arn = context.cluster.identity.kms_key_arn
        if arn is not None:
            yield ("identity", "kms_key_arn"), arn

    def needs(self, arn: str) -> Facts:
        return (KeyPolicy(arn), FileSystems())

    def check(self, arn: str, context: Context, facts: FactValues) -> Results:
        policy = facts[KeyPolicy(arn)]
        if policy is None:
            return  # CW-I002 reports that the key does not exist
        roles = role_arns(context, own_lustre(context, facts[FileSystems()]))
        for who, why, questions in _key_users(context, arn, roles):
            answers: set[Answer] = {allowed(policy, question) for question in questions}
            if "no" in answers:
                missing = sorted({q.action for q in questions if allowed(policy, q) == "no"})
                yield Fail(
                    message=f"the key policy does not allow {who} {', '.join(missing)}: {why}",
                    where=arn,
                    hint="add it to the key policy, or set no key to create one",
                )
            elif "unknown" in answers:
                yield Unknown(
                    message=f"whether the key policy allows {who} depends on values that are not "
                    "known before the request",
                    hint=f"check the policy of {arn}",
                )


def _key_users(
    context: Context, key_arn: str, roles: tuple[str, ...]
) -> Iterator[tuple[str, str, list[PolicyRequest]]]:
    cluster = context.cluster
    known = {"kms:CallerAccount": cluster.account, "aws:PrincipalAccount": cluster.account}
    for_roles = {**known, "kms:GrantIsForAWSResource": "true"}
    yield (
        "the account's roles",
        "nodes, and CloudFormation for file systems and volumes, get their permissions from IAM",
        [
            PolicyRequest(action, key_arn, cluster.account, context=for_roles, of_the_account=True)
            for action in _THROUGH_IAM
        ],
    )
    encrypted = [name for name, has_key in log_groups(cluster) if has_key]
    service = f"logs.{cluster.region}.{dns_suffix(context)}"
    for name in encrypted:
        arn = f"arn:{cluster.partition}:logs:{cluster.region}:{cluster.account}:log-group:{name}"
        in_logs = {
            "kms:EncryptionContext:aws:logs:arn": arn,
            "aws:SourceArn": arn,
            "aws:SourceAccount": cluster.account,
            "kms:CallerAccount": cluster.account,
        }
        asked = [
            PolicyRequest(action, key_arn, service=service, context=in_logs) for action in _LOGS
        ]
        yield f"CloudWatch Logs for {name}", "the log group is encrypted with it", asked
    if cluster.traits.managed_node_groups:
        yield (
            "AWSServiceRoleForAutoScaling",
            "it launches the nodes of EKS, whose volumes are encrypted with the key",
            list(_auto_scaling(context, key_arn)),
        )
    linked = {
        r.s3.removeprefix("s3://").partition("/")[0]
        for fs in cluster.storage.lustre
        for r in fs.repositories
        if r.create
    }
    for bucket in sorted(linked & set(built_buckets(cluster))):
        questions = [
            question
            for role in roles
            for question in key_requests(context, bucket, role, bucket_key=True)
        ]
        yield f"FSx for s3://{bucket}", "the bucket is encrypted with it", questions


def _auto_scaling(context: Context, key_arn: str) -> Iterator[PolicyRequest]:
    """EC2 Auto Scaling user guide, "Required AWS KMS key policy for encrypted volumes"."""
    cluster = context.cluster
    role = (
        f"arn:{cluster.partition}:iam::{cluster.account}:role/aws-service-role/"
        "autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"
    )
    known = {
        "aws:PrincipalArn": role,
        "aws:PrincipalAccount": cluster.account,
        "kms:CallerAccount": cluster.account,
        "kms:GrantIsForAWSResource": "true",
    }
    for action in ("kms:CreateGrant", "kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey"):
        yield PolicyRequest(action, key_arn, cluster.account, role, context=known)
