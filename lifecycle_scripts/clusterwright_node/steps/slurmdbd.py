"""Start slurmdbd against the local database or RDS, before slurmctld (scripted configuration).

A slurmctld that starts without it generates a cluster id that does not match later. The password
is written from Secrets Manager to a file that only Slurm's user can read. Connections to RDS are
encrypted, which the database requires; the server's certificate is verified if the image has RDS's
certificate authorities at one of the paths of `AUTHORITIES`.
"""

from __future__ import annotations

from clusterwright_node import secrets, slurm_generate, systemd
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.steps import slurm_database

AFTER = ("clock", "munge_key", "network", "slurm_database", "slurm_database_user")
DEADLINE_SECONDS = 600
RETRIES = 5

CONF = "/opt/slurm/etc/slurmdbd.conf"
AUTHORITIES = ("/opt/clusterwright/rds-ca.pem", "/etc/ssl/certs/rds-global-bundle.pem")
_UNIT = "slurmdbd.service"
_LOG = slurm_generate.LOG_FOLDER + "/slurmdbd.log"
_RESTARTING = "slurmdbd: restart"
_HINT = f"see {_LOG}, and check that the database's security group allows the controller"
# With a cipher the client uses TLS without certificate authorities (tested with
# slurmdbd 24.11.5 and MariaDB 11.8.6, require_secure_transport on).
_CIPHER = "ECDHE-RSA-AES256-GCM-SHA384"


def applies(node: Node) -> Verdict:
    if node.is_managed:
        return skip(node.does("sets accounting up"))
    if not node.is_controller:
        return skip("the controller does it")
    if node.inputs.cluster.slurm.accounting == "none":
        return skip("the spec has no accounting")
    return APPLIES


def check(node: Node) -> Verdict:
    reason = _lacks(node)
    return SATISFIED if reason is None else missing(reason)


def apply(node: Node) -> None:
    if not systemd.exists(node, _UNIT):
        raise StepError(
            f"the image has no {_UNIT}", "use a HyperPod image, or slurm.accounting: {kind: none}"
        )
    own_log_folder(node)
    conf = _file(node)
    if conf.lacks() is not None or node.journal.begun(_RESTARTING) is not None:
        text = _text(node)
        node.journal.begin(_RESTARTING, CONF)
        conf.write(text)
        if systemd.is_active(node, _UNIT):
            systemd.restart(node, _UNIT)
        node.journal.end(_RESTARTING)
    systemd.ensure(node, "munge.service")
    systemd.ensure(node, _UNIT)
    node.wait_until(lambda: _not_listening(node), _HINT)


def own_log_folder(node: Node) -> None:
    """Create the folder of the logs: Slurm's daemons do not start without it."""
    own_folder(node, slurm_generate.LOG_FOLDER)


def own_folder(node: Node, path: str) -> None:
    node.machine.make_directory(path)
    ids = slurm_ids(node)
    if node.machine.owner_of(path) != ids:
        node.machine.set_file_owner(path, *ids)


def slurm_ids(node: Node) -> tuple[int, int]:
    """UID and GID of the user that Slurm's daemons run as."""
    return secrets.account_ids(node, slurm_generate.SLURM_USER)


def _lacks(node: Node) -> str | None:
    reason = _file(node).lacks()
    if reason is not None:
        return reason
    if node.journal.begun(_RESTARTING) is not None:
        return "slurmdbd may not have reloaded its file"
    for unit in ("munge.service", _UNIT):
        if not systemd.is_enabled_and_active(node, unit):
            return f"{unit} is not active and enabled"
    return _not_listening(node)


def _not_listening(node: Node) -> str | None:
    port = slurm_generate.DATABASE_PORT
    if node.machine.can_connect(node.identity.address, port):
        return None
    return f"slurmdbd does not listen on port {port}"


def _file(node: Node) -> secrets.SecretFile:
    """slurmdbd.conf; slurmdbd refuses to start with one that others can read."""
    return secrets.SecretFile(node, CONF, slurm_generate.SLURM_USER, 0o600, _made_of(node))


def _made_of(node: Node) -> list[str]:
    return [_settings(node, "", ""), _secret_arn(node)]


def _secret_arn(node: Node) -> str:
    accounting = node.inputs.deployment.accounting
    return accounting.secret_arn if accounting is not None else ""


def _text(node: Node) -> str:
    accounting = node.inputs.deployment.accounting
    if accounting is None:
        return _settings(node, slurm_database.USER, "")
    user, password = secrets.database_login(node, accounting.secret_arn)
    return _settings(node, user, password)


def _settings(node: Node, user: str, password: str) -> str:
    accounting = node.inputs.deployment.accounting
    settings = {
        "AuthType": "auth/munge",
        "DbdHost": node.machine.hostname().split(".")[0],
        "DbdPort": str(slurm_generate.DATABASE_PORT),
        "SlurmUser": slurm_generate.SLURM_USER,
        "LogFile": _LOG,
        "StorageType": "accounting_storage/mysql",
        "StorageUser": user,
    }
    if accounting is None:
        settings.update(StorageHost="localhost", StorageLoc=slurm_database.DATABASE)
    else:
        settings.update(
            StorageHost=accounting.endpoint,
            StoragePort=str(accounting.port),
            StorageLoc=accounting.database,
            StoragePass=password,
            StorageParameters=_transport(node),
        )
    lines = "".join(f"{key}={value}\n" for key, value in settings.items())
    return f"{slurm_generate.MARK}\n{lines}"


def _transport(node: Node) -> str:
    found = [path for path in AUTHORITIES if node.machine.exists(path)]
    return f"SSL_CIPHER={_CIPHER}" + (f",SSL_CA={found[0]}" if found else "")
