"""HyperPod clusters and training plans of the account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import sagemaker
from clusterwright.preflight.facts.fact import Fact, Place, Reading, answered, ask


@dataclass(frozen=True)
class HyperPodClusters(Fact[tuple[sagemaker.Cluster, ...]]):
    """Every HyperPod cluster of the account in the region, with its groups."""

    actions: ClassVar = ("sagemaker:ListClusters", "sagemaker:DescribeCluster")
    inventory: ClassVar = True

    def resources(self, place: Place) -> Mapping[str, str]:
        return {"sagemaker:DescribeCluster": _arn(place, "cluster/*")}

    def read(self) -> Reading[tuple[sagemaker.Cluster, ...]]:
        (names,) = yield [ask(sagemaker.cluster_names)]
        clusters = yield [ask(sagemaker.cluster, name) for name in answered(names)]
        # None: deleted between the two requests, so it has no instances.
        return tuple(c for c in map(answered, clusters) if c is not None)


@dataclass(frozen=True)
class TrainingPlan(Fact[sagemaker.TrainingPlan | None]):
    """A training plan; None if the account has none of that name."""

    name: str
    actions: ClassVar = ("sagemaker:DescribeTrainingPlan",)
    resource: ClassVar = "arn:{partition}:sagemaker:{region}:{account}:training-plan/{name}"
    function: ClassVar = sagemaker.training_plan


@dataclass(frozen=True)
class TrainingPlans(Fact[tuple[sagemaker.TrainingPlan, ...]]):
    """Every training plan of the account in the region."""

    actions: ClassVar = ("sagemaker:ListTrainingPlans",)
    inventory: ClassVar = True
    function: ClassVar = sagemaker.training_plans


def deployed_cluster(
    clusters: Iterable[sagemaker.Cluster], environment: str
) -> sagemaker.Cluster | None:
    """The cluster of an environment, if it is deployed."""
    return next((cluster for cluster in clusters if cluster.name == environment), None)


def _arn(place: Place, resource: str) -> str:
    return f"arn:{place.partition}:sagemaker:{place.region}:{place.account}:{resource}"


@dataclass(frozen=True)
class TrainingPlanExtensions(Fact[tuple[sagemaker.PlanExtension, ...]]):
    """The extensions of a training plan."""

    arn: str
    actions: ClassVar = ("sagemaker:DescribeTrainingPlanExtensionHistory",)
    resource: ClassVar = "{arn}"
    function: ClassVar = sagemaker.plan_extensions
