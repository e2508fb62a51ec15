"""Karpenter between platforms that turn it on in different sections of the spec."""

from __future__ import annotations

from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, path_text
from clusterwright.migration.results import Note
from clusterwright.migration.yaml_editor import Editor
from clusterwright.platforms.registry import PLATFORMS, PlatformName, traits_of


def can_move(editor: Editor, target: PlatformName) -> bool:
    """Whether the file turns Karpenter on in another platform's section, and the target has it."""
    return traits_of(target).autoscaling_key is not None and _source(editor, target) is not None


def move(editor: Editor, target: PlatformName) -> Note:
    """Turn it on in the target's section instead; `can_move` must be true."""
    traits, source = traits_of(target), _source(editor, target)
    assert source is not None
    assert traits.autoscaling_key is not None
    editor.delete(source)
    editor.put(traits.autoscaling_key, "karpenter")
    key = path_text(traits.autoscaling_key)
    return Note(path_text(source), f"karpenter is set in `{key}`: {traits.autoscaling_note}")


def scales(cluster: Cluster, target: PlatformName) -> bool:
    """Whether the target's Karpenter would have a group to scale; `cluster` is the target's."""
    key = traits_of(target).autoscaling_key
    if key is None:
        return False
    section, name = key
    changed = getattr(cluster, section).model_copy(update={name: "karpenter"})
    then = cluster.model_copy(update={section: changed})
    return any(is_scaled(then, group) for group in then.compute)


def _source(editor: Editor, target: PlatformName) -> Path | None:
    """The key of another platform that the file has set to karpenter."""
    keys = (traits_of(name).autoscaling_key for name in PLATFORMS if name != target)
    own = traits_of(target).autoscaling_key
    return next(
        (key for key in keys if key not in (None, own) and editor.get(key) == "karpenter"), None
    )
