"""Quotas of KMS keys and S3 buckets."""

from __future__ import annotations

from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.preflight.facts.counts import BucketNames, KeyCount
from clusterwright.preflight.rule import Context, Facts, FactValues, Subjects
from clusterwright.preflight.rules.quotas.quota_rule import (
    QuotaDemand,
    QuotaRule,
    QuotaUsage,
    ServiceQuota,
    Usage,
)


class KeyQuotaRule(QuotaRule):
    """The count of keys depends on the alias of the cluster's own key."""

    def needs(self, demand: QuotaDemand) -> Facts:
        return (*super().needs(demand), KeyCount(demand.key))


def _key(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("kms", "L-C2F1777E", "Customer Master Keys (CMKs)")
    if context.cluster.identity.kms_key_arn is None:
        alias = f"alias/{context.cluster.environment}"
        yield ("identity",), quota.demand(1, "the cluster's key needs", key=alias)


def _keys(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
    count, ours = facts[KeyCount(demand.key)]
    return [QuotaUsage(count - ours, False), QuotaUsage(int(ours), True)]


def _new_buckets(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("s3", "L-DC2B2D3D", "Buckets")
    count = len(_names(context))
    needed_by = f"{count} new bucket{'s need' if count > 1 else ' needs'}"
    yield ("storage",), quota.demand(count, needed_by)


def _buckets(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
    new = _names(context)
    return [QuotaUsage(1, name in new) for name in facts[BucketNames()]]


def _names(context: Context) -> set[str]:
    """The names of the general purpose buckets that the stacks create."""
    storage = context.cluster.storage
    names = {lifecycle_bucket(context.cluster)}
    names |= {bucket.name for bucket in storage.buckets if bucket.create and not bucket.directory}
    for file_system in storage.lustre:
        for repository in file_system.repositories:
            if repository.create:
                names.add(repository.s3.removeprefix("s3://").partition("/")[0])
    return names


RULES = (
    KeyQuotaRule(
        id="CW-Q080",
        title="KMS keys of the region",
        prevents="CreateKey fails with LimitExceededException: the default is 100,000",
        source="tables of default quotas in public repositories",
        demands=_key,
        usage=Usage((), _keys),
    ),
    QuotaRule(
        id="CW-Q081",
        title="S3 buckets of the account",
        prevents="CreateBucket fails with TooManyBuckets",
        source="brennerm/aws-quota-checker",
        demands=_new_buckets,
        usage=Usage((BucketNames(),), _buckets),
    ),
)
