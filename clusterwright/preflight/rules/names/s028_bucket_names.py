"""The names of the new buckets are available."""

from __future__ import annotations

from clusterwright.platforms.derived_names import built_buckets
from clusterwright.preflight.facts.storage import Bucket
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Path, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import NameConflictRule, own_stacks

_TYPES = ("AWS::S3::Bucket", "AWS::S3Express::DirectoryBucket")


class NewBucketNames(NameConflictRule):
    id = "CW-S028"
    prevents = "CreateBucket fails with BucketAlreadyExists: names are unique across all accounts"
    source = "S3 CreateBucket; S3 user guide, bucket naming rules"

    def subjects(self, context: Context) -> Subjects[str]:
        for name, path in built_buckets(context.cluster).items():
            yield path, name

    def needs(self, name: str, context: Context) -> Facts:
        return (Bucket(name), own_stacks(context))

    def check(self, name: str, path: Path, context: Context, facts: FactValues) -> Results:
        found = facts[Bucket(name)]
        stacks = facts[own_stacks(context)]
        if found is None or any(stacks.has(kind, name) for kind in _TYPES):
            return
        ours = path == ("environment",)
        yield Fail(
            message=f"the bucket {name} already exists, and none of the stacks created it",
            requested=name,
            where=f"s3://{name}",
            hint="delete it, or use another environment name"
            if ours
            else "create: false uses the existing bucket; otherwise use another name",
        )
