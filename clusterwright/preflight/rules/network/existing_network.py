"""Base classes of the rules about an existing network."""

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
    Subjects,
    Unknown,
)

HERE: Path = ("network", "existing")


class ExistingNetworkRule(Rule[ExistingNetwork]):
    """A rule about the existing network of the spec."""

    def subjects(self, context: Context) -> Subjects[ExistingNetwork]:
        existing = context.cluster.network.existing
        return [(HERE, existing)] if existing is not None else []


class TwoZonesRule(ExistingNetworkRule):
    """Subnets that a service requires in two zones exist, are in the VPC and are in two zones."""

    key: ClassVar[str]
    """The key of the subnets in `network.existing`."""

    same_zone_message: ClassVar[str]
    """The message if all are in one zone, with `{zone}`."""
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
                yield from self.check_subnet(subnet, path)
        if len(zones) == len(listed) and len(set(zones)) == 1:
            yield Fail(
                message=self.same_zone_message.format(zone=zones[0]), path=(*HERE, self.key)
            )

    def check_subnet(self, subnet: Subnet, path: Path) -> Results:
        """Yield further violations of a subnet."""
        del subnet, path
        return iter(())


def misplaced(
    subnet_id: str, subnet: Subnet | None, existing: ExistingNetwork, context: Context, path: Path
) -> Iterator[Fail]:
    """A subnet of the spec that does not exist, or is in another VPC."""
    if subnet is None:
        yield Fail(
            message=f"the subnet {subnet_id} does not exist in {context.region}",
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
    """Each of the nodes' subnets: path, id, and the subnet in the account."""
    found = {subnet.id: subnet for subnet in subnets}
    for index, subnet_id in enumerate(existing.subnet_ids):
        yield (*HERE, "subnet_ids", index), subnet_id, found.get(subnet_id)


def sharing_account(
    existing: ExistingNetwork, subnets: Iterable[Subnet], context: Context
) -> str | None:
    """The other account that shares the nodes' subnets; None if they are of this account."""
    owners = {
        subnet.owner
        for _, _, subnet in node_subnets(existing, subnets)
        if subnet is not None and subnet.owner not in ("", context.cluster.account)
    }
    return min(owners, default=None)


def hidden_endpoints(
    existing: ExistingNetwork, subnets: Iterable[Subnet], context: Context, what: str
) -> Unknown | None:
    """Return that `what` about the endpoints is unknown, if another account shares the subnets.

    EC2 shows the endpoints of a shared VPC to its owner only (VPC user guide, "Responsibilities
    and permissions for owners and participants").
    """
    owner = sharing_account(existing, subnets, context)
    if owner is None:
        return None
    return Unknown(
        message=f"{what} is not known: EC2 shows the endpoints of {existing.vpc_id} to {owner} "
        "only, which shares the subnets",
        path=(*HERE, "subnet_ids"),
        hint=f"run this check with credentials of {owner}, or ask the owner of the network",
    )


def known_subnets(existing: ExistingNetwork, subnets: Iterable[Subnet]) -> list[Subnet]:
    """The nodes' subnets that exist; CW-N007 reports the others."""
    return [subnet for _, _, subnet in node_subnets(existing, subnets) if subnet is not None]
