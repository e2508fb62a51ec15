"""When prices are read by default: credentials, AWS's own endpoint, and a quick connection."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from clusterwright.aws import reachability
from clusterwright.aws.reachability import price_list_in_reach

KEYS = {"AWS_ACCESS_KEY_ID": "AKIA"}


@pytest.mark.parametrize(
    ("region", "host"),
    [
        ("us-west-2", "api.pricing.us-east-1.amazonaws.com"),
        ("eu-north-1", "api.pricing.eu-central-1.amazonaws.com"),
        ("cn-north-1", "api.pricing.cn-northwest-1.amazonaws.com.cn"),
    ],
)
def test_the_endpoint_of_the_price_list_is_tried(region: str, host: str) -> None:
    asked: list[str] = []

    def connects(name: str) -> bool:
        asked.append(name)
        return True

    assert price_list_in_reach(KEYS, region, connects)
    assert asked == [host]
    assert not price_list_in_reach(KEYS, region, lambda _: False)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"HOME": "/nowhere"},
        {**KEYS, "AWS_ENDPOINT_URL": "http://localhost:4566"},
        {**KEYS, "AWS_ENDPOINT_URL_PRICING": "http://localhost:4566"},
        {**KEYS, "HTTPS_PROXY": "http://proxy:3128"},
        {"AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_CONFIG_FILE": os.devnull, "HOME": "/"},
    ],
)
def test_nothing_is_tried_without_credentials_or_at_another_endpoint(
    environment: dict[str, str],
) -> None:
    def connects(_: str) -> bool:
        raise AssertionError("a connection was tried")

    assert not price_list_in_reach(environment, "us-east-1", connects)


def test_a_file_of_credentials_is_enough(tmp_path: Path) -> None:
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text("[default]\n")
    assert price_list_in_reach({"HOME": str(tmp_path)}, "us-east-1", lambda _: True)


@pytest.mark.enable_socket
def test_a_connection_is_made_or_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setattr(reachability, "_HTTPS_PORT", port)
        assert reachability.connects("127.0.0.1")
    assert not reachability.connects("127.0.0.1")
