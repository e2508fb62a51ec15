"""The policies of linked buckets do not keep FSx out."""

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
    LinkedBucket,
    linked_buckets,
    own_lustre,
)
from clusterwright.preflight.rules.storage.fsx_access import bucket_questions, role_arns


class LinkedBucketPolicy(Rule[LinkedBucket]):
    id = "CW-S025"
    title = "Policies of linked buckets let FSx in"
    prevents = "an association that is MISCONFIGURED: nothing is imported or exported"
    source = (
        "FSx for Lustre user guide, service-linked roles (AWSServiceRoleForFSxS3Access); IAM user "
        "guide, policy evaluation logic"
    )

    def subjects(self, context: Context) -> Subjects[LinkedBucket]:
        return linked_buckets(context)

    def needs(self, bucket: LinkedBucket) -> Facts:
        return (BucketPolicy(bucket.name), FileSystems())

    def check(self, bucket: LinkedBucket, context: Context, facts: FactValues) -> Results:
        policy = facts[BucketPolicy(bucket.name)]
        if policy is None:
            return
        roles = role_arns(context, own_lustre(context, facts[FileSystems()]))
        refused: dict[str, list[str]] = {"yes": [], "unknown": []}
        for role in roles:
            for asked in bucket_questions(context, bucket.name, bucket.repositories, role):
                answer = denied(policy, asked)
                if answer != "no" and asked.action not in refused[answer]:
                    refused[answer].append(asked.action)
        if refused["yes"]:
            yield Fail(
                message=f"the policy of {bucket.name} denies FSx {', '.join(refused['yes'])}",
                where=f"s3://{bucket.name}",
                hint="except the role of the file system from the Deny, by aws:PrincipalArn like "
                f"{roles[-1].rpartition('_')[0]}_*",
            )
        elif refused["unknown"]:
            yield Unknown(
                message=f"whether the policy of {bucket.name} denies FSx "
                f"{', '.join(refused['unknown'])}: it rests on values that are not known before",
                hint="except the role of the file system from the Deny, by aws:PrincipalArn",
            )


RULE = LinkedBucketPolicy()
