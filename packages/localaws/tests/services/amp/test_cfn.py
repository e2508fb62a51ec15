"""Workspaces of Managed Prometheus in a template."""

from __future__ import annotations

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.cloudformation.handler_helpers import delete_settled
from clusterwright_localaws.services.amp.cfn import RuleGroupsNamespace, Workspace, _asked
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.services.amp.definitions_text import MANAGER

pytestmark = pytest.mark.usefixtures("local")


def logs(name: str) -> dict[str, str]:
    client("logs").create_log_group(logGroupName=name)
    return {"LogGroupArn": f"arn:aws:logs:us-east-1:111122223333:log-group:{name}:*"}


def test_a_workspace_is_created_changed_and_deleted() -> None:
    amp = client("amp")
    before = {"Alias": "one", "LoggingConfiguration": logs("/a"), "Tags": tags(a="1")}
    created = Workspace().create(context(), before)
    arn, workspace = created.physical_id, created.attributes["WorkspaceId"]
    assert arn.endswith(f":workspace/{workspace}")
    assert created.attributes["PrometheusEndpoint"].endswith(f"/workspaces/{workspace}/")
    second = logs("/b")
    after = {"Alias": "two", "LoggingConfiguration": second, "Tags": tags(b="2")}
    Workspace().update(context(), arn, before, after)
    found = amp.describe_workspace(workspaceId=workspace)["workspace"]
    assert (found["alias"], found["tags"]) == ("two", {"b": "2"})
    logging = amp.describe_logging_configuration(workspaceId=workspace)["loggingConfiguration"]
    assert logging["logGroupArn"] == second["LogGroupArn"]
    Workspace().update(context(), arn, after, {"Alias": "two"})
    code, _ = refusal(amp.describe_logging_configuration, workspaceId=workspace)
    assert code == "ResourceNotFoundException"
    Workspace().delete(context(), arn, after)
    assert amp.list_workspaces()["workspaces"] == []


def test_deletion_waits_for_a_change_and_is_done_once() -> None:
    states = iter(["CREATING", "ACTIVE", "ACTIVE", "DELETING"])
    deleted: list[str] = []
    missing = context().client("amp").exceptions.ResourceNotFoundException

    def status() -> str:
        try:
            return next(states)
        except StopIteration:
            raise missing({"Error": {"Code": "ResourceNotFoundException"}}, "Describe") from None

    delete_settled(context(), status, lambda: deleted.append("x"), "the thing")
    assert deleted == ["x"]


def test_a_failed_workspace_fails_its_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    created = Workspace().create(context(), {})
    amp = context().client("amp")
    monkeypatch.setattr(
        type(amp),
        "describe_workspace",
        lambda self, workspaceId: {"workspace": {"status": {"statusCode": "CREATION_FAILED"}}},  # noqa: N803
        raising=False,
    )
    with pytest.raises(HandlerFailure, match="is CREATION_FAILED"):
        Workspace()._active(context(), created.physical_id)


def test_the_configuration_of_a_scraper_is_base64_in_a_template() -> None:
    properties = {
        "Alias": "a",
        "ScrapeConfiguration": {"ConfigurationBlob": "eA=="},
        "Destination": {"AmpConfiguration": {"WorkspaceArn": "arn:w"}},
    }
    assert _asked(properties) == {
        "alias": "a",
        "scrapeConfiguration": {"configurationBlob": b"x"},
        "destination": {"ampConfiguration": {"workspaceArn": "arn:w"}},
    }


def test_a_rule_groups_namespace_is_created_changed_and_deleted() -> None:
    amp = client("amp")
    workspace = Workspace().create(context(), {})
    before = {
        "Workspace": workspace.physical_id,
        "Name": "alerts",
        "Data": "groups: []",
        "Tags": tags(a="1"),
    }
    created = RuleGroupsNamespace().create(context(), before)
    arn = created.physical_id
    assert created.attributes == {"Arn": arn}
    after = {**before, "Data": "groups: [{name: g, rules: []}]", "Tags": tags(b="2")}
    RuleGroupsNamespace().update(context(), arn, before, after)
    item = {"workspaceId": workspace.attributes["WorkspaceId"], "name": "alerts"}
    found = amp.describe_rule_groups_namespace(**item)["ruleGroupsNamespace"]
    assert (found["data"].decode(), found["tags"]) == (after["Data"], {"b": "2"})
    with pytest.raises(HandlerFailure, match="alerts is UPDATE_FAILED: `groups` is not a list"):
        RuleGroupsNamespace().update(context(), arn, after, {**after, "Data": "groups: 1"})
    RuleGroupsNamespace().delete(context(), arn, after)
    code, _ = refusal(amp.describe_rule_groups_namespace, **item)
    assert code == "ResourceNotFoundException"


def test_a_faulty_rules_file_fails_the_creation() -> None:
    workspace = Workspace().create(context(), {}).physical_id
    with pytest.raises(HandlerFailure, match="CREATION_FAILED: the rules file is not YAML"):
        RuleGroupsNamespace().create(
            context(), {"Workspace": workspace, "Name": "alerts", "Data": "groups: ["}
        )


def test_the_alert_manager_is_a_property_of_the_workspace() -> None:
    amp = client("amp")
    definition = MANAGER.decode()
    before = {"AlertManagerDefinition": definition}
    created = Workspace().create(context(), before)
    arn, of = created.physical_id, {"workspaceId": created.attributes["WorkspaceId"]}
    found = amp.describe_alert_manager_definition(**of)["alertManagerDefinition"]
    assert found["data"].decode() == definition
    with pytest.raises(HandlerFailure, match="is UPDATE_FAILED: the definition has no text"):
        Workspace().update(context(), arn, before, {"AlertManagerDefinition": "a: 1"})
    # The rollback.
    Workspace().update(context(), arn, {"AlertManagerDefinition": "a: 1"}, before)
    found = amp.describe_alert_manager_definition(**of)["alertManagerDefinition"]
    assert found["status"] == {"statusCode": "ACTIVE"}
    Workspace().update(context(), arn, before, {})
    code, _ = refusal(amp.describe_alert_manager_definition, **of)
    assert code == "ResourceNotFoundException"
