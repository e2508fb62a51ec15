"""Clients are created lazily, once, from any thread, and their failures are translated."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from botocore.stub import Stubber

from clusterwright.aws.errors import AwsUnavailable, is_denied
from clusterwright.aws.session import AwsSession


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111122223333")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.delenv("AWS_PROFILE", raising=False)


def test_import_does_not_load_boto3() -> None:
    program = (
        "import sys, clusterwright.aws.errors, clusterwright.aws.session as s\n"
        "s.AwsSession('us-east-1')\n"
        "assert not {'boto3', 'botocore'} & set(sys.modules), 'imported'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.usefixtures("keys")
def test_client_is_shared_between_threads() -> None:
    session = AwsSession("us-east-1")
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: session.client("sts"), range(32)))
    assert len({id(client) for client in made}) == 1
    assert session.client("sts", "eu-west-1") is not made[0]
    config = made[0].meta.config
    assert config.retries == {"mode": "standard", "total_max_attempts": 4}
    assert (config.connect_timeout, config.read_timeout) == (5, 20)
    assert config.max_pool_connections == 64


@pytest.mark.usefixtures("keys")
def test_endpoint_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:4999")
    client = AwsSession("us-east-1").client("service-quotas")
    assert client.meta.endpoint_url == "http://localhost:4999"


@pytest.mark.usefixtures("keys")
def test_call_returns_or_raises_a_reason() -> None:
    session = AwsSession("us-east-1")
    with Stubber(session.client("ec2")) as stub:
        stub.add_response("describe_vpcs", {"Vpcs": []}, {"VpcIds": ["vpc-1"]})
        assert session.call("ec2", "DescribeVpcs", VpcIds=["vpc-1"])["Vpcs"] == []
        stub.add_client_error("describe_vpcs", "UnauthorizedOperation", http_status_code=403)
        with pytest.raises(AwsUnavailable) as caught:
            session.call("ec2", "DescribeVpcs")
    assert is_denied(caught.value)
    assert caught.value.iam_action == "ec2:DescribeVpcs"
    assert caught.value.region == "us-east-1"


@pytest.mark.usefixtures("keys")
def test_failure_on_the_second_page_is_reported() -> None:
    session = AwsSession("us-east-1")
    with Stubber(session.client("ec2")) as stub:
        stub.add_response("describe_vpcs", {"Vpcs": [], "NextToken": "more"})
        stub.add_client_error("describe_vpcs", "RequestLimitExceeded", http_status_code=503)
        with pytest.raises(AwsUnavailable) as caught:
            list(session.pages("ec2", "DescribeVpcs"))
    assert caught.value.reason == "throttled"


def test_a_missing_profile_is_missing_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    with pytest.raises(AwsUnavailable) as caught:
        AwsSession("us-east-1", profile="nobody-has-this").call("sts", "GetCallerIdentity")
    assert caught.value.reason == "no-credentials"
    assert caught.value.operation == "GetCallerIdentity"


@pytest.mark.usefixtures("keys")
def test_missing_region_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    session = AwsSession()
    assert session.region is None
    with pytest.raises(AwsUnavailable, match="no region is set"):
        session.call("ec2", "DescribeVpcs")


def test_lists_without_a_paginator_are_read_completely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from botocore.stub import Stubber

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111122223333")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    session = AwsSession("us-east-1")
    client = session.client("fsx")
    assert not client.can_paginate("describe_data_repository_tasks")
    with Stubber(client) as stub:
        name = "describe_data_repository_tasks"
        stub.add_response(name, {"DataRepositoryTasks": [], "NextToken": "a"}, {})
        stub.add_response(name, {"DataRepositoryTasks": []}, {"NextToken": "a"})
        assert len(list(session.pages("fsx", "DescribeDataRepositoryTasks"))) == 2
        stub.assert_no_pending_responses()
        # A repeated token: the list is incomplete, so there is no answer.
        stub.add_response(name, {"DataRepositoryTasks": [], "NextToken": "a"}, {})
        stub.add_response(name, {"DataRepositoryTasks": [], "NextToken": "a"}, {"NextToken": "a"})
        with pytest.raises(AwsUnavailable):
            list(session.pages("fsx", "DescribeDataRepositoryTasks"))


def test_all_commands_use_the_shared_session() -> None:
    """All commands share its retries, timeouts and connection pool."""
    root = Path(__file__).parents[2] / "clusterwright"
    makers = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if re.search(
            r"^\s*(import boto3|from boto3|from botocore\.session)", path.read_text(), re.M
        )
    }
    assert makers == {"aws/session.py"}
