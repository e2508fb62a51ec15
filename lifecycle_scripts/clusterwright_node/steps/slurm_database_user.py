"""Create slurmdbd's own user in the database on RDS (scripted configuration).

The master user may do everything on the server: create users, drop databases, read every record.
slurmdbd gets a user with privileges on its database only. The controller reads the master's secret
once, to create that user; a controller that finds the user, such as a replaced one, never reads
it.
"""

from __future__ import annotations

import hashlib
import json

from clusterwright_node import secrets
from clusterwright_node.contract import Accounting
from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.steps import slurm_database, slurmdbd

AFTER = ("clock", "network")
DEADLINE_SECONDS = 300
RETRIES = 5

RECORD = "/var/lib/clusterwright/database-user.json"
OPTIONS = "/run/clusterwright/database-client.cnf"
STATEMENTS = "/run/clusterwright/database-user.sql"
_HINT = "see that the database's security group lets the controller in"


def applies(node: Node) -> Verdict:
    if node.is_managed:
        return skip(node.does("starts slurmdbd before this program runs"))
    if not node.is_controller:
        return skip("the controller does it")
    accounting = node.inputs.deployment.accounting
    if accounting is None or accounting.admin_secret_arn is None:
        return skip("the deployment has no database whose users are created here")
    return APPLIES


def check(node: Node) -> Verdict:
    if node.machine.exists(OPTIONS) or node.machine.exists(STATEMENTS):
        return missing("an interrupted run left files with passwords")
    if node.machine.read_text(RECORD) != _record(_accounting(node)):
        return missing("slurmdbd's user may not exist in the database")
    return SATISFIED


def apply(node: Node) -> None:
    accounting = _accounting(node)
    client = slurm_database.client(node)
    user = secrets.database_login(node, accounting.secret_arn)
    try:
        if not _can_sign_in(node, client, accounting, user):
            assert accounting.admin_secret_arn is not None, "applies looks"
            admin = secrets.database_login(node, accounting.admin_secret_arn)
            _create(node, client, accounting, admin, user)
            if not _can_sign_in(node, client, accounting, user):
                raise StepError(f"{user[0]} cannot sign in after it was created", _HINT)
    finally:
        _remove_files(node)
    node.machine.write_text(RECORD, _record(accounting), mode=0o600)


def _accounting(node: Node) -> Accounting:
    accounting = node.inputs.deployment.accounting
    assert accounting is not None, "applies looks"
    return accounting


def _record(accounting: Accounting) -> str:
    """The database and the user that were seen together; no secret."""
    made_of = [accounting.endpoint, accounting.port, accounting.database, accounting.secret_arn]
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest() + "\n"


def _can_sign_in(node: Node, client: str, accounting: Accounting, login: tuple[str, str]) -> bool:
    node.machine.write_text(OPTIONS, _options(node, accounting, login), mode=0o600)
    result = node.machine.query(
        client, f"--defaults-extra-file={node.machine.path(OPTIONS)}", "--batch",
        "--execute", "SELECT 1", accounting.database, timeout_seconds=60.0,
    )  # fmt: skip
    # ER_ACCESS_DENIED_ERROR and ER_DBACCESS_DENIED_ERROR: the server answers, and knows no such
    # user, password or privilege.
    if not result.ok and not any(code in result.stderr for code in ("1045", "1044")):
        raise CommandError(f"the accounting database does not answer: {result.said}", _HINT)
    return result.ok


def _create(
    node: Node,
    client: str,
    accounting: Accounting,
    admin: tuple[str, str],
    user: tuple[str, str],
) -> None:
    """Passwords are in files of root's on a memory disk, never on a command line."""
    node.machine.write_text(OPTIONS, _options(node, accounting, admin), mode=0o600)
    node.machine.write_text(STATEMENTS, _statements(accounting, user), mode=0o600)
    node.machine.change(
        client, f"--defaults-extra-file={node.machine.path(OPTIONS)}", "--batch",
        "--execute", f"source {node.machine.path(STATEMENTS)}", timeout_seconds=60.0,
    )  # fmt: skip


def _remove_files(node: Node) -> None:
    for path in (OPTIONS, STATEMENTS):
        if node.machine.exists(path):
            node.machine.remove(path)


def _options(node: Node, accounting: Accounting, login: tuple[str, str]) -> str:
    """Options of MariaDB's and MySQL's clients, which ignore unknown ones with `loose-`.

    The connection is encrypted, which the database requires. The certificate is verified where
    the image has RDS's authorities, as slurmdbd does.
    """
    authorities = [path for path in slurmdbd.AUTHORITIES if node.machine.exists(path)]
    lines = [
        "[client]",
        f"host={accounting.endpoint}",
        f"port={accounting.port}",
        f"user={login[0]}",
        f'password="{login[1]}"',
        "connect-timeout=10",
        "loose-ssl=1",
    ]
    if authorities:
        lines += [
            f"ssl-ca={authorities[0]}",
            "loose-ssl-verify-server-cert=1",
            "loose-ssl-mode=VERIFY_IDENTITY",
        ]
    else:
        lines += ["loose-ssl-verify-server-cert=0", "loose-ssl-mode=REQUIRED"]
    return "".join(f"{line}\n" for line in lines)


def _statements(accounting: Accounting, user: tuple[str, str]) -> str:
    name, password = (text.replace("'", "''") for text in user)
    # An underscore in the name of a GRANT is a wildcard.
    database = accounting.database.replace("_", "\\_")
    return (
        f"CREATE USER IF NOT EXISTS '{name}'@'%' IDENTIFIED BY '{password}' REQUIRE SSL;\n"
        f"ALTER USER '{name}'@'%' IDENTIFIED BY '{password}' REQUIRE SSL;\n"
        f"GRANT ALL PRIVILEGES ON `{database}`.* TO '{name}'@'%';\n"
    )
