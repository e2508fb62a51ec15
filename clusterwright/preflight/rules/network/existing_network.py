"""What rules about a network that exists share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Subject,
    Subjects,
)

HERE: Path = ("network", "existing")


class ExistingNetworkRule(Rule[ExistingNetwork]):
    """A rule about the network that the spec names, where it names one."""

    def subjects(self, context: Context) -> Subjects[ExistingNetwork]:
        existing = context.cluster.network.existing
        return [Subject(HERE, existing)] if existing is not None else []


class TwoZonesRule(ExistingNetworkRule):
    """Subnets that a service wants in two zones: they exist, in the VPC, and are."""

    key: ClassVar[str]
    """Where the spec lists them, below `network.existing`."""

    all_in: ClassVar[str]
    """What is said where all are in one zone, with `{zone}`."""
    needs = (Subnets(),)

    def check(self, network: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        found = {subnet.id: subnet for subnet in facts[Subnets()]}
        listed: Sequence[str] = getattr(network, self.key)
        zones = []
        for index, subnet_id in enumerate(listed):
            path = (*HERE, self.key, index)
            subnet = found.get(subnet_id)
            yield from misplaced(subnet_id, subnet, network, context, path)
            if subnet is not None:
                zones.append(subnet.zone_id)
                yield from self.of_one(subnet, path)
        if len(zones) == len(listed) and len(set(zones)) == 1:
            yield Fail(message=self.all_in.format(zone=zones[0]), path=(*HERE, self.key))

    def of_one(self, subnet: Subnet, path: Path) -> Results:
        """What else a subnet must be, where there is more."""
        del subnet, path
        return iter(())


def misplaced(
    subnet_id: str, subnet: Subnet | None, existing: ExistingNetwork, context: Context, path: Path
) -> Iterator[Fail]:
    """A subnet of the spec that the account has not, or has in another VPC."""
    if subnet is None:
        yield Fail(
            message=f"there is no subnet {subnet_id} in {context.region}",
            path=path,
            requested=subnet_id,
            where=context.region,
        )
    elif subnet.vpc_id != existing.vpc_id:
        yield Fail(
            message=f"{subnet_id} is in {subnet.vpc_id}, not in {existing.vpc_id}",
            path=path,
            requested=existing.vpc_id,
            where=subnet_id,
        )


def node_subnets(
    existing: ExistingNetwork, subnets: Iterable[Subnet]
) -> Iterator[tuple[Path, str, Subnet | None]]:
    """Each of the nodes' subnets: where it is written, its id, what the account has."""
    found = {subnet.id: subnet for subnet in subnets}
    for index, subnet_id in enumerate(existing.subnet_ids):
        yield (*HERE, "subnet_ids", index), subnet_id, found.get(subnet_id)


def known_subnets(existing: ExistingNetwork, subnets: Iterable[Subnet]) -> list[Subnet]:
    """The nodes' subnets that exist; that one does not is a finding of CW-N007."""
    return [subnet for _, _, subnet in node_subnets(existing, subnets) if subnet is not None]
