"""DNS is enabled in the VPC."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import VpcDns
from clusterwright.preflight.rule import Facts, FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule


class VpcNames(ExistingNetworkRule):
    id = "CW-N011"
    prevents = "file systems and endpoints cannot be reached by name"
    source = "aws/aws-parallelcluster, SubnetsValidator; AWS documentation, FSx for Lustre"

    def needs(self, existing: ExistingNetwork) -> Facts:
        return (VpcDns(existing.vpc_id),)

    def check(self, existing: ExistingNetwork, facts: FactValues) -> Results:
        vpc_id = existing.vpc_id
        support, hostnames = facts[VpcDns(vpc_id)]
        missing = [
            name
            for name, on in (("enableDnsSupport", support), ("enableDnsHostnames", hostnames))
            if not on
        ]
        if missing:
            yield Fail(
                message=f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} "
                "disabled in "
                f"{vpc_id}",
                path=(*HERE, "vpc_id"),
                where=vpc_id,
                hint="its owner must enable "
                f"{'it' if len(missing) == 1 else 'them'}: existing networks are never changed",
            )
