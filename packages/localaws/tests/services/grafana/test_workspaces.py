"""Workspaces of Amazon Managed Grafana: states, refusals, authentication, keys and accounts."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import Site, client, refusal


def create(**more: Any) -> dict[str, Any]:
    request = {
        "accountAccessType": "CURRENT_ACCOUNT",
        "authenticationProviders": ["AWS_SSO"],
        "permissionType": "SERVICE_MANAGED",
        "workspaceName": "training",
        "workspaceDataSources": ["PROMETHEUS"],
        **more,
    }
    found: dict[str, Any] = client("grafana").create_workspace(**request)["workspace"]
    return found


def describe(workspace_id: str) -> dict[str, Any]:
    answer = client("grafana").describe_workspace(workspaceId=workspace_id)
    found: dict[str, Any] = answer["workspace"]
    return found


@pytest.mark.usefixtures("aws")
class TestLife:
    def test_it_is_made_changed_and_deleted(self) -> None:
        made = create(tags={"team": "ml"})
        assert made["status"] == "CREATING"
        item = describe(made["id"])
        assert item["status"] == "ACTIVE"
        assert item["endpoint"] == f"{item['id']}.grafana-workspace.us-east-1.amazonaws.com"
        assert (item["name"], item["dataSources"]) == ("training", ["PROMETHEUS"])
        grafana = client("grafana")
        grafana.update_workspace(workspaceId=item["id"], workspaceName="other")
        assert describe(item["id"])["name"] == "other"
        assert [w["name"] for w in grafana.list_workspaces()["workspaces"]] == ["other"]
        arn = f"arn:aws:grafana:us-east-1:123456789012:/workspaces/{item['id']}"
        grafana.tag_resource(resourceArn=arn, tags={"a": "b"})
        assert grafana.list_tags_for_resource(resourceArn=arn)["tags"] == {
            "team": "ml",
            "a": "b",
        }
        grafana.untag_resource(resourceArn=arn, tagKeys=["team"])
        assert describe(item["id"])["tags"] == {"a": "b"}
        grafana.delete_workspace(workspaceId=item["id"])
        gone = refusal(grafana.describe_workspace, workspaceId=item["id"])
        assert gone[0] == "ResourceNotFoundException"

    def test_repeated_token_returns_the_same_workspace(self) -> None:
        assert create(clientToken="x")["id"] == create(clientToken="x")["id"]

    def test_five_are_the_most(self) -> None:
        for number in range(5):
            create(workspaceName=f"w{number}")
        found = refusal(lambda **_: create())
        assert found[0] == "ServiceQuotaExceededException"

    def test_pages(self) -> None:
        for number in range(3):
            create(workspaceName=f"w{number}")
        pages = client("grafana").get_paginator("list_workspaces")
        sizes = [
            len(page["workspaces"]) for page in pages.paginate(PaginationConfig={"PageSize": 2})
        ]
        assert sizes == [2, 1]

    @pytest.mark.parametrize(
        "more",
        [
            {"workspaceName": "no spaces"},
            {"permissionType": "NONE"},
            {"grafanaVersion": "1.0"},
            {
                "vpcConfiguration": {
                    "subnetIds": ["subnet-00000000", "subnet-11111111"],
                    "securityGroupIds": ["sg-00000000"],
                }
            },
        ],
    )
    def test_what_is_refused(self, more: dict[str, Any]) -> None:
        assert refusal(lambda **_: create(**more))[0] == "ValidationException"
        assert client("grafana").list_workspaces()["workspaces"] == []

    def test_network_settings_are_validated(self, site: Site) -> None:
        ec2 = client("ec2")
        other = ec2.create_subnet(VpcId=site.vpc_id, CidrBlock="10.0.200.0/24")["Subnet"]
        network = {
            "subnetIds": [site.subnet_id, other["SubnetId"]],
            "securityGroupIds": [site.group_id],
        }
        item = create(vpcConfiguration=network)["id"]
        assert describe(item)["vpcConfiguration"] == network
        client("grafana").update_workspace(workspaceId=item, removeVpcConfiguration=True)
        assert "vpcConfiguration" not in describe(item)

    def test_unknown_workspace_is_not_found(self) -> None:
        found = refusal(client("grafana").delete_workspace, workspaceId="g-0123456789")
        assert found[0] == "ResourceNotFoundException"


def test_changes_are_refused_during_the_delay() -> None:
    with local_aws(delays={"workspace": 60}) as aws:
        item = create()["id"]
        grafana = client("grafana")
        assert describe(item)["status"] == "CREATING"
        busy = refusal(grafana.update_workspace, workspaceId=item, workspaceName="x")
        assert busy[0] == "ConflictException"
        aws.clock.advance(61)
        assert describe(item)["status"] == "ACTIVE"
        grafana.delete_workspace(workspaceId=item)
        assert describe(item)["status"] == "DELETING"
        aws.clock.advance(61)
        assert grafana.list_workspaces()["workspaces"] == []


@pytest.mark.usefixtures("aws")
class TestAccess:
    def test_saml_is_configured(self) -> None:
        one, grafana = create(authenticationProviders=["SAML"])["id"], client("grafana")
        assert describe(one)["authentication"]["samlConfigurationStatus"] == "NOT_CONFIGURED"
        grafana.update_workspace_authentication(
            workspaceId=one,
            authenticationProviders=["SAML"],
            samlConfiguration={"idpMetadata": {"url": "https://idp.example/meta"}},
        )
        found = grafana.describe_workspace_authentication(workspaceId=one)["authentication"]
        assert found["saml"]["status"] == "CONFIGURED"
        wrong = refusal(
            grafana.update_workspace_authentication,
            workspaceId=one,
            authenticationProviders=["AWS_SSO"],
            samlConfiguration={"idpMetadata": {"url": "https://idp.example/meta"}},
        )
        assert wrong[0] == "ValidationException"

    def test_api_keys_are_managed(self) -> None:
        one, grafana = create()["id"], client("grafana")
        key = {"keyName": "k", "keyRole": "ADMIN", "secondsToLive": 60, "workspaceId": one}
        assert grafana.create_workspace_api_key(**key)["key"]
        assert refusal(grafana.create_workspace_api_key, **key)[0] == "ConflictException"
        grafana.delete_workspace_api_key(keyName="k", workspaceId=one)
        gone = refusal(grafana.delete_workspace_api_key, keyName="k", workspaceId=one)
        assert gone[0] == "ResourceNotFoundException"

    def test_service_accounts_and_tokens_are_managed(self) -> None:
        one, grafana = create()["id"], client("grafana")
        account = grafana.create_workspace_service_account(
            name="ci", grafanaRole="EDITOR", workspaceId=one
        )
        listed = grafana.list_workspace_service_accounts(workspaceId=one)["serviceAccounts"]
        assert [a["name"] for a in listed] == ["ci"]
        of = {"serviceAccountId": account["id"], "workspaceId": one}
        token = grafana.create_workspace_service_account_token(name="t", secondsToLive=60, **of)[
            "serviceAccountToken"
        ]
        (found,) = grafana.list_workspace_service_account_tokens(**of)["serviceAccountTokens"]
        assert found["id"] == token["id"]
        grafana.delete_workspace_service_account_token(tokenId=token["id"], **of)
        assert grafana.list_workspace_service_account_tokens(**of)["serviceAccountTokens"] == []
        grafana.delete_workspace_service_account(**of)
        gone = refusal(grafana.delete_workspace_service_account, **of)
        assert gone[0] == "ResourceNotFoundException"

    def test_versions_are_listed(self) -> None:
        one, grafana = create(grafanaVersion="9.4")["id"], client("grafana")
        upwards = grafana.list_versions(workspaceId=one)["grafanaVersions"]
        assert upwards
        assert "9.4" not in upwards
        grafana.update_workspace_configuration(
            workspaceId=one, configuration="{}", grafanaVersion=upwards[0]
        )
        assert describe(one)["grafanaVersion"] == upwards[0]
        back = refusal(
            grafana.update_workspace_configuration,
            workspaceId=one,
            configuration="{}",
            grafanaVersion="9.4",
        )
        assert back[0] == "ValidationException"
