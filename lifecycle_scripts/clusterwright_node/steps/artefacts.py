"""Download the artefacts of the spec from the cluster's bucket, and verify them.

A file is downloaded under another name, verified by size and SHA-256, and then renamed: a run that
is killed leaves no partial file under the final name. Existing files are verified again in each
run, because other steps rely on them. Nothing is downloaded from elsewhere.
"""

from __future__ import annotations

from clusterwright_node import artefacts
from clusterwright_node.contract import Artefact
from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("clock", "network")
DEADLINE_SECONDS = 600
RETRIES = 4

_GET_SECONDS = 300.0


def applies(node: Node) -> Verdict:
    listed = node.inputs.cluster.artefacts
    if listed is None:
        return skip("the spec has no artefacts")
    return APPLIES if artefacts.wanted(node) else skip("none is for this architecture")


def check(node: Node) -> Verdict:
    # All paths first: an unknown checksum is refused before anything is downloaded.
    paths = [(each, artefacts.path_of(each)) for each in artefacts.wanted(node)]
    for artefact, path in paths:
        reason = artefacts.why_not_right(node, artefact, path)
        if reason is not None:
            return missing(f"{artefact.label}: {reason}")
    return SATISFIED


def apply(node: Node) -> None:
    for artefact in artefacts.wanted(node):
        path = artefacts.path_of(artefact)
        if artefacts.why_not_right(node, artefact, path) is not None:
            _fetch(node, artefact, path)


def _fetch(node: Node, artefact: Artefact, path: str) -> None:
    listed = node.inputs.cluster.artefacts
    assert listed is not None, "applies looks"
    machine = node.machine
    folder, _, name = path.rpartition("/")
    machine.make_directory(folder)
    fresh = f"{folder}/.{name}.clusterwright-new"
    key = artefacts.key_of(artefact)
    address = f"s3://{listed.bucket}/{key}"
    try:
        machine.change(
            "aws", "s3api", "get-object", "--bucket", listed.bucket, "--key", key,
            "--region", node.inputs.cluster.region, str(machine.path(fresh)),
            timeout_seconds=_GET_SECONDS,
        )  # fmt: skip
    except CommandError as error:
        machine.remove(fresh)
        raise _refused(artefact, address, error) from None
    reason = artefacts.why_not_right(node, artefact, fresh)
    if reason is not None:
        machine.remove(fresh)
        raise StepError(
            f"{artefact.label}: {address} is not the listed file: {reason}",
            "find out who has changed the object; then delete it and run `clusterwright artefacts "
            "mirror <config>`, which compares its source with the list as well",
        )
    machine.adopt(fresh, path)


def _refused(artefact: Artefact, address: str, error: CommandError) -> StepError:
    """The error of S3, with a hint."""
    if "NoSuchKey" in error.cause or "(404)" in error.cause:
        return StepError(
            f"{artefact.label}: {address} does not exist",
            "run `clusterwright artefacts mirror <config>`, then replace this node",
        )
    said = error.cause.partition(" exited ")[2] or error.cause
    return StepError(
        f"{artefact.label}: {address} cannot be downloaded: {said}",
        "the nodes' role needs s3:GetObject on the bucket, and a closed network the gateway"
        " endpoint of S3",
        transient=True,
    )
