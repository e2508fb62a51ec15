"""What of RDS is counted in the region besides instances: groups that the accounting needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import Databases
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class DatabaseGroupQuota(QuotaRule):
    """One group of a kind for the accounting database, against those that the region has."""

    source = "a census of the Service Quotas catalogue in a public repository"
    code: ClassVar[str]
    label: ClassVar[str]
    groups: ClassVar[Fact[Any]]
    """Those that there are; one more is needed."""

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        accounting = context.cluster.slurm.accounting
        if accounting.kind == "rds" and accounting.existing is None:
            want = Want(1, "the accounting database needs", self.label, "rds", self.code)
            yield Subject(("slurm", "accounting", "kind"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        yield from (Use(1, False) for _ in facts[self.groups])
        # One of them is ours where our database stands: its name is CloudFormation's.
        if any(context.stack_is_ours(one.stack) for one in facts[Databases()]):
            yield Use(-1, False)
            yield Use(1, True)
