"""Elastic IP addresses of the region."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.network import ElasticIps
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want


class ElasticIpQuota(QuotaRule):
    id = "CW-Q041"
    title = "Elastic IP addresses of the region"
    prevents = "AllocateAddress fails with AddressLimitExceeded: five are the default"
    source = "AWS documentation, VPC quotas; Percona-Lab/jenkins-pipelines PR #4010"
    usage_facts = (ElasticIps(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        network = context.cluster.network
        if network.existing is None and network.egress == "nat":
            want = Want(1, "a NAT gateway needs", "EC2-VPC Elastic IPs", "ec2", "L-0263D0A3")
            yield Subject(("network", "egress"), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        del want
        return [Use(1, context.stack_is_ours(stack)) for stack in facts[ElasticIps()]]


RULE = ElasticIpQuota()
