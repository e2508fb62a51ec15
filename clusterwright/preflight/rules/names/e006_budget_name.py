"""The name of the monthly budget is available."""

from __future__ import annotations

from clusterwright.platforms.derived_names import monthly_budget
from clusterwright.preflight.facts.deployment import BudgetNamed
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    NameConflictRule,
    name_conflict,
    own_stacks,
)


class BudgetName(NameConflictRule):
    id = "CW-E006"
    prevents = (
        "CreateBudget fails with DuplicateRecordException: budget names are unique in the "
        "account, so the same environment in another region uses it"
    )
    source = "AWS Budgets CreateBudget"

    def subjects(self, context: Context) -> Subjects[str]:
        name = monthly_budget(context.cluster)
        if name is not None:
            yield HERE, name

    def needs(self, name: str, context: Context) -> Facts:
        return (BudgetNamed(context.cluster.account, name), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        if not facts[BudgetNamed(context.cluster.account, name)]:
            return
        if not facts[own_stacks(context)].has("AWS::Budgets::Budget", name):
            hint = "delete it, or use another environment name"
            yield name_conflict("a budget", name, context, hint=hint)
