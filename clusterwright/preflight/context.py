"""Input of rules: the spec, the catalogue, the user's rates, the date."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path
from clusterwright.cost.bill import Bill
from clusterwright.cost.bill_extras import FileSystemRef
from clusterwright.cost.price_book import LivePrices
from clusterwright.cost.terms import Terms, Usage
from clusterwright.platforms.network import NetworkPlan, plan_network
from clusterwright.platforms.stack_names import part_of
from clusterwright.platforms.traits import Platform
from clusterwright.preflight.results import Finding

if TYPE_CHECKING:
    from clusterwright.aws.ec2.instances import Instance


@dataclass(frozen=True, eq=False)
class Context:
    """The input of one check, except for the facts of the account."""

    spec: LoadedSpec
    catalog: Catalog
    today: dt.date
    usage: Mapping[str, Decimal | Usage] = field(default_factory=dict)
    """The user's usage figures, for the budget."""

    terms: Terms = field(default_factory=Terms)
    """The user's discounts, Savings Plans and purchases, for the budget."""

    prices: LivePrices | None = None
    """Prices that AWS stated at an earlier reading, for the budget."""

    retire: FileSystemRef | None = None
    """The file system of `--retire`."""

    rule_ids: frozenset[str] = frozenset()
    offline: bool = False
    """Whether account rules are skipped, so that the catalogue is the only source."""

    findings: Sequence[Finding] = ()
    """The findings of other rules; only for rules with `after`."""

    decided: frozenset[str] = frozenset()
    """The rules that completed without an unknown; only for rules with `after`."""

    @property
    def cluster(self) -> Cluster:
        return self.spec.cluster

    @property
    def region(self) -> str:
        return self.cluster.region

    @property
    def platform(self) -> Platform:
        return self.cluster.traits

    @property
    def on_hyperpod(self) -> bool:
        return self.cluster.on_hyperpod

    @cached_property
    def network_plan(self) -> NetworkPlan:
        return plan_network(self.cluster, self.catalog)

    @cached_property
    def bill(self) -> Bill:
        from clusterwright.cost.estimate import estimate

        return estimate(
            self.cluster,
            self.catalog,
            today=self.today,
            usage=self.usage,
            terms=self.terms,
            live=self.prices,
        )

    def groups(self, *kinds: str) -> list[tuple[Path, ComputeGroup]]:
        """Return the groups with their paths, optionally only with these kinds of capacity."""
        return [
            (("compute", index), group)
            for index, group in enumerate(self.cluster.compute)
            if not kinds or group.capacity.kind in kinds
        ]

    def stack_is_ours(self, stack: str | None) -> bool:
        """Return whether a stack of this name belongs to this environment
        (`<environment>-<part>`).
        """
        return stack is not None and part_of(self.cluster.environment, stack) is not None

    def instance_is_ours(self, instance: Instance) -> bool:
        """Return whether an EC2 instance is a node of this cluster.

        ParallelCluster's stack, and the cluster tags of ParallelCluster and EKS nodes, have the
        name of the environment.
        """
        environment = self.cluster.environment
        named = environment in (instance.stack, instance.node_of)
        return self.stack_is_ours(instance.stack) or named
