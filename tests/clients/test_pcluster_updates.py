"""The list of update policies and their conditions agrees with aws-parallelcluster."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.parallelcluster import limits
from clusterwright.platforms.parallelcluster.document import render
from clusterwright.platforms.parallelcluster.supplied import placeholders
from clusterwright.platforms.parallelcluster.update_policies import effects, policies
from tests.support import parallelcluster_specs as specs
from tests.support.pcluster_oracle import Oracle, oracle
from tests.support.specs import write

pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="module")
def pcluster_package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    with oracle(tmp_path_factory.mktemp("updates")) as found:
        yield found


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A configuration with most of the rendered keys."""
    groups = [
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
        {
            "name": "growing",
            "role": "compute",
            "instance_type": "g5.48xlarge",
            "count": 2,
            "max_count": 8,
            "scratch": {"mount_path": "/scratch"},
        },
    ]
    data = specs.with_groups(*groups, slurm={"accounting": {"kind": "rds"}})
    data["tags"] = {"owner": "ml"}
    path = write(tmp_path_factory.mktemp("base") / "spec.yaml", data)
    cluster = load_cluster(path).cluster
    return render(cluster, load_catalog(), placeholders(cluster))


def test_every_update_policy_matches_the_package(pcluster_package: Oracle) -> None:
    assert pcluster_package.policies() == policies()


def test_every_limit_matches_the_package(pcluster_package: Oracle) -> None:
    found = pcluster_package.limits()
    assert set(found["regions"]) == limits.REGIONS
    assert found["MAX_TAGS_COUNT"] == limits.TAGS
    assert found["MAX_NUMBER_OF_QUEUES"] == limits.QUEUES
    assert found["MAX_NUMBER_OF_COMPUTE_RESOURCES_PER_CLUSTER"] == limits.COMPUTE_RESOURCES
    assert found["MAX_NUMBER_OF_LOGIN_NODE_POOLS"] == limits.LOGIN_POOLS
    sizes = found["ULTRASERVER_CAPACITY_BLOCK_ALLOWED_SIZE_DICT"]
    assert sizes == {"p6e-gb200": list(limits.ULTRASERVER_SIZES)}
    others = {
        system: platform
        for system, platform in found["CAPACITY_RESERVATION_OS_MAP"].items()
        if platform != "Linux/UNIX"
    }
    assert others == limits.RESERVATION_PLATFORMS


_QUEUE = ("Scheduling", "SlurmQueues", 0)
_RESOURCE = (*_QUEUE, "ComputeResources", 0)

CHANGES: dict[tuple[str | int, ...], tuple[Any, ...]] = {
    ("Image", "Os"): ("ubuntu2404",),
    ("HeadNode", "InstanceType"): ("m5.8xlarge",),
    ("HeadNode", "Networking", "SecurityGroups"): (["sg-11111111111111111"],),
    ("HeadNode", "LocalStorage", "RootVolume", "Size"): (200,),
    ("HeadNode", "CustomActions", "OnNodeConfigured", "Args"): (["other"],),
    ("HeadNode", "CustomActions", "OnNodeUpdated", "Args"): (["other"],),
    ("HeadNode", "Iam", "AdditionalIamPolicies"): (None, [{"Policy": "arn:x:policy/x"}]),
    ("LoginNodes",): (None,),
    ("LoginNodes", "Pools", 0, "Count"): (0, 5),
    ("LoginNodes", "Pools", 0, "InstanceType"): ("m5.8xlarge",),
    ("LoginNodes", "Pools", 0, "Name"): ("another",),
    ("Scheduling", "ScalingStrategy"): ("best-effort",),
    ("Scheduling", "SlurmSettings", "ScaledownIdletime"): (20, None),
    ("Scheduling", "SlurmSettings", "QueueUpdateStrategy"): (
        "TERMINATE", "COMPUTE_FLEET_STOP", None,
    ),
    ("Scheduling", "SlurmSettings", "Database"): (None,),
    ("Scheduling", "SlurmSettings", "Database", "Uri"): ("other:3306",),
    ("Scheduling", "SlurmSettings", "CustomSlurmSettings"): ([{"KillWait": "90"}],),
    (*_QUEUE, "Name"): ("renamed",),
    (*_QUEUE, "CapacityType"): ("SPOT",),
    (*_QUEUE, "CustomSlurmSettings"): ({"PriorityTier": "5"},),
    (*_QUEUE, "CustomActions", "OnNodeConfigured", "Args"): (["other"],),
    (*_QUEUE, "Networking", "SubnetIds"): (["subnet-11111111111111111"],),
    (*_QUEUE, "ComputeSettings", "LocalStorage", "EphemeralVolume"): ({"MountDir": "/x"}, None),
    (*_QUEUE, "JobExclusiveAllocation"): (False,),
    (*_RESOURCE, "InstanceType"): ("p5e.48xlarge",),
    (*_RESOURCE, "MinCount"): (0, 2, 6),
    (*_RESOURCE, "MaxCount"): (2, 6, None),
    (*_RESOURCE, "Efa", "Enabled"): (False,),
    (*_RESOURCE, "DisableSimultaneousMultithreading"): (True,),
    (*_RESOURCE, "Networking", "PlacementGroup"): (
        {"Enabled": False}, {"Enabled": True, "Name": "ours"},
    ),
    (*_RESOURCE, "CapacityReservationTarget"): ({"CapacityReservationId": "cr-1"},),
    (*_RESOURCE, "HealthChecks", "Gpu", "Enabled"): (True,),
    ("SharedStorage",): (None, []),
    ("SharedStorage", 1): (None,),
    ("SharedStorage", 1, "Name"): ("renamed",),
    ("SharedStorage", 1, "FsxLustreSettings", "FileSystemId"): ("fs-11111111111111111",),
    ("Monitoring", "DetailedMonitoring"): (True,),
    ("Monitoring", "Logs", "CloudWatch", "RetentionInDays"): (30,),
    ("DevSettings", "Timeouts", "HeadNodeBootstrapTimeout"): (9000,),
    ("DevSettings", "Timeouts", "ComputeNodeBootstrapTimeout"): (9000,),
    ("DevSettings", "EfaInterfaceType"): ("efa",),
    ("Tags",): ([], [{"Key": "owner", "Value": "another"}], None),
    ("Iam",): ({"PermissionsBoundary": "arn:aws:iam::111122223333:policy/boundary"},),
}  # fmt: skip


