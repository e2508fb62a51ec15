"""RDS databases for the nodes: one machine with MariaDB per database instance.

Name, user and password come from the local AWS: the instance's endpoint and its secret. RDS
parameters are not applied, TLS among them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.machines import Machine

_SERVER = "[mysqld]\nbind-address=0.0.0.0\nport={port}\nskip-name-resolve\n"
BARE = {"kind": "none", "count": 0, "model": "", "memory_mib": 0, "driver": ""}
"""The accelerator of a machine that has none."""
_START_SECONDS = 60.0


@dataclass(frozen=True)
class Database:
    """Address and login of the database that slurmdbd uses."""

    host: str
    port: int
    name: str
    user: str
    password: str


NewMachine = Callable[[str], Machine]
"""Create a machine with a name, at an address of the service range."""


class Databases:
    """The databases of a run, each started when it first appears in the API."""

    def __init__(self, new_machine: NewMachine, set_address: Callable[[str, str], None]) -> None:
        self._new_machine = new_machine
        self._set_address = set_address
        self._lock = threading.Lock()
        self._found: dict[str, Future[Machine]] = {}
        self._pool = ThreadPoolExecutor(4, thread_name_prefix="database")

    def start_new(self, account: AwsClients) -> None:
        """Start a machine for every database instance without one; return immediately."""
        for entry in account.client("rds").describe_db_instances()["DBInstances"]:
            endpoint = entry.get("Endpoint") or {}
            if not endpoint.get("Address"):
                continue
            with self._lock:
                if endpoint["Address"] not in self._found:
                    self._found[endpoint["Address"]] = self._pool.submit(
                        self._start, account, entry
                    )

    def wait(self, endpoint: str) -> Machine:
        """The machine of an endpoint, once MariaDB answers.

        Raises
        ------
        RehearsalError
            The local AWS has no such database, or the machine did not start.
        """
        with self._lock:
            found = self._found.get(endpoint)
        if found is None:
            raise RehearsalError(
                f"the local AWS has no database at {endpoint}",
                "a database outside the spec cannot be rehearsed",
            )
        return found.result(_START_SECONDS)

    def stop(self) -> None:
        """Stop every database."""
        for machine in self._machines():
            machine.run("systemctl stop mariadb")

    def start(self) -> None:
        """Start every database again."""
        for machine in self._machines():
            machine.run("systemctl start mariadb")

    def close(self) -> None:
        for machine in self._machines():
            machine.remove()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _machines(self) -> list[Machine]:
        with self._lock:
            futures = list(self._found.values())
        return [f.result() for f in futures if f.done() and f.exception() is None]

    def _start(self, account: AwsClients, entry: Mapping[str, Any]) -> Machine:
        endpoint = entry["Endpoint"]
        login = _login(account, endpoint["Address"], entry.get("MasterUsername"))
        machine = self._new_machine(f"rds-{entry['DBInstanceIdentifier']}")
        machine.write_files(
            {
                "/etc/hosts": f"127.0.0.1 localhost\n{machine.address} {machine.name}\n",
                "/etc/emulation/hardware.json": json.dumps(
                    {
                        "instance_id": machine.name,
                        "instance_type": entry.get("DBInstanceClass", ""),
                        "cpus": 1,
                        "accelerator": BARE,
                        "efa": 0,
                        "nvme": {"count": 0},
                    }
                ),
                "/etc/mysql/mariadb.conf.d/90-rds.cnf": _SERVER.format(port=endpoint["Port"]),
            }
        )
        machine.boot()
        name = entry.get("DBName") or "mysql"
        user, password = _quoted(login["username"]), _quoted(login["password"])
        ran = machine.run(
            ["/usr/bin/bash", "-c", "systemctl start mariadb && mariadb"],
            stdin=(
                f"create database if not exists `{name}`;\n"
                f"create user if not exists {user}@'%' identified by {password};\n"
                # RDS's master user creates others.
                f"grant all on *.* to {user}@'%' with grant option;\n"
            ),
        )
        if not ran.ok:
            raise RehearsalError(f"{machine.name} did not start: {ran.output_tail}")
        self._set_address(endpoint["Address"].lower(), machine.address)
        return machine


def database_of(account: AwsClients, config: Mapping[str, Any], role_arn: str) -> Database:
    """The `AccountingDatabase` with its login, read with the instance's role as HyperPod does.

    Raises
    ------
    RehearsalError
        The secret cannot be read with that role, or contains no login.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        secrets = account.client_of_role("secretsmanager", role_arn)
        text = secrets.get_secret_value(SecretId=config["SecretArn"])["SecretString"]
        login = json.loads(text)
        return Database(
            config["Endpoint"],
            int(config.get("Port") or 3306),
            config.get("Name") or "slurm_acct_db",
            login["username"],
            login["password"],
        )
    except (ClientError, BotoCoreError) as error:
        raise RehearsalError(f"the accounting database's secret: {error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise RehearsalError("the accounting database's secret contains no login") from error


def _quoted(text: str) -> str:
    """An SQL string literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _login(account: AwsClients, address: str, user: str | None) -> dict[str, str]:
    """The login of a database instance: from the secret with its address, else with its user.

    ParallelCluster requires a secret that contains only the password: a secret with `accounting`
    in its name is used as the password of `user`.
    """
    client = account.client("secretsmanager")
    fallback: dict[str, str] | None = None
    for page in client.get_paginator("list_secrets").paginate():
        for entry in page["SecretList"]:
            text = client.get_secret_value(SecretId=entry["ARN"]).get("SecretString") or ""
            try:
                found = json.loads(text)
            except ValueError:
                if user is not None and "accounting" in entry["Name"]:
                    fallback = {"username": user, "password": text}
                continue
            if not isinstance(found, dict) or not {"username", "password"} <= found.keys():
                continue
            if found.get("host") == address:
                return found
            if user is not None and found["username"] == user:
                fallback = found
    if fallback is None:
        raise RehearsalError(f"no secret contains the login of the database at {address}")
    return fallback
