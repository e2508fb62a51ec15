"""Tests of services.logs.tags."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_a_log_group_without_tags_has_none() -> None:
    logs = client("logs")
    logs.create_log_group(logGroupName="plain")
    (group,) = logs.describe_log_groups(logGroupNamePrefix="plain")["logGroups"]
    assert logs.list_tags_for_resource(resourceArn=group["logGroupArn"])["tags"] == {}
