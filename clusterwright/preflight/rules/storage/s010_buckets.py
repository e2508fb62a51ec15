"""Existing buckets of the spec exist."""

from __future__ import annotations

from clusterwright.preflight.facts.storage import Bucket
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.storage.buckets import existing_buckets


class BucketExists(Rule[str]):
    id = "CW-S010"
    prevents = "the data repository association fails, and the stack of the file system with it"
    source = "FSx CreateDataRepositoryAssociation; aws/aws-parallelcluster, S3BucketUri"

    def subjects(self, context: Context) -> Subjects[str]:
        return [(path, name) for name, path in existing_buckets(context).items()]

    def needs(self, bucket_name: str) -> Facts:
        return (Bucket(bucket_name),)

    def check(self, bucket_name: str, facts: FactValues) -> Results:
        if facts[Bucket(bucket_name)] is None:
            yield Fail(
                message=f"the bucket {bucket_name} does not exist",
                requested=bucket_name,
                where="S3",
                hint="create: true creates it; otherwise correct the name",
            )
