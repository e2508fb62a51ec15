"""A budget of the account, which sends mail when thresholds are exceeded."""

from __future__ import annotations

from aws_cdk import aws_budgets as budgets
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster

_CFN = budgets.CfnBudget


def monthly_budget(
    scope: Construct, construct_id: str, cluster: Cluster
) -> budgets.CfnBudget | None:
    """The monthly budget of the account; None if the spec has no monthly amount.

    It has no filter by tag: such a budget counts nothing, and never warns, until the tag is
    activated for cost allocation in the payer account.
    """
    budget = cluster.budget
    if budget is None or budget.monthly_usd is None:
        return None
    return _CFN(
        scope,
        construct_id,
        budget=_CFN.BudgetDataProperty(
            budget_name=f"{cluster.environment}-monthly",
            budget_type="COST",
            time_unit="MONTHLY",
            budget_limit=_CFN.SpendProperty(amount=budget.monthly_usd, unit="USD"),
        ),
        notifications_with_subscribers=[
            _CFN.NotificationWithSubscribersProperty(
                notification=_CFN.NotificationProperty(
                    comparison_operator="GREATER_THAN",
                    notification_type="ACTUAL",
                    threshold=percent,
                    threshold_type="PERCENTAGE",
                ),
                subscribers=[
                    _CFN.SubscriberProperty(address=email, subscription_type="EMAIL")
                    for email in budget.alert_emails
                ],
            )
            for percent in budget.alert_thresholds_percent
        ]
        if budget.alert_emails
        else None,
    )
