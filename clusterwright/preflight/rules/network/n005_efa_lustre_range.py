"""An EFA file system and its clients are in one /16."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Path, Results, Rule, Subjects
from clusterwright.preflight.rules.network.efa_range import efa_is_the_problem


class EfaLustreRange(Rule[None]):
    id = "CW-N005"
    prevents = "clients that reach the file system over TCP only, or not at all"
    source = "AWS documentation, EFA-enabled FSx for Lustre file systems"

    def subjects(self, context: Context) -> Subjects[None]:
        cluster = context.cluster
        if cluster.network.existing is None and any(fs.efa for fs in cluster.storage.lustre):
            yield ("network", "cidr"), None

    def check(self, path: Path, context: Context) -> Results:
        plan = context.network_plan
        if plan.problem is not None and efa_is_the_problem(context):
            yield Fail(
                message=plan.problem.message,
                path=plan.problem.path or path,
                requested=plan.addresses_needed,
                where=context.cluster.network.availability_zone_id,
                hint=plan.problem.hint,
            )
