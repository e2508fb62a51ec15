"""Lifecycle scripts that differ, and when nodes run the new ones."""

from __future__ import annotations

import re
from pathlib import Path

from clusterwright import files
from clusterwright.review.deployment_blockers import groups_of
from clusterwright.review.expressions import shown
from clusterwright.review.parallelcluster import PCLUSTER
from clusterwright.review.resource_changes import ChangeAnalysis
from clusterwright.review.resource_types import CLUSTER
from clusterwright.review.results import ScriptsChange

FOLDER = "lifecycle_scripts"
TABLES = "clusterwright/diagnosis"
"""The tables of failures, which are uploaded with the scripts."""
_PREFIX = re.compile(r"lifecycle/(?:queues/)?[0-9a-f]{16}")

WHEN_PARALLELCLUSTER = (
    "compute nodes of queues whose scripts change are replaced as `queue_update_strategy` states; "
    "the head node runs the new scripts after the update; login nodes run them when "
    "they are replaced for another reason"
)
"""Update policies of CustomActions, aws-parallelcluster 3.16.1."""

WHEN = (
    "running nodes keep the old scripts: HyperPod runs the new ones on nodes that it adds or "
    "replaces later, on new groups, and on every node when its image is updated "
    "(UpdateClusterSoftware)"
)
"""SageMaker API reference, UpdateCluster and UpdateClusterSoftware."""


def scripts_change(
    before: Path | None, after: Path | None, analysis: ChangeAnalysis | None
) -> ScriptsChange | None:
    """The change between the scripts of two checkouts; None where scripts and prefix are equal.

    The prefix in S3 is the digest of the scripts and of `cluster.json`, so a change of the spec
    that nodes read changes it too.
    """
    old = digests(before) if before is not None else {}
    new = digests(after) if after is not None else {}
    known = before is not None and after is not None
    moves = analysis is not None and _prefix_changes(analysis)
    added = tuple(sorted(new.keys() - old.keys())) if known else ()
    removed = tuple(sorted(old.keys() - new.keys())) if known else ()
    changed = tuple(sorted(n for n in old if n in new and old[n] != new[n])) if known else ()
    if not (added or removed or changed or moves):
        return None
    when = WHEN_PARALLELCLUSTER if analysis is not None and _parallelcluster(analysis) else WHEN
    return ScriptsChange(added, removed, changed, moves, when)


def digests(root: Path) -> dict[str, str]:
    """Return the digests of a checkout's scripts by path, without files of Python and editors."""
    found = {}
    for folder, start in ((root / FOLDER, root / FOLDER), (root / TABLES, root)):
        for path in sorted(folder.rglob("*")):
            parts = path.relative_to(start).parts
            hidden = any(
                p.startswith(".") or p == "__pycache__" or p.endswith(".pyc") for p in parts
            )
            if path.is_file() and not hidden:
                found["/".join(parts)] = files.sha256(path)
    return found


def _parallelcluster(analysis: ChangeAnalysis) -> bool:
    resources = [pair.after for pair in analysis.pairs.values()]
    return any(side is not None and side.type == PCLUSTER for side in resources)


def _prefix_changes(analysis: ChangeAnalysis) -> bool:
    for pair in analysis.pairs.values():
        if pair.before is not None and pair.after is not None and pair.after.type == PCLUSTER:
            was, now = (shown(side.properties) for side in (pair.before, pair.after))
            if set(_PREFIX.findall(was)) != set(_PREFIX.findall(now)):
                return True
        if pair.before is None or pair.after is None or pair.after.type != CLUSTER:
            continue
        old, new = groups_of(pair.before), groups_of(pair.after)
        for name, group in new.items():
            if name in old and old[name].get("LifeCycleConfig") != group.get("LifeCycleConfig"):
                return True
    return False
