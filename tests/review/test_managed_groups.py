"""Effects of a change on node groups of EKS, and changes that EKS refuses."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.review.node_changes import groups_of_spec, nodes_changes
from clusterwright.review.results import NodesChange
from tests.review.blockers import found
from tests.review.templates import app, changes, resource, stack
from tests.support.rich_specs import EKS_MINIMAL
from tests.support.validation import cluster

IMAGE = f"111122223333.dkr.ecr.us-east-1.amazonaws.com/tests@sha256:{'0' * 64}"
GROUP = {
    "ClusterName": "c",
    "NodeRole": "r",
    "Subnets": ["s"],
    "CapacityType": "ON_DEMAND",
    "ScalingConfig": {"MinSize": 2, "DesiredSize": 2, "MaxSize": 2},
    "LaunchTemplate": {
        "Id": {"Ref": "Template"},
        "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
    },
    "Version": "1.34",
}


def nodes(volume: int = 100, **more: Any) -> dict[str, Any]:
    return stack(
        {
            "Template": resource(
                "AWS::EC2::LaunchTemplate", LaunchTemplateData={"UserData": str(volume)}
            ),
            "Group": resource("AWS::EKS::Nodegroup", **{**GROUP, **more}),
        }
    )


@pytest.mark.parametrize(
    ("after", "effect", "jobs_die"),
    [
        (nodes(ScalingConfig={"MinSize": 2, "DesiredSize": 3, "MaxSize": 3}), "update", False),
        (nodes(Labels={"a": "b"}), "update", False),
        (nodes(volume=200), "restart", True),
        (nodes(Version="1.35"), "restart", True),
        (nodes(ReleaseVersion="1.34.1-20261101"), "restart", True),
        (nodes(CapacityType="SPOT"), "replace", True),
        (nodes(AmiType="AL2023_x86_64_NEURON"), "replace", True),
        (nodes(Subnets=["other"]), "replace", True),
    ],
)
def test_effects_on_a_node_group_are_reported(after: Any, effect: str, jobs_die: bool) -> None:
    change = changes(app(cluster=nodes()), app(cluster=after))["cluster/Group"]
    assert (change.effect, change.job_loss) == (effect, jobs_die)


@pytest.mark.parametrize("platform", ["hyperpod-eks", "eks"])
def test_other_platform_is_a_new_cluster(platform: str) -> None:
    """No update reaches the nodes there: they are not replaced in batches."""
    base = {**EKS_MINIMAL, "platform": "hyperpod-eks"}
    before = groups_of_spec(cluster({}, base))
    found = nodes_changes(before, groups_of_spec(cluster({}, {**base, "platform": platform})))
    if platform == "hyperpod-eks":
        assert found == []
        return
    assert [one.group for one in found] == [group["name"] for group in EKS_MINIMAL["compute"]]
    for one in found:
        assert "hyperpod-eks becomes eks, which is another cluster" in one.message
        assert "some at a time" not in one.message
        assert one.jobs == "die" or one.group == "system"


def test_the_hold_changes_the_launch_templates_of_held_groups() -> None:
    """The kubelet of their nodes waits after a reboot."""
    before = groups_of_spec(cluster({}, EKS_MINIMAL))
    held = {"image": IMAGE, "hold": True}
    after = groups_of_spec(cluster({}, {**EKS_MINIMAL, "acceptance": held}))
    (found,) = nodes_changes(before, after)
    assert (found.group, found.jobs) == ("workers", "die")
    assert found.message.startswith("acceptance hold: new launch settings require new nodes")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1.34", "1.35", None),
        ("1.34", "1.34", None),
        ("1.34", "1.33", "it never downgrades"),
        ("1.32", "1.35", "one minor version at a time"),
        ({"Ref": "V"}, "1.30", None),
    ],
)
def test_version_can_increase_by_one_minor(old: Any, new: Any, words: str | None) -> None:
    def control_plane(version: Any) -> dict[str, Any]:
        return stack(
            {
                "Cluster": resource(
                    "AWS::EKS::Cluster",
                    Name="c",
                    RoleArn="r",
                    ResourcesVpcConfig={},
                    Version=version,
                )
            },
            Parameters={"V": {"Type": "String"}},
        )

    blockers = found(app(k=control_plane(old)), app(k=control_plane(new)))
    assert [words in one.message for one in blockers if words] == ([True] if words else [])
    assert bool(blockers) is (words is not None)


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ({}, {"volume": 200}, True),
        ({}, {"Version": "1.35"}, True),
        ({}, {"Labels": {"a": "b"}}, False),
        (
            {"ScalingConfig": {"MinSize": 0, "DesiredSize": 0, "MaxSize": 2}},
            {"volume": 200, "ScalingConfig": {"MinSize": 0, "DesiredSize": 0, "MaxSize": 2}},
            False,
        ),
    ],
)
def test_group_in_a_capacity_block_must_be_empty_for_an_update(
    before: dict[str, Any], after: dict[str, Any], refused: bool
) -> None:
    block = {"CapacityType": "CAPACITY_BLOCK"}
    blockers = found(app(cluster=nodes(**block, **before)), app(cluster=nodes(**block, **after)))
    assert ["while it has no nodes" in one.message for one in blockers] == [True] * refused


def change_of(**changed: Any) -> list[NodesChange]:
    paths = {path.replace("__", "."): value for path, value in changed.items()}
    old, new = cluster({}, EKS_MINIMAL), cluster(paths, EKS_MINIMAL)
    return nodes_changes(groups_of_spec(old), groups_of_spec(new))


@pytest.mark.parametrize(
    "changed",
    [
        {"kubernetes__version": "1.34"},
        {"kubernetes__node_volume_gib": 300},
        {"tags": {"a": "b"}},
        {"compute__0__scratch": {}},
        {"compute__0__placement_group": False},
        {"compute__0__threads_per_core": 1},
        {"compute__0__network_interface": "efa"},
        {"compute__0__capacity": {"kind": "reservation", "id": "cr-0a1b2c3d4e5f60718"}},
        {"compute__0__instance_type": "p5en.48xlarge"},
    ],
)
def test_launch_template_changes_replace_nodes(changed: dict[str, Any]) -> None:
    (change,) = change_of(**changed)
    assert (change.change, change.jobs, change.whole_group) == ("replaced", "die", True)
    assert "HyperPod" not in change.message


@pytest.mark.parametrize(
    "changed",
    [{"compute__0__labels": {"a": "b"}}, {"compute__0__max_count": 9}],
)
def test_in_place_changes_of_eks_keep_nodes(changed: dict[str, Any]) -> None:
    assert change_of(**changed) == []


def test_auto_scaling_selects_the_removed_nodes() -> None:
    (change,) = change_of(compute__0__count=3)
    assert (change.change, change.jobs) == ("shrunk", "die")
    assert "Auto Scaling selects them" in change.message
