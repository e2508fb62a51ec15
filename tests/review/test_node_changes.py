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


def test_more_nodes_leave_those_there_are() -> None:
    (change,) = nodes(compute__1__count=8)
    assert (change.change, change.jobs, change.whole_group) == ("grown", "none", False)


def test_fewer_nodes_end_jobs_but_not_all() -> None:
    (change,) = nodes(compute__1__count=2)
    assert (change.change, change.jobs, change.whole_group) == ("shrunk", "die", False)
    assert "HyperPod selects them" in change.message


def test_a_new_name_is_a_new_group_and_the_old_one_goes() -> None:
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
def test_what_replaces_every_node(changes: dict[str, Any]) -> None:
    found = [change for change in nodes(**changes) if change.group == "workers"]
    assert [(c.change, c.jobs, c.whole_group) for c in found] == [("replaced", "die", True)]


@pytest.mark.parametrize(
    "changes",
    [
        {"compute__1__taints": [{"key": "team", "effect": "NoSchedule"}]},
        {"compute__1__labels": {"team": "research"}},
    ],
)
def test_labels_and_other_taints_leave_jobs_alone(changes: dict[str, Any]) -> None:
    assert nodes(**changes) == []
