"""EFA-enabled file systems and the existing subnets are in one /16."""

from __future__ import annotations

from ipaddress import IPv4Network

from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class ExistingEfaLustreRange(Rule[Lustre]):
    id = "CW-S015"
    prevents = "clients that reach the file system over TCP only, or not at all"
    source = "AWS documentation, EFA-enabled FSx for Lustre file systems"

    def subjects(self, context: Context) -> Subjects[Lustre]:
        if context.cluster.network.existing is None:
            return
        for index, fs in enumerate(context.cluster.storage.lustre):
            if fs.efa:
                yield ("storage", "lustre", index, "efa"), fs

    def needs(self, fs: Lustre) -> Facts:
        return (Subnets(), FileSystems()) if fs.existing else (Subnets(),)

    def check(self, fs: Lustre, context: Context, facts: FactValues) -> Results:
        network = context.cluster.network.existing
        assert network is not None
        wanted = set(network.subnet_ids)
        if fs.existing is not None:
            for found in facts[FileSystems()]:
                if found.id == fs.existing.id:
                    wanted |= set(found.subnet_ids)
        ranges = {s.id: IPv4Network(s.cidr) for s in facts[Subnets()] if s.id in wanted}
        wide = {str(r.supernet(new_prefix=16)) for r in ranges.values() if r.prefixlen >= 16}
        if len(wide) > 1:
            yield Fail(
                message=f"the subnets {', '.join(sorted(ranges))} are in {len(wide)} /16 ranges: "
                f"{', '.join(sorted(wide))}",
                where=context.cluster.network.availability_zone_id,
                hint="use subnets in one /16, or efa: false",
            )
