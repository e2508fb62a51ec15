"""IMDSv2 as an SDK meets it."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from clusterwright_rehearsal.nodes.metadata import Instance, Metadata

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

_ME = Instance(
    instance_id="i-0123456789abcdef0",
    instance_type="p5.48xlarge",
    address="127.0.0.1",
    host_name="ip-127-0-0-1.ec2.internal",
    zone_name="us-east-1a",
    zone_id="use1-az6",
    region="us-east-1",
    account="111122223333",
    image_id="ami-0",
    role_arn="arn:aws:iam::111122223333:role/nodes/dev-node",
)


@pytest.fixture
def service() -> Iterator[Metadata]:
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    bound.listen()
    asked: list[Instance] = []

    def credentials(instance: Instance) -> Mapping[str, Any]:
        asked.append(instance)
        return {
            "AccessKeyId": f"ASIA{len(asked)}",
            "SecretAccessKey": "s",
            "SessionToken": "t",
            "Expiration": datetime.now(UTC) + timedelta(hours=1),
        }

    found = Metadata(bound, credentials)
    found.add(_ME)
    yield found
    found.close()


def _ask(
    service: Metadata, path: str, headers: Mapping[str, str] = {}, method: str = "GET"
) -> tuple[int, str]:
    port = service._server.server_address[1]
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", headers=dict(headers), method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def _token(service: Metadata, seconds: str = "60") -> tuple[int, str]:
    header = {"X-aws-ec2-metadata-token-ttl-seconds": seconds}
    return _ask(service, "/latest/api/token", header, "PUT")


def _get(service: Metadata, path: str) -> tuple[int, str]:
    _, token = _token(service)
    return _ask(service, f"/latest/{path}", {"X-aws-ec2-metadata-token": token})


def test_request_without_a_token_is_refused(service: Metadata) -> None:
    assert _ask(service, "/latest/meta-data/instance-id") == (401, "")
    wrong = {"X-aws-ec2-metadata-token": "guessed"}
    assert _ask(service, "/latest/meta-data/instance-id", wrong) == (401, "")


@pytest.mark.parametrize("seconds", ["", "0", "-1", "21601", "x"])
def test_token_lifetime_is_limited(service: Metadata, seconds: str) -> None:
    assert _token(service, seconds)[0] == 400


def test_instance_is_identified_by_its_address(service: Metadata) -> None:
    assert _get(service, "meta-data/instance-id") == (200, "i-0123456789abcdef0")
    document = json.loads(_get(service, "dynamic/instance-identity/document")[1])
    assert (document["accountId"], document["region"]) == ("111122223333", "us-east-1")
    service.remove("127.0.0.1")
    assert _get(service, "meta-data/instance-id")[0] == 404


def test_folders_are_listed(service: Metadata) -> None:
    assert "placement/" in _get(service, "meta-data/")[1].splitlines()
    assert "region" in _get(service, "meta-data/placement")[1].splitlines()
    assert _get(service, "meta-data/nothing")[0] == 404


def test_role_credentials_are_cached(service: Metadata) -> None:
    assert _get(service, "meta-data/iam/security-credentials/") == (200, "dev-node")
    found = json.loads(_get(service, "meta-data/iam/security-credentials/dev-node")[1])
    assert (found["Code"], found["AccessKeyId"]) == ("Success", "ASIA1")
    again = json.loads(_get(service, "meta-data/iam/security-credentials/dev-node")[1])
    assert again["AccessKeyId"] == "ASIA1"


def test_spot_notice_appears_when_it_is_sent(service: Metadata) -> None:
    assert _get(service, "meta-data/spot/instance-action")[0] == 404
    service.set_spot_notice("127.0.0.1", "terminate", datetime(2026, 11, 21, tzinfo=UTC))
    assert json.loads(_get(service, "meta-data/spot/instance-action")[1]) == {
        "action": "terminate",
        "time": "2026-11-21T00:00:00Z",
    }
