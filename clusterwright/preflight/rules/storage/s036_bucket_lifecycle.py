"""Lifecycle rules of existing buckets keep the data that the cluster needs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from clusterwright.aws.s3 import LifecycleRule
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.facts.buckets import LifecycleRules
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
)
from clusterwright.preflight.rules.run_window import run_start
from clusterwright.preflight.rules.storage.data_repository_buckets import overlapping, prefix_of


@dataclass(frozen=True)
class UsedPrefix:
    """Objects of an existing bucket that the cluster reads or writes."""

    bucket: str
    prefix: str
    exported: bool


class BucketLifecycle(Rule[UsedPrefix]):
    id = "CW-S036"
    severity = "error"
    prevents = (
        "exported checkpoints that S3 deletes during the run, and data that nobody can read "
        "because it is archived"
    )
    source = (
        "S3 user guide, lifecycle configuration elements; AWS storage blog, Automate file "
        "retrieval from S3 Glacier when using FSx for Lustre: archived objects cannot be "
        "accessed using FSx until they are restored"
    )

    def subjects(self, context: Context) -> Subjects[UsedPrefix]:
        storage = context.cluster.storage
        for index, fs in enumerate(storage.lustre):
            for number, repository in enumerate(fs.repositories):
                if not repository.create:
                    path: Path = ("storage", "lustre", index, "repositories", number, "s3")
                    name = repository.s3.removeprefix("s3://").partition("/")[0]
                    exported = bool(repository.export_events)
                    yield path, UsedPrefix(name, prefix_of(repository), exported)
        for index, bucket in enumerate(storage.buckets):
            # Directory buckets have no archive, and their objects no other lifecycle.
            if not bucket.create and not bucket.directory:
                used = UsedPrefix(bucket.name, "", bucket.mount_path is None)
                yield ("storage", "buckets", index, "name"), used

    def needs(self, used: UsedPrefix) -> Facts:
        return (LifecycleRules(used.bucket),)

    def check(self, used: UsedPrefix, context: Context, facts: FactValues) -> Results:
        for rule in facts[LifecycleRules(used.bucket)]:
            if overlapping(rule.prefix, used.prefix):
                yield from _findings(rule, used, context)


def _findings(rule: LifecycleRule, used: UsedPrefix, context: Context) -> Iterator[Fail]:
    name = f"the lifecycle rule {rule.id}" if rule.id else "a lifecycle rule"
    where = f"s3://{used.bucket}/{rule.prefix}"
    if rule.expires is not None:
        ends = _within_the_run(rule.expires, context)
        lost = "exported files, checkpoints included," if used.exported else "objects"
        yield Fail(
            message=f"{name} of {used.bucket} deletes {lost} under `{rule.prefix}` "
            f"{_when(rule.expires)}"
            + (", before the run ends" if ends else "")
            + ("; a file that was released has no other copy" if used.exported else ""),
            severity=None if ends else "warning",
            limit=rule.expires,
            where=where,
            hint="limit the rule to another prefix, or use a bucket or prefix without it",
        )
    if rule.archives is not None:
        ends = _within_the_run(rule.archives, context)
        yield Fail(
            message=f"{name} of {used.bucket} archives objects under `{rule.prefix}` "
            f"{_when(rule.archives)}: neither FSx nor Mountpoint reads them until they are "
            "restored",
            severity=None if ends else "warning",
            limit=rule.archives,
            where=where,
            hint="use Glacier Instant Retrieval or Intelligent-Tiering, or another prefix",
        )


def _within_the_run(when: int | str, context: Context) -> bool:
    """Whether an action affects objects of the run before its end; False without a run."""
    run = context.cluster.run
    if run is None:
        return False
    if isinstance(when, int):
        return dt.timedelta(days=when) < dt.timedelta(hours=run.hours)
    end = run_start(context) + dt.timedelta(hours=run.hours)
    return when <= end.date().isoformat()


def _when(when: int | str) -> str:
    return f"on {when}" if isinstance(when, str) else f"{when:,} days after their creation"
