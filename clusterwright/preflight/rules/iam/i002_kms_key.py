"""The KMS key can be used."""

from __future__ import annotations

from clusterwright.preflight.facts.storage import Key
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)


class KmsKey(Rule[str]):
    id = "CW-I002"
    prevents = "file systems, volumes and the database cannot be created: the key cannot be used"
    source = "KMS DescribeKey; aws/aws-parallelcluster, KmsKeyValidator"

    def subjects(self, context: Context) -> Subjects[str]:
        arn = context.cluster.identity.kms_key_arn
        if arn is not None:
            yield ("identity", "kms_key_arn"), arn

    def needs(self, arn: str) -> Facts:
        return (Key(arn),)

    def check(self, arn: str, context: Context, facts: FactValues) -> Results:
        key = facts[Key(arn)]
        if key is None:
            yield Fail(message="the key does not exist", requested=arn, where=context.region)
            return
        if key.state != "Enabled":
            yield Fail(message=f"the key is {key.state}", where=key.arn)
        if not key.spec:
            yield Unknown(message="KMS does not report the key's spec")
        elif key.spec != "SYMMETRIC_DEFAULT":
            yield Fail(
                message=f"the key is {key.spec}; FSx, EBS, RDS and S3 require SYMMETRIC_DEFAULT",
                where=key.arn,
            )
        if key.manager == "AWS":
            yield Fail(
                message="the key is an AWS managed key, whose policy cannot be changed for the "
                "cluster",
                where=key.arn,
                hint="use a customer managed key, or none to create one",
            )
