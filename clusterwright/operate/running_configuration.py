"""What runs against what the file states: images, inputs of the node program, slurm.conf."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.not_read import NotRead, known
from clusterwright.cluster_state.results import ClusterState
from clusterwright.operate.results import Difference, NotCompared
from clusterwright.platforms.parallelcluster.slurm_settings import custom_settings
from clusterwright.platforms.pcs.settings import cluster_settings

INPUT_FILES: Final = ("cluster.json", "deployment.json", "provisioning_parameters.json")
"""The uploaded files that the node program reads, in its order (`inputs.py` there)."""

NO_ADDRESS: Final = "the platform does not report the address of the scripts"

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
    if not cluster.uses_slurm:
        return
    published = state.scheduler.current
    if published is None:
        yield _not_published(what, state)
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


def slurm_differences(cluster: Cluster, state: ClusterState, catalog: Catalog) -> Found:
    """The running Slurm configuration against the settings that follow from the file."""
    what = "the running Slurm configuration"
    if not cluster.uses_slurm:
        return
    published = state.scheduler.current
    if published is None:
        yield _not_published(what, state)
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


def _not_published(what: str, state: ClusterState) -> NotCompared:
    unknown = state.scheduler.unknown
    reason = unknown.reason if unknown is not None else "not published"
    return NotCompared(what, reason, None, is_unread=True)


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
