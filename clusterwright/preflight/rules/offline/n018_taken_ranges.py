"""The VPC's ranges are not those that Docker and Kubernetes use on every node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.ranges import DOCKER, KUBERNETES, own_ranges, peered_ranges
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


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
        "CreateCluster, serviceIpv4Cidr"
    )

    def subjects(self, context: Context) -> Iterable[Subject[IPv4Network]]:
        own = own_ranges(context) if context.cluster.network.existing is None else []
        return [Subject(path, range_) for path, range_ in (*own, *peered_ranges(context))]

    def check(
        self, subject: Subject[IPv4Network], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        range_ = subject.value
        if range_.overlaps(DOCKER):
            yield Fail(
                message=f"{range_} overlaps {DOCKER}, which Docker takes on every node, and AWS "
                "services such as SageMaker with it",
                requested=str(range_),
                limit=str(DOCKER),
                hint="take a range outside it; where the network is given, change Docker's own "
                "range (`bip`, `default-address-pools`) on the nodes",
            )
        if not context.cluster.platform.endswith("eks"):
            return
        everything = [r for _, r in (*own_ranges(context), *peered_ranges(context))]
        if all(any(r.overlaps(one) for r in everything) for one in KUBERNETES) and any(
            range_.overlaps(one) for one in KUBERNETES
        ):
            both = " and ".join(map(str, KUBERNETES))
            yield Fail(
                message=f"{range_}: {both} are both taken, and EKS gives its services one of them",
                requested=str(range_),
                limit=both,
                hint="leave one of the two free",
            )


RULE = TakenRanges()
