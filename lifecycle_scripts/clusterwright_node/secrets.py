"""Secrets, read from Secrets Manager when needed and stored in files that only their users read.

A secret never appears in an error, in the log or on a command line.
"""

from __future__ import annotations

import hashlib
import json
import re

from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.node import Node

_FOLDER = "/var/lib/clusterwright/secrets"
_FOLDER_MODE = 0o700
_HINT = (
    "the nodes' role needs secretsmanager:GetSecretValue and kms:Decrypt, and a closed network the"
    " endpoints of secretsmanager and kms"
)


def fetch(node: Node, arn: str) -> str:
    """The text of a secret. Raises CommandError, which is repeated."""
    result = node.machine.query(
        "aws", "secretsmanager", "get-secret-value", "--secret-id", arn,
        "--region", arn.split(":")[3], "--query", "SecretString", "--output", "text",
        timeout_seconds=60.0,
    )  # fmt: skip
    if not result.ok:
        said = " ".join(result.stderr.split())[-300:] or "no output"
        raise CommandError(f"the secret {arn} cannot be read: {said}", _HINT)
    return result.stdout.rstrip("\n")


def database_login(node: Node, arn: str) -> tuple[str, str]:
    """User and password, in the format of RDS's secrets. Raises StepError, which contains
    neither.
    """
    hint = f'the secret {arn} must be {{"username": ..., "password": ...}}'
    try:
        value = json.loads(fetch(node, arn))
        user, password = value["username"], value["password"]
    except (ValueError, KeyError, TypeError):
        raise StepError(
            "the secret of the accounting database has an unexpected format", hint
        ) from None
    for what, text in (("user", user), ("password", password)):
        # slurmdbd.conf has lines of key=value without blanks, quotes and comments.
        if (
            not isinstance(text, str)
            or not re.fullmatch(r"[!-~]+", text)
            or set(text) & set("\"'#\\")
        ):
            raise StepError(
                f"the {what} in the secret of the accounting database has characters that "
                "slurmdbd.conf does not support",
                "use printable ASCII without blanks, quotes, # and backslashes",
            )
    return user, password


class SecretFile:
    """A file with a secret, and a record of its sources.

    The secret is read again only if the file or its sources changed. After a rotation, remove the
    record (`record`) and run the program again.
    """

    def __init__(self, node: Node, path: str, owner: str, mode: int, made_of: object) -> None:
        self._node = node
        self._path = path
        self._owner = owner
        self._mode = mode
        self._made_of = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()
        self.record = "{}/{}.json".format(_FOLDER, path.strip("/").replace("/", "-"))

    def lacks(self) -> str | None:
        """What is wrong, None if nothing is."""
        machine = self._node.machine
        if machine.mode_of(_FOLDER) != _FOLDER_MODE:
            return f"{_FOLDER} is not root's alone"
        try:
            known = json.loads(machine.read_text(self.record) or "{}")
        except ValueError:
            known = {}
        wanted = {"made_of": self._made_of, "sha256": machine.sha256_of(self._path)}
        if wanted["sha256"] is None or known != wanted:
            return f"{self._path} does not match its secret"
        if machine.mode_of(self._path) != self._mode:
            return f"{self._path} does not have mode {self._mode:o}"
        if machine.owner_of(self._path) != account_ids(self._node, self._owner):
            return f"{self._path} does not belong to {self._owner}"
        return None

    def write(self, text: str) -> None:
        machine = self._node.machine
        machine.make_directory(_FOLDER, _FOLDER_MODE)
        if machine.mode_of(_FOLDER) != _FOLDER_MODE:
            # A run that was killed, or an earlier version, left it.
            machine.set_mode(_FOLDER, _FOLDER_MODE)
        machine.write_text(self._path, text, mode=self._mode)
        machine.set_file_owner(self._path, *account_ids(self._node, self._owner))
        record = {"made_of": self._made_of, "sha256": machine.sha256_of(self._path)}
        machine.write_text(self.record, json.dumps(record, sort_keys=True) + "\n", mode=0o600)


def account_ids(node: Node, user: str) -> tuple[int, int]:
    """UID and GID of a user of the image. Raises StepError if there is none."""
    result = node.machine.query("getent", "passwd", user)
    fields = result.stdout.strip().split(":")
    if not result.ok or len(fields) < 4:
        raise StepError(f"the image has no user {user}", "use a HyperPod image")
    return int(fields[2]), int(fields[3])
