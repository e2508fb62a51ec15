"""Rules of each security group."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.platforms.security_group_rules import security_groups_built
from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Want


class SecurityGroupRuleQuota(QuotaRule):
    id = "CW-Q046"
    title = "Rules per security group"
    prevents = (
        "AuthorizeSecurityGroupIngress fails with RulesPerSecurityGroupLimitExceeded: 60 rules in "
        "each direction are the default"
    )
    source = "AWS documentation, VPC quotas"
    usage_facts = ()

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        groups = security_groups_built(context.cluster)
        if groups:
            name, most = max(((n, max(r)) for n, r in groups.items()), key=lambda pair: pair[1])
            want = Want(
                most,
                f"the security group of the {name} needs",
                "Inbound or outbound rules per security group",
                "vpc",
                "L-0EA8095F",
            )
            yield Subject(("network",), want)


RULE = SecurityGroupRuleQuota()
