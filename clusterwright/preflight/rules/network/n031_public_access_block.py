"""VPC Block Public Access does not stop the nodes' connections to AWS."""

from __future__ import annotations

from clusterwright.aws.ec2.vpc import NatGateway
from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.account_settings import (
    BlockPublicAccess,
    PublicAccessExclusions,
)
from clusterwright.preflight.facts.network import NatGateways, Subnets
from clusterwright.preflight.facts.routes import RouteTables
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
)
from clusterwright.preflight.rules.network.egress import egress_path
from clusterwright.preflight.rules.network.existing_network import HERE, node_subnets

_BLOCKED = "block-bidirectional"
_WHY = (
    "VPC Block Public Access of the account is block-bidirectional, which also stops connections "
    "through NAT gateways"
)


class PublicAccessBlock(Rule[ExistingNetwork | None]):
    id = "CW-N031"
    prevents = (
        "nodes that time out on every AWS service and package, although the VPC has a NAT "
        "gateway and a route to it"
    )
    source = (
        "VPC user guide, Block public access to VPCs and subnets; "
        "aws-samples/eks-workshop-v2 #1928"
    )

    def subjects(self, context: Context) -> Subjects[ExistingNetwork | None]:
        network = context.cluster.network
        if network.existing is not None:
            yield HERE, network.existing
        elif network.egress == "nat":
            yield ("network", "egress"), None

    def needs(self, existing: ExistingNetwork | None) -> Facts:
        if existing is None:
            # No exclusion can name a VPC that does not exist yet, or its stack would have made it.
            return (BlockPublicAccess(),)
        return (
            BlockPublicAccess(),
            PublicAccessExclusions(),
            Subnets(),
            RouteTables(),
            NatGateways(),
        )

    def check(
        self, existing: ExistingNetwork | None, context: Context, facts: FactValues
    ) -> Results:
        if facts[BlockPublicAccess()] != _BLOCKED:
            return
        if existing is None:
            yield Fail(
                message=f"{_WHY}: nodes with egress: nat reach no AWS service",
                where=context.region,
                hint="`egress: closed`, which needs no internet gateway; or the account's owner "
                "sets block-ingress, which allows NAT gateways",
            )
            return
        excluded = {one.resource_id for one in facts[PublicAccessExclusions()]}
        gateways = {one.id: one for one in facts[NatGateways()]}
        for path, subnet_id, subnet in node_subnets(existing, facts[Subnets()]):
            if subnet is None or subnet.vpc_id != existing.vpc_id:
                continue  # CW-N007 reports it
            default = egress_path(facts[RouteTables()], subnet).default
            if default is None or not default.startswith("nat-"):
                continue  # CW-N022 reports it; other gateways are in networks of others
            if not excluded & _excludable(existing.vpc_id, gateways.get(default)):
                yield Fail(
                    message=f"the default route of {subnet_id} leads to {default}, and {_WHY}",
                    path=path,
                    where=subnet_id,
                    hint=f"an exclusion with allow-egress for {existing.vpc_id}, block-ingress in "
                    "place of block-bidirectional, or interface endpoints",
                )


def _excludable(vpc_id: str, gateway: NatGateway | None) -> set[str]:
    """The resources whose exclusion lets a NAT gateway reach the internet."""
    return {vpc_id} if gateway is None else {vpc_id, gateway.subnet_id}
