"""Security groups of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.platforms.security_group_rules import security_groups_built
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.network import SecurityGroups
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class SecurityGroupQuota(QuotaRule):
    id = "CW-Q045"
    title = "Security groups of the region"
    prevents = "CreateSecurityGroup fails with SecurityGroupLimitExceeded: 2,500 are the default"
    source = "AWS documentation, VPC quotas"
    usage_facts = (SecurityGroups(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        groups = security_groups_built(context.cluster)
        if groups:
            # A VPC brings one of its own, the default group.
            want = Want(
                len(groups) + 1,
                "a new network needs",
                "VPC security groups per Region",
                "vpc",
                "L-E79EC296",
            )
            yield Subject(("network",), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        found = [Use(1, context.stack_is_ours(group.stack)) for group in facts[SecurityGroups()]]
        # The default group of our VPC bears no tag of the stack.
        default = any(use.ours for use in found)
        return [*found, Use(-1, False), Use(1, True)] if default else found


RULE = SecurityGroupQuota()
