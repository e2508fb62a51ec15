"""Names of buckets that are built are free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.platforms.derived_names import built_buckets
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.storage import Bucket
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.preflight.rules.names.name_conflicts import TakenNameRule, own_stacks

_TYPES = ("AWS::S3::Bucket", "AWS::S3Express::DirectoryBucket")


class NewBuckets(TakenNameRule):
    id = "CW-S028"
    title = "Names of buckets that are built are free"
    prevents = "CreateBucket fails with BucketAlreadyExists: names are shared by the whole world"
    source = "S3 CreateBucket; S3 user guide, bucket naming rules"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        for name, path in built_buckets(context.cluster).items():
            yield Subject(path, name)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        return (Bucket(subject.value), own_stacks(context))

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        found = facts[Bucket(subject.value)]
        stacks = facts[own_stacks(context)]
        if found is None or any(stacks.has(kind, subject.value) for kind in _TYPES):
            return
        ours = subject.path == ("environment",)
        yield Fail(
            message=f"there is a bucket {subject.value} already, and none of the stacks made it",
            requested=subject.value,
            where=f"s3://{subject.value}",
            hint="delete it, or choose another environment"
            if ours
            else "create: false uses it as it is; or give the new one another name",
        )


RULE = NewBuckets()
