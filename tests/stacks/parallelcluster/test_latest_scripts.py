"""The latest scripts at a fixed address."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.parallelcluster.supplied import ON_NODE_CONFIGURED
from stacks.lifecycle import scripts
from tests.stacks.templates import only, properties, text_of
from tests.support.rich_specs import PARALLELCLUSTER, changed
from tests.support.synthesis import Assembly, Build

CUSTOM = "Custom::PclusterCluster"


def configuration(assembly: Assembly) -> Any:
    return only(assembly, CUSTOM)["ClusterConfiguration"]


@pytest.mark.parametrize("change", [{"slurm__users": []}, {"storage__checkpoint_path": None}])
def test_changed_scripts_do_not_change_immutable_arguments(
    change: dict[str, Any], build: Build
) -> None:
    """Update policy of the head node's and login nodes' OnNodeConfigured: UNSUPPORTED."""

    def words(spec: dict[str, Any]) -> tuple[list[str], str]:
        found = configuration(build(spec))
        lasting = [found["HeadNode"], *found["LoginNodes"]["Pools"]]
        queue = found["Scheduling"]["SlurmQueues"][0]
        return (
            [text_of(each["CustomActions"]["OnNodeConfigured"]) for each in lasting],
            text_of(queue["CustomActions"]["OnNodeConfigured"]),
        )

    before, after = words(PARALLELCLUSTER), words(changed(PARALLELCLUSTER, **change))
    assert before[0] == after[0]
    assert before[1] != after[1]


def queue_actions(assembly: Assembly) -> dict[str, str]:
    """The custom action of each queue, as text."""
    queues = configuration(assembly)["Scheduling"]["SlurmQueues"]
    return {queue["Name"]: text_of(queue["CustomActions"]) for queue in queues}


def added(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec with a new group in a new partition, which becomes the default."""
    group = {"name": "extra", "role": "compute", "instance_type": "p4d.24xlarge", "count": 2}
    slurm = spec["slurm"]
    partitions = [{"name": "first", "groups": ["extra"]}, *slurm["partitions"]]
    return {
        **spec,
        "compute": [*spec["compute"], group],
        "slurm": {**slurm, "partitions": partitions},
    }


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        (added(PARALLELCLUSTER), {"first"}),
        (changed(PARALLELCLUSTER, compute__3__threads_per_core=1), {"spare"}),
        (changed(PARALLELCLUSTER, compute__2__scratch={"mount_path": "/nvme"}), {"training"}),
        (changed(PARALLELCLUSTER, compute__1__instance_type="m5.8xlarge"), set()),
        (changed(PARALLELCLUSTER, slurm__partitions__0__max_time_minutes=60), set()),
        (changed(PARALLELCLUSTER, slurm__users__0__slurm_account="seven-b"), set()),
        (changed(PARALLELCLUSTER, slurm__users__0__sudo=False), {"training", "spare"}),
    ],
    ids=["queue", "threads", "scratch", "login", "time limit", "account", "sudo"],
)
def test_change_replaces_only_the_nodes_that_it_concerns(
    change: dict[str, Any], moved: set[str], build: Build
) -> None:
    """Update policy of a queue's CustomActions: nodes whose action changes are replaced."""
    before, after = queue_actions(build(PARALLELCLUSTER)), queue_actions(build(change))
    assert {name for name in after if before.get(name) != after[name]} == moved


@pytest.mark.parametrize("spec", [PARALLELCLUSTER, added(PARALLELCLUSTER)])
def test_head_node_runs_the_scripts_of_the_whole_cluster(
    spec: dict[str, Any], build: Build
) -> None:
    """Its OnNodeUpdated has the digest of the whole file, so it learns every change."""
    action = configuration(build(spec))["HeadNode"]["CustomActions"]["OnNodeUpdated"]
    assert text_of(action) not in queue_actions(build(spec)).values()
    other = changed(spec, compute__3__count=3)
    assert action == configuration(build(other))["HeadNode"]["CustomActions"]["OnNodeUpdated"]


def test_each_action_names_an_uploaded_manifest(build: Build) -> None:
    """Prefix and digest of every queue are those of an upload of the lifecycle stack."""
    assembly = build(PARALLELCLUSTER)
    uploaded = {
        scripts.sha256(path.read_text(encoding="utf-8"))
        for path in assembly.directory.glob(f"asset.*/**/{scripts.MANIFEST}")
    }
    prefixes = [
        entry["DestinationBucketKeyPrefix"]
        for entry in properties(assembly, "Custom::CDKBucketDeployment")
    ]
    assert len(prefixes) == 3, "one for all queues: each adds a tag to the bucket"
    queues = configuration(assembly)["Scheduling"]["SlurmQueues"]
    assert len(queues) == 2
    for queue in queues:
        action = queue["CustomActions"]["OnNodeConfigured"]
        assert action["Args"][1] in uploaded
        prefix, digest = action["Args"][0].split("/", 3)[3].rstrip("/").rsplit("/", 1)
        assert prefix in prefixes
        assert list(assembly.directory.glob(f"asset.*/{digest}/{ON_NODE_CONFIGURED}"))
