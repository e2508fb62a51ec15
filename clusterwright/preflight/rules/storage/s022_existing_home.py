"""Existing home directories match the spec."""

from __future__ import annotations

from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Rule, Subjects


class ExistingHome(Rule[str]):
    id = "CW-S022"
    prevents = "home directories that cannot be mounted, or that cross zones for every file"
    source = "FSx DescribeFileSystems; aws/aws-parallelcluster, ExistingFsxNetworking"

    def subjects(self, context: Context) -> Subjects[str]:
        home = context.cluster.storage.home
        if home is not None and home.existing is not None:
            yield ("storage", "home", "existing", "dns_name"), home.existing.dns_name

    needs = (FileSystems(), Subnets())

    def check(self, dns_name: str, context: Context, facts: FactValues) -> Results:
        identity = dns_name.partition(".")[0]
        found = next((fs for fs in facts[FileSystems()] if fs.id == identity), None)
        if found is None:
            yield Fail(
                message=f"the file system {identity} does not exist in {context.region}",
                requested=dns_name,
                where=context.region,
            )
            return
        if found.kind != "OPENZFS":
            yield Fail(message=f"{found.id} is {found.kind}, not OPENZFS", where=found.id)
            return
        if found.lifecycle not in ("AVAILABLE", "UPDATING"):
            yield Fail(message=f"{found.id} is {found.lifecycle}", where=found.id)
        if found.dns_name is not None and found.dns_name != dns_name:
            yield Fail(
                message=f"the dns_name of {found.id} is {found.dns_name}, not {dns_name}",
                requested=dns_name,
                limit=found.dns_name,
                where=found.id,
                hint=f"dns_name: {found.dns_name}",
            )
        zone = context.cluster.network.availability_zone_id
        zones = {s.zone_id for s in facts[Subnets()] if s.id in found.subnet_ids}
        if zones and zone not in zones:
            yield Fail(
                message=f"{found.id} is in {', '.join(sorted(zones))}, the nodes are in {zone}",
                severity="warning",
                requested=zone,
                where=found.id,
                hint="traffic between zones is slower and charged",
            )
