"""Workspaces of Managed Prometheus in a template."""

from __future__ import annotations

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.cloudformation.handler_helpers import delete_settled
from clusterwright_localaws.services.amp.cfn import Workspace, _asked
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client, refusal

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
