"""Derived values."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.document import Document
from clusterwright.cluster_spec.layering import lay
from clusterwright.cluster_spec.resolve import Resolved, partition_of, resolve


def resolved(data: dict[str, Any]) -> Resolved:
    return resolve(lay((Document("spec.yaml", data, []),)))


@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-east-1", "aws"), ("us-gov-west-1", "aws-us-gov"), ("cn-north-1", "aws-cn")],
)
def test_partition_is_derived_from_the_region(region: str, partition: str) -> None:
    assert partition_of(region) == partition
    found = resolved({"region": region})
    assert found.data["partition"] == partition
    assert ("partition",) in found.derived


def test_given_partition_is_kept() -> None:
    found = resolved({"region": "us-east-1", "partition": "aws-cn"})
    assert found.data["partition"] == "aws-cn"
    assert ("partition",) not in found.derived


@pytest.mark.parametrize(
    ("mount_path", "name"),
    [
        ("/fsx", "fsx"),
        ("/data/tokens_v2", "data-tokens-v2"),
        ("/a.b", "a-b"),
        ("/" + "x" * 80, "x" * 63),
        ("/" + "é", "fsx"),
    ],
)
def test_a_file_system_is_named_after_its_mount_path(mount_path: str, name: str) -> None:
    found = resolved({"storage": {"lustre": [{"mount_path": mount_path}]}})
    assert found.data["storage"]["lustre"][0]["name"] == name
    assert ("storage", "lustre", 0, "name") in found.derived


def test_given_name_is_kept() -> None:
    found = resolved({"storage": {"lustre": [{"name": "mine"}]}})
    assert found.data["storage"]["lustre"] == [{"name": "mine"}]


def test_compute_groups_share_one_partition_by_default() -> None:
    compute = [
        {"name": "c", "role": "controller"},
        {"name": "a", "role": "compute"},
        {"name": "b", "role": "compute"},
    ]
    found = resolved({"compute": compute})
    assert found.data["slurm"]["partitions"] == [{"name": "training", "groups": ["a", "b"]}]
    own = [{"name": "mine", "groups": ["a"]}]
    found = resolved({"compute": compute, "slurm": {"partitions": own}})
    assert found.data["slurm"]["partitions"] == own
    assert ("slurm", "partitions") not in found.derived


@pytest.mark.parametrize(
    "data",
    [
        {"region": 5, "storage": [], "slurm": [], "compute": {}},
        {"storage": {"lustre": {}}, "slurm": {"users": 5}, "compute": [1, {"name": 5}]},
        {"storage": {"lustre": [1, {"mount_path": 5}]}, "slurm": "x", "compute": "x"},
        {"compute": [{"role": "compute"}], "slurm": {"partitions": 5}},
    ],
)
def test_wrong_types_are_reported_by_the_models(data: dict[str, Any]) -> None:
    found = resolved(data)
    assert found.problems == []
    assert found.data == {**data, "partition": "aws", "acceptance": {"hold": True}}


def test_given_values_are_not_changed() -> None:
    data = {"storage": {"lustre": [{"mount_path": "/fsx"}]}}
    found = resolved(data)
    assert found.written == {"storage": {"lustre": [{"mount_path": "/fsx"}]}}


@pytest.mark.parametrize(
    ("data", "mode"),
    [
        ({"slurm": {"configuration": "scripted"}}, "all-at-once"),
        ({"slurm": {"configuration": "scripted"}, "resilience": {"x": 1}}, "all-at-once"),
        (
            {
                "slurm": {"configuration": "scripted"},
                "resilience": {"node_provisioning": "continuous"},
            },
            "continuous",
        ),
        ({"slurm": {"configuration": "managed"}}, None),
        # Refused there according to the file, which has no `resilience`.
        ({"slurm": {"configuration": "scripted"}, "platform": "parallelcluster"}, None),
        ({}, None),
    ],
)
def test_scripted_mode_starts_all_nodes_at_once_by_default(
    data: dict[str, Any], mode: str | None
) -> None:
    found = resolved(data)
    assert found.data.get("resilience", {}).get("node_provisioning") == mode
    derived = ("resilience", "node_provisioning") in found.derived
    assert derived == (mode == "all-at-once")


@pytest.mark.parametrize(
    ("data", "hold", "derived"),
    [
        ({}, True, True),
        ({"acceptance": {"level": "standard"}}, True, True),
        ({"acceptance": {"hold": False}}, False, False),
        ({"platform": "parallelcluster"}, True, True),
        ({"platform": "pcs"}, True, True),
        # Without an image no node is tested there.
        ({"platform": "hyperpod-eks"}, None, False),
        ({"platform": "eks", "acceptance": {"level": "quick"}}, None, False),
        ({"platform": "eks", "acceptance": {"image": "example.com/a@sha256:1"}}, True, True),
        # The models report what is no section.
        ({"acceptance": "yes"}, None, False),
    ],
)
def test_nodes_that_are_tested_are_held_unless_the_file_says_otherwise(
    data: dict[str, Any], hold: bool | None, derived: bool
) -> None:
    found = resolved(data)
    section = found.data.get("acceptance")
    assert (section.get("hold") if isinstance(section, dict) else None) is hold
    assert (("acceptance", "hold") in found.derived) is derived
