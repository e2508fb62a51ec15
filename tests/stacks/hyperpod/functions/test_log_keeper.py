"""The function that configures HyperPod's log groups, with stubs of Lambda's modules."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from stacks.hyperpod.log_retention import CODE, RUNTIME
from tests.stacks.templates import properties
from tests.support.rich_specs import MINIMAL, changed
from tests.support.synthesis import Build


class ResourceAlreadyExistsException(Exception):
    pass


class ResourceNotFoundException(Exception):
    pass


class FakeLogs:
    """Log groups by name, with their retention in days or None."""

    exceptions = SimpleNamespace(
        ResourceAlreadyExistsException=ResourceAlreadyExistsException,
        ResourceNotFoundException=ResourceNotFoundException,
    )

    def __init__(self, groups: dict[str, int | None]) -> None:
        self.groups = groups
        self.denied = False

    def create_log_group(self, *, logGroupName: str) -> None:  # noqa: N803 - the API's name
        if self.denied:
            raise PermissionError("not authorized to perform logs:CreateLogGroup")
        if logGroupName in self.groups:
            raise ResourceAlreadyExistsException
        self.groups[logGroupName] = None

    def put_retention_policy(self, *, logGroupName: str, retentionInDays: int) -> None:  # noqa: N803
        self.groups[logGroupName] = retentionInDays

    def delete_log_group(self, *, logGroupName: str) -> None:  # noqa: N803
        if logGroupName not in self.groups:
            raise ResourceNotFoundException
        del self.groups[logGroupName]

    def get_paginator(self, operation: str) -> Any:
        assert operation == "describe_log_groups"

        def paginate(*, logGroupNamePrefix: str) -> list[dict[str, Any]]:  # noqa: N803
            names = [name for name in self.groups if name.startswith(logGroupNamePrefix)]
            # A group that another user deletes between the listing and the call.
            return [{"logGroups": [{"logGroupName": n}]} for n in [*names, f"{names[0]}-gone"]]

        return SimpleNamespace(paginate=paginate)


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`keeper.call(event)` returns the answer to CloudFormation."""
    logs = FakeLogs({"/aws/sagemaker/Clusters/test/abc": None, "/other": None})
    answers: list[dict[str, Any]] = []
    response = ModuleType("cfnresponse")
    response.SUCCESS, response.FAILED = "SUCCESS", "FAILED"  # type: ignore[attr-defined]

    def send(
        event: Any, context: Any, status: str, data: Any, physical_id: str, reason: str = ""
    ) -> None:
        answers.append({"status": status, "id": physical_id, "reason": reason})

    response.send = send  # type: ignore[attr-defined]
    boto3 = ModuleType("boto3")
    boto3.client = lambda service: logs  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cfnresponse", response)
    monkeypatch.setitem(sys.modules, "boto3", boto3)
    spec = importlib.util.spec_from_file_location("index", CODE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def call(kind: str, request: str, **properties: Any) -> dict[str, Any]:
        module.handler(
            {"ResourceType": kind, "RequestType": request, "ResourceProperties": properties}, None
        )
        return answers[-1]

    return SimpleNamespace(call=call, logs=logs)


GROUP = "/aws/sagemaker/Clusters/test/abc"


@pytest.mark.parametrize("request_type", ["Create", "Update"])
def test_retention_is_set_on_the_log_group_of_hyperpod(keeper: Any, request_type: str) -> None:
    # CloudFormation passes every property as text.
    answer = keeper.call(
        "Custom::LogRetention", request_type, LogGroupName=GROUP, RetentionInDays="30"
    )
    assert answer == {"status": "SUCCESS", "id": GROUP, "reason": ""}
    assert keeper.logs.groups[GROUP] == 30


def test_missing_log_group_is_created(keeper: Any) -> None:
    keeper.call("Custom::LogRetention", "Create", LogGroupName=f"{GROUP}-2", RetentionInDays="7")
    assert keeper.logs.groups[f"{GROUP}-2"] == 7


def test_deleted_retention_keeps_the_log_group(keeper: Any) -> None:
    keeper.call("Custom::LogRetention", "Delete", LogGroupName=GROUP, RetentionInDays="30")
    assert GROUP in keeper.logs.groups


def test_cleanup_deletes_only_log_groups_of_the_cluster(keeper: Any) -> None:
    prefix = "/aws/sagemaker/Clusters/test/"
    for request in ("Create", "Update"):
        keeper.call("Custom::LogGroupCleanup", request, LogGroupNamePrefix=prefix)
        assert GROUP in keeper.logs.groups
    answer = keeper.call("Custom::LogGroupCleanup", "Delete", LogGroupNamePrefix=prefix)
    assert answer["status"] == "SUCCESS"
    assert list(keeper.logs.groups) == ["/other"]


def test_error_is_the_reason_of_the_resource(keeper: Any) -> None:
    """Without an answer CloudFormation waits for an hour."""
    keeper.logs.denied = True
    answer = keeper.call(
        "Custom::LogRetention", "Create", LogGroupName=GROUP, RetentionInDays="30"
    )
    assert answer["status"] == "FAILED"
    assert "logs:CreateLogGroup" in answer["reason"]


def test_function_fits_into_the_template(build: Build) -> None:
    functions = [
        f
        for f in properties(build(changed(MINIMAL)), "AWS::Lambda::Function")
        if "ZipFile" in f["Code"]
    ]
    (function,) = functions
    assert function["Code"]["ZipFile"] == CODE.read_text(encoding="utf-8")
    assert len(function["Code"]["ZipFile"]) <= 4096
    assert (function["Runtime"], function["Handler"]) == (RUNTIME, "index.handler")
