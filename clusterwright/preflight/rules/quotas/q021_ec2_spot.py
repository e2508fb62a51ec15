"""vCPUs of each family of EC2 spot requests, on platforms that run on EC2."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.quotas.ec2_usage import VcpuRule
from clusterwright.preflight.rules.quotas.quota_rule import Want


class Ec2Spot(VcpuRule):
    id = "CW-Q021"
    title = "EC2 quota of spot vCPUs"
    prevents = "RunInstances fails with MaxSpotInstanceCountExceeded"
    source = "AWS documentation, EC2 instance quotas; aws/aws-parallelcluster #1375, #3863"
    use = "ec2-spot"

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        return self.wants(context, context.groups("spot"))


RULE = Ec2Spot()
