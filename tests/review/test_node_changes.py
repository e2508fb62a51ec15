"""Changes of the spec: values, groups of nodes, gates."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.models import Cluster
from clusterwright.review.node_changes import groups_of_spec, nodes_changes
from tests.support import specs


def cluster(**changes: Any) -> Cluster:
    data = specs.changed({key.replace("__", "."): value for key, value in changes.items()})
    return Cluster.model_validate(data | {"partition": "aws"})


def nodes(**changes: Any) -> list[Any]:
    return nodes_changes(groups_of_spec(cluster()), groups_of_spec(cluster(**changes)))


def test_added_nodes_keep_existing_ones() -> None:
    (change,) = nodes(compute__1__count=8)
    assert (change.change, change.jobs, change.whole_group) == ("grown", "none", False)


def test_removed_nodes_end_some_jobs() -> None:
    (change,) = nodes(compute__1__count=2)
    assert (change.change, change.jobs, change.whole_group) == ("shrunk", "die", False)
    assert "HyperPod selects them" in change.message


def test_renamed_group_is_removed_and_added() -> None:
    gone, new = nodes(compute__1__name="gpus")
    assert (gone.change, gone.whole_group, new.change) == ("removed", True, "added")
    assert "cannot be renamed" in gone.message


@pytest.mark.parametrize(
    "changes",
    [
        {"compute__1__instance_type": "p5en.48xlarge"},
        {"image__release_version": "1.0.1"},
        {"compute__1__threads_per_core": 1},
        {"compute__1__mig_profile": "all-1g.10gb"},
        {"compute__1__restricted": True},
        {"compute__1__taints": [{"key": "team", "effect": "NoExecute"}]},
    ],
)
def test_changes_that_replace_every_node(changes: dict[str, Any]) -> None:
    found = [change for change in nodes(**changes) if change.group == "workers"]
    assert [(c.change, c.jobs, c.whole_group) for c in found] == [("replaced", "die", True)]


@pytest.mark.parametrize(
    "changes",
    [
        {"compute__1__taints": [{"key": "team", "effect": "NoSchedule"}]},
        {"compute__1__labels": {"team": "research"}},
    ],
)
def test_labels_and_weaker_taints_keep_jobs(changes: dict[str, Any]) -> None:
    assert nodes(**changes) == []
