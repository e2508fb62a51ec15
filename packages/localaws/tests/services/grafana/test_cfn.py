"""Workspaces of Managed Grafana in a template."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.services.grafana.cfn import Workspace
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")

WORKSPACE: dict[str, Any] = {
    "AccountAccessType": "CURRENT_ACCOUNT",
    "AuthenticationProviders": ["SAML"],
    "PermissionType": "SERVICE_MANAGED",
    "Name": "one",
}


def described(name: str) -> dict[str, Any]:
    return dict(client("grafana").describe_workspace(workspaceId=name)["workspace"])


def test_a_workspace_is_created_changed_and_deleted() -> None:
    grafana = client("grafana")
    before = {**WORKSPACE, "Tags": tags(a="1"), "DataSources": ["PROMETHEUS"]}
    created = Workspace().create(context(), before)
    name = created.physical_id
    assert created.attributes["Status"] == "ACTIVE"
    assert created.attributes["SamlConfigurationStatus"] == "NOT_CONFIGURED"
    assert described(name)["dataSources"] == ["PROMETHEUS"]
    after = {**WORKSPACE, "Name": "two", "Tags": tags(b="2")}
    Workspace().update(context(), name, before, after)
    found = described(name)
    assert (found["name"], found["tags"]) == ("two", {"b": "2"})
    Workspace().delete(context(), name, after)
    assert grafana.list_workspaces()["workspaces"] == []


def test_saml_is_configured_at_creation() -> None:
    properties = {
        **WORKSPACE,
        "SamlConfiguration": {"IdpMetadata": {"Url": "https://idp.example.com/metadata"}},
    }
    created = Workspace().create(context(), properties)
    assert created.attributes["SamlConfigurationStatus"] == "CONFIGURED"
