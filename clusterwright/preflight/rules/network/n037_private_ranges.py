"""The network has private addresses."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Final

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.network.ip_ranges import free_range, own_ranges, peered_ranges

_RECOMMENDED: Final = "10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16"
"""RFC 1918."""


class PrivateRanges(Rule[IPv4Network]):
    id = "CW-N037"
    severity = "warning"
    prevents = (
        "hosts of the internet that nodes, and networks that are connected, never reach: their "
        "addresses are local"
    )
    source = (
        "Amazon VPC User Guide, VPC CIDR blocks: a range of RFC 1918 is recommended; ranges that "
        "nobody has on the internet: IANA, IPv4 Special-Purpose Address Registry, as the module "
        "ipaddress of Python has it (RFC 1918, RFC 6598, RFC 2544, RFC 5737)"
    )

    def subjects(self, context: Context) -> Subjects[IPv4Network]:
        if context.cluster.network.existing is None:
            yield from own_ranges(context)

    def check(self, range_: IPv4Network, context: Context) -> Results:
        if not range_.is_global:
            return
        used = [r for _, r in (*own_ranges(context), *peered_ranges(context))]
        yield Fail(
            message=f"{range_} is not private: its addresses belong to others on the internet",
            requested=str(range_),
            limit=_RECOMMENDED,
            hint=f"use a range of RFC 1918, such as {free_range(range_.prefixlen, used)}; waive "
            "this if the addresses are your own",
        )
