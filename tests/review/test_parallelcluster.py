"""Effects of a change of a ParallelCluster spec, and refused changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec.models import Cluster
from clusterwright.platforms.loading import load_cluster
from clusterwright.review import parallelcluster
from clusterwright.review.parallelcluster import Update
from clusterwright.review.results import NodesChange
from tests.review.templates import analysis, app
from tests.support.rich_specs import PARALLELCLUSTER, changed
from tests.support.synthesis import Build

TERMINATE = {"queue_update_strategy": "terminate"}
STOP = {"queue_update_strategy": "compute-fleet-stop"}


def cluster(folder: Path, spec: dict[str, Any]) -> Cluster:
    path = folder / f"{len(list(folder.iterdir()))}.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return load_cluster(path).cluster


def update(folder: Path, before: dict[str, Any], after: dict[str, Any]) -> Update:
    found = parallelcluster.update_of(cluster(folder, before), cluster(folder, after), None)
    assert found is not None
    return found


def kinds(found: Update) -> list[str]:
    return [one.kind for one in parallelcluster.deployment_blockers(found)]


def nodes(found: Update, before: dict[str, Any], after: dict[str, Any]) -> dict[str, NodesChange]:
    def counts(spec: dict[str, Any]) -> dict[str, int]:
        return {g["name"]: g["count"] for g in spec["compute"] if g["role"] == "compute"}

    changes = parallelcluster.nodes_changes(found, counts(before), counts(after))
    return {one.group: one for one in changes}


def test_nothing_changes(tmp_path: Path) -> None:
    found = update(tmp_path, PARALLELCLUSTER, PARALLELCLUSTER)
    assert list(found.changes) == []
    assert kinds(found) == []
    assert nodes(found, PARALLELCLUSTER, PARALLELCLUSTER) == {}


def test_added_nodes_need_no_fleet_stop(tmp_path: Path) -> None:
    after = changed(PARALLELCLUSTER, compute__2__count=8)
    found = update(tmp_path, PARALLELCLUSTER, after)
    assert kinds(found) == []
    change = nodes(found, PARALLELCLUSTER, after)["workers"]
    assert (change.change, change.jobs) == ("grown", "none")


def test_removed_nodes_require_the_terminate_strategy(tmp_path: Path) -> None:
    after = changed(PARALLELCLUSTER, compute__2__count=2)
    found = update(tmp_path, PARALLELCLUSTER, after)
    assert kinds(found) == ["cannot-shrink"]
    (blocker,) = parallelcluster.deployment_blockers(found)
    assert "terminate" in blocker.hint
    allowed = changed(after, parallelcluster=TERMINATE)
    found = update(tmp_path, PARALLELCLUSTER, allowed)
    assert kinds(found) == []
    change = nodes(found, PARALLELCLUSTER, allowed)["workers"]
    assert (change.change, change.jobs, change.whole_group) == ("shrunk", "die", False)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"compute__0__instance_type": "m5.8xlarge"}, "HeadNode.InstanceType"),
        ({"parallelcluster": {"os": "alinux2023"}}, "Image.Os"),
        (
            {"parallelcluster": {"head_node_root_volume_gib": 200}},
            "HeadNode.LocalStorage.RootVolume.Size",
        ),
    ],
)
def test_unsupported_update_is_reported_by_key(
    tmp_path: Path, changes: dict[str, Any], path: str
) -> None:
    found = update(tmp_path, PARALLELCLUSTER, changed(PARALLELCLUSTER, **changes))
    (blocker,) = parallelcluster.deployment_blockers(found)
    assert blocker.kind == "cannot-change"
    assert path in blocker.message
    assert "another `environment`" in blocker.hint


def test_another_release_updates_no_cluster(tmp_path: Path) -> None:
    after = cluster(tmp_path, PARALLELCLUSTER)
    release = after.parallelcluster.model_copy(update={"version": "3.15.0"})
    before = after.model_copy(update={"parallelcluster": release})
    found = parallelcluster.update_of(before, after, None)
    assert found is not None
    assert found.versions is not None
    assert (
        "cannot update a cluster of 3.15.0"
        in next(parallelcluster.deployment_blockers(found)).message
    )


def test_changed_instance_type_ends_every_job(tmp_path: Path) -> None:
    after = changed(PARALLELCLUSTER, compute__2__instance_type="p5en.48xlarge")
    found = update(tmp_path, PARALLELCLUSTER, after)
    changes = nodes(found, PARALLELCLUSTER, after)
    assert set(changes) == {"workers"}
    assert (changes["workers"].jobs, changes["workers"].whole_group) == ("die", True)
    assert "fleet must be stopped" in changes["workers"].message


@pytest.mark.parametrize(
    ("strategy", "change", "jobs", "whole"),
    [
        ({}, "updated", "wait", False),
        (TERMINATE, "replaced", "die", True),
        (STOP, "replaced", "die", True),
    ],
)
def test_queue_change_follows_the_update_strategy(
    tmp_path: Path, strategy: dict[str, str], change: str, jobs: str, whole: bool
) -> None:
    before = changed(PARALLELCLUSTER, parallelcluster=strategy)
    after = changed(before, parallelcluster={**strategy, "root_volume_gib": 300})
    found = nodes(update(tmp_path, before, after), before, after)
    assert set(found) == {"spot", "workers"}
    for one in found.values():
        assert (one.change, one.jobs, one.whole_group) == (change, jobs, whole)


def test_login_nodes_must_be_removed_before_a_change(tmp_path: Path) -> None:
    after = changed(PARALLELCLUSTER, compute__1__instance_type="m5.8xlarge")
    found = update(tmp_path, PARALLELCLUSTER, after)
    (blocker,) = parallelcluster.deployment_blockers(found)
    assert "login nodes must be removed first" in blocker.message
    assert nodes(found, PARALLELCLUSTER, after) == {}


def test_removed_group_ends_its_jobs(tmp_path: Path) -> None:
    after = changed(PARALLELCLUSTER, parallelcluster=TERMINATE)
    after["compute"] = after["compute"][:3]
    after["slurm"]["partitions"] = after["slurm"]["partitions"][:1]
    found = update(tmp_path, PARALLELCLUSTER, after)
    assert kinds(found) == []
    change = nodes(found, PARALLELCLUSTER, after)["spot"]
    assert (change.change, change.jobs, change.whole_group) == ("removed", "die", True)


def test_other_environment_is_a_new_cluster(tmp_path: Path) -> None:
    other = cluster(tmp_path, changed(PARALLELCLUSTER, environment="other"))
    assert parallelcluster.update_of(cluster(tmp_path, PARALLELCLUSTER), other, None) is None


def with_a_new_queue(spec: dict[str, Any]) -> dict[str, Any]:
    group = {"name": "extra", "role": "compute", "instance_type": "p4d.24xlarge", "count": 2}
    slurm = spec["slurm"]
    partitions = [*slurm["partitions"], {"name": "more", "groups": ["extra"]}]
    return {
        **spec,
        "compute": [*spec["compute"], group],
        "slurm": {**slurm, "partitions": partitions},
    }


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (with_a_new_queue(PARALLELCLUSTER), {"extra": "added"}),
        (changed(PARALLELCLUSTER, slurm__users__0__sudo=False),
         {"workers": "updated", "spot": "updated"}),
        (changed(PARALLELCLUSTER, slurm__partitions__1__max_time_minutes=60), {}),
    ],
    ids=["a new queue", "a user of every node", "a time limit"],
)  # fmt: skip
def test_nodes_of_other_queues_are_replaced_only_if_concerned(
    after: dict[str, Any], expected: dict[str, str], tmp_path: Path, build: Build
) -> None:
    """The scripts of a queue have the digest of what its own nodes read."""
    old, new = app(**build(PARALLELCLUSTER).templates), app(**build(after).templates)
    found = parallelcluster.update_of(
        cluster(tmp_path, PARALLELCLUSTER), cluster(tmp_path, after), analysis(old, new)
    )
    assert found is not None
    assert kinds(found) == []
    changes = nodes(found, PARALLELCLUSTER, after)
    assert {name: change.change for name, change in changes.items()} == expected
    head = [one.path for one in found.changes if one.path.startswith("HeadNode")]
    assert any("OnNodeUpdated" in path for path in head), "the head node learns the change"
