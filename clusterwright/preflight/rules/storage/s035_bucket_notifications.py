"""Event notifications of buckets leave room for those of FSx."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.aws.s3 import BucketNotification
from clusterwright.cluster_spec.models.storage import Event, Repository
from clusterwright.preflight.facts.buckets import BucketNotifications
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
)
from clusterwright.preflight.rules.storage.data_repository_buckets import (
    RepositoryBucket,
    buckets_with_repositories,
    overlapping,
    prefix_of,
)

_EVENTS: dict[Event, str] = {
    "NEW": "s3:ObjectCreated:",
    "CHANGED": "s3:ObjectCreated:",
    "DELETED": "s3:ObjectRemoved:",
}
OF_FSX = "fsx"
"""The name of the notification that FSx adds begins with it."""


class RepositoryBucketNotifications(Rule[RepositoryBucket]):
    id = "CW-S035"
    prevents = (
        "a data repository association that is MISCONFIGURED: new objects never appear in the "
        "file system"
    )
    source = (
        "FSx for Lustre user guide, data repository association lifecycle state: existing event "
        "notifications that overlap; aws-solutions/aws-waf-security-automations #49, "
        "awslabs/cdk-serverless-clamscan #612"
    )

    def subjects(self, context: Context) -> Subjects[RepositoryBucket]:
        for path, bucket in buckets_with_repositories(context):
            if any(repository.import_events for repository in bucket.repositories):
                yield path, bucket

    def needs(self, bucket: RepositoryBucket) -> Facts:
        return (BucketNotifications(bucket.name),)

    def check(self, bucket: RepositoryBucket, facts: FactValues) -> Results:
        for found in facts[BucketNotifications(bucket.name)]:
            if found.id.lower().startswith(OF_FSX):
                continue  # of the deployed file system
            for repository in bucket.repositories:
                events = sorted(set(_shared(found, repository)))
                if not events:
                    continue
                prefix = prefix_of(repository)
                yield Fail(
                    message=f"the notification {found.id or found.target} of {bucket.name} covers "
                    f"{', '.join(events)} under `{found.prefix}`, and FSx needs these events "
                    f"under `{prefix}`; S3 accepts one notification for each event and prefix",
                    requested=prefix or "every object",
                    limit=found.prefix or "every object",
                    where=f"s3://{bucket.name}",
                    hint=f"send the events of {found.target} through EventBridge, limit its "
                    "prefix, or leave out `import`",
                )
                break


def _shared(found: BucketNotification, repository: Repository) -> Iterator[str]:
    """The events that both need for the same objects."""
    if not overlapping(found.prefix, prefix_of(repository)):
        return
    for event in repository.import_events:
        yield from (one for one in found.events if one.startswith(_EVENTS[event]))
