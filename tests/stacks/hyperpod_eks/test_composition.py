"""HyperPod with EKS: quotas that refuse it, remaining resources, the CDK CLI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from tests.stacks.deployment import bootstrapped, order
from tests.support.cdk_life import life
from tests.support.rich_specs import HYPERPOD_EKS, HYPERPOD_EKS_MINIMAL, changed
from tests.support.synthesis import ROOT, Assembly, Build

SPEC = changed(HYPERPOD_EKS, protection="destroy")
SMALL = changed(HYPERPOD_EKS_MINIMAL, protection="destroy")
DEV = ROOT / "configs" / "dev-hyperpod-eks.yaml"


@pytest.mark.parametrize(
    ("quotas_of_world", "words"),
    [
        ({"sagemaker/L-2CE978FC": 3}, "ServiceLimitExceeded"),
    ],
)
def test_exceeded_quota_has_the_message_of_aws(
    quotas_of_world: dict[str, int], words: str, build: Build
) -> None:
    with local_aws(quotas=quotas_of_world):
        account = bootstrapped()
        with pytest.raises(AssertionError, match="ROLLBACK") as raised:
            account.deploy(build(SMALL))
        assert words in str(raised.value)
        # The control plane exists; a second attempt continues from there.
        assert account.client("eks").list_clusters()["clusters"] == ["test"]


@pytest.mark.parametrize("spec", [SPEC, SMALL], ids=["everything", "nothing of its own"])
def test_no_resource_is_left(spec: dict[str, Any], build: Build) -> None:
    with local_aws():
        account = bootstrapped()
        before = account.holdings()
        assembly = build(spec)
        account.deploy(assembly)
        for name in reversed(order(assembly)):
            account.delete(name)
        assert account.holdings() == before
        assert account.client("eks").list_clusters()["clusters"] == []


def test_stateful_resources_are_retained(build: Build) -> None:
    kept = changed(HYPERPOD_EKS, protection="retain")
    with local_aws():
        account = bootstrapped()
        assembly = build(kept)
        account.deploy(assembly)
        cloudformation = account.client("cloudformation")
        with pytest.raises(cloudformation.exceptions.ClientError, match="TerminationProtection"):
            cloudformation.delete_stack(StackName="test-kubernetes")
        for name in reversed(order(assembly)):
            cloudformation.update_termination_protection(
                StackName=name, EnableTerminationProtection=False
            )
        for name in ("test-operators", "test-addons", "test-cluster"):
            account.delete(name)
        assert account.client("sagemaker").list_clusters()["ClusterSummaries"] == []
        left = account.holdings()
        assert left["file systems"]
        assert left["keys"]
        assert account.client("eks").list_clusters()["clusters"] == ["test"]


@pytest.mark.enable_socket
@pytest.mark.slow
def test_dev_configuration_is_deployed_changed_and_destroyed(
    tmp_path: Path, synth: Callable[[Path], Assembly]
) -> None:
    """The CDK CLI: deploy, no changes, one more node, destroy."""
    (tmp_path / "configs").mkdir()
    for path in (DEV, DEV.parent / "base.yaml"):
        text = path.read_text(encoding="utf-8")
        bigger = text.replace("    count: 2\n    labels", "    count: 3\n    labels")
        (tmp_path / "configs" / path.name).write_text(bigger, encoding="utf-8")
    with life(tmp_path) as aws:
        first = aws.synth(DEV, "first")
        written = {p.name: p.read_bytes() for p in (tmp_path / "first").glob("*.template.json")}
        here = {p.name: p.read_bytes() for p in synth(DEV).directory.glob("*.template.json")}
        assert written == here
        # The chart is installed between the two, where Kubernetes exists.
        printed = aws.deploy(first, "dev-hyperpod-eks-kubernetes")
        assert "dev-hyperpod-eks-kubernetes.KubeconfigCommand = aws eks update-" in printed
        assert "dev-hyperpod-eks-kubernetes.BeforeTheNodes = install HyperPod's Helm" in printed
        assert "dev-hyperpod-eks-cluster" not in aws.stacks()
        printed = aws.deploy(first)
        assert "dev-hyperpod-eks-cluster.KubeconfigCommand = aws eks" in printed
        assert set(aws.stacks().values()) == {"CREATE_COMPLETE"}
        assert "Number of stacks with differences: 0" in aws.cdk("diff", "--all", *first)
        second = aws.synth(tmp_path / "configs" / DEV.name, "second")
        shown = aws.cdk("diff", "--all", *second)
        assert "InstanceCount" in shown
        assert "requires replacement" not in shown
        aws.deploy(second, "dev-hyperpod-eks-cluster", "dev-hyperpod-eks-operators")
        nodes = aws.client("sagemaker").list_cluster_nodes(ClusterName="dev-hyperpod-eks")
        assert len(nodes["ClusterNodeSummaries"]) == 5
        aws.cdk("destroy", "--all", "--force", *second)
        assert set(aws.stacks()) == {"CDKToolkit"}
        assert aws.client("eks").list_clusters()["clusters"] == []
