"""AWS Budgets."""

from __future__ import annotations

from clusterwright.aws.errors import is_not_found
from clusterwright.aws.session import AwsSession


def budget_exists(session: AwsSession, account: str, name: str) -> bool:
    """Return whether the account has a budget of that name."""
    try:
        session.call("budgets", "DescribeBudget", AccountId=account, BudgetName=name)
    except Exception as error:
        if is_not_found(error):
            return False
        raise
    return True
