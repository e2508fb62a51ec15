"""A stack that waits for signals: by the handle's URL, by SignalResource, or until the timeout."""

from __future__ import annotations

import json
import time
import urllib.request
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.resource_types.wait_conditions import _of_policy
from clusterwright_localaws.cloudformation.signals import KEEPER, key_of
from clusterwright_localaws.cloudformation.store import Settings
from clusterwright_localaws.core.boto_clients import client
from packages.localaws.tests.cloudformation.stacks import (
    REGION,
    aws,
    cloudformation,
    create,
    delete,
    described,
    outputs,
    resource,
    settled,
    template,
)

pytestmark = pytest.mark.usefixtures("local")
CONDITION = "AWS::CloudFormation::WaitCondition"
HANDLE = {"Handle": resource("AWS::CloudFormation::WaitConditionHandle")}


@pytest.fixture(autouse=True)
def _answers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from clusterwright_localaws.cloudformation import store

    monkeypatch.setattr(store, "settings", Settings(settle_s=0.05))


def waiting(count: int = 1, timeout: int = 20) -> str:
    return template(
        {
            **HANDLE,
            "Ready": resource(
                CONDITION, {"Handle": {"Ref": "Handle"}, "Count": count, "Timeout": timeout}
            ),
        },
        Outputs={
            "Url": {"Value": {"Ref": "Handle"}},
            "Data": {"Value": {"Fn::GetAtt": "Ready.Data"}},
        },
    )


def start(body: str, name: str = "w") -> None:
    cloudformation().create_stack(StackName=name, TemplateBody=body)
    for _ in range(200):
        found = cloudformation().describe_stack_resources(StackName=name)["StackResources"]
        by_name = {item["LogicalResourceId"]: item for item in found}
        if by_name.get("Ready", {}).get("PhysicalResourceId"):
            return
        time.sleep(0.02)
    raise AssertionError(found)


def url_of(name: str = "w") -> str:
    found = cloudformation().describe_stack_resource(StackName=name, LogicalResourceId="Handle")
    return str(found["StackResourceDetail"]["PhysicalResourceId"])


def signal(url: str, **document: Any) -> None:
    """In process: what a PUT of the URL does."""
    key = key_of(REGION, url)
    bucket = f"cloudformation-waitcondition-{REGION}"
    client("s3", account=KEEPER, region=REGION).put_object(
        Bucket=bucket, Key=key, Body=json.dumps(document).encode()
    )


def test_a_stack_waits_for_its_number_of_signals() -> None:
    start(waiting(count=2))
    signal(url_of(), Status="SUCCESS", UniqueId="one", Data="first", Reason="ok")
    signal(url_of(), Status="SUCCESS", UniqueId="one", Data="again", Reason="ok")
    time.sleep(0.2)
    assert described("w")["StackStatus"] == "CREATE_IN_PROGRESS"
    signal(url_of(), Status="SUCCESS", UniqueId="two", Data="second", Reason="ok")
    assert settled("w")["StackStatus"] == "CREATE_COMPLETE"
    assert outputs(described("w"))["Data"] == '{"one":"first","two":"second"}'
    delete("w")
    kept = client("s3", account=KEEPER, region=REGION).list_object_versions(
        Bucket=f"cloudformation-waitcondition-{REGION}"
    )
    assert not kept.get("Versions")


def test_callers_cannot_access_the_providers_bucket() -> None:
    start(waiting())
    assert aws("s3").list_buckets()["Buckets"] == []
    cloudformation().delete_stack(StackName="w")


def reason_of_failure() -> str:
    (item,) = [
        stack_event["ResourceStatusReason"]
        for stack_event in cloudformation().describe_stack_events(StackName="w")["StackEvents"]
        if stack_event["ResourceStatus"] == "CREATE_FAILED"
        and stack_event["LogicalResourceId"] == "Ready"
    ]
    return str(item)


