"""Failures of deletions: what stays, what is charged, and what is lost with a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cost.estimate import estimate
from clusterwright.platforms.loading import load_cluster
from clusterwright.review.deletion import AccountFacts, deletion_plan
from clusterwright.review.deletion_results import DeletionPlan, Remaining
from tests.review.templates import app
from tests.support import specs
from tests.support.bills import TODAY
from tests.support.rich_specs import EKS, EKS_KARPENTER, MINIMAL, PARALLELCLUSTER, changed
from tests.support.synthesis import Build


def plan(
    folder: Path, spec: dict[str, Any], build: Build, account: AccountFacts | None = None
) -> DeletionPlan:
    cluster = load_cluster(specs.write(folder / "spec.yaml", spec)).cluster
    return deletion_plan(
        cluster,
        app(**build(spec).templates),
        estimate(cluster, load_catalog(), today=TODAY),
        file="spec.yaml",
        config="-c env=test",
        account=account,
    )


def entry(found: DeletionPlan, words: str) -> Remaining | None:
    return next((each for each in found.remaining if words in each.what), None)


def commands(found: DeletionPlan) -> list[str]:
    return [step.command for step in found.steps]


def test_karpenter_1134_nodes_outside_the_stacks_are_deleted_first(
    tmp_path: Path, build: Build
) -> None:
    found = plan(tmp_path, EKS_KARPENTER, build)
    before = commands(found)
    assert "kubectl delete nodepools --all" in before[:-1]
    assert before[-1].startswith("cdk destroy ")
    nodes = entry(found, "nodes that Karpenter launched")
    assert nodes is not None
    assert nodes.blocks == "test-network"
    without = plan(tmp_path, EKS, build)
    assert entry(without, "nodes that Karpenter launched") is None
    assert "kubectl delete nodepools --all" not in commands(without)


def test_eksctl_253_load_balancers_are_found_before_the_deletion(
    tmp_path: Path, build: Build
) -> None:
    there = AccountFacts(found={("load-balancers", "ELB "): ("eni-1",)})
    found = entry(plan(tmp_path, EKS, build, there), "load balancers")
    assert found is not None
    assert (found.name, found.certain, found.blocks) == ("eni-1", True, "test-network")
    possible = entry(plan(tmp_path, EKS, build, AccountFacts()), "load balancers")
    assert possible is not None
    assert possible.certain is False
    assert entry(plan(tmp_path, MINIMAL, build), "load balancers") is None


def test_gco_297_volumes_of_claims_are_deleted_first(tmp_path: Path, build: Build) -> None:
    there = AccountFacts(found={("volumes", "kubernetes.io/cluster/test"): ("vol-1",)})
    found = plan(tmp_path, EKS, build, there)
    volume = entry(found, "EBS volumes")
    assert volume is not None
    assert (volume.name, volume.certain, volume.free) == ("vol-1", True, False)
    assert "kubectl delete persistentvolumeclaims --all --all-namespaces" in commands(found)[:-1]
    assert entry(plan(tmp_path, PARALLELCLUSTER, build), "EBS volumes") is None


def test_parallelcluster_4711_log_groups_that_remain_are_listed(
    tmp_path: Path, build: Build
) -> None:
    name = "/aws/lambda/pcluster-CleanupRoute53-0a1b2c3d"
    there = AccountFacts(found={("log-groups", "/aws/lambda/pcluster-"): (name,)})
    found = entry(plan(tmp_path, PARALLELCLUSTER, build, there), "log groups of ParallelCluster")
    assert found is not None
    assert found.delete == (
        f"aws logs delete-log-group --region us-east-1 --log-group-name {name}"
    )
    assert entry(plan(tmp_path, MINIMAL, build), "log groups of ParallelCluster") is None


def test_parallelcluster_1544_lost_file_systems_are_listed(tmp_path: Path, build: Build) -> None:
    def file_systems(protection: str) -> tuple[int, int]:
        found = plan(tmp_path, changed(PARALLELCLUSTER, protection=protection), build)
        lost = [each for each in found.lost if each.type == "AWS::FSx::FileSystem"]
        kept = [each for each in found.remaining if each.what == "AWS::FSx::FileSystem"]
        return len(lost), len(kept)

    assert file_systems("destroy") == (3, 0)
    assert file_systems("retain") == (0, 3)


def test_terraform_provider_46953_endpoints_of_others_block_the_network(
    tmp_path: Path, build: Build
) -> None:
    there = AccountFacts(found={("endpoints", "test"): ("vpce-1",)})
    found = plan(tmp_path, MINIMAL, build, there)
    endpoint = entry(found, "VPC endpoints that no stack of the cluster created")
    assert endpoint is not None
    assert (endpoint.name, endpoint.certain, endpoint.blocks) == ("vpce-1", True, "test-network")
    assert commands(found)[0].endswith(
        "delete-vpc-endpoints --region us-east-1 --vpc-endpoint-ids vpce-1"
    )
    without = plan(tmp_path, MINIMAL, build, AccountFacts())
    assert entry(without, "VPC endpoints") is None
    assert not any("vpc-endpoint" in command for command in commands(without))
