"""Buckets that are said to exist do, in the region of the cluster."""

from __future__ import annotations

from clusterwright.preflight.facts.storage import Bucket
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subject,
    Subjects,
)
from clusterwright.preflight.rules.storage.buckets import existing_buckets


class BucketExists(Rule[str]):
    id = "CW-S010"
    title = "Buckets that are not built exist"
    prevents = "the association fails, and with it the stack of the file system"
    source = "FSx CreateDataRepositoryAssociation; aws/aws-parallelcluster, S3BucketUri"

    def subjects(self, context: Context) -> Subjects[str]:
        return [Subject(path, name) for name, path in existing_buckets(context).items()]

    def needs(self, bucket_name: str) -> Facts:
        return (Bucket(bucket_name),)

    def check(self, bucket_name: str, facts: FactValues) -> Results:
        if facts[Bucket(bucket_name)] is None:
            yield Fail(
                message=f"there is no bucket {bucket_name}",
                requested=bucket_name,
                where="S3",
                hint="create: true builds it; or correct the name",
            )


RULE = BucketExists()
