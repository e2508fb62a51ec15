"""Buckets of repositories are in the region of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.storage import Bucket
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict
from clusterwright.preflight.rules.storage.buckets import existing_buckets


class BucketRegion(Rule[str]):
    id = "CW-S011"
    title = "Buckets are in the cluster's region"
    severity = "error"
    prevents = "automatic import and export fail: FSx takes no bucket of another region"
    source = "AWS documentation, FSx data repositories; aws/aws-parallelcluster, FsxAutoImport"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        return [Subject(path, name) for name, path in existing_buckets(context).items()]

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (Bucket(subject.value),)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        bucket = facts[Bucket(subject.value)]
        if bucket is None:
            return  # CW-S010 says that it does not exist
        if bucket.region is None:
            yield Unsure(message=f"S3 does not say in which region {subject.value} is")
        elif bucket.region != context.region:
            yield Fail(
                message=f"{subject.value} is in {bucket.region}, the cluster in {context.region}",
                requested=context.region,
                limit=bucket.region,
                where=bucket.region,
                hint="copy the data to a bucket of the cluster's region",
            )


RULE = BucketRegion()
