"""The network does not overlap the ranges of Docker and Kubernetes."""

from __future__ import annotations

from ipaddress import IPv4Network

from clusterwright.platforms.kubernetes.control_plane import service_cidr
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.network.ip_ranges import (
    DOCKER,
    KUBERNETES,
    free_range,
    own_ranges,
    peered_ranges,
)


class ReservedRanges(Rule[IPv4Network]):
    id = "CW-N018"
    severity = "warning"
    prevents = (
        "addresses that nodes cannot reach: traffic to them stays with local containers or "
        "services"
    )
    source = (
        "AWS documentation, VPC CIDR blocks: SageMaker and others use 172.17.0.0/16; EKS "
        "CreateCluster, serviceIpv4Cidr; aws/containers-roadmap #216"
    )

    def subjects(self, context: Context) -> Subjects[IPv4Network]:
        own = own_ranges(context) if context.cluster.network.existing is None else []
        return [(path, range_) for path, range_ in (*own, *peered_ranges(context))]

    def check(self, range_: IPv4Network, context: Context) -> Results:
        if range_.overlaps(DOCKER):
            yield Fail(
                message=f"{range_} overlaps {DOCKER}, which Docker uses on every node, as do AWS "
                "services such as SageMaker",
                requested=str(range_),
                limit=str(DOCKER),
                hint="use a range outside it; if the network exists already, change Docker's "
                "range (`bip`, `default-address-pools`) on the nodes",
            )
        cluster = context.cluster
        if not cluster.uses_kubernetes or service_cidr(cluster) is not None:
            return  # the spec sets it, outside every range of the spec
        for service_range in KUBERNETES:
            if range_.overlaps(service_range):
                free = None
                if cluster.network.existing is None:
                    used = [r for _, r in (*own_ranges(context), *peered_ranges(context))]
                    free = free_range(16, (*used, *KUBERNETES, DOCKER))
                yield Fail(
                    message=f"{range_} overlaps {service_range}, which EKS may use for services: "
                    "it does not know connected networks, and pods could not reach these "
                    "addresses",
                    requested=str(range_),
                    limit=str(service_range),
                    hint=f"kubernetes.service_cidr: {free or 'an unused private range'}",
                )
