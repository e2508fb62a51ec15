"""The existing VPC resolves the private names of endpoints and file systems."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.routes import NameServers
from clusterwright.preflight.rule import Facts, FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule

AMAZON = "AmazonProvidedDNS"


class DnsServers(ExistingNetworkRule):
    id = "CW-N026"
    severity = "warning"
    prevents = (
        "mounts and calls that fail: other DNS servers do not resolve private names of endpoints "
        "unless they forward them"
    )
    source = "AWS documentation, DHCP option sets; interface endpoints, private DNS names"

    def needs(self, existing: ExistingNetwork) -> Facts:
        return (NameServers(existing.vpc_id),)

    def check(self, existing: ExistingNetwork, facts: FactValues) -> Results:
        vpc_id = existing.vpc_id
        servers = facts[NameServers(vpc_id)]
        if servers is None:
            return  # CW-N006 reports it
        others = [server for server in servers if server != AMAZON]
        if others or not servers:
            yield Fail(
                message=f"{vpc_id} uses "
                + (f"{', '.join(others)} for DNS" if others else "no DNS server")
                + f", not {AMAZON}",
                path=(*HERE, "vpc_id"),
                limit=", ".join(servers),
                where=vpc_id,
                hint="make sure that these servers forward AWS names to the VPC's resolver",
            )
