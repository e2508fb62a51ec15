"""Configure MariaDB on the controller for Slurm's accounting (scripted configuration, kind local).

slurmdbd signs in through the server's socket as its system user: there is no password and no
network access.
"""

from __future__ import annotations

from clusterwright_node import systemd
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "scratch")
DEADLINE_SECONDS = 300
RETRIES = 3

DATABASE = "slurm_acct_db"
USER = "slurm"
_UNIT = "mariadb.service"
_FILE = "90-clusterwright.cnf"
# Debian's and Ubuntu's folder, then Amazon Linux's.
_FOLDERS = ("/etc/mysql/mariadb.conf.d", "/etc/my.cnf.d")
# From Slurm's accounting guide; slurmdbd warns about smaller values. A rollup of a large cluster
# locks rows for minutes and sends large rows.
_TEXT = """# Written by clusterwright_node: settings that Slurm's accounting requires.
[mariadbd]
skip-networking
innodb_buffer_pool_size = 1G
innodb_log_file_size = 256M
innodb_lock_wait_timeout = 900
max_allowed_packet = 16M
"""
_RESTARTING = "slurm_database: restart MariaDB"
_STATEMENTS = (
    f"CREATE DATABASE IF NOT EXISTS {DATABASE}; "
    f"CREATE USER IF NOT EXISTS '{USER}'@'localhost' IDENTIFIED VIA unix_socket; "
    f"ALTER USER '{USER}'@'localhost' IDENTIFIED VIA unix_socket; "
    f"GRANT ALL ON {DATABASE}.* TO '{USER}'@'localhost'"
)

_RIGHTS = (
    "SELECT CONCAT(Db, ' ', plugin) FROM mysql.db JOIN mysql.user USING (User, Host)"
    " JOIN information_schema.SCHEMATA ON SCHEMA_NAME = Db"
    " WHERE User = 'slurm' AND Host = 'localhost'"
)


def applies(node: Node) -> Verdict:
    if node.is_managed:
        return skip(node.does("sets accounting up"))
    if not node.is_controller:
        return skip("the controller does it")
    if node.inputs.cluster.slurm.accounting != "local":
        return skip("the spec has no local accounting database")
    return APPLIES


def check(node: Node) -> Verdict:
    reason = _lacks(node)
    return SATISFIED if reason is None else missing(reason)


def apply(node: Node) -> None:
    if not systemd.exists(node, _UNIT):
        raise StepError(
            f"the image has no {_UNIT}",
            "use an image with MariaDB, or slurm.accounting of the kind rds or none",
        )
    path = _path(node)
    if node.machine.read_text(path) != _TEXT or node.journal.begun(_RESTARTING) is not None:
        node.journal.begin(_RESTARTING, path)
        node.machine.write_text(path, _TEXT)
        if systemd.is_active(node, _UNIT):
            systemd.restart(node, _UNIT)
        node.journal.end(_RESTARTING)
    systemd.ensure(node, _UNIT)
    node.wait_until(lambda: _not_answering(node), f"see `systemctl status {_UNIT}`")
    if not _has_rights(node):
        node.machine.change(client(node), "--execute", _STATEMENTS)


def _lacks(node: Node) -> str | None:
    if node.machine.read_text(_path(node)) != _TEXT:
        return f"{_path(node)} is outdated"
    if node.journal.begun(_RESTARTING) is not None:
        return "MariaDB may not have reloaded its settings"
    if not systemd.is_enabled_and_active(node, _UNIT):
        return f"{_UNIT} is not active and enabled"
    reason = _not_answering(node)
    if reason is None and not _has_rights(node):
        reason = f"the database {DATABASE} or its user does not exist"
    return reason


def _not_answering(node: Node) -> str | None:
    result = node.machine.query(client(node), "--execute", "SELECT 1")
    return None if result.ok else f"MariaDB does not respond: {result.said}"


def _has_rights(node: Node) -> bool:
    """The privileges on the database, which are granted last and so show success."""
    result = node.machine.query(
        client(node), "--batch", "--skip-column-names", "--execute", _RIGHTS
    )
    return result.ok and f"{DATABASE} unix_socket" in result.stdout.splitlines()


def client(node: Node) -> str:
    """MariaDB's client, whose name is `mysql` on older images."""
    found = [name for name in ("mariadb", "mysql") if node.machine.has_command(name)]
    if not found:
        raise StepError(
            "the image has neither mariadb nor mysql, the client of its database",
            "use a HyperPod image, or slurm.accounting of the kind rds or none",
        )
    return found[0]


def _path(node: Node) -> str:
    folder = next((f for f in _FOLDERS if node.machine.exists(f)), _FOLDERS[0])
    return f"{folder}/{_FILE}"
