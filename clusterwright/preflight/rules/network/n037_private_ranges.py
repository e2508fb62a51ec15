"""The network has private addresses."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Final

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.network.ip_ranges import free_range, own_ranges, peered_ranges

PRIVATE: Final = (
    *(IPv4Network("10.0.0.0/8"), IPv4Network("172.16.0.0/12"), IPv4Network("192.168.0.0/16")),
    IPv4Network("100.64.0.0/10"),
    IPv4Network("198.18.0.0/15"),
)
"""Ranges that nobody has on the internet: RFC 1918, RFC 6598 and RFC 2544."""


class PrivateRanges(Rule[IPv4Network]):
    id = "CW-N037"
    severity = "warning"
    prevents = (
        "hosts of the internet that nodes, and networks that are connected, never reach: their "
        "addresses are local"
    )
    source = (
        "Amazon VPC User Guide, VPC CIDR blocks: a range of RFC 1918 is recommended; RFC 1918, "
        "RFC 6598, RFC 2544"
    )

    def subjects(self, context: Context) -> Subjects[IPv4Network]:
        if context.cluster.network.existing is None:
            yield from own_ranges(context)

    def check(self, range_: IPv4Network, context: Context) -> Results:
        if any(range_.subnet_of(private) for private in PRIVATE):
            return
        used = [r for _, r in (*own_ranges(context), *peered_ranges(context))]
        yield Fail(
            message=f"{range_} is not private: its addresses belong to others on the internet",
            requested=str(range_),
            limit=", ".join(map(str, PRIVATE[:3])),
            hint=f"use a range of RFC 1918, such as {free_range(range_.prefixlen, used)}; waive "
            "this if the addresses are your own",
        )
