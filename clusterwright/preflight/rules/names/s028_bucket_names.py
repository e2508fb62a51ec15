"""Names of buckets that are built are free."""

from __future__ import annotations

from clusterwright.platforms.derived_names import built_buckets
from clusterwright.preflight.facts.storage import Bucket
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Path,
    Results,
    Subject,
    Subjects,
)
from clusterwright.preflight.rules.names.name_conflicts import TakenNameRule, own_stacks

_TYPES = ("AWS::S3::Bucket", "AWS::S3Express::DirectoryBucket")


class NewBuckets(TakenNameRule):
    id = "CW-S028"
    title = "Names of buckets that are built are free"
    prevents = "CreateBucket fails with BucketAlreadyExists: names are shared by the whole world"
    source = "S3 CreateBucket; S3 user guide, bucket naming rules"

    def subjects(self, context: Context) -> Subjects[str]:
        for name, path in built_buckets(context.cluster).items():
            yield Subject(path, name)

    def needs(self, name: str, context: Context) -> Facts:
        return (Bucket(name), own_stacks(context))

    def check(self, name: str, path: Path, context: Context, facts: FactValues) -> Results:
        found = facts[Bucket(name)]
        stacks = facts[own_stacks(context)]
        if found is None or any(stacks.has(kind, name) for kind in _TYPES):
            return
        ours = path == ("environment",)
        yield Fail(
            message=f"there is a bucket {name} already, and none of the stacks made it",
            requested=name,
            where=f"s3://{name}",
            hint="delete it, or choose another environment"
            if ours
            else "create: false uses it as it is; or give the new one another name",
        )


RULE = NewBuckets()
