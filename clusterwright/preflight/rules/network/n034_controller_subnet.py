"""The subnet of PCS's controller is in an Availability Zone."""

from __future__ import annotations

from clusterwright.preflight.facts.network import Subnets, Zones
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Path,
    Results,
    Rule,
    Subjects,
    Unknown,
)

_ZONE: Path = ("network", "availability_zone_id")


class ControllerSubnet(Rule[str | None]):
    """The subject is the existing subnet of the controller's interface, None without one."""

    id = "CW-N034"
    prevents = (
        "CreateCluster of PCS fails: the controller's network interface cannot be in an Outpost, "
        "a Local Zone or a Wavelength Zone"
    )
    source = "botocore 1.44.5, PCS NetworkingRequest"

    def subjects(self, context: Context) -> Subjects[str | None]:
        if not context.platform.service_runs_controller:
            return
        existing = context.cluster.network.existing
        if existing is None:
            yield _ZONE, None
        else:
            yield ("network", "existing", "subnet_ids", 0), existing.subnet_ids[0]

    def needs(self, subnet_id: str | None) -> Facts:
        return (Zones(),) if subnet_id is None else (Zones(), Subnets())

    def check(self, subnet_id: str | None, context: Context, facts: FactValues) -> Results:
        name = context.cluster.network.availability_zone_id
        if subnet_id is not None:
            subnet = next((one for one in facts[Subnets()] if one.id == subnet_id), None)
            if subnet is None:  # CW-N007 reports it
                return
            name = subnet.zone_id
            if subnet.outpost:
                yield Fail(
                    message=f"{subnet_id} is in an Outpost: PCS's controller cannot be there",
                    requested=subnet_id,
                    where=subnet.outpost,
                    hint="a subnet of an Availability Zone first",
                )
                return
        zone = next((one for one in facts[Zones()] if name in (one.zone_id, one.name)), None)
        if zone is None:
            yield Unknown(message=f"EC2 lists no zone {name} in {context.region}")
        elif zone.kind != "availability-zone":
            yield Fail(
                message=f"{zone.name} is a {zone.kind}: PCS's controller cannot be there",
                requested=name,
                where=context.region,
                hint="an Availability Zone, or platform: parallelcluster",
            )
