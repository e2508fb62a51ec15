"""Secrets, and the files that hold them."""

from __future__ import annotations

import pytest
from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.secrets import SecretFile, account_ids, fetch

from tests.nodes.stub_node import stub_node

ARN = "arn:aws:secretsmanager:eu-west-2:111122223333:secret:munge-abcdef"
GETENT = {"getent passwd munge": "munge:x:990:991:MUNGE:/:/sbin/nologin\n"}
PATH = "/etc/munge/munge.key"
RECORDS = "/var/lib/clusterwright/secrets"


def test_a_secret_is_read_in_its_region() -> None:
    node = stub_node({"aws secretsmanager get-secret-value": "value\n"})
    assert fetch(node, ARN) == "value"
    assert "--region eu-west-2" in node.machine.ran[0]


def test_a_secret_that_cannot_be_read() -> None:
    with pytest.raises(CommandError) as caught:
        fetch(stub_node({"aws": (254, "AccessDenied:\n not allowed")}), ARN)
    assert caught.value.cause == f"the secret {ARN} cannot be read: AccessDenied: not allowed"
    assert caught.value.transient


def test_a_file_that_was_written_lacks_nothing() -> None:
    node = stub_node(GETENT)
    file = SecretFile(node, PATH, "munge", 0o400, [ARN])
    assert file.lacks() == f"{RECORDS} is not root's alone"
    file.write("value")
    assert file.lacks() is None
    assert "value" not in node.machine.files[file.record]
    assert node.machine.modes == {PATH: 0o400, file.record: 0o600, RECORDS: 0o700}


@pytest.mark.parametrize("mode", [0o755, 0o711])
def test_records_that_a_killed_run_left_open_are_closed(mode: int) -> None:
    """Users would see which secrets the node has."""
    node = stub_node(GETENT)
    file = SecretFile(node, PATH, "munge", 0o400, [ARN])
    file.write("value")
    node.machine.modes[RECORDS] = mode
    assert file.lacks() == f"{RECORDS} is not root's alone"
    file.write("value")
    assert node.machine.modes[RECORDS] == 0o700


def test_every_deviation_is_noticed() -> None:
    node = stub_node(GETENT)
    file = SecretFile(node, PATH, "munge", 0o400, [ARN])
    file.write("value")
    assert SecretFile(node, PATH, "munge", 0o400, ["other"]).lacks() is not None
    node.machine.modes[PATH] = 0o644
    assert file.lacks() == f"{PATH} does not have mode 400"
    node.machine.modes[PATH] = 0o400
    node.machine.owners[PATH] = (0, 0)
    assert file.lacks() == f"{PATH} does not belong to munge"
    node.machine.files[PATH] = "changed"
    assert file.lacks() == f"{PATH} does not match its secret"
    node.machine.files[file.record] = "not JSON"
    assert file.lacks() == f"{PATH} does not match its secret"


def test_users_of_the_image() -> None:
    assert account_ids(stub_node(GETENT), "munge") == (990, 991)
    with pytest.raises(StepError, match="the image has no user munge"):
        account_ids(stub_node({"getent": (2, "")}), "munge")
