"""What to do instead of a change that loses data or jobs."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.preflight.results import Unanswered
from clusterwright.review.alternatives import alternatives
from clusterwright.review.node_changes import NodeGroup
from clusterwright.review.results import (
    Cause,
    FindingsDelta,
    GateResult,
    NodesChange,
    ResourceChange,
    Review,
    SpecChange,
)


def change(kind: str, **more: Any) -> ResourceChange:
    given = {"effect": "replace", "action": "replace", "holds": "files", **more}
    return ResourceChange(stack="a", logical_id="X", type=kind, **given)


GROUPS = {
    "workers": NodeGroup("workers", "p5.48xlarge", 4, True),
    "login": NodeGroup("login", "m5.4xlarge", 4, False),
}


def advice(*causes: Cause, platform: str = "hyperpod-slurm", **parts: Any) -> str:
    found = Review(file="f", environment="prod", base="main", **parts)
    return alternatives(found, causes, platform, GROUPS)


CLUSTER = change("AWS::SageMaker::Cluster")


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (Cause((change("AWS::FSx::FileSystem"),)), "add a second file system"),
        (Cause((CLUSTER,)), "create a second cluster under another `environment`"),
        (
            Cause((change("AWS::EC2::Subnet", holds=None),), (CLUSTER,)),
            "for another network or zone create a second cluster",
        ),
        (
            Cause((change("AWS::FSx::FileSystem", effect="delete", action="leave"),)),
            "keep the name",
        ),
    ],
)
def test_advice_by_cause(cause: Cause, words: str) -> None:
    assert words in advice(cause)


def test_address_range_has_more_addresses_as_alternative() -> None:
    cause = Cause((change("AWS::EC2::VPC", holds=None),), (CLUSTER,))
    found = advice(cause, changes=(SpecChange("network.cidr", "a", "b"),))
    assert found.startswith("for more addresses keep `network.cidr`")


@pytest.mark.parametrize(
    ("platform", "words"), [("eks", "kubectl drain"), ("parallelcluster", "scontrol update")]
)
@pytest.mark.parametrize("kind", ["replaced", "shrunk", "removed"])
def test_nodes_are_drained_first(platform: str, words: str, kind: Any) -> None:
    node = NodesChange(
        group="workers", change=kind, before=4, after=2, jobs="die", message="m",
        whole_group=kind != "shrunk", resource="a/X",
    )  # fmt: skip
    assert words in advice(platform=platform, nodes=(node,))
    own = SpecChange("compute[workers].instance_type", "a", "b")
    found = advice(platform=platform, nodes=(node,), changes=(own,))
    assert words in found
    # A setting of the whole cluster also reaches a group that is added.
    assert ("add a group" in found) is (kind == "replaced")


@pytest.mark.parametrize(
    ("platform", "words"), [("eks", "kubectl drain"), ("hyperpod-slurm", "nobody works on")]
)
@pytest.mark.parametrize("kind", ["replaced", "shrunk", "removed"])
def test_nodes_that_slurm_does_not_know_are_not_drained(
    platform: str, words: str, kind: Any
) -> None:
    node = NodesChange(
        group="login", change=kind, before=4, after=2, jobs="die", message="m",
        whole_group=kind != "shrunk", resource="a/X",
    )  # fmt: skip
    own = SpecChange("compute[login].instance_type", "a", "b")
    for changes in ((), (own,)):
        found = advice(platform=platform, nodes=(node,), changes=changes)
        assert words in found
        assert "scontrol" not in found


def test_a_hint_of_several_rules_is_given_once() -> None:
    rules = tuple(
        Unanswered(rule=rule, severity="error", path="budget", message="m", hint="set rates")
        for rule in ("CW-B001", "CW-B002")
    )
    found = advice(findings=FindingsDelta(unanswered=rules))
    assert found == "to check CW-B001 and CW-B002: set rates"


def test_nodes_of_a_replaced_cluster_have_no_advice_of_their_own() -> None:
    node = NodesChange(
        group="workers", change="replaced", before=4, after=4, jobs="die", message="m",
        whole_group=True, resource="a/X",
    )  # fmt: skip
    found = advice(Cause((CLUSTER,)), nodes=(node,), resources=(CLUSTER,))
    assert "beside workers" not in found


@pytest.mark.parametrize("kind", ["order", "budget", "findings", "allowance"])
def test_hint_of_a_gate_is_the_advice(kind: Any) -> None:
    gate = GateResult(gate=kind, status="fail", name="n", message="m", hint="do this")
    assert advice(gates=(gate,)) == "do this"


def test_harmless_change_needs_none() -> None:
    assert advice() == "no alternative is needed"
