"""vCPUs of each family of on-demand EC2 instances, on platforms that run on EC2."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.ec2_usage import VcpuRule
from clusterwright.preflight.rules.quotas.quota_rule import Want


class Ec2OnDemand(VcpuRule):
    id = "CW-Q020"
    title = "EC2 quota of on-demand vCPUs"
    prevents = "RunInstances fails with VcpuLimitExceeded"
    source = "AWS documentation, EC2 instance quotas; aws/aws-parallelcluster #1375, #3863"
    use = "ec2-on-demand"

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        return self.wants(context, context.groups("on-demand", "reservation"))


RULE = Ec2OnDemand()
