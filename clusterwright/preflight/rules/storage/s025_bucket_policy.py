"""Policies of data repository buckets do not deny FSx."""

from __future__ import annotations

from clusterwright.preflight.facts.buckets import BucketPolicy
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
from clusterwright.preflight.rules.iam.policy_evaluation import denied
from clusterwright.preflight.rules.storage.data_repository_buckets import (
    RepositoryBucket,
    buckets_with_repositories,
    own_lustre,
)
from clusterwright.preflight.rules.storage.fsx_access import bucket_requests, role_arns


class RepositoryBucketPolicy(Rule[RepositoryBucket]):
    id = "CW-S025"
    prevents = (
        "a data repository association that is MISCONFIGURED: nothing is imported or exported"
    )
    source = (
        "FSx for Lustre user guide, service-linked roles (AWSServiceRoleForFSxS3Access); IAM user "
        "guide, policy evaluation logic"
    )

    def subjects(self, context: Context) -> Subjects[RepositoryBucket]:
        return buckets_with_repositories(context)

    def needs(self, bucket: RepositoryBucket) -> Facts:
        return (BucketPolicy(bucket.name), FileSystems())

    def check(self, bucket: RepositoryBucket, context: Context, facts: FactValues) -> Results:
        policy = facts[BucketPolicy(bucket.name)]
        if policy is None:
            return
        roles = role_arns(context, own_lustre(context, facts[FileSystems()]))
        refused: dict[str, list[str]] = {"yes": [], "unknown": []}
        for role in roles:
            for asked in bucket_requests(context, bucket.name, bucket.repositories, role):
                answer = denied(policy, asked)
                if answer != "no" and asked.action not in refused[answer]:
                    refused[answer].append(asked.action)
        if refused["yes"]:
            yield Fail(
                message=f"the policy of {bucket.name} denies FSx {', '.join(refused['yes'])}",
                where=f"s3://{bucket.name}",
                hint="exclude the file system's role from the Deny, with aws:PrincipalArn like "
                f"{roles[-1].rpartition('_')[0]}_*",
            )
        elif refused["unknown"]:
            yield Unknown(
                message=f"whether the policy of {bucket.name} denies FSx "
                f"{', '.join(refused['unknown'])} depends on values that are not known before "
                "the request",
                hint="exclude the file system's role from the Deny, with aws:PrincipalArn",
            )
