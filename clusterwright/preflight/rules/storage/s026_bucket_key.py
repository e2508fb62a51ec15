"""KMS keys of data repository buckets allow FSx."""

from __future__ import annotations

from clusterwright.preflight.facts.buckets import BucketKeys
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
from clusterwright.preflight.rules.iam.policy_evaluation import Answer, allowed
from clusterwright.preflight.rules.storage.data_repository_buckets import (
    RepositoryBucket,
    buckets_with_repositories,
    own_lustre,
)
from clusterwright.preflight.rules.storage.fsx_access import dns_suffix, key_requests, role_arns


class RepositoryBucketKey(Rule[RepositoryBucket]):
    id = "CW-S026"
    prevents = (
        "a data repository association that is MISCONFIGURED: FSx cannot read or write the objects"
    )
    source = (
        "FSx for Lustre user guide, working with server-side encrypted buckets: the key policy "
        "must name the role of the file system"
    )

    def subjects(self, context: Context) -> Subjects[RepositoryBucket]:
        return buckets_with_repositories(context)

    def needs(self, bucket: RepositoryBucket) -> Facts:
        return (BucketKeys(bucket.name), FileSystems())

    def check(self, bucket: RepositoryBucket, context: Context, facts: FactValues) -> Results:
        name = bucket.name
        found = facts[BucketKeys(name)]
        if found is None:
            return  # SSE-S3, or the AWS managed key for S3, which the account can use through S3
        if found.key is None:
            yield Fail(
                message=f"{name} is encrypted with {found.encryption.kms_key}, which does not "
                "exist",
                where=f"s3://{name}",
            )
            return
        if found.key.state != "Enabled":
            yield Fail(message=f"the key of {name} is {found.key.state}", where=found.key.arn)
            return
        if found.policy is None:
            return
        answers: set[Answer] = set()
        roles = role_arns(context, own_lustre(context, facts[FileSystems()]))
        for role in roles:
            asked = key_requests(context, name, role, bucket_key=found.encryption.bucket_key)
            answers |= {allowed(found.policy, question) for question in asked}
        if "no" in answers:
            yield Fail(
                message=f"the key of {name} does not allow FSx: its policy does not name the "
                "role of the file system",
                where=found.key.arn,
                hint="allow kms:Encrypt, Decrypt, ReEncrypt*, GenerateDataKey* and DescribeKey "
                f"with aws:PrincipalArn like {roles[-1].rpartition('_')[0]}_* and kms:ViaService "
                f"s3.{context.region}.{dns_suffix(context)}",
            )
        elif "unknown" in answers:
            yield Unknown(
                message=f"whether the key of {name} allows FSx depends on values that are not "
                "known before the request",
                hint=f"check the policy of {found.key.arn}",
            )
