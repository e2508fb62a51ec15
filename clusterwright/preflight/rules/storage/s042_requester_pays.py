"""Buckets of data repositories do not charge FSx for its requests."""

from __future__ import annotations

from clusterwright.preflight.facts.buckets import RequesterPays
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.storage.buckets import repository_buckets


class RepositoryRequesterPays(Rule[str]):
    id = "CW-S042"
    prevents = "a file system that cannot be linked to the bucket, or an association without files"
    source = (
        "aws/aws-parallelcluster #901; S3 user guide, Using Requester Pays general purpose "
        "buckets; the user guide of FSx for Lustre does not state that it pays as a requester"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        return [(path, name) for name, path in repository_buckets(context).items()]

    def needs(self, bucket_name: str) -> Facts:
        return (RequesterPays(bucket_name),)

    def check(self, bucket_name: str, facts: FactValues) -> Results:
        if facts[RequesterPays(bucket_name)]:
            yield Fail(
                message=f"{bucket_name} is a Requester Pays bucket of another account: S3 denies "
                "requests that do not accept the cost, and no document of AWS states that FSx "
                "accepts it",
                severity="warning",
                requested=bucket_name,
                where="S3",
                hint="copy the data into a bucket of this account, with `aws s3 sync "
                "--request-payer requester`, and link that one",
            )