def _put(configuration: dict[str, Any], path: tuple[str | int, ...], value: Any) -> None:
    here: Any = configuration
    for part in path[:-1]:
        if isinstance(here, list):
            if len(here) <= int(part):
                return
            here = here[int(part)]
        elif part in here:
            here = here[part]
        else:
            return
    last = path[-1]
    if isinstance(here, list):
        if len(here) <= int(last):
            return
        if value is None:
            del here[int(last)]
        else:
            here[int(last)] = value
    elif value is None:
        here.pop(last, None)
    else:
        here[last] = copy.deepcopy(value)


def _compare(
    pcluster_package: Oracle, before: dict[str, Any], after: dict[str, Any], *, runs: bool
) -> None:
    ours = effects(before, after, fleet_runs=runs)
    # The package receives the login nodes of the configuration.
    pools = (before.get("LoginNodes") or {}).get("Pools", [])
    running = [pool["Name"] for pool in pools if pool["Count"]]
    theirs = pcluster_package.patch(before, after, fleet_runs=runs, login_nodes_run=running)
    assert theirs["allowed"] == all(our.needs == "nothing" for our in ours), (ours, theirs)
    refused = {
        (row["path"], row["update_policy"])
        for row in theirs["rows"]
        if row["check"] != "SUCCEEDED"
    }
    mine = {(_without_identity(our.path), our.policy) for our in ours if our.needs != "nothing"}
    assert mine == refused


def _without_identity(path: str) -> str:
    """The package names an added or removed item by its list."""
    return path[: path.rindex("[")] if path.endswith("]") else path


@pytest.mark.parametrize(
    ("path", "value"),
    [(path, value) for path, values in CHANGES.items() for value in values],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else str(value)[:20],
)
def test_each_change_has_the_requirements_of_the_package(
    path: tuple[str | int, ...], value: Any, pcluster_package: Oracle, base: dict[str, Any]
) -> None:
    after = copy.deepcopy(base)
    _put(after, path, value)
    for runs in (True, False):
        _compare(pcluster_package, base, after, runs=runs)
        _compare(pcluster_package, after, base, runs=runs)


def test_combined_changes_have_all_requirements(
    pcluster_package: Oracle, base: dict[str, Any]
) -> None:
    """Strategy and sizes together: the requirements of one change depend on others."""

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(
        st.lists(
            st.sampled_from([(path, v) for path, values in CHANGES.items() for v in values]),
            max_size=5,
        ),
        st.booleans(),
    )
    def together(found: list[tuple[tuple[str | int, ...], Any]], runs: bool) -> None:
        after = copy.deepcopy(base)
        for path, value in found:
            _put(after, path, value)
        _compare(pcluster_package, base, after, runs=runs)

    together()


def test_node_list_grows_without_a_fleet_stop(base: dict[str, Any]) -> None:
    """More static nodes in a static group: both counts increase, without a requirement."""
    after = copy.deepcopy(base)
    resource = after["Scheduling"]["SlurmQueues"][0]["ComputeResources"][0]
    resource["MinCount"] = resource["MaxCount"] = 64
    assert {effect.path.rpartition(".")[2]: effect.needs for effect in effects(base, after)} == {
        "MaxCount": "nothing",
        "MinCount": "nothing",
    }


def test_unknown_key_is_refused(base: dict[str, Any]) -> None:
    with pytest.raises(KeyError, match=r"HeadNode\.Colour"):
        effects(base, {**base, "HeadNode": {**base["HeadNode"], "Colour": "red"}})
