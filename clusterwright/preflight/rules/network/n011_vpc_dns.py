"""The VPC resolves names, and gives its machines names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.network import VpcDns
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule


class VpcNames(ExistingNetworkRule):
    id = "CW-N011"
    title = "DNS is on in the VPC"
    prevents = "file systems are mounted by name, endpoints are reached by name: neither resolves"
    source = "aws/aws-parallelcluster, SubnetsValidator; AWS documentation, FSx for Lustre"

    def needs(self, subject: Subject[ExistingNetwork], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (VpcDns(subject.value.vpc_id),)

    def check(
        self, subject: Subject[ExistingNetwork], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del context
        vpc_id = subject.value.vpc_id
        support, hostnames = facts[VpcDns(vpc_id)]
        missing = [
            name
            for name, on in (("enableDnsSupport", support), ("enableDnsHostnames", hostnames))
            if not on
        ]
        if missing:
            yield Fail(
                message=f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} off in "
                f"{vpc_id}",
                path=(*HERE, "vpc_id"),
                where=vpc_id,
                hint="its owner must switch "
                f"{'it' if len(missing) == 1 else 'them'} on; this project never alters it",
            )


RULE = VpcNames()
