"""EKS: worlds that refuse it, remaining resources, the CDK CLI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from tests.stacks.deployed_eks import RESERVATIONS, SPEC, groups, prepared
from tests.stacks.deployment import bootstrapped, order
from tests.support.cdk_life import life
from tests.support.rich_specs import EKS, EKS_MINIMAL, changed
from tests.support.synthesis import ROOT, Assembly, Build

Synth = Callable[[str | Path], Assembly]

SMALL = changed(EKS_MINIMAL, protection="destroy")
DEV = ROOT / "configs" / "dev-eks.yaml"


@pytest.mark.parametrize(
    ("world", "words"),
    [
        (
            {"capacity": [{"instance_type": "p5.48xlarge", "available": 3}]},
            "InsufficientInstanceCapacity",
        ),
    ],
)
def test_insufficient_world_refuses_with_the_message_of_aws(
    world: dict[str, Any], words: str, build: Build
) -> None:
    """The rule's finding is tested in tests/preflight/test_refusals_of_deployments.py."""
    with local_aws(**world):
        account = bootstrapped()
        with pytest.raises(AssertionError, match="ROLLBACK") as raised:
            account.deploy(build(SMALL))
        assert words in str(raised.value)
        # The rollback of a stack leaves no nodes.
        assert not account.client("ec2").describe_instances(
            Filters=[{"Name": "instance-state-name", "Values": ["running"]}]
        )["Reservations"]


def test_scheduled_capacity_block_refuses_its_group(build: Build) -> None:
    waits = [{**RESERVATIONS[0], "state": "scheduled", "start": "+2d"}, RESERVATIONS[1]]
    with local_aws(capacity_reservations=waits):
        account = prepared()
        with pytest.raises(AssertionError, match="ROLLBACK") as raised:
            account.deploy(build(SPEC))
        assert "Your Capacity Block is not active yet" in str(raised.value)


@pytest.mark.parametrize("spec", [SPEC, SMALL], ids=["everything", "nothing of its own"])
def test_no_resource_is_left(spec: dict[str, Any], build: Build) -> None:
    with local_aws(capacity_reservations=RESERVATIONS):
        account = prepared()
        before = account.holdings()
        assembly = build(spec)
        account.deploy(assembly)
        for name in reversed(order(assembly)):
            account.delete(name)
        assert account.holdings() == before
        assert account.client("eks").list_clusters()["clusters"] == []
        assert account.client("ec2").describe_placement_groups()["PlacementGroups"] == []
        assert account.client("ec2").describe_launch_templates()["LaunchTemplates"] == []


def test_stateful_resources_are_retained(build: Build) -> None:
    with local_aws(capacity_reservations=RESERVATIONS):
        account = prepared()
        assembly = build(EKS)
        account.deploy(assembly)
        cloudformation = account.client("cloudformation")
        with pytest.raises(cloudformation.exceptions.ClientError, match="TerminationProtection"):
            cloudformation.delete_stack(StackName="test-kubernetes")
        for name in ("test-addons", "test-cluster"):
            account.delete(name)
        assert groups(account) == {}
        # Without the protection of the stack, that of the cluster still applies.
        cloudformation.update_termination_protection(
            StackName="test-kubernetes", EnableTerminationProtection=False
        )
        cloudformation.delete_stack(StackName="test-kubernetes")
        with pytest.raises(AssertionError, match="deletion protection"):
            account.settled("test-kubernetes")
        assert account.client("eks").list_clusters()["clusters"] == ["test"]


@pytest.mark.enable_socket
@pytest.mark.slow
def test_dev_configuration_is_deployed_changed_and_destroyed(tmp_path: Path, synth: Synth) -> None:
    """The CDK CLI: deploy, no changes, one more node, destroy."""
    (tmp_path / "configs").mkdir()
    for path in (DEV, DEV.parent / "base.yaml"):
        text = path.read_text(encoding="utf-8")
        bigger = text.replace("    count: 2\n    max_count", "    count: 3\n    max_count")
        (tmp_path / "configs" / path.name).write_text(bigger, encoding="utf-8")
    with life(tmp_path) as aws:
        first = aws.synth(DEV, "first")
        # `python app.py` and the CDK CLI write the same templates.
        for template in synth(DEV).directory.glob("*.template.json"):
            assert (tmp_path / "first" / template.name).read_bytes() == template.read_bytes()
        printed = aws.deploy(first)
        assert "dev-eks-cluster.KubeconfigCommand = aws eks update-kubeconfig" in printed
        assert set(aws.stacks().values()) == {"CREATE_COMPLETE"}
        assert "Number of stacks with differences: 0" in aws.cdk("diff", "--all", *first)
        second = aws.synth(tmp_path / "configs" / DEV.name, "second")
        shown = aws.cdk("diff", "--all", *second)
        assert "DesiredSize" in shown
        assert "requires replacement" not in shown
        aws.deploy(second)
        found = aws.client("ec2").describe_instances(
            Filters=[
                {"Name": "tag:eks:cluster-name", "Values": ["dev-eks"]},
                {"Name": "instance-state-name", "Values": ["running"]},
            ]
        )["Reservations"]
        assert sum(len(one["Instances"]) for one in found) == 5
        aws.cdk("destroy", "--all", "--force", *second)
        assert set(aws.stacks()) == {"CDKToolkit"}
        assert aws.client("eks").list_clusters()["clusters"] == []
