"""Quotas of SageMaker HyperPod: instances, clusters, volumes and training plans."""

from __future__ import annotations

from collections.abc import Callable

from clusterwright.aws.sagemaker import ClusterGroup
from clusterwright.catalog import QuotaUse
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.facts.hyperpod import HyperPodClusters, TrainingPlans
from clusterwright.preflight.rule import Context, FactValues, Subjects
from clusterwright.preflight.rules.compute_groups import by_type, largest, plan_arn
from clusterwright.preflight.rules.quotas.quota_rule import (
    Demands,
    QuotaDemand,
    QuotaRule,
    QuotaUsage,
    ServiceQuota,
    Usage,
    instance_demand,
)
from clusterwright.preflight.rules.training_plans.plan_rule import GONE

_SOURCE = "AWS General Reference, SageMaker quotas"
_PUBLIC_ACCOUNT = "a public account's quotas of 2026-10-04"


def _of_each_type(capacity: str, use: QuotaUse, label: str) -> Demands:
    """The instances of each type whose capacity is of one kind."""

    def demands(context: Context) -> Subjects[QuotaDemand]:
        # Training plans exist on HyperPod only.
        if not context.on_hyperpod and capacity != "training-plan":
            return
        for instance_type, groups in by_type(context.groups(capacity)).items():
            quota = context.catalog.quota_for(instance_type, use)
            count = sum(group.count for _, group in groups)
            demand = instance_demand(instance_type, count, quota, label)
            yield largest(groups), demand

    return demands


def _all_together(quota: ServiceQuota, what: str, *capacity: str) -> Demands:
    """All instances of the cluster, or those of one kind of capacity."""

    def demands(context: Context) -> Subjects[QuotaDemand]:
        groups = context.groups(*capacity)
        count = sum(group.count for _, group in groups)
        if context.on_hyperpod and count:
            demand = quota.demand(count, f"{count} {what} in one cluster need")
            yield largest(groups), demand

    return demands


def _volumes(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota(
        "sagemaker", "L-E13DF72A", "size of EBS volume for a HyperPod cluster instance", "GB"
    )
    for path, group in context.groups():
        if context.on_hyperpod and group.ebs is not None and group.count:
            needed_by = f"each {ml_name(group.instance_type)} of `{group.name}` needs"
            yield ((*path, "ebs", "capacity_gib"), quota.demand(group.ebs.capacity_gib, needed_by))


def _in_clusters(counts: Callable[[ClusterGroup, QuotaDemand], bool]) -> Usage:
    """The instances of existing HyperPod clusters, in the groups that count."""

    def count(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
        return [
            QuotaUsage(group.count, cluster.name == context.cluster.environment)
            for cluster in facts[HyperPodClusters()]
            for group in cluster.groups
            if counts(group, demand)
        ]

    return Usage((HyperPodClusters(),), count)


def _in_training_plans(
    demand: QuotaDemand, context: Context, facts: FactValues
) -> list[QuotaUsage]:
    # The plans of this spec hold what is demanded: counting them again would count it twice.
    own = {plan_arn(group) for _, group in context.groups("training-plan")}
    return [
        QuotaUsage(capacity.instance_count, plan.arn in own)
        for plan in facts[TrainingPlans()]
        if plan.status not in GONE
        for capacity in plan.capacities
        if capacity.instance_type == ml_name(demand.key) and capacity.status not in GONE
    ]


def _is_type(group: ClusterGroup, demand: QuotaDemand) -> bool:
    return group.instance_type == ml_name(demand.key)


RULES = (
    QuotaRule(
        id="CW-Q001",
        title="HyperPod quota of each on-demand instance type",
        prevents="CreateCluster fails with ResourceLimitExceeded: the account-level service limit "
        "'ml.<type> for cluster usage' is 0 in a new account",
        source=f"{_SOURCE}; awslabs/awsome-distributed-ai #198",
        demands=_of_each_type("on-demand", "hyperpod-cluster", "{name} for cluster usage"),
        usage=_in_clusters(
            lambda group, demand: (
                not group.spot and group.training_plan_arn is None and _is_type(group, demand)
            )
        ),
    ),
    QuotaRule(
        id="CW-Q002",
        title="HyperPod quota of each Spot instance type",
        prevents="CreateCluster fails with ResourceLimitExceeded: Spot instances have separate "
        "quotas, which are 0 in a new account",
        source=_SOURCE,
        demands=_of_each_type("spot", "hyperpod-spot", "{name} for cluster spot instance usage"),
        usage=_in_clusters(lambda group, demand: group.spot and _is_type(group, demand)),
    ),
    QuotaRule(
        id="CW-Q003",
        title="Instances in one HyperPod cluster",
        prevents="CreateCluster fails with ResourceLimitExceeded: the default is 20 instances per "
        "cluster, whatever the quota of the instance type",
        source=_SOURCE,
        demands=_all_together(
            ServiceQuota(
                "sagemaker", "L-2CE978FC", "number of instances allowed per HyperPod cluster"
            ),
            "instances",
        ),
    ),
    QuotaRule(
        id="CW-Q004",
        title="Instances in all HyperPod clusters together",
        prevents="CreateCluster fails with ResourceLimitExceeded: the total over all clusters has "
        "a quota in addition to those of the instance types",
        source=_PUBLIC_ACCOUNT,
        demands=_all_together(
            ServiceQuota(
                "sagemaker", "L-3308CCC7", "number of instances allowed across HyperPod clusters"
            ),
            "instances",
        ),
        usage=_in_clusters(lambda group, demand: True),
    ),
    QuotaRule(
        id="CW-Q005",
        title="EBS volume size per HyperPod instance",
        prevents="CreateCluster fails with ResourceLimitExceeded: the default of 'maximum size of "
        "EBS volume in GB for a HyperPod cluster instance' is 0",
        source=_SOURCE,
        demands=_volumes,
    ),
    QuotaRule(
        id="CW-Q006",
        title="Spot instances in one HyperPod cluster",
        prevents="CreateCluster fails with ResourceLimitExceeded: the default is 20 Spot "
        "instances per cluster",
        source=_SOURCE,
        demands=_all_together(
            ServiceQuota(
                "sagemaker", "L-41BFBF41", "number of spot instances allowed per HyperPod cluster"
            ),
            "spot instances",
            "spot",
        ),
    ),
    QuotaRule(
        id="CW-Q007",
        title="Spot instances in all HyperPod clusters together",
        prevents="CreateCluster fails with ResourceLimitExceeded: the total of Spot instances "
        "over all clusters has a separate quota",
        source=_PUBLIC_ACCOUNT,
        demands=_all_together(
            ServiceQuota(
                "sagemaker",
                "L-97A2C724",
                "number of spot instances allowed across HyperPod clusters",
            ),
            "spot instances",
            "spot",
        ),
        usage=_in_clusters(lambda group, demand: group.spot),
    ),
    QuotaRule(
        id="CW-Q012",
        title="Quota of instances in training plans",
        prevents="a training plan of that size cannot be bought, and the cluster that names it "
        "cannot be created: the quota of instances in reserved capacity is 0 in a new account",
        source=_SOURCE,
        demands=_of_each_type(
            "training-plan",
            "reserved-capacity",
            "instances in reserved capacity across training plans",
        ),
        usage=Usage((TrainingPlans(),), _in_training_plans),
    ),
)
