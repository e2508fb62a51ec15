"""Karpenter between the platforms with Kubernetes, which ask for it in different sections."""

from __future__ import annotations

from typing import Any, Final

from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, path_text
from clusterwright.migration.results import Note
from clusterwright.migration.text_edit import Editor
from clusterwright.platforms.registry import PlatformName

SECTION: Final[dict[PlatformName, Path]] = {
    "eks": ("kubernetes", "autoscaling"),
    "hyperpod-eks": ("hyperpod", "autoscaling"),
}
_MEANS: Final[dict[PlatformName, str]] = {
    "eks": "`count` nodes are in managed node groups and stay; Karpenter, a chart that you "
    "install, adds up to max_count",
    "hyperpod-eks": "HyperPod runs Karpenter itself, and takes away nodes that it did not add",
}


def can_move(editor: Editor, target: PlatformName) -> bool:
    """Whether the file asks for Karpenter in the other platform's section."""
    source = next((path for name, path in SECTION.items() if name != target), None)
    return target in SECTION and source is not None and editor.get(source) == "karpenter"


def move(editor: Editor, target: PlatformName) -> Note:
    """Ask for it in the target's section instead."""
    (source,) = (path for platform, path in SECTION.items() if platform != target)
    editor.delete(source)
    editor.put(SECTION[target], "karpenter")
    asked = path_text(SECTION[target])
    return Note(path_text(source), f"karpenter is asked for in `{asked}`: {_MEANS[target]}")


def scales(cluster: Cluster, target: PlatformName) -> bool:
    """Whether the target's Karpenter would have a group; `cluster` is that of the target."""
    asked = {"autoscaling": "karpenter"}
    if target == "eks":
        changes: dict[str, Any] = {"kubernetes": cluster.kubernetes.model_copy(update=asked)}
    else:
        changes = {"hyperpod": cluster.hyperpod.model_copy(update=asked)}
    then = cluster.model_copy(update=changes)
    return any(is_scaled(then, group) for group in then.compute)
