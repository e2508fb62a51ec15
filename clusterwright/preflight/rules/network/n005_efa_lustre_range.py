"""An EFA file system and its clients are in one /16."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict
from clusterwright.preflight.rules.network.efa_range import efa_is_the_problem


class EfaLustreOneRange(Rule[None]):
    id = "CW-N005"
    title = "An EFA file system and its clients are in one /16"
    severity = "error"
    scope = "offline"
    prevents = "clients that reach the file system over TCP alone, or not at all"
    source = "AWS documentation, EFA-enabled FSx for Lustre file systems"

    def subjects(self, context: Context) -> Iterable[Subject[None]]:
        cluster = context.cluster
        if cluster.network.existing is None and any(fs.efa for fs in cluster.storage.lustre):
            yield Subject(("network", "cidr"), None)

    def check(
        self, subject: Subject[None], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        plan = context.network_plan
        if plan.problem is not None and efa_is_the_problem(context):
            yield Fail(
                message=plan.problem.message,
                path=plan.problem.path or subject.path,
                requested=plan.addresses_needed,
                where=context.cluster.network.availability_zone_id,
                hint=plan.problem.hint,
            )


RULE = EfaLustreOneRange()
