"""The third mode: identity of the node, skipped steps, and refused input."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from clusterwright_node import parallelcluster

from tests.nodes.world import World

LEFT_TO_PARALLELCLUSTER = {
    "munge_key",
    "slurm_daemons",
    "slurm_database",
    "slurm_files",
    "slurm_follow",
    "slurmdbd",
}


def write(node: World, path: str, text: str) -> None:
    (node.root / path.lstrip("/")).write_text(text)


def cfnconfig(node: World, **changes: str) -> None:
    path = node.root / parallelcluster.CFNCONFIG.lstrip("/")
    lines = dict(line.split("=", 1) for line in path.read_text().splitlines())
    path.write_text("".join(f"{k}={v}\n" for k, v in {**lines, **changes}.items() if v))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("controller-1", {"node": "ip-10-1-0-10", "role": "controller"}),
        ("login-1", {"node": "ip-10-1-0-20", "role": "login"}),
        ("workers-1", {"node": "train-st-workers-1", "role": "compute"}),
    ],
)
def test_node_is_identified_from_parallelcluster_files(
    world: Callable[..., World], name: str, expected: dict[str, str]
) -> None:
    node = world(name, "parallelcluster")
    ran = node.run()
    assert ran.code == 0, ran.text
    identity = json.loads((node.root / "var/lib/clusterwright/identity.json").read_text())
    assert {key: identity[key] for key in expected} == expected
    assert identity["configuration"] == "parallelcluster"
    assert identity["instance_id"].startswith("i-")
    assert ran.last == f"clusterwright: {expected['node']} is ready"


@pytest.mark.parametrize("name", ["controller-1", "login-1", "workers-1"])
def test_steps_of_parallelcluster_are_skipped(world: Callable[..., World], name: str) -> None:
    node = world(name, "parallelcluster")
    ran = node.run()
    skipped = {step for step, status in ran.statuses().items() if status == "skipped"}
    assert skipped >= LEFT_TO_PARALLELCLUSTER
    assert "ParallelCluster" in ran.end_of("slurm_files")["hint"]
    made = "\n".join(ran.machine.points)
    assert "slurm.conf" not in made
    assert ".mount" not in made, "file systems and local disks are mounted already"


def test_a_second_run_changes_nothing(world: Callable[..., World]) -> None:
    node = world("workers-1", "parallelcluster")
    node.run()
    second = node.run()
    assert set(second.statuses().values()) <= {"unchanged", "skipped"}
    assert second.machine.points == []


def test_changed_users_are_applied_on_the_head_node(
    world: Callable[..., World],
) -> None:
    """OnNodeUpdated runs the same script with the arguments of the new deployment."""
    head = world("controller-1", "parallelcluster")
    assert head.run().code == 0

    def bob(cluster: Any) -> None:
        cluster["users"].append({**cluster["users"][0], "name": "bob", "uid": 5002, "gid": 5002})

    head.edit("cluster.json", bob)
    ran = head.run()
    assert ran.code == 0, ran.text
    applied = {step for step, status in ran.statuses().items() if status == "applied"}
    # The operating commands keep the digest of the inputs.
    assert applied == {"users", "user_homes", "slurm_accounts", "operator_commands"}
    assert head.state["passwd"]["bob"]["id"] == 5002
    assert ["research", "bob"] in head.state["associations"]


def test_queue_with_several_groups_uses_compute_resources(
    world: Callable[..., World],
) -> None:
    node = world("workers-1", "parallelcluster")
    node.groups = ("other=login", "workers=workers")
    assert node.run().code == 0
    dna = {"cluster": {"scheduler_compute_resource_name": "third"}}
    write(node, parallelcluster.DNA, json.dumps(dna))
    ran = node.run()
    assert ran.code == 3
    assert "scheduler_compute_resource_name is third" in ran.last
    assert "name other, workers" in ran.last


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (
            lambda n: cfnconfig(n, cfn_node_type="HeadNode"),
            "is a compute group; this node is a HeadNode",
        ),
        (lambda n: cfnconfig(n, cfn_node_type="MasterServer"), "cfn_node_type is MasterServer"),
        (lambda n: cfnconfig(n, cfn_node_type=""), "cfn_node_type is missing"),
        (lambda n: cfnconfig(n, cfn_region="eu-west-1"), "the node is in eu-west-1"),
        (lambda n: cfnconfig(n, cfn_region=""), "cfn_region is missing"),
        (lambda n: setattr(n, "groups", ("nobody",)), "group nobody, cluster.json has only"),
        (lambda n: setattr(n, "groups", ()), "name no group"),
        (lambda n: setattr(n, "groups", ("a", "b")), "expected one group, or COMPUTE-RESOURCE"),
        (lambda n: setattr(n, "groups", ("=workers",)), "expected one group"),
        (lambda n: write(n, parallelcluster.DNA, "{"), "has no object `cluster`"),
        (lambda n: write(n, parallelcluster.DNA, '{"cluster": []}'), "has no object `cluster`"),
        (
            lambda n: write(n, parallelcluster.SLURM_NODENAME, "ip-10-1-0-31"),
            "is not a node name of ParallelCluster",
        ),
        (lambda n: write(n, parallelcluster.INSTANCE_ID, ""), "nothing is not an instance id"),
        (
            lambda n: (n.root / parallelcluster.CFNCONFIG.lstrip("/")).unlink(),
            "this is not a node of ParallelCluster",
        ),
    ],
)
def test_unidentified_node_is_refused(
    world: Callable[..., World], break_it: Callable[[World], None], said: str
) -> None:
    node = world("workers-1", "parallelcluster")
    break_it(node)
    ran = node.run()
    assert ran.code == 3
    assert said in ran.text
    assert "useradd" not in "\n".join(ran.machine.points)


def test_stack_of_another_cluster_is_refused_on_the_head_node(
    world: Callable[..., World],
) -> None:
    head = world("controller-1", "parallelcluster")
    cfnconfig(head, stack_name="staging")
    ran = head.run()
    assert ran.code == 3
    assert "ParallelCluster's stack is staging" in ran.last


def test_files_of_the_other_platform_are_refused(world: Callable[..., World]) -> None:
    mixed = world("login-1", "parallelcluster")
    mixed.edit("cluster.json", lambda c: c.update(configuration="managed"))
    ran = mixed.run()
    assert ran.code == 3
    assert "platform is parallelcluster, and configuration is managed" in ran.text
    hyperpod = world("login-1", "managed")
    hyperpod.edit(
        "cluster.json",
        lambda c: c.update(platform="parallelcluster", configuration="parallelcluster"),
    )
    ran = hyperpod.run()
    assert ran.code == 3
    assert "on_init_complete.sh runs the managed configuration" in ran.text


def test_failure_is_reported_where_parallelcluster_shows_it(
    world: Callable[..., World], capsys: pytest.CaptureFixture[str]
) -> None:
    node = world("workers-1", "parallelcluster")
    node.change(unresolved=["s3.us-east-1.amazonaws.com"])
    ran = node.run()
    assert ran.code == 1
    told = capsys.readouterr().err.strip()
    assert told == ran.last
    assert told.startswith("clusterwright: step network failed on train-st-workers-1")
    assert "log group /aws/parallelcluster/prod-202611210900" in told


def test_scratch_requires_the_mount_of_parallelcluster(
    world: Callable[..., World],
) -> None:
    elsewhere = world("workers-1", "parallelcluster")
    cfnconfig(elsewhere, cfn_ephemeral_dir="/local")
    assert "mounts the local disks at /local" in elsewhere.run().last
    none = world("workers-1", "parallelcluster")
    cfnconfig(none, cfn_ephemeral_dir="NONE")
    assert "at no path" in none.run().last
    unmounted = world("workers-1", "parallelcluster")
    mounts = [row for row in unmounted.state["mounts"] if row["target"] != "/scratch"]
    unmounted.change(mounts=mounts)
    ran = unmounted.run()
    assert "ParallelCluster has not mounted the local disks at /scratch" in ran.last
    assert "mdadm" not in "\n".join(ran.machine.points), "its disks are not ours to take"
