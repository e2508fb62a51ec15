"""The service that gives users of a node the role for jobs."""

from __future__ import annotations

import argparse
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.credentials import ContainerProvider, create_credential_resolver
from botocore.session import Session
from clusterwright_credentials import service
from clusterwright_credentials.service import Credentials, assume, server
from clusterwright_node.steps import job_credentials

ROLE = "arn:aws:iam::111122223333:role/prod-us-east-1-jobs"


class Sts:
    """Counts requests; `now` is the time that the service sees."""

    def __init__(self) -> None:
        self.now = time.time()
        self.asked = 0
        self.error = ""

    def assume(self) -> dict[str, str]:
        self.asked += 1
        if self.error:
            raise OSError(self.error)
        ends = datetime.fromtimestamp(self.now + 3600, UTC)
        return {
            "AccessKeyId": f"ASIA{self.asked}",
            "SecretAccessKey": "secret",
            "SessionToken": "token",
            "Expiration": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }

    def credentials(self) -> Credentials:
        return Credentials(self.assume, lambda: self.now)


@pytest.fixture
def sts() -> Sts:
    return Sts()


@pytest.fixture
def address(sts: Sts) -> Iterator[str]:
    running = server(sts.credentials(), ROLE, port=0)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_address[1]}/job-role"
    running.shutdown()
    running.server_close()


def get(url: str, **headers: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        return json.load(answer)


def test_the_same_credentials_until_shortly_before_they_expire(sts: Sts) -> None:
    held = sts.credentials()
    first = held.current()
    sts.now += 3600 - service.RENEW_BEFORE_SECONDS - 1
    assert held.current() == first
    sts.now += 2
    assert held.current()["AccessKeyId"] == "ASIA2"


def test_while_sts_does_not_answer_the_old_ones_are_given(sts: Sts) -> None:
    held = sts.credentials()
    held.current()
    sts.error = "STS does not answer"
    sts.now += 3000
    assert held.current()["AccessKeyId"] == "ASIA1"
    sts.now += 700
    with pytest.raises(OSError, match="STS does not answer"):
        held.current()


def test_many_jobs_that_ask_do_not_make_many_requests_of_a_failing_sts(sts: Sts) -> None:
    held = sts.credentials()
    sts.error = "AccessDenied"
    for _ in range(100):
        with pytest.raises(OSError, match="AccessDenied"):
            held.current()
    assert sts.asked == 1
    sts.now += service.RETRY_SECONDS
    sts.error = ""
    assert held.current()["AccessKeyId"] == "ASIA2"


@pytest.mark.enable_socket
def test_botocore_takes_them_as_those_of_a_container(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", address)
    found = ContainerProvider().load()
    assert (found.access_key, found.secret_key, found.token) == ("ASIA1", "secret", "token")
    # A user's own credentials come first.
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAOWN")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "own")
    own = create_credential_resolver(Session()).load_credentials()
    assert own is not None
    assert own.access_key == "AKIAOWN"


@pytest.mark.enable_socket
def test_a_refusal_is_an_error_that_sdks_repeat(address: str, sts: Sts) -> None:
    sts.error = "AccessDenied: not authorized to perform sts:AssumeRole"
    with pytest.raises(urllib.error.HTTPError) as raised:
        get(address)
    assert raised.value.code == 500
    assert json.load(raised.value)["message"] == sts.error


@pytest.mark.enable_socket
def test_other_paths_and_other_host_names_are_refused(address: str) -> None:
    for url, headers in (
        (address.replace("job-role", ""), {}),
        (address.replace("job-role", "job-role/../x"), {}),
        (address, {"Host": "evil.example.com"}),
    ):
        with pytest.raises(urllib.error.HTTPError) as raised:
            get(url, **headers)
        assert raised.value.code == 404
    assert get(address, Host="localhost:579")["RoleArn"] == ROLE


@pytest.mark.enable_socket
def test_it_listens_on_the_loopback_interface_only(sts: Sts) -> None:
    running = server(sts.credentials(), ROLE, port=0)
    assert running.server_address[0] == "127.0.0.1"
    running.server_close()


def test_no_user_can_answer_in_its_place() -> None:
    assert service.PORT < 1024, "Linux: ip_unprivileged_port_start"
    expected = f"http://{service.HOST}:{service.PORT}{service.PATH}"
    assert expected == job_credentials.ADDRESS


def test_the_aws_cli_assumes_the_role(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {
        "Credentials": {
            "AccessKeyId": "ASIA",
            "SecretAccessKey": "s",
            "SessionToken": "t",
            "Expiration": "2026-11-23T02:00:00Z",
        }
    }
    played = {}

    def run(command: list[str], **settings: Any) -> Any:
        played["command"], played["settings"] = command, settings
        return argparse.Namespace(returncode=0, stdout=json.dumps(answer), stderr="")

    monkeypatch.setattr("clusterwright_credentials.service.subprocess.run", run)
    options = argparse.Namespace(role_arn=ROLE, session_name="i-1", region="us-east-1")
    assert assume(options) == answer["Credentials"]
    command = played["command"]
    assert command[:3] == ["aws", "sts", "assume-role"]
    assert command[command.index("--duration-seconds") + 1] == "3600"
    assert command[command.index("--role-session-name") + 1] == "i-1"
