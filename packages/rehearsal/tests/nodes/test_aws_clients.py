"""Clients of the local AWS: with all permissions, or with a role."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal.nodes.aws_clients import AwsClients

ROLE = "arn:aws:iam::111122223333:role/nodes"


@pytest.fixture
def made() -> list[tuple[Any, ...]]:
    return []


@pytest.fixture
def clients(made: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> AwsClients:
    """Clients that are recorded, whose STS gives out `expires` from now."""
    found = AwsClients("http://localhost:1", "111122223333", "us-east-1")
    sts = Mock()
    sts.assume_role.side_effect = lambda **_: {
        "Credentials": {
            "AccessKeyId": "ASIA",
            "SecretAccessKey": "s",
            "SessionToken": "t",
            "Expiration": datetime.now(UTC) + found.lifetime,  # type: ignore[attr-defined]
        }
    }

    def make(*words: Any) -> Any:
        made.append(words)
        return sts if words[0] == "sts" else Mock()

    found.lifetime = timedelta(hours=1)  # type: ignore[attr-defined]
    monkeypatch.setattr(found, "_make", make)
    return found


def test_a_client_is_made_once(clients: AwsClients, made: list[tuple[Any, ...]]) -> None:
    assert clients.client("ec2") is clients.client("ec2")
    assert clients.client("s3") is not clients.client("ec2")
    assert made == [
        ("ec2", "111122223333", "hyperpod", None),
        ("s3", "111122223333", "hyperpod", None),
    ]


def test_a_role_has_its_own_client(clients: AwsClients, made: list[tuple[Any, ...]]) -> None:
    first = clients.client_of_role("s3", ROLE)
    assert clients.client_of_role("s3", ROLE) is first
    assert clients.client_of_role("s3", f"{ROLE}-other") is not first
    assert [words for words in made if words[0] == "s3"] == [("s3", "ASIA", "s", "t")] * 2


def test_credentials_are_renewed_ten_minutes_before_their_end(clients: AwsClients) -> None:
    clients.lifetime = timedelta(minutes=9)  # type: ignore[attr-defined]
    assert clients.client_of_role("s3", ROLE) is not clients.client_of_role("s3", ROLE)
    assert clients.client("sts").assume_role.call_count == 2


def test_sessions_are_named(clients: AwsClients) -> None:
    assert clients.credentials(ROLE, "i-1")["AccessKeyId"] == "ASIA"
    clients.client("sts").assume_role.assert_called_once_with(RoleArn=ROLE, RoleSessionName="i-1")


def test_a_client_talks_to_the_endpoint_only() -> None:
    client = AwsClients("http://localhost:1", "111122223333", "eu-west-1").client("s3")
    assert client.meta.endpoint_url == "http://localhost:1"
    assert client.meta.region_name == "eu-west-1"
    assert client.meta.config.s3["addressing_style"] == "path"
