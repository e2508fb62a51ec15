"""The KMS key that is given can be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.storage import Key
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict


class KmsKey(Rule[str]):
    id = "CW-I002"
    title = "The KMS key can be used"
    severity = "error"
    prevents = "file systems, volumes and the database cannot be created: the key is unusable"
    source = "KMS DescribeKey; aws/aws-parallelcluster, KmsKeyValidator"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        arn = context.cluster.identity.kms_key_arn
        if arn is not None:
            yield Subject(("identity", "kms_key_arn"), arn)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (Key(subject.value),)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        key = facts[Key(subject.value)]
        if key is None:
            yield Fail(
                message="there is no such key", requested=subject.value, where=context.region
            )
            return
        if key.state != "Enabled":
            yield Fail(message=f"the key is {key.state}", where=key.arn)
        if not key.spec:
            yield Unsure(message="KMS does not say of which kind the key is")
        elif key.spec != "SYMMETRIC_DEFAULT":
            yield Fail(
                message=f"the key is {key.spec}; FSx, EBS, RDS and S3 take SYMMETRIC_DEFAULT",
                where=key.arn,
            )
        if key.manager == "AWS":
            yield Fail(
                message="the key is one of AWS's own, whose policy cannot admit the cluster",
                where=key.arn,
                hint="give a customer managed key, or none: one is then created",
            )


RULE = KmsKey()
