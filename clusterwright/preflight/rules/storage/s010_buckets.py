"""Buckets that are said to exist do, in the region of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.storage import Bucket
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict
from clusterwright.preflight.rules.storage.buckets import existing_buckets


class BucketExists(Rule[str]):
    id = "CW-S010"
    title = "Buckets that are not built exist"
    severity = "error"
    prevents = "the association fails, and with it the stack of the file system"
    source = "FSx CreateDataRepositoryAssociation; aws/aws-parallelcluster, S3BucketUri"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        return [Subject(path, name) for name, path in existing_buckets(context).items()]

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (Bucket(subject.value),)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del context
        if facts[Bucket(subject.value)] is None:
            yield Fail(
                message=f"there is no bucket {subject.value}",
                requested=subject.value,
                where="S3",
                hint="create: true builds it; or correct the name",
            )


RULE = BucketExists()
