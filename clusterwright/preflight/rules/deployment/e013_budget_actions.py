"""No budget of the account stops the cluster without approval."""

from __future__ import annotations

from clusterwright.aws.budgets import BudgetAction
from clusterwright.preflight.facts.deployment import BudgetActions
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.deployment.bootstrap import execution_role_arn


class BudgetActionsOfOthers(Rule[None]):
    id = "CW-E013"
    severity = "warning"
    prevents = (
        "nodes that cannot be launched or replaced in the middle of a run: an action of a budget "
        "attached a policy that denies it"
    )
    source = "AWS Cost Management user guide, Configuring a budget action"

    def subjects(self, context: Context) -> Subjects[None]:
        del context
        yield ("account",), None

    def needs(self, context: Context) -> Facts:
        return (BudgetActions(context.cluster.account),)

    def check(self, context: Context, facts: FactValues) -> Results:
        account = context.cluster.account
        for action in facts[BudgetActions(account)]:
            if not action.automatic:
                continue
            to = _concerned(action, context)
            if to:
                yield Fail(
                    message=f"at {action.threshold} of its limit the budget {action.budget} "
                    f"attaches {action.policy} to {to}, without approval"
                    if action.threshold.endswith("%")
                    else f"at {action.threshold} the budget {action.budget} attaches "
                    f"{action.policy} to {to}, without approval",
                    where=account,
                    hint="ask its owner for the approval model MANUAL, or for a limit that the "
                    "cluster does not reach: `clusterwright cost`",
                )


def _concerned(action: BudgetAction, context: Context) -> str:
    """The account, or the roles of this environment, that get the policy; empty if none."""
    if action.kind == "APPLY_SCP_POLICY":
        # Organizational units and the root of the organization contain this account, or others.
        outside = all(target.isdigit() for target in action.targets)
        if context.cluster.account in action.targets:
            return "this account"
        return "" if outside else f"{', '.join(action.targets)}, which may contain this account"
    deployer = execution_role_arn(context).rpartition("/")[2]
    prefix = f"{context.cluster.environment}-"
    own = [name for name in action.roles if name == deployer or name.startswith(prefix)]
    return ", ".join(own)
