"""The VPC exists, and resolves names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.network import Vpcs
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule


class ExistingVpc(ExistingNetworkRule):
    id = "CW-N006"
    title = "The VPC exists"
    prevents = "a deployment that fails in its first stack"
    source = "EC2 DescribeVpcs"

    def needs(self, subject: Subject[ExistingNetwork], context: Context) -> Iterable[Fact[Any]]:
        del subject, context
        return (Vpcs(),)

    def check(
        self, subject: Subject[ExistingNetwork], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        vpc_id = subject.value.vpc_id
        if not any(vpc.id == vpc_id for vpc in facts[Vpcs()]):
            yield Fail(
                message=f"there is no VPC {vpc_id} in {context.region}",
                path=(*HERE, "vpc_id"),
                requested=vpc_id,
                where=context.region,
            )


RULE = ExistingVpc()
