"""Create a home directory with the spec's SSH keys for every user.

Every node does this for every user, often at the same time on one shared file system; see
home_files for how conflicts are avoided. Other lines in authorized_keys remain.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright_node.errors import StepError
from clusterwright_node.home_files import HomeFiles
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("users",)
DEADLINE_SECONDS = 600
RETRIES = 5

_HINT = "the OpenZFS volume must export with rw and no_root_squash"


def applies(node: Node) -> Verdict:
    return APPLIES if node.inputs.cluster.users else skip("the spec has no users")


def check(node: Node) -> Verdict:
    if not node.machine.exists(node.inputs.cluster.home_base):
        return missing(f"{node.inputs.cluster.home_base} does not exist")
    for files, keys in _homes(node):
        reason = files.why_not_right(keys)
        if reason is not None:
            return missing(reason)
    return SATISFIED


def apply(node: Node) -> None:
    node.machine.make_directory(node.inputs.cluster.home_base)
    for files, keys in _homes(node):
        try:
            files.make_right(keys)
        except PermissionError as error:
            raise StepError(f"root may not write home directories: {error}", _HINT) from None


def _homes(node: Node) -> Iterator[tuple[HomeFiles, str]]:
    cluster = node.inputs.cluster
    for user in cluster.users:
        files = HomeFiles(
            node.machine,
            cluster.home_base,
            user.name,
            user.uid,
            user.gid,
            node.identity.instance_id,
        )
        yield files, "".join(key + "\n" for key in user.ssh_public_keys)
