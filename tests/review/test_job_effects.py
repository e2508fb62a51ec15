"""Jobs that end: tables, gates and verdict give one answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.platforms.eks.launch_templates import GROUP_LABEL
from clusterwright.review.job_effects import combined
from clusterwright.review.node_changes import NodeGroup, nodes_changes
from clusterwright.review.results import NodesChange, Review
from clusterwright.review.review import Version
from tests.review.reviewed import reviewed, version
from tests.review.templates import analysis, app, resource, stack
from tests.support.review_answers import contradictions

GROW = {"compute.1.count": 20}


def hyperpod(subnet: str = "subnet-1", **more: Any) -> dict[str, Any]:
    return resource("AWS::SageMaker::Cluster", VpcConfig={"Subnets": [subnet]}, **more)


def eks(folder: Path, changes: dict[str, Any], groups: list[str], **more: Any) -> Version:
    """Plain EKS with one node group, whose interfaces have security groups."""
    node_group = {
        "ClusterName": "c",
        "NodeRole": "r",
        "Subnets": ["s"],
        "Labels": {GROUP_LABEL: "workers"},
        "LaunchTemplate": {
            "Id": {"Ref": "Template"},
            "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
        },
        **more,
    }
    return version(
        folder,
        changes,
        Template=resource(
            "AWS::EC2::LaunchTemplate",
            LaunchTemplateData={"NetworkInterfaces": [{"Groups": groups}]},
        ),
        Nodes=resource("AWS::EKS::Nodegroup", **node_group),
    )


def nodes_of(review: Review) -> dict[str, NodesChange]:
    return {node.group: node for node in review.nodes}


@pytest.mark.parametrize("changes", [{}, GROW, {"compute.1.count": 2}])
def test_replaced_cluster_ends_the_jobs_of_every_group(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    """Also where the spec alone would only add or remove nodes."""
    found = reviewed(
        version(tmp_path, {}, Cluster=hyperpod()),
        version(tmp_path, changes, Cluster=hyperpod("subnet-2")),
    )
    nodes = nodes_of(found)
    assert {name: (n.change, n.jobs) for name, n in nodes.items()} == {
        "controller": ("replaced", "die"),
        "workers": ("replaced", "die"),
    }
    assert "keep running" not in nodes["workers"].message
    assert "a/Cluster is replaced: 4 nodes removed" in nodes["workers"].message
    # One decision, one gate: the cluster's.
    assert [(g.gate, g.name) for g in found.failed] == [("replacement", "a/Cluster")]
    assert contradictions(found) == []


def test_deleted_cluster_removes_every_group(tmp_path: Path) -> None:
    found = reviewed(version(tmp_path, {}, Cluster=hyperpod()), version(tmp_path, {}))
    assert {n.change for n in found.nodes} == {"removed"}
    assert contradictions(found) == []


def test_allowance_of_the_cluster_covers_its_groups(tmp_path: Path) -> None:
    allowed = [{"resource": "a/Cluster", "reason": "nothing runs"}]
    found = reviewed(
        version(tmp_path, {}, Cluster=hyperpod()),
        version(tmp_path, {"allow_replacement": allowed}, Cluster=hyperpod("subnet-2")),
    )
    assert found.verdict == "pass"
    assert [(g.gate, g.status) for g in found.gates if g.gate != "budget"] == [
        ("replacement", "allowed")
    ]


@pytest.mark.parametrize("changes", [{}, {"compute.0.count": 9}])
def test_added_security_group_ends_the_jobs_of_a_node_group(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    """Nothing in the spec of the group changes, yet its launch template does."""
    spec = {"platform": "eks", "compute": [COMPUTE]}
    found = reviewed(
        eks(tmp_path, spec, ["sg-1"]), eks(tmp_path, {**spec, **changes}, ["sg-1", "sg-2"])
    )
    (node,) = found.nodes
    assert (node.change, node.jobs, node.resource) == ("replaced", "die", "a/Nodes")
    assert [(g.gate, g.name) for g in found.failed] == [("jobs", "compute[workers]")]
    assert found.verdict == "fail"
    assert contradictions(found) == []


def test_jobs_on_an_unknown_node_group_have_a_gate(tmp_path: Path) -> None:
    """A node group without the label of a compute group is named itself."""
    spec = {"platform": "eks", "compute": [COMPUTE]}
    found = reviewed(
        eks(tmp_path, spec, ["sg-1"], Labels={}), eks(tmp_path, spec, ["sg-2"], Labels={})
    )
    assert [(g.gate, g.name) for g in found.failed] == [("jobs", "a/Nodes")]
    assert contradictions(found) == []


COMPUTE = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}


def test_own_reason_of_a_group_is_kept_and_linked() -> None:
    before = {"workers": NodeGroup("workers", "p5.48xlarge", 4, True)}
    after = {"workers": NodeGroup("workers", "p5en.48xlarge", 4, True)}
    one, two = (
        app(a=stack({"Cluster": hyperpod(InstanceGroups=[{"InstanceType": kind}])}))
        for kind in ("ml.p5.48xlarge", "ml.p5en.48xlarge")
    )
    changes = analysis(one, two)
    (cluster,), (node,) = combined(
        changes.changes, nodes_changes(before, after), before, after, changes
    )
    assert "p5.48xlarge becomes p5en.48xlarge" in node.message
    assert node.resource == "a/Cluster"
    assert (cluster.effect, cluster.job_loss) == ("restart", True)


def test_part_of_a_group_is_no_restart() -> None:
    before = {"workers": NodeGroup("workers", "p5.48xlarge", 4, True)}
    after = {"workers": NodeGroup("workers", "p5.48xlarge", 2, True)}
    one, two = (
        app(a=stack({"Cluster": hyperpod(InstanceGroups=[{"InstanceCount": n}])})) for n in (4, 2)
    )
    changes = analysis(one, two)
    (cluster,), _ = combined(changes.changes, nodes_changes(before, after), before, after, changes)
    assert (cluster.effect, cluster.job_loss) == ("update", True)