def test_failure_signal_rolls_back_with_its_reason() -> None:
    start(waiting())
    signal(url_of(), Status="FAILURE", UniqueId="one", Data="", Reason="no driver")
    assert settled("w")["StackStatus"] == "ROLLBACK_COMPLETE"
    assert reason_of_failure() == (
        "WaitCondition received failed message: 'no driver' for uniqueId: one"
    )


def test_timeout_rolls_back() -> None:
    create("w", waiting(timeout=0))
    assert described("w")["StackStatus"] == "ROLLBACK_COMPLETE"
    assert reason_of_failure() == (
        "WaitCondition timed out. Received 0 conditions when expecting 1"
    )


def test_a_creation_policy_waits_for_signal_resource() -> None:
    policy = {"ResourceSignal": {"Count": 1, "Timeout": "PT1M"}}
    body = template({"Ready": resource(CONDITION, CreationPolicy=policy)})
    start(body)
    cloudformation().signal_resource(
        StackName="w", LogicalResourceId="Ready", UniqueId="i-1", Status="SUCCESS"
    )
    assert settled("w")["StackStatus"] == "CREATE_COMPLETE"
    with pytest.raises(ClientError, match="Unable to signal"):
        cloudformation().signal_resource(
            StackName="w", LogicalResourceId="Ready", UniqueId="i-1", Status="SUCCESS"
        )


def test_failure_signal_fails_the_creation_policy() -> None:
    policy = {"ResourceSignal": {"Timeout": "PT1M"}}
    start(template({"Ready": resource(CONDITION, CreationPolicy=policy)}))
    cloudformation().signal_resource(
        StackName="w", LogicalResourceId="Ready", UniqueId="i-1", Status="FAILURE"
    )
    assert settled("w")["StackStatus"] == "ROLLBACK_COMPLETE"
    assert reason_of_failure() == "Received FAILURE signal with UniqueId i-1"


def test_a_waiting_stack_can_be_deleted() -> None:
    start(waiting())
    delete("w")
    assert [stack["StackName"] for stack in cloudformation().describe_stacks()["Stacks"]] == []


@pytest.mark.parametrize(
    ("text", "seconds"), [("PT1M30S", 90), ("PT2H", 7200), ("PT12H", 43_200), ("PT5S", 5)]
)
def test_durations_are_parsed(text: str, seconds: int) -> None:
    assert _of_policy({"ResourceSignal": {"Timeout": text, "Count": 3}}) == (3, seconds)


@pytest.mark.parametrize("text", ["PT", "5M", "PT13H", "P1D", ""])
def test_invalid_durations_are_refused(text: str) -> None:
    with pytest.raises(Exception, match="CreationPolicy"):
        _of_policy({"ResourceSignal": {"Timeout": text}})


@pytest.mark.parametrize("policy", [{"AutoScalingCreationPolicy": {}}, "x", {"StartFleet": {}}])
def test_other_policies_are_refused(policy: Any) -> None:
    with pytest.raises(ClientError, match="CreationPolicy"):
        create("w", template({"Ready": resource(CONDITION, CreationPolicy=policy)}))


@pytest.mark.enable_socket
def test_signal_url_works_over_a_socket() -> None:
    from clusterwright_localaws.core.runtime import runtime
    from clusterwright_localaws.server.httpd import Server
    from clusterwright_localaws.server.server import Application, listen

    sockets = listen(0)
    port = sockets[0].getsockname()[1]
    runtime().address = f"http://localhost:{port}"
    servers = [Server(each, Application()) for each in sockets]
    for server in servers:
        server.start()
    try:
        start(waiting())
        document = {"Status": "SUCCESS", "UniqueId": "a", "Data": "d", "Reason": "r"}
        # As curl -X PUT -H 'Content-Type:' --data-binary does, which AWS's page shows.
        request = urllib.request.Request(
            url_of(), json.dumps(document).encode(), {"Content-Type": ""}, method="PUT"
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 200
        assert settled("w")["StackStatus"] == "CREATE_COMPLETE"
        assert outputs(described("w"))["Data"] == '{"a":"d"}'
    finally:
        for server in servers:
            server.stop(1)
