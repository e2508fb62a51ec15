"""The KMS key that is given can be used."""

from __future__ import annotations

from clusterwright.preflight.facts.storage import Key
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subject,
    Subjects,
    Unknown,
)


class KmsKey(Rule[str]):
    id = "CW-I002"
    title = "The KMS key can be used"
    prevents = "file systems, volumes and the database cannot be created: the key is unusable"
    source = "KMS DescribeKey; aws/aws-parallelcluster, KmsKeyValidator"

    def subjects(self, context: Context) -> Subjects[str]:
        arn = context.cluster.identity.kms_key_arn
        if arn is not None:
            yield Subject(("identity", "kms_key_arn"), arn)

    def needs(self, arn: str) -> Facts:
        return (Key(arn),)

    def check(self, arn: str, context: Context, facts: FactValues) -> Results:
        key = facts[Key(arn)]
        if key is None:
            yield Fail(message="there is no such key", requested=arn, where=context.region)
            return
        if key.state != "Enabled":
            yield Fail(message=f"the key is {key.state}", where=key.arn)
        if not key.spec:
            yield Unknown(message="KMS does not say of which kind the key is")
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
