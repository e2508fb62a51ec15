"""Databases of the nodes: their logins, and one machine each."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import Mock

import pytest
from botocore.exceptions import ClientError

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.databases import (
    Database,
    Databases,
    _login,
    _quoted,
    database_of,
)
from clusterwright_rehearsal.nodes.machines import CommandResult

ADDRESS = "DB.rds.amazonaws.com"


class Account:
    """An account with one database and some secrets."""

    def __init__(self, secrets: dict[str, str], *databases: dict[str, Any]) -> None:
        self._secrets = secrets
        self.clients = {"secretsmanager": self._secretsmanager(), "rds": Mock()}
        self.clients["rds"].describe_db_instances.return_value = {"DBInstances": list(databases)}

    def client(self, service: str) -> Any:
        return self.clients[service]

    def client_of_role(self, service: str, role: str) -> Any:
        assert role == "arn:role"
        return self.clients[service]

    def _secretsmanager(self) -> Any:
        found = Mock()
        rows = [{"Name": name, "ARN": name} for name in self._secrets]
        found.get_paginator.return_value.paginate.return_value = [{"SecretList": rows}]
        found.get_secret_value.side_effect = lambda SecretId: {  # noqa: N803
            "SecretString": self._secrets[SecretId]
        }
        return found


def secret(user: str, **more: str) -> str:
    return json.dumps({"username": user, "password": "p", **more})


@pytest.mark.parametrize(
    ("secrets", "expected"),
    [
        ({"a": secret("x"), "b": secret("slurm", host=ADDRESS)}, ("slurm", "p")),
        ({"a": secret("admin"), "b": "text"}, ("admin", "p")),
        ({"cluster-accounting": "plain"}, ("admin", "plain")),
    ],
)
def test_the_login_of_a_database(secrets: dict[str, str], expected: tuple[str, str]) -> None:
    found = _login(Account(secrets), ADDRESS, "admin")  # type: ignore[arg-type]
    assert (found["username"], found["password"]) == expected


@pytest.mark.parametrize("secrets", [{}, {"a": "[]", "b": secret("other"), "c": "plain"}])
def test_a_database_without_a_login(secrets: dict[str, str]) -> None:
    with pytest.raises(RehearsalError, match="no secret contains the login of the database at"):
        _login(Account(secrets), ADDRESS, "admin")  # type: ignore[arg-type]


class TestAccountingDatabase:
    CONFIG = {"Endpoint": "db", "SecretArn": "s"}  # noqa: RUF012

    def database(self, text: str, **config: Any) -> Database:
        account = Account({"s": text})
        return database_of(account, {**self.CONFIG, **config}, "arn:role")  # type: ignore[arg-type]

    def test_defaults(self) -> None:
        assert self.database(secret("u")) == Database("db", 3306, "slurm_acct_db", "u", "p")
        found = self.database(secret("u"), Port=3307, Name="acct")
        assert (found.port, found.name) == (3307, "acct")

    @pytest.mark.parametrize("text", ["plain", "{}", "[]"])
    def test_a_secret_without_a_login(self, text: str) -> None:
        with pytest.raises(RehearsalError, match="secret contains no login"):
            self.database(text)

    def test_a_role_without_permission(self) -> None:
        account = Account({})
        refused = ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "Get")
        account.clients["secretsmanager"].get_secret_value.side_effect = refused
        with pytest.raises(RehearsalError, match=r"the accounting database's secret: .*no"):
            database_of(account, self.CONFIG, "arn:role")  # type: ignore[arg-type]


class TestMachines:
    ENTRY = {  # noqa: RUF012
        "DBInstanceIdentifier": "db",
        "Endpoint": {"Address": ADDRESS, "Port": 3306},
        "MasterUsername": "admin",
    }

    def start(self, *entries: dict[str, Any], ok: bool = True) -> tuple[Databases, Mock, Mock]:
        machine, set_address = Mock(address="169.254.171.1"), Mock()
        machine.name = "rds-db"
        machine.run.return_value = CommandResult(0 if ok else 1, "", "boom", 0.1)
        databases = Databases(Mock(return_value=machine), set_address)
        account = Account({"a": secret("it's")}, *entries)
        account._secrets["a"] = secret("admin", password="it's")
        for _ in range(2):
            databases.start_new(account)  # type: ignore[arg-type]
        return databases, machine, set_address

    def test_a_database_gets_one_machine_and_its_name(self) -> None:
        databases, machine, set_address = self.start(self.ENTRY)
        assert databases.wait(ADDRESS) is machine
        machine.boot.assert_called_once_with()
        set_address.assert_called_once_with(ADDRESS.lower(), "169.254.171.1")
        assert "identified by 'it\\'s'" in machine.run.call_args.kwargs["stdin"]
        databases.stop()
        databases.start()
        words = [call.args[0] for call in machine.run.call_args_list[1:]]
        assert words == ["systemctl stop mariadb", "systemctl start mariadb"]
        databases.close()
        machine.remove.assert_called_once_with()

    def test_a_database_that_does_not_start(self) -> None:
        databases, _, set_address = self.start(self.ENTRY, ok=False)
        with pytest.raises(RehearsalError, match="rds-db did not start: boom"):
            databases.wait(ADDRESS)
        set_address.assert_not_called()
        databases.close()

    def test_one_without_an_address_is_not_started(self) -> None:
        databases, machine, _ = self.start({"DBInstanceIdentifier": "db"})
        with pytest.raises(RehearsalError, match="the local AWS has no database at") as caught:
            databases.wait(ADDRESS)
        assert caught.value.hint == "a database outside the spec cannot be rehearsed"
        machine.boot.assert_not_called()
        databases.close()


def test_literals_of_sql() -> None:
    assert _quoted("a'b\\c") == "'a\\'b\\\\c'"
