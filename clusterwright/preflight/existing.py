"""What rules about a network that exists share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal

from clusterwright.aws.vpc import Subnet
from clusterwright.preflight.context import Context
from clusterwright.preflight.results import Severity
from clusterwright.preflight.rule import Rule, Subject
from clusterwright.spec.models.network import ExistingNetwork
from clusterwright.spec.problems import Path

HERE: Path = ("network", "existing")


class ExistingNetworkRule(Rule[ExistingNetwork]):
    """A rule about the network that the spec names, where it names one."""

    severity: ClassVar[Severity] = "error"
    scope: ClassVar[Literal["offline", "account"]] = "account"

    def subjects(self, context: Context) -> Iterable[Subject[ExistingNetwork]]:
        existing = context.cluster.network.existing
        return [Subject(HERE, existing)] if existing is not None else []


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
