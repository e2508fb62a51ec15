"""Install the cluster's munge key from Secrets Manager (scripted configuration).

Anyone with the key can act as any user of the cluster. The key of an image would be shared by all
clusters with that image; on a shared file system all clients could read it, and a data repository
would export it to a bucket. So the deployment creates a random key for each cluster, every node
reads it with its role, and no node waits for another.
"""

from __future__ import annotations

from clusterwright_node import secrets, systemd
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "network")
DEADLINE_SECONDS = 300
RETRIES = 5

KEY = "/etc/munge/munge.key"
_UNIT = "munge.service"
_RESTARTING = "munge_key: restart munge"
# munge(7): a key has between 32 and 1,024 bytes.
_LEAST_BYTES, _MOST_BYTES = 32, 1024


def applies(node: Node) -> Verdict:
    if node.is_managed:
        return skip(node.does("distributes the key"))
    if node.inputs.deployment.munge_key_secret_arn is None:
        return skip("deployment.json has no secret: the image's key is kept")
    return APPLIES


def check(node: Node) -> Verdict:
    reason = _file(node).lacks()
    if reason is None and node.journal.begun(_RESTARTING) is not None:
        reason = "munge may not have reloaded its key"
    if reason is None and not systemd.is_enabled_and_active(node, _UNIT):
        reason = f"{_UNIT} is not active and enabled"
    return SATISFIED if reason is None else missing(reason)


def apply(node: Node) -> None:
    key = _file(node)
    if key.lacks() is not None or node.journal.begun(_RESTARTING) is not None:
        text = secrets.fetch(node, _arn(node))
        if not _LEAST_BYTES <= len(text.encode()) <= _MOST_BYTES:
            raise StepError(
                f"the munge key's secret has {len(text.encode())} bytes",
                f"put {_LEAST_BYTES} to {_MOST_BYTES} random bytes of text into {_arn(node)}",
            )
        node.journal.begin(_RESTARTING, KEY)
        key.write(text)
        if systemd.is_active(node, _UNIT):
            systemd.restart(node, _UNIT)
        node.journal.end(_RESTARTING)
    systemd.ensure(node, _UNIT)


def _arn(node: Node) -> str:
    arn = node.inputs.deployment.munge_key_secret_arn
    assert arn is not None, "applies looks"
    return arn


def _file(node: Node) -> secrets.SecretFile:
    return secrets.SecretFile(node, KEY, "munge", 0o400, _arn(node))
