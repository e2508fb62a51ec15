"""What runs against what the file states: images, inputs of the node program, slurm.conf."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.not_read import NotRead, known
from clusterwright.cluster_state.published import ProgramChange, SchedulerState
from clusterwright.cluster_state.results import ClusterState
from clusterwright.operate.results import Difference, NotCompared
from clusterwright.platforms.parallelcluster.slurm_settings import custom_settings
from clusterwright.platforms.pcs.settings import cluster_settings

INPUT_FILES: Final = ("cluster.json", "deployment.json", "provisioning_parameters.json")
"""The uploaded files that the node program reads, in its order (`inputs.py` there)."""

PROGRAM_FILE: Final = "program.sha256"
"""The uploaded file with the digest of the node program (`installation.py` there)."""

NO_ADDRESS: Final = "the platform does not report the address of the scripts"

_SHOWN: Final = 5

Found = Iterator[Difference | NotCompared]


def image_differences(state: ClusterState) -> Found:
    """Groups of HyperPod whose image is not the desired one."""
    platform = known(state.cluster)
    for group in platform.groups if platform is not None else ():
        if group.desired_image is not None and group.current_image != group.desired_image:
            yield Difference(
                group.name, "image", group.current_image, group.desired_image, "image"
            )


def inputs_sha256(texts: Mapping[str, str | None]) -> str:
    """The digest that the node program computes of its uploaded files; None is a missing file."""
    digest = hashlib.sha256()
    for name in INPUT_FILES:
        text = texts.get(name)
        if text is not None:
            digest.update(f"{name} {len(text)}\n{text}".encode())
    return digest.hexdigest()


def node_program_differences(
    cluster: Cluster,
    state: ClusterState,
    read: Callable[[], Mapping[str, str | None] | NotRead],
) -> Found:
    """The inputs that configured the controller against those that are uploaded now.

    `read` returns the uploaded files; it is called if the controller published its digest.
    """
    what = "the inputs of the node program"
    published = yield from _published(what, cluster, state)
    if published is None:
        return
    running = published.configuration.inputs_sha256 if published.configuration else None
    if running is None:
        yield NotCompared(what, "the controller does not publish their digest", None, True)
        return
    uploaded = read()
    if isinstance(uploaded, NotRead):
        is_unread = uploaded.reason != NO_ADDRESS
        yield NotCompared(what, uploaded.reason, uploaded.hint, is_unread)
        return
    expected = inputs_sha256(uploaded)
    if running != expected:
        name = published.controller or "controller"
        yield Difference(name, "inputs_sha256", running, expected, "node-program")


def installed_differences(
    cluster: Cluster,
    state: ClusterState,
    read: Callable[[], Mapping[str, str | None] | NotRead],
) -> Found:
    """The installed files of the node program: what was changed on nodes, and their version.

    The node that publishes reports its own files, compute nodes report theirs with each test of
    acceptance. `read` is as of `node_program_differences`.
    """
    what = "the installed files of the node program"
    published = yield from _published(what, cluster, state)
    if published is None:
        return
    own = published.configuration.program if published.configuration else None
    controller = published.controller or "controller"
    found: list[tuple[str, str, str | None]] = []
    if own is None:
        reason = f"{controller} does not publish them: its node program is older, or has none"
        yield NotCompared(what, reason, None, is_unread=True)
    else:
        yield from _changes(controller, own.changes, own.changes_count)
        for version, packages in own.versions.items():
            part = "" if len(own.versions) == 1 else f": {', '.join(packages)}"
            found.append((controller, f"program_sha256{part}", version))
    for name, accepted in sorted((published.acceptance or {}).items()):
        if accepted.program is not None:
            yield from _changes(name, accepted.program.changes, accepted.program.changes_count)
            found.append((name, "program_sha256", accepted.program.sha256))
    if found:
        yield from _versions(what, found, read())
    yield from _unreported(what, cluster, published)


def _versions(
    what: str,
    found: Iterable[tuple[str, str, str | None]],
    uploaded: Mapping[str, str | None] | NotRead,
) -> Found:
    """What runs against the version that is deployed."""
    if isinstance(uploaded, NotRead):
        is_unread = uploaded.reason != NO_ADDRESS
        yield NotCompared(f"{what}: their version", uploaded.reason, uploaded.hint, is_unread)
        return
    text = uploaded.get(PROGRAM_FILE)
    if text is None:
        reason = f"the deployed scripts have no {PROGRAM_FILE}: an older version deployed them"
        yield NotCompared(f"{what}: their version", reason, "clusterwright deploy FILE", True)
        return
    expected = text.strip()
    for name, path, version in found:
        if version != expected:
            yield Difference(name, path, version or "several versions", expected, "node-program")


def _changes(name: str, changes: Sequence[ProgramChange], count: int) -> Found:
    for one in changes:
        yield Difference(name, one.path, one.sha256, one.recorded_sha256, "node-program")
    if count > len(changes):
        more = f"{count - len(changes)} more files"
        yield Difference(name, more, "changed", "as installed", "node-program")


def _unreported(what: str, cluster: Cluster, published: SchedulerState) -> Found:
    """Nodes that do not report their files."""
    accepted = published.acceptance or {}
    silent = [
        node.name
        for node in published.nodes or ()
        if node.name not in accepted or accepted[node.name].program is None
    ]
    if silent:
        more = f" and {len(silent) - _SHOWN} more" if len(silent) > _SHOWN else ""
        yield NotCompared(
            f"{what} on {', '.join(silent[:_SHOWN])}{more}",
            "compute nodes report them when acceptance tests them",
            "clusterwright accept FILE",
        )
    login = [group.name for group in cluster.compute if group.role == "login"]
    if cluster.traits.service_runs_controller:
        login = login[1:]  # the node of the first one publishes
    if login:
        yield NotCompared(
            f"{what} on nodes of {', '.join(login)}",
            "login nodes have no right to publish",
            "on the node: sudo clusterwright drift",
        )


def slurm_differences(cluster: Cluster, state: ClusterState, catalog: Catalog) -> Found:
    """The running Slurm configuration against the settings that follow from the file."""
    what = "the running Slurm configuration"
    published = yield from _published(what, cluster, state)
    if published is None:
        return
    if cluster.on_hyperpod and cluster.slurm.configuration == "managed":
        yield NotCompared(what, "HyperPod writes slurm.conf in the managed configuration")
        return
    running = published.configuration.slurm_conf if published.configuration else None
    if running is None:
        yield NotCompared(what, "the controller could not read it", None, True)
        return
    there = {name.lower(): value for name, value in running.items()}
    ours = cluster_settings if cluster.traits.service_runs_controller else custom_settings
    for name, expected in ours(cluster, catalog).items():
        if name.lower() not in there:
            yield NotCompared(f"{what}: {name}", "the controller does not publish it")
            continue
        actual = there[name.lower()]
        if not same_setting(actual, expected):
            yield Difference("slurm.conf", name, actual, expected, "slurm-configuration")


def _published(
    what: str, cluster: Cluster, state: ClusterState
) -> Generator[NotCompared, None, SchedulerState | None]:
    """What the controller published; None without Slurm, or, with an entry, if it is not known."""
    published = state.scheduler.current if cluster.uses_slurm else None
    if published is None and cluster.uses_slurm:
        unknown = state.scheduler.unknown
        reason = unknown.reason if unknown is not None else "not published"
        yield NotCompared(what, reason, None, is_unread=True)
    return published


def same_setting(actual: str | None, expected: str) -> bool:
    """Whether a value of `scontrol show config`, which has units, is that of slurm.conf."""
    if actual is None:
        return False
    return _words(actual) == _words(expected)


def _words(text: str) -> frozenset[str]:
    plain = text.strip().lower()
    for unit in (" sec", " min", " hours"):
        plain = plain.removesuffix(unit)
    return frozenset(part.strip() for part in plain.split(",") if part.strip())
