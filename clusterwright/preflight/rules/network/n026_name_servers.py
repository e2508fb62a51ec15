"""The VPC that exists asks AWS's resolver for names."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.routes import NameServers
from clusterwright.preflight.rule import Facts, FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule

AMAZON = "AmazonProvidedDNS"


class AmazonNames(ExistingNetworkRule):
    id = "CW-N026"
    title = "The VPC that exists resolves the private names of endpoints and file systems"
    severity = "warning"
    prevents = (
        "mounts and calls that go astray: other name servers know no private names of endpoints, "
        "unless they forward them"
    )
    source = "AWS documentation, DHCP option sets; interface endpoints, private DNS names"

    def needs(self, existing: ExistingNetwork) -> Facts:
        return (NameServers(existing.vpc_id),)

    def check(self, existing: ExistingNetwork, facts: FactValues) -> Results:
        vpc_id = existing.vpc_id
        servers = facts[NameServers(vpc_id)]
        if servers is None:
            return  # CW-N006 says that it does not exist
        others = [server for server in servers if server != AMAZON]
        if others or not servers:
            yield Fail(
                message=f"{vpc_id} asks "
                + (f"{', '.join(others)} for names" if others else "no name server")
                + f", not {AMAZON}",
                path=(*HERE, "vpc_id"),
                limit=", ".join(servers),
                where=vpc_id,
                hint="see that these servers forward AWS's names to the VPC's resolver",
            )


RULE = AmazonNames()
