"""An EFA file system that exists is in the /16 of the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network
from typing import Any

from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


class ExistingEfaLustreRange(Rule[Lustre]):
    id = "CW-S015"
    title = "EFA file systems and the subnets of a network that exists are in one /16"
    severity = "error"
    prevents = "clients that reach the file system over TCP alone, or not at all"
    source = "AWS documentation, EFA-enabled FSx for Lustre file systems"

    def subjects(self, context: Context) -> Iterable[Subject[Lustre]]:
        if context.cluster.network.existing is None:
            return
        for index, fs in enumerate(context.cluster.storage.lustre):
            if fs.efa:
                yield Subject(("storage", "lustre", index, "efa"), fs)

    def needs(self, subject: Subject[Lustre], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (Subnets(), FileSystems()) if subject.value.existing else (Subnets(),)

    def check(
        self, subject: Subject[Lustre], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        network = context.cluster.network.existing
        assert network is not None
        wanted = set(network.subnet_ids)
        if subject.value.existing is not None:
            for fs in facts[FileSystems()]:
                if fs.id == subject.value.existing.id:
                    wanted |= set(fs.subnet_ids)
        ranges = {s.id: IPv4Network(s.cidr) for s in facts[Subnets()] if s.id in wanted}
        wide = {str(r.supernet(new_prefix=16)) for r in ranges.values() if r.prefixlen >= 16}
        if len(wide) > 1:
            yield Fail(
                message=f"the subnets {', '.join(sorted(ranges))} are in {len(wide)} /16 ranges: "
                f"{', '.join(sorted(wide))}",
                where=context.cluster.network.availability_zone_id,
                hint="name subnets of one /16, or efa: false",
            )


RULE = ExistingEfaLustreRange()
