"""Tests of the Grafana workspace."""

from __future__ import annotations

from clusterwright_localaws import local_aws
from stacks.observability.grafana import QUERIES
from tests.stacks.deployment import Account
from tests.stacks.templates import only, properties, text_of
from tests.support.rich_specs import ACCOUNT, FULL, MINIMAL, changed
from tests.support.synthesis import Build

GRAFANA = "AWS::Grafana::Workspace"


SMALL = changed(MINIMAL, observability__prometheus=True, protection="destroy")


def with_grafana(**settings: str) -> dict[str, object]:
    return changed(FULL, observability__grafana=settings)


def test_users_sign_in_with_identity_center_or_saml(build: Build) -> None:
    found = only(build(with_grafana()), GRAFANA)
    assert found["AuthenticationProviders"] == ["AWS_SSO"]
    assert (found["PermissionType"], found["AccountAccessType"]) == (
        "CUSTOMER_MANAGED",
        "CURRENT_ACCOUNT",
    )
    assert only(build(with_grafana(login="saml")), GRAFANA)["AuthenticationProviders"] == ["SAML"]
    assert not properties(build(MINIMAL), GRAFANA)


def test_its_role_queries_the_prometheus_workspace_only(build: Build) -> None:
    (role,) = (
        each
        for each in properties(build(with_grafana()), "AWS::IAM::Role")
        if "grafana.amazonaws.com" in text_of(each["AssumeRolePolicyDocument"])
    )
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Condition"]["StringEquals"] == {"aws:SourceAccount": ACCOUNT}
    assert "/workspaces/*" in text_of(trust["Condition"]["ArnLike"]["aws:SourceArn"])
    ((statement,),) = (each["PolicyDocument"]["Statement"] for each in role["Policies"])
    assert sorted(statement["Action"]) == sorted(QUERIES)
    assert statement["Resource"] == {"Fn::GetAtt": ["Prometheus", "Arn"]}


def test_it_is_deployed_changed_and_deleted(build: Build) -> None:
    with local_aws():
        account = Account(ACCOUNT)
        account.bootstrap()
        account.deploy(build(changed(SMALL, observability__grafana={})))
        grafana, outputs = account.client("grafana"), account.outputs("test-observability")
        workspace = outputs["GrafanaWorkspaceId"]
        found = grafana.describe_workspace(workspaceId=workspace)["workspace"]
        assert outputs["GrafanaUrl"] == f"https://{found['endpoint']}"
        assert (found["name"], found["status"]) == ("test", "ACTIVE")
        assert found["authentication"]["providers"] == ["AWS_SSO"]
        account.deploy(build(changed(SMALL, observability__grafana={"login": "saml"})))
        found = grafana.describe_workspace(workspaceId=workspace)["workspace"]
        assert found["authentication"]["providers"] == ["SAML"]
        account.deploy(build(SMALL))
        assert grafana.list_workspaces()["workspaces"] == []
