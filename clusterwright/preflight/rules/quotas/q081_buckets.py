"""General purpose buckets of the account."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import BucketNames
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class BucketQuota(QuotaRule):
    id = "CW-Q081"
    title = "S3 buckets of the account"
    prevents = "CreateBucket fails with TooManyBuckets"
    source = "brennerm/aws-quota-checker"
    usage_facts = (BucketNames(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        count = len(_built(context))
        want = Want(
            count, f"{count} new bucket{'s' * (count > 1)} need", "Buckets", "s3", "L-DC2B2D3D"
        )
        yield Subject(("storage",), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        built = _built(context)
        return [Use(1, name in built) for name in facts[BucketNames()]]


def _built(context: Context) -> set[str]:
    """Names of the general purpose buckets that the templates build."""
    storage = context.cluster.storage
    names = {lifecycle_bucket(context.cluster)}
    names |= {bucket.name for bucket in storage.buckets if bucket.create and not bucket.directory}
    for file_system in storage.lustre:
        for repository in file_system.repositories:
            if repository.create:
                names.add(repository.s3.removeprefix("s3://").partition("/")[0])
    return names


RULE = BucketQuota()
