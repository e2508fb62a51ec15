"""Stacks wait for resources with delays."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.cloudformation import store as stacks_store
from clusterwright_localaws.cloudformation.store import Settings
from packages.localaws.tests.cloudformation.stacks import (
    aws,
    cloudformation,
    described,
    parameter,
    settled,
    template,
)
from packages.localaws.tests.delays import WAITED

SLOW = {"database": 60, "nat_gateway": 60, "endpoint": 60, "workspace": 60}


def refusal(call: Callable[..., Any], **parameters: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


class TestStacks:
    @pytest.fixture(autouse=True)
    def _answers_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stacks_store, "settings", Settings(settle_s=0.0))

    def follow(self, name: str) -> set[str]:
        """The states of the stack's resources on its way to the end."""
        seen = set()
        while described(name)["StackStatus"].endswith("_IN_PROGRESS"):
            found = cloudformation().describe_stack_resources(StackName=name)["StackResources"]
            seen |= {f"{item['LogicalResourceId']} {item['ResourceStatus']}" for item in found}
            time.sleep(0.02)
        return seen

    def test_a_stack_waits_for_slow_resources_in_parallel(self) -> None:
        delays = dict.fromkeys(SLOW, 1.0)
        with local_aws():  # load the services, so that only the delays are measured
            cloudformation().create_stack(StackName="s", TemplateBody=template(WAITED))
            assert settled("s")["StackStatus"] == "CREATE_COMPLETE"
        with local_aws(delays=delays):
            started = time.monotonic()
            cloudformation().create_stack(StackName="s", TemplateBody=template(WAITED))
            stack_id = described("s")["StackId"]
            seen = self.follow(stack_id)
            took_s = time.monotonic() - started
            assert described(stack_id)["StackStatus"] == "CREATE_COMPLETE"
            for name in ("Nat", "Endpoint", "Db", "Metrics"):
                assert f"{name} CREATE_IN_PROGRESS" in seen
            assert 1.0 <= took_s < len(SLOW)  # not one after another
            changed = {**WAITED, "Db": {**WAITED["Db"]}}
            changed["Db"]["Properties"] = {**WAITED["Db"]["Properties"], "AllocatedStorage": "30"}
            cloudformation().update_stack(StackName="s", TemplateBody=template(changed))
            assert "Db UPDATE_IN_PROGRESS" in self.follow(stack_id)
            cloudformation().delete_stack(StackName="s")
            seen = self.follow(stack_id)
            for name in ("Nat", "Endpoint", "Db", "Metrics"):
                assert f"{name} DELETE_IN_PROGRESS" in seen
            assert described(stack_id)["StackStatus"] == "DELETE_COMPLETE"
            assert aws("rds").describe_db_instances()["DBInstances"] == []
            assert aws("amp").list_workspaces()["workspaces"] == []
            assert aws("ec2").describe_addresses()["Addresses"] == []

    def test_failure_rolls_back_slow_resources(self) -> None:
        broken = parameter("x", DependsOn="Vpc")
        broken["Properties"]["Name"] = "aws/not-allowed"
        with local_aws(delays=dict.fromkeys(SLOW, 0.3)):
            body = template({**WAITED, "Broken": broken})
            cloudformation().create_stack(StackName="s", TemplateBody=body)
            assert settled("s")["StackStatus"] == "ROLLBACK_COMPLETE"
            assert aws("rds").describe_db_instances()["DBInstances"] == []
            assert aws("amp").list_workspaces()["workspaces"] == []
            assert aws("ec2").describe_addresses()["Addresses"] == []

    def test_a_stack_in_progress_refuses_an_update(self) -> None:
        with local_aws(delays={"workspace": 0.5}):
            body = template({"Metrics": WAITED["Metrics"]})
            cloudformation().create_stack(StackName="s", TemplateBody=body)
            code, message = refusal(
                cloudformation().update_stack,
                StackName="s",
                TemplateBody=template({"Metrics": WAITED["Metrics"], "P": parameter("x")}),
            )
            assert code == "ValidationError"
            assert "CREATE_IN_PROGRESS state and can not be updated" in message
            assert settled("s")["StackStatus"] == "CREATE_COMPLETE"
