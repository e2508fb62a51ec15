"""The permissions boundary leaves the nodes what they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.platforms.node_permissions import node_permissions
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.deployment import BoundaryLeaves
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Rule, Subject, Verdict
from clusterwright.preflight.rules.iam.simulation import simulations, verdicts


class BoundaryRights(Rule[BoundaryLeaves]):
    id = "CW-I012"
    title = "The permissions boundary leaves the nodes what they need"
    severity = "error"
    prevents = "nodes that cannot fetch their scripts, mount storage or send logs, and fail"
    source = "IAM SimulateCustomPolicy; IAM user guide, permissions boundaries"

    def subjects(self, context: Context) -> Iterable[Subject[BoundaryLeaves]]:
        arn = context.cluster.identity.permissions_boundary_arn
        if arn is not None:
            asked = simulations(node_permissions(context.cluster))
            yield Subject(("identity", "permissions_boundary_arn"), BoundaryLeaves(arn, asked))

    def needs(self, subject: Subject[BoundaryLeaves], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (subject.value,)

    def check(
        self, subject: Subject[BoundaryLeaves], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del context
        results = facts[subject.value]
        if results is None:
            return  # CW-I004 says that there is no such policy
        hint = "let the boundary allow them on the cluster's resources"
        yield from verdicts(results, "a node", hint=hint, where=subject.value.arn)


RULE = BoundaryRights()
