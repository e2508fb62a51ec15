"""Custom resources for log groups that services create."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.logs.cfn_log_keeper import LogGroupCleanup, LogRetention
from packages.localaws.tests.handlers import context
from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")


def groups(region: str = "us-east-1") -> dict[str, int | None]:
    found = client("logs", region).describe_log_groups()["logGroups"]
    return {group["logGroupName"]: group.get("retentionInDays") for group in found}


def test_retention_is_set_on_a_new_and_on_an_existing_group() -> None:
    client("logs").create_log_group(logGroupName="/old")
    for name in ("/old", "/new"):
        properties = {"LogGroupName": name, "RetentionInDays": "7"}
        assert LogRetention().create(context(), properties).attributes == {"LogGroupName": name}
    assert groups() == {"/old": 7, "/new": 7}
    LogRetention().update(context(), "/new", {"RetentionInDays": "7"}, {"LogGroupName": "/new"})
    assert groups()["/new"] is None


def test_a_group_of_another_region() -> None:
    properties = {"LogGroupName": "/a", "LogGroupRegion": "us-west-2"}
    LogRetention().create(context(), properties)
    assert groups("us-west-2") == {"/a": None}
    assert groups() == {}


@pytest.mark.parametrize(("policy", "left"), [("destroy", []), ("retain", ["/a"])])
def test_a_group_is_deleted_only_where_asked_for(policy: str, left: list[str]) -> None:
    properties = {"LogGroupName": "/a", "RemovalPolicy": policy}
    LogRetention().create(context(), properties)
    for _ in range(2):  # also where it is deleted already
        LogRetention().delete(context(), "/a", properties)
    assert list(groups()) == left


def test_cleanup_deletes_what_is_under_the_prefix_and_nothing_else() -> None:
    logs = client("logs")
    for name in ("/cluster/a", "/cluster/b", "/other"):
        logs.create_log_group(logGroupName=name)
    properties = {"LogGroupNamePrefix": "/cluster/"}
    created = LogGroupCleanup().create(context(), properties)
    assert LogGroupCleanup().update(context(), created.physical_id, {}, properties) == created
    assert len(groups()) == 3
    LogGroupCleanup().delete(context(), created.physical_id, properties)
    assert list(groups()) == ["/other"]
