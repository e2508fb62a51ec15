"""The VPC exists."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Vpcs
from clusterwright.preflight.rule import Context, FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule


class ExistingVpc(ExistingNetworkRule):
    id = "CW-N006"
    prevents = "a deployment that fails in its first stack"
    source = "EC2 DescribeVpcs"
    needs = (Vpcs(),)

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        vpc_id = existing.vpc_id
        if not any(vpc.id == vpc_id for vpc in facts[Vpcs()]):
            yield Fail(
                message=f"the VPC {vpc_id} does not exist in {context.region}",
                path=(*HERE, "vpc_id"),
                requested=vpc_id,
                where=context.region,
            )
