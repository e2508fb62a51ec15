"""The VPC's ranges are not those that Docker and Kubernetes use on every node."""

from __future__ import annotations

from ipaddress import IPv4Network

from clusterwright.platforms.kubernetes.control_plane import service_cidr
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects
from clusterwright.preflight.rules.network.ip_ranges import (
    DOCKER,
    KUBERNETES,
    free_range,
    own_ranges,
    peered_ranges,
)


class TakenRanges(Rule[IPv4Network]):
    id = "CW-N018"
    title = "The network leaves Docker's and Kubernetes' ranges alone"
    severity = "warning"
    scope = "offline"
    prevents = (
        "addresses that a node never reaches: it takes them for its own containers or services"
    )
    source = (
        "AWS documentation, VPC CIDR blocks: SageMaker and others use 172.17.0.0/16; EKS "
        "CreateCluster, serviceIpv4Cidr; aws/containers-roadmap #216"
    )

    def subjects(self, context: Context) -> Subjects[IPv4Network]:
        own = own_ranges(context) if context.cluster.network.existing is None else []
        return [Subject(path, range_) for path, range_ in (*own, *peered_ranges(context))]

    def check(self, range_: IPv4Network, context: Context) -> Results:
        if range_.overlaps(DOCKER):
            yield Fail(
                message=f"{range_} overlaps {DOCKER}, which Docker takes on every node, and AWS "
                "services such as SageMaker with it",
                requested=str(range_),
                limit=str(DOCKER),
                hint="take a range outside it; where the network is given, change Docker's own "
                "range (`bip`, `default-address-pools`) on the nodes",
            )
        cluster = context.cluster
        if not cluster.uses_kubernetes or service_cidr(cluster) is not None:
            return  # written down, and beside every range of the file
        for one in KUBERNETES:
            if range_.overlaps(one):
                free = None
                if cluster.network.existing is None:
                    taken = [r for _, r in (*own_ranges(context), *peered_ranges(context))]
                    free = free_range(16, (*taken, *KUBERNETES, DOCKER))
                yield Fail(
                    message=f"{range_} overlaps {one}, which EKS may give to services: it knows "
                    "of no network that the VPC is connected to, and pods could not reach what "
                    "has these addresses",
                    requested=str(range_),
                    limit=str(one),
                    hint=f"kubernetes.service_cidr: {free or 'a private range that is free'}",
                )


RULE = TakenRanges()
