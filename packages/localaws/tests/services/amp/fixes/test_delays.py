"""Tests of services.amp.fixes.delays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.cloudformation.stacks import (
    aws,
)

SLOW = {"database": 60, "nat_gateway": 60, "endpoint": 60, "workspace": 60}


@pytest.fixture
def slow() -> Iterator[Runtime]:
    with local_aws(delays=SLOW) as runtime:
        yield runtime


def refusal(call: Callable[..., Any], **parameters: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


class TestWorkspaces:
    def test_workspace_is_created_after_its_delay(self, slow: Runtime) -> None:
        amp = aws("amp")
        made = amp.create_workspace(alias="a")
        assert made["status"]["statusCode"] == "CREATING"
        item = made["workspaceId"]
        assert refusal(amp.delete_workspace, workspaceId=item)[0] == "ConflictException"
        slow.clock.advance(61)
        amp.update_workspace_alias(workspaceId=item, alias="b")
        amp.delete_workspace(workspaceId=item)
        state = amp.describe_workspace(workspaceId=item)["workspace"]["status"]["statusCode"]
        assert state == "DELETING"
        slow.clock.advance(61)
        assert amp.list_workspaces()["workspaces"] == []
