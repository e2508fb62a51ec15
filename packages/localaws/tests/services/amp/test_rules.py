"""Tests of services.amp.rules."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.services.amp.definitions_text import MANAGER

pytestmark = pytest.mark.usefixtures("aws")


@pytest.fixture
def workspace() -> dict[str, str]:
    return {"workspaceId": client("amp").create_workspace(alias="w")["workspaceId"]}


class TestAlertManager:
    def test_a_definition_is_created_replaced_and_deleted(self, workspace: Any) -> None:
        amp = client("amp")
        gone = refusal(amp.describe_alert_manager_definition, **workspace)
        assert gone[0] == "ResourceNotFoundException"
        answer = amp.create_alert_manager_definition(**workspace, data=MANAGER)
        assert answer["status"] == {"statusCode": "CREATING"}
        again = refusal(amp.create_alert_manager_definition, **workspace, data=MANAGER)
        assert again[0] == "ConflictException"
        other = MANAGER.replace(b"mail", b"phone")
        amp.put_alert_manager_definition(**workspace, data=other)
        found = amp.describe_alert_manager_definition(**workspace)["alertManagerDefinition"]
        assert (found["data"], found["status"]) == (other, {"statusCode": "ACTIVE"})
        amp.delete_alert_manager_definition(**workspace)
        gone = refusal(amp.describe_alert_manager_definition, **workspace)
        assert gone[0] == "ResourceNotFoundException"

    def test_a_faulty_definition_fails_with_its_reason(self, workspace: Any) -> None:
        amp = client("amp")
        amp.create_alert_manager_definition(**workspace, data=b"a: [")
        found = amp.describe_alert_manager_definition(**workspace)["alertManagerDefinition"]
        assert found["status"]["statusCode"] == "CREATION_FAILED"
        assert found["status"]["statusReason"].startswith("the definition is not YAML: ")
        amp.put_alert_manager_definition(**workspace, data=MANAGER)
        found = amp.describe_alert_manager_definition(**workspace)["alertManagerDefinition"]
        assert found["status"] == {"statusCode": "ACTIVE"}


class TestRuleGroups:
    def test_a_namespace_is_created_listed_changed_and_deleted(self, workspace: Any) -> None:
        amp = client("amp")
        item = {**workspace, "name": "gpus"}
        created = amp.create_rule_groups_namespace(**item, data=b"groups: []", tags={"a": "1"})
        assert created["arn"].endswith(f":rulegroupsnamespace/{workspace['workspaceId']}/gpus")
        assert (created["status"], created["tags"]) == ({"statusCode": "CREATING"}, {"a": "1"})
        code, _ = refusal(amp.create_rule_groups_namespace, **item, data=b"groups: []")
        assert code == "ConflictException"
        [listed] = amp.list_rule_groups_namespaces(**workspace)["ruleGroupsNamespaces"]
        assert (listed["name"], listed["tags"]) == ("gpus", {"a": "1"})
        answer = amp.list_rule_groups_namespaces(**workspace, name="x")
        assert answer["ruleGroupsNamespaces"] == []
        amp.put_rule_groups_namespace(**item, data=b"groups: [{name: g, rules: []}]")
        found = amp.describe_rule_groups_namespace(**item)["ruleGroupsNamespace"]
        assert found["data"] == b"groups: [{name: g, rules: []}]"
        assert found["status"] == {"statusCode": "ACTIVE"}
        amp.delete_rule_groups_namespace(**item)
        code, _ = refusal(amp.describe_rule_groups_namespace, **item)
        assert code == "ResourceNotFoundException"

    def test_a_faulty_file_fails_with_its_reason_and_can_be_replaced(self, workspace: Any) -> None:
        amp = client("amp")
        item = {**workspace, "name": "gpus"}
        amp.create_rule_groups_namespace(**item, data=b"groups: []")
        amp.put_rule_groups_namespace(**item, data=b"groups: [{name: g, rules: [{alert: a}]}]")
        found = amp.describe_rule_groups_namespace(**item)["ruleGroupsNamespace"]
        assert found["status"] == {
            "statusCode": "UPDATE_FAILED",
            "statusReason": "group g, rule 1: it has no expression",
        }
        amp.put_rule_groups_namespace(**item, data=b"groups: []")
        found = amp.describe_rule_groups_namespace(**item)["ruleGroupsNamespace"]
        assert found["status"] == {"statusCode": "ACTIVE"}

    def test_a_workspace_that_does_not_exist_has_no_rules(self) -> None:
        code, _ = refusal(client("amp").list_rule_groups_namespaces, workspaceId="ws-none")
        assert code == "ResourceNotFoundException"
