"""KMS keys of the region."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import KeyCount
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class KeyQuota(QuotaRule):
    id = "CW-Q080"
    title = "KMS keys of the region"
    prevents = "CreateKey fails with LimitExceededException: 100,000 are the default"
    source = "tables of default quotas in public repositories"
    usage_facts = ()

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        if context.cluster.identity.kms_key_arn is None:
            want = Want(
                1,
                "the cluster's key needs",
                "Customer Master Keys (CMKs)",
                "kms",
                "L-C2F1777E",
                key=f"alias/{context.cluster.environment}",
            )
            yield Subject(("identity",), want)

    def needs(self, subject: Subject[Want], context: Context) -> Iterable[Fact[Any]]:
        return (*super().needs(subject, context), KeyCount(subject.value.key))

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del context
        count, ours = facts[KeyCount(want.key)]
        return [Use(count - ours, False), Use(int(ours), True)]


RULE = KeyQuota()
