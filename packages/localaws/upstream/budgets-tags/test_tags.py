import boto3

from moto import mock_aws


@mock_aws
def test_create_budget_with_tags() -> None:
    client = boto3.client("budgets", region_name="us-east-1")
    budget = {
        "BudgetName": "testbudget",
        "BudgetLimit": {"Amount": "10", "Unit": "USD"},
        "BudgetType": "COST",
        "TimeUnit": "MONTHLY",
    }
    account_id = "123456789012"
    arn = f"arn:aws:budgets::{account_id}:budget/testbudget"
    tags = [{"Key": "team", "Value": "a"}]

    client.create_budget(AccountId=account_id, Budget=budget, ResourceTags=tags)
    assert client.list_tags_for_resource(ResourceARN=arn)["ResourceTags"] == tags

    client.delete_budget(AccountId=account_id, BudgetName="testbudget")
    client.create_budget(AccountId=account_id, Budget=budget)
    assert client.list_tags_for_resource(ResourceARN=arn)["ResourceTags"] == []
