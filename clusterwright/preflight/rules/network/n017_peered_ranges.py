"""The network does not overlap connected networks."""

from __future__ import annotations

from ipaddress import IPv4Network

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.network.ip_ranges import free_range, own_ranges, peered_ranges


class PeeredRanges(Rule[IPv4Network]):
    id = "CW-N017"
    prevents = (
        "a peering connection that EC2 refuses, or a route to the other network that is never "
        "used: addresses of the VPC are always local"
    )
    source = "AWS documentation, VPC peering basics: overlapping CIDR blocks"

    def subjects(self, context: Context) -> Subjects[IPv4Network]:
        if context.cluster.network.existing is None:
            return [(path, range_) for path, range_ in peered_ranges(context)]
        return ()

    def check(self, peer: IPv4Network, context: Context) -> Results:
        peers = [range_ for _, range_ in peered_ranges(context)]
        ours = own_ranges(context)
        for path, own in ours:
            if not own.overlaps(peer):
                continue
            others = [*peers, *(r for _, r in ours if r != own)]
            free = free_range(own.prefixlen, others)
            name = "cidr" if path[-1] == "cidr" else "instead"
            yield Fail(
                message=f"{peer} overlaps {own} of this VPC",
                requested=str(own),
                limit=str(peer),
                hint=f"{name}: {free}" if free else "use a range that does not overlap the peers",
            )
