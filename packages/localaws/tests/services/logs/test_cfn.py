"""Log groups of a template."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.logs.cfn import LogGroup
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")


def test_a_log_group_is_created_changed_and_deleted() -> None:
    logs = client("logs")
    before = {"LogGroupName": "/a", "RetentionInDays": 7, "Tags": tags(a="1")}
    created = LogGroup().create(context(), before)
    arn = created.attributes["Arn"]
    assert created.physical_id == "/a"
    assert arn.endswith(":log-group:/a:*")
    assert LogGroup().read(context(), "/a", before) == {
        "LogGroupName": "/a",
        "RetentionInDays": 7,
    }
    LogGroup().update(context(), "/a", before, {"LogGroupName": "/a", "Tags": tags(b="2")})
    assert LogGroup().read(context(), "/a", before) == {
        "LogGroupName": "/a",
        "RetentionInDays": 0,
    }
    found = logs.list_tags_for_resource(resourceArn=arn.removesuffix(":*"))["tags"]
    assert found == {"b": "2"}
    LogGroup().delete(context(), "/a", before)
    assert LogGroup().read(context(), "/a", before) is None


def test_a_group_is_not_one_that_only_begins_like_it() -> None:
    client("logs").create_log_group(logGroupName="/a/b")
    assert LogGroup().read(context(), "/a", {}) is None


def test_the_class_of_a_group_does_not_change_in_place() -> None:
    assert LogGroup().replacing({}, {"LogGroupClass": "STANDARD"}) == set()
    assert LogGroup().replacing({}, {"LogGroupClass": "INFREQUENT_ACCESS"}) == {"LogGroupClass"}
