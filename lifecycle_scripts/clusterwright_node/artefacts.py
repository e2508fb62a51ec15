"""Files from the cluster's bucket: their paths on a node, and their verification.

`clusterwright artefacts mirror` uploads them under their checksums. Nodes download only from that
bucket. A step that uses files calls `files_for`; the step `artefacts` has downloaded and verified
them before.
"""

from __future__ import annotations

from clusterwright_node.contract import Artefact
from clusterwright_node.errors import StepError
from clusterwright_node.node import Node

FOLDER = "/var/lib/clusterwright/artefacts"
_ARCHITECTURES = {"x86_64": "x86_64", "aarch64": "arm64"}
"""Architectures of `uname -m`, with their names in the list of artefacts."""


def path_of(artefact: Artefact) -> str:
    """The path of a file on the node. Raises StepError if its checksum is unknown."""
    return f"{FOLDER}/{checked_sha256(artefact)}/{artefact.file}"


def key_of(artefact: Artefact) -> str:
    """The key of a file in the bucket, from `clusterwright artefacts mirror`."""
    return f"artefacts/{checked_sha256(artefact)}/{artefact.file}"


def checked_sha256(artefact: Artefact) -> str:
    if artefact.sha256 is None:
        raise StepError(
            f"the checksum of {artefact.label} is unknown, and files without a checksum are not "
            f"installed",
            "run `clusterwright artefacts mirror <config> --pin`, review what it writes into the"
            " list of artefacts, and deploy again",
        )
    return artefact.sha256


def wanted(node: Node) -> list[Artefact]:
    """The files for this node's architecture, in the order of the list."""
    if node.inputs.cluster.artefacts is None:
        return []
    here = architecture(node)
    return [
        each for each in node.inputs.cluster.artefacts.files if each.architecture in (here, "any")
    ]


def files_for(node: Node, step: str) -> list[Artefact]:
    """The files that a step uses on this node."""
    return [each for each in wanted(node) if step in each.used_by]


def architecture(node: Node) -> str:
    """`x86_64` or `arm64`. Raises StepError for other architectures."""
    said = node.machine.query("uname", "-m").stdout.strip()
    if said not in _ARCHITECTURES:
        raise StepError(
            f"the architecture {said or 'of this machine'} is not supported by this program",
            "use an instance type with x86_64 or arm64",
        )
    return _ARCHITECTURES[said]


def why_not_right(node: Node, artefact: Artefact, path: str) -> str | None:
    """Why the file at `path` is not the listed one; None if it is."""
    sha256 = checked_sha256(artefact)
    size = node.machine.size_of(path)
    if size is None:
        return f"{path} does not exist"
    if size != artefact.size_bytes:
        return f"it has {size:,} bytes, expected {artefact.size_bytes:,}"
    found = node.machine.sha256_of(path)
    if found != sha256:
        return f"it has SHA-256 {found}, expected {sha256}"
    return None
