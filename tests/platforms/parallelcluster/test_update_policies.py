"""What an update of a configuration requires, for small changes of each kind."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from clusterwright.platforms.parallelcluster.update_policies import (
    ACTIONS,
    Need,
    effects,
    policies,
)

BASE: dict[str, Any] = {
    "Region": "us-east-1",
    "HeadNode": {"InstanceType": "m5.4xlarge"},
    "LoginNodes": {"Pools": [{"Name": "login", "Count": 1, "GracetimePeriod": 3}]},
    "Scheduling": {
        "SlurmSettings": {"QueueUpdateStrategy": "DRAIN", "ScaledownIdletime": 10},
        "SlurmQueues": [
            {
                "Name": "workers",
                "CapacityType": "ONDEMAND",
                "ComputeResources": [
                    {"Name": "a", "InstanceType": "p5.48xlarge", "MinCount": 2, "MaxCount": 4}
                ],
            }
        ],
    },
    "Monitoring": {"Logs": {"CloudWatch": {"RetentionInDays": 90}}},
}
QUEUE = ("Scheduling", "SlurmQueues", 0)
RESOURCE = (*QUEUE, "ComputeResources", 0)


def changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    data = copy.deepcopy(BASE)
    here: Any = data
    for part in path[:-1]:
        here = here[part]
    here[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "key", "need"),
    [
        (("HeadNode", "InstanceType"), "m5.8xlarge", "HeadNode.InstanceType", "unsupported"),
        (
            ("Monitoring", "Logs", "CloudWatch", "RetentionInDays"),
            30,
            "Monitoring.Logs.CloudWatch.RetentionInDays",
            "nothing",
        ),
        (
            ("Scheduling", "SlurmSettings", "ScaledownIdletime"),
            20,
            "Scheduling.SlurmSettings.ScaledownIdletime",
            "fleet-stopped",
        ),
        (
            (*RESOURCE, "MaxCount"),
            8,
            "Scheduling.SlurmQueues[workers].ComputeResources[a].MaxCount",
            "nothing",
        ),
        (
            (*RESOURCE, "MaxCount"),
            3,
            "Scheduling.SlurmQueues[workers].ComputeResources[a].MaxCount",
            "terminate-strategy",
        ),
    ],
)
def test_what_a_change_needs(
    path: tuple[str | int, ...], value: Any, key: str, need: Need
) -> None:
    (change,) = effects(BASE, changed(path, value))
    assert (change.path, change.needs) == (key, need)
    assert change.action == ACTIONS[need]


def test_unchanged_spec_changes_nothing() -> None:
    assert effects(BASE, copy.deepcopy(BASE)) == []


def test_a_stopped_fleet_accepts_fewer_nodes() -> None:
    (change,) = effects(BASE, changed((*RESOURCE, "MaxCount"), 3), fleet_runs=False)
    assert change.needs == "nothing"


@pytest.mark.parametrize(
    ("strategy", "need", "replaces"),
    [
        ("DRAIN", "nothing", True),
        ("TERMINATE", "nothing", True),
        ("COMPUTE_FLEET_STOP", "fleet-stopped", False),
    ],
)
def test_the_strategy_decides_about_queues(strategy: str, need: Need, replaces: bool) -> None:
    after = changed((*QUEUE, "CapacityType"), "SPOT")
    (change,) = effects(BASE, after, strategy)
    assert (change.needs, change.replaces_nodes) == (need, replaces)


def test_a_new_queue_needs_nothing_and_a_removed_one_ends_jobs() -> None:
    queue = {"Name": "more", "ComputeResources": [{"Name": "b", "InstanceType": "m5.large"}]}
    after = changed(("Scheduling", "SlurmQueues"), [*BASE["Scheduling"]["SlurmQueues"], queue])
    (added,) = effects(BASE, after)
    assert (added.path, added.before, added.needs) == (
        "Scheduling.SlurmQueues[more]",
        None,
        "nothing",
    )
    assert not added.replaces_nodes
    (removed,) = effects(after, BASE)
    assert (removed.after, removed.needs) == (None, "terminate-strategy")


def test_login_nodes_are_stopped_before_their_pool_changes() -> None:
    path = ("LoginNodes", "Pools", 0, "InstanceType")
    (change,) = effects(BASE, changed(path, "m5.large"))
    assert change.needs == "login-nodes-stopped"
    stopped = changed(("LoginNodes", "Pools", 0, "Count"), 0)
    after = copy.deepcopy(stopped)
    after["LoginNodes"]["Pools"][0]["InstanceType"] = "m5.large"
    (change,) = effects(stopped, after)
    assert change.needs == "nothing"


@pytest.mark.parametrize(
    ("storage", "need"),
    [
        (
            {
                "Name": "data",
                "MountDir": "/data",
                "StorageType": "FsxLustre",
                "FsxLustreSettings": {"FileSystemId": "fs-0a1b2c3d4e5f60718"},
            },
            "nothing",
        ),
        ({"Name": "data", "MountDir": "/data", "StorageType": "Ebs"}, "login-nodes-stopped"),
        ({"Name": "data", "MountDir": "/home", "StorageType": "Ebs"}, "unsupported"),
    ],
)
def test_shared_storage(storage: dict[str, Any], need: Need) -> None:
    (change,) = effects(BASE, {**BASE, "SharedStorage": [storage]})
    assert (change.path, change.needs) == ("SharedStorage[data]", need)


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"HeadNode\.Cpu"):
        effects(BASE, changed(("HeadNode", "Cpu"), 1))


def test_every_policy_has_a_condition() -> None:
    assert policies()["HeadNode/InstanceType"] == "UNSUPPORTED"
    every = {**BASE, "HeadNode": {}}
    for change in effects(every, BASE):
        assert change.needs in ACTIONS
