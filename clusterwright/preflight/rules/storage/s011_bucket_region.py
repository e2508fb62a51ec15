"""Buckets are in the cluster's region."""

from __future__ import annotations

from clusterwright.preflight.facts.storage import Bucket
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
from clusterwright.preflight.rules.storage.buckets import existing_buckets


class BucketRegion(Rule[str]):
    id = "CW-S011"
    prevents = "automatic import and export fail: FSx requires a bucket in its region"
    source = "AWS documentation, FSx data repositories; aws/aws-parallelcluster, FsxAutoImport"

    def subjects(self, context: Context) -> Subjects[str]:
        return [(path, name) for name, path in existing_buckets(context).items()]

    def needs(self, bucket_name: str) -> Facts:
        return (Bucket(bucket_name),)

    def check(self, bucket_name: str, context: Context, facts: FactValues) -> Results:
        bucket = facts[Bucket(bucket_name)]
        if bucket is None:
            return  # CW-S010 reports it
        if bucket.region is None:
            yield Unknown(message=f"S3 does not report the region of {bucket_name}")
        elif bucket.region != context.region:
            yield Fail(
                message=f"{bucket_name} is in {bucket.region}, the cluster is in {context.region}",
                requested=context.region,
                limit=bucket.region,
                where=bucket.region,
                hint="copy the data to a bucket in the cluster's region",
            )
