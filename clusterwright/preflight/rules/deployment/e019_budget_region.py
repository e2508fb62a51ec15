"""CloudFormation knows budgets in the region."""

from __future__ import annotations

from clusterwright.platforms import budget_regions
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class BudgetRegion(Rule[str]):
    id = "CW-E019"
    severity = "warning"
    prevents = (
        "Template format error: Unrecognized resource types: [AWS::Budgets::Budget], after the "
        "stacks before it"
    )
    source = budget_regions.SOURCE

    def subjects(self, context: Context) -> Subjects[str]:
        budget = context.cluster.budget
        if budget is not None and budget.monthly_usd is not None:
            yield ("budget", "monthly_usd"), context.region

    def check(self, region: str) -> Results:
        if region not in budget_regions.REGIONS:
            yield Fail(
                message=f"CloudFormation is not known to create budgets in {region}",
                requested=region,
                hint="omit budget.monthly_usd, and create the account's budget in the console or "
                "with stacks of another region: a budget counts the costs of all regions",
            )
