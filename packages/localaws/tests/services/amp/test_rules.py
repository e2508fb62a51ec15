"""Tests of services.amp.rules."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


class TestPrometheus:
    def test_alert_managers(self) -> None:
        amp = client("amp")
        of = {"workspaceId": amp.create_workspace(alias="w")["workspaceId"]}
        gone = refusal(amp.describe_alert_manager_definition, **of)
        assert gone[0] == "ResourceNotFoundException"
        amp.create_alert_manager_definition(**of, data=b"alertmanager_config: |\n")
        again = refusal(amp.create_alert_manager_definition, **of, data=b"x")
        assert again[0] == "ConflictException"
        amp.put_alert_manager_definition(**of, data=b"other")
        found = amp.describe_alert_manager_definition(**of)["alertManagerDefinition"]
        assert (found["data"], found["status"]["statusCode"]) == (b"other", "ACTIVE")
        amp.delete_alert_manager_definition(**of)
        gone = refusal(amp.describe_alert_manager_definition, **of)
        assert gone[0] == "ResourceNotFoundException"

    def test_rule_group_names_are_unique(self) -> None:
        amp = client("amp")
        item = {
            "workspaceId": amp.create_workspace(alias="w")["workspaceId"],
            "name": "gpus",
            "data": b"groups: []",
        }
        amp.create_rule_groups_namespace(**item)
        assert refusal(amp.create_rule_groups_namespace, **item)[0] == "ConflictException"
