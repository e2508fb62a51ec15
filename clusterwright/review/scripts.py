"""Which lifecycle scripts differ, and when nodes run the new ones."""

from __future__ import annotations

import hashlib
from pathlib import Path

from clusterwright.review.effects import Judgement
from clusterwright.review.known_types import CLUSTER
from clusterwright.review.order import groups_of
from clusterwright.review.results import ScriptsChange

FOLDER = "lifecycle_scripts"

WHEN = (
    "nodes that run keep what they have: HyperPod runs the new scripts on nodes that it makes or "
    "replaces from then on, on those of new groups, and on every node when its image is updated "
    "(UpdateClusterSoftware)"
)
"""SageMaker API reference, UpdateCluster and UpdateClusterSoftware."""


def scripts_change(
    before: Path | None, after: Path | None, judged: Judgement | None
) -> ScriptsChange | None:
    """The change of the scripts in two checkouts; None where neither they nor their prefix change.

    The prefix in S3 is the digest of the scripts and of `cluster.json`, so a change of the spec
    that nodes read changes it too.
    """
    old = digests(before) if before is not None else {}
    new = digests(after) if after is not None else {}
    known = before is not None and after is not None
    moves = judged is not None and _prefix_changes(judged)
    added = tuple(sorted(new.keys() - old.keys())) if known else ()
    removed = tuple(sorted(old.keys() - new.keys())) if known else ()
    changed = tuple(sorted(n for n in old if n in new and old[n] != new[n])) if known else ()
    if not (added or removed or changed or moves):
        return None
    return ScriptsChange(added, removed, changed, moves, WHEN)


def digests(root: Path) -> dict[str, str]:
    """The scripts of a checkout: path to digest; without what Python and editors leave behind."""
    folder = root / FOLDER
    found = {}
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(p.startswith(".") or p == "__pycache__" or p.endswith(".pyc") for p in parts)
        if path.is_file() and not hidden:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found["/".join(parts)] = digest
    return found


def _prefix_changes(judged: Judgement) -> bool:
    for pair in judged.pairs.values():
        if pair.before is None or pair.after is None or pair.after.type != CLUSTER:
            continue
        old, new = groups_of(pair.before), groups_of(pair.after)
        for name, group in new.items():
            if name in old and old[name].get("LifeCycleConfig") != group.get("LifeCycleConfig"):
                return True
    return False
