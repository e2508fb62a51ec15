"""Task governance: cluster scheduler configurations (cluster policies) and compute quotas.

Rules of the API model (botocore 1.44.5, docstrings) and of AWS's guide on task governance: both
belong to a cluster that Amazon EKS orchestrates and that has the add-on
`amazon-sagemaker-hyperpod-taskgovernance` (without it they end as CreateFailed here); names are
unique in a cluster; an update names the version that it changes (`TargetVersion`), as
awslabs/awsome-distributed-ai does; a policy in CreateFailed can only be deleted; a cluster with
policies cannot be deleted ("Troubleshoot", task governance). Where AWS's message is not known, it
is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.timers import Timers
from clusterwright_localaws.services.eks.state import store_in as eks_store
from clusterwright_localaws.services.sagemaker.events import aware
from clusterwright_localaws.services.sagemaker.state import Cluster, clusters_of, new_cluster_id

ADDON = "amazon-sagemaker-hyperpod-taskgovernance"
# "The values can be 1 - 500 percent of idle compute" (API model, ResourceSharingConfig).
BORROW_LIMITS = (1, 500)
_DEFAULT_BORROW_LIMIT = 50
_AMOUNTS = ("Count", "Accelerators", "VCpu", "MemoryInGiB", "AcceleratorPartition")
_BUSY = ("Creating", "Updating", "Deleting")
# "If the policy is in UpdateFailed status, retry the update" (troubleshooting page).
_UPDATABLE = ("Created", "Updated", "UpdateFailed")


@dataclass
class Policy:
    """One scheduler configuration or compute quota; `versions` are its versions, 1 first."""

    id: str
    arn: str
    name: str
    cluster_arn: str
    created_at: datetime
    versions: list[dict[str, Any]]
    status: str = "Creating"
    failure: str | None = None
    modified_at: datetime | None = None
    tags: list[dict[str, str]] = field(default_factory=list)

    @property
    def version(self) -> int:
        return len(self.versions)

    @property
    def members(self) -> dict[str, Any]:
        return self.versions[-1]


class Governance(Timers):
    """The policies of one account and region, by kind and id."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime.clock)
        self.delay_s = runtime.world.delays.governance
        self.configs: dict[str, Policy] = {}
        self.quotas: dict[str, Policy] = {}


@dataclass(frozen=True)
class Kind:
    """The names of one of the two kinds in the API."""

    noun: str
    prefix: str
    arn_part: str
    policies: Callable[[Governance], dict[str, Policy]]
    check: Callable[[Call, Cluster, Mapping[str, Any], dict[str, Policy], str | None], None]
    filled: Callable[[Mapping[str, Any]], dict[str, Any]]
    shown_in_lists: tuple[str, ...]


def governance_of(runtime: Runtime, account: str, region: str) -> Governance:
    return runtime.store("hyperpod-governance", account, region, lambda: Governance(runtime))


def attached_policies(runtime: Runtime, cluster: Cluster) -> list[Policy]:
    """Return the policies of a cluster, which block its deletion."""
    found = governance_of(runtime, cluster.account, cluster.region)
    return [
        policy
        for policies in (found.configs, found.quotas)
        for policy in policies.values()
        if policy.cluster_arn == cluster.arn
    ]


def find_policy(call: Call, arn: str) -> Policy:
    """Return a policy by ARN, for its tags.

    Raises
    ------
    AwsError
        ResourceNotFound.
    """
    found = governance_of(call.runtime, call.account, call.region)
    for policy in (*found.configs.values(), *found.quotas.values()):
        if policy.arn == arn:
            return policy
    raise AwsError("ResourceNotFound", f"Resource {arn} does not exist.")


def _check_config(
    call: Call,
    cluster: Cluster,
    asked: Mapping[str, Any],
    others: dict[str, Policy],
    own_id: str | None,
) -> None:
    classes = (asked.get("SchedulerConfig") or {}).get("PriorityClasses", ())
    repeated = [name for name, n in Counter(c["Name"] for c in classes).items() if n > 1]
    if repeated:
        raise _invalid(f"Priority class names must be unique: {', '.join(repeated)}")


def _check_quota(
    call: Call,
    cluster: Cluster,
    asked: Mapping[str, Any],
    others: dict[str, Policy],
    own_id: str | None,
) -> None:
    team = (asked.get("ComputeQuotaTarget") or {}).get("TeamName")
    for policy in others.values():
        same_cluster = policy.cluster_arn == cluster.arn and policy.id != own_id
        if team and same_cluster and policy.members["ComputeQuotaTarget"]["TeamName"] == team:
            raise AwsError(
                "ConflictException",
                f"Team {team} has the compute allocation {policy.name} in this cluster already.",
            )
    if own_id is not None and team:
        before = others[own_id].members["ComputeQuotaTarget"]["TeamName"]
        if team != before:
            # CloudFormation's schema: ComputeQuotaTarget/TeamName is create-only.
            raise _invalid(f"The team of a compute allocation cannot be changed from {before}.")
    config = asked.get("ComputeQuotaConfig") or {}
    types = {name for group in cluster.groups.values() for name in group.instance_types}
    sharing = config.get("ResourceSharingConfig") or {}
    for what, entries in (
        ("ComputeQuotaResources", config.get("ComputeQuotaResources", ())),
        ("AbsoluteBorrowLimits", sharing.get("AbsoluteBorrowLimits", ())),
    ):
        _check_resources(what, entries, types)
    limit = sharing.get("BorrowLimit")
    if limit is not None and not BORROW_LIMITS[0] <= limit <= BORROW_LIMITS[1]:
        raise _invalid(
            f"BorrowLimit {limit} is not between {BORROW_LIMITS[0]} and {BORROW_LIMITS[1]}."
        )


def _check_resources(what: str, entries: Any, types: set[str]) -> None:
    seen = set()
    for entry in entries:
        name = entry["InstanceType"]
        partition = (entry.get("AcceleratorPartition") or {}).get("Type")
        if name not in types:
            raise _invalid(f"{what}: no instance group of the cluster has {name}.")
        if (name, partition) in seen:
            raise _invalid(f"{what}: {name} is named twice.")
        seen.add((name, partition))
        if all(entry.get(amount) is None for amount in _AMOUNTS):
            raise _invalid(f"{what}: {name} needs one of {', '.join(_AMOUNTS)}.")


def _filled_config(asked: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: asked[key] for key in ("SchedulerConfig", "Description") if key in asked}
    found["SchedulerConfig"] = {"FairShare": "Enabled", **found["SchedulerConfig"]}
    return found


def _filled_quota(asked: Mapping[str, Any]) -> dict[str, Any]:
    config = dict(asked["ComputeQuotaConfig"])
    config.setdefault("PreemptTeamTasks", "LowerPriority")
    sharing = dict(config.get("ResourceSharingConfig") or {"Strategy": "LendAndBorrow"})
    if sharing["Strategy"] == "LendAndBorrow" and "AbsoluteBorrowLimits" not in sharing:
        sharing.setdefault("BorrowLimit", _DEFAULT_BORROW_LIMIT)
    config["ResourceSharingConfig"] = sharing
    found = {
        "ComputeQuotaConfig": config,
        "ComputeQuotaTarget": {"FairShareWeight": 0, **asked["ComputeQuotaTarget"]},
        "ActivationState": asked.get("ActivationState", "Enabled"),
    }
    return {**found, "Description": asked["Description"]} if "Description" in asked else found


CONFIG = Kind(
    "cluster policy",
    "ClusterSchedulerConfig",
    "cluster-scheduler-config",
    lambda found: found.configs,
    _check_config,
    _filled_config,
    (),
)
QUOTA = Kind(
    "compute allocation",
    "ComputeQuota",
    "compute-quota",
    lambda found: found.quotas,
    _check_quota,
    _filled_quota,
    ("ComputeQuotaConfig", "ComputeQuotaTarget", "ActivationState"),
)


def _kind(call: Call) -> Kind:
    return CONFIG if "ClusterSchedulerConfig" in call.operation else QUOTA


@operation("sagemaker", "CreateClusterSchedulerConfig", "CreateComputeQuota")
def create(call: Call) -> Mapping[str, Any]:
    kind, asked, found = _kind(call), call.parameters, _governance(call)
    policies = kind.policies(found)
    cluster = _cluster(call, asked["ClusterArn"])
    if any(
        policy.name == asked["Name"] and policy.cluster_arn == cluster.arn
        for policy in policies.values()
    ):
        raise AwsError(
            "ConflictException",
            f"The cluster has a {kind.noun} with the name {asked['Name']} already.",
        )
    kind.check(call, cluster, asked, policies, None)
    identifier = new_cluster_id()
    policy = Policy(
        id=identifier,
        arn=call.arn("sagemaker", f"{kind.arn_part}/{identifier}"),
        name=asked["Name"],
        cluster_arn=cluster.arn,
        created_at=call.now,
        versions=[kind.filled(asked)],
        tags=list(asked.get("Tags", ())),
    )
    policies[identifier] = policy

    def done() -> None:
        policy.failure = _not_installed(call.runtime, cluster)
        policy.status = "CreateFailed" if policy.failure else "Created"

    found.after(found.delay_s, done)
    return {f"{kind.prefix}Arn": policy.arn, f"{kind.prefix}Id": policy.id}


@operation("sagemaker", "DescribeClusterSchedulerConfig", "DescribeComputeQuota")
def describe(call: Call) -> Mapping[str, Any]:
    kind = _kind(call)
    policy = _find(call, kind)
    version = call.parameters.get(f"{kind.prefix}Version") or policy.version
    if not 1 <= version <= policy.version:
        raise AwsError(
            "ResourceNotFound", f"The {kind.noun} {policy.id} has no version {version}."
        )
    creator = {"IamIdentity": {"Arn": f"arn:{call.partition}:iam::{call.account}:root"}}
    answer: dict[str, Any] = {
        f"{kind.prefix}Arn": policy.arn,
        f"{kind.prefix}Id": policy.id,
        f"{kind.prefix}Version": version,
        "Name": policy.name,
        "Status": policy.status,
        "ClusterArn": policy.cluster_arn,
        "CreationTime": policy.created_at,
        "CreatedBy": creator,
        **policy.versions[version - 1],
    }
    if policy.modified_at:
        answer["LastModifiedTime"] = policy.modified_at
        answer["LastModifiedBy"] = creator
    if policy.failure:
        answer["FailureReason"] = policy.failure
    return answer


@operation("sagemaker", "UpdateClusterSchedulerConfig", "UpdateComputeQuota")
def update(call: Call) -> Mapping[str, Any]:
    kind, asked = _kind(call), call.parameters
    policy = _find(call, kind)
    found = _governance(call)
    if policy.status not in _UPDATABLE:
        raise AwsError(
            "ConflictException",
            f"The {kind.noun} {policy.id} is {policy.status} and cannot be updated.",
        )
    if asked["TargetVersion"] != policy.version:
        raise AwsError(
            "ConflictException",
            f"TargetVersion {asked['TargetVersion']} is not the current version of the "
            f"{kind.noun}, {policy.version}.",
        )
    cluster = _cluster(call, policy.cluster_arn)
    merged = {
        **policy.members,
        **{
            name: value
            for name, value in asked.items()
            if name not in ("TargetVersion", f"{kind.prefix}Id")
        },
    }
    kind.check(call, cluster, merged, kind.policies(found), policy.id)
    policy.versions.append(kind.filled(merged))
    policy.status = "Updating"
    policy.modified_at = call.now

    def done() -> None:
        policy.failure = _not_installed(call.runtime, cluster)
        policy.status = "UpdateFailed" if policy.failure else "Updated"

    found.after(found.delay_s, done)
    return {f"{kind.prefix}Arn": policy.arn, f"{kind.prefix}Version": policy.version}


@operation("sagemaker", "DeleteClusterSchedulerConfig", "DeleteComputeQuota")
def delete(call: Call) -> Mapping[str, Any]:
    kind = _kind(call)
    policy = _find(call, kind)
    found = _governance(call)
    if policy.status in _BUSY:
        raise AwsError("ConflictException", f"The {kind.noun} {policy.id} is {policy.status}.")
    policy.status = "Deleting"
    found.after(found.delay_s, lambda: _drop(kind.policies(found), policy))
    return {}


@operation("sagemaker", "ListClusterSchedulerConfigs", "ListComputeQuotas")
def list_policies(call: Call) -> Mapping[str, Any]:
    kind, asked = _kind(call), call.parameters
    after, before = asked.get("CreatedAfter"), asked.get("CreatedBefore")
    chosen = [
        policy
        for policy in kind.policies(_governance(call)).values()
        if asked.get("NameContains", "") in policy.name
        and asked.get("ClusterArn") in (None, policy.cluster_arn)
        and asked.get("Status") in (None, policy.status)
        and not (after and policy.created_at <= aware(after))
        and not (before and policy.created_at >= aware(before))
    ]
    keys: dict[str, Callable[[Policy], Any]] = {
        "Name": lambda policy: policy.name,
        "Status": lambda policy: policy.status,
        "ClusterArn": lambda policy: policy.cluster_arn,
    }
    chosen.sort(
        key=keys.get(str(asked.get("SortBy")), lambda policy: policy.created_at),
        reverse=asked.get("SortOrder") == "Descending",
    )
    return paged(
        call, f"{kind.prefix}Summaries", chosen, lambda item: _summary(kind, item), maximum=100
    )


def _summary(kind: Kind, policy: Policy) -> dict[str, Any]:
    answer: dict[str, Any] = {
        f"{kind.prefix}Arn": policy.arn,
        f"{kind.prefix}Id": policy.id,
        f"{kind.prefix}Version": policy.version,
        "Name": policy.name,
        "CreationTime": policy.created_at,
        "Status": policy.status,
        "ClusterArn": policy.cluster_arn,
        **{name: policy.members[name] for name in kind.shown_in_lists},
    }
    return {**answer, "LastModifiedTime": policy.modified_at} if policy.modified_at else answer


def _governance(call: Call) -> Governance:
    found = governance_of(call.runtime, call.account, call.region)
    found.advance()
    return found


def _find(call: Call, kind: Kind) -> Policy:
    identifier = call.parameters[f"{kind.prefix}Id"]
    found = kind.policies(_governance(call)).get(identifier)
    if found is None:
        raise AwsError("ResourceNotFound", f"The {kind.noun} {identifier} does not exist.")
    return found


def _cluster(call: Call, arn: str) -> Cluster:
    for cluster in clusters_of(call).by_name.values():
        if cluster.arn == arn:
            break
    else:
        raise _invalid(f"Cluster {arn} does not exist.")
    if cluster.eks_arn is None:
        raise _invalid(
            f"Task governance is only for clusters orchestrated by Amazon EKS; {cluster.name} is "
            "not."
        )
    if cluster.status in ("Creating", "RollingBack", "Failed", "Deleting"):
        raise AwsError("ConflictException", f"Cluster {cluster.name} is {cluster.status}.")
    return cluster


def _not_installed(runtime: Runtime, cluster: Cluster) -> str | None:
    name = (cluster.eks_arn or "").rsplit("/", 1)[-1]
    eks = eks_store(runtime, cluster.account, cluster.region)
    eks.advance()
    orchestrator = eks.clusters.get(name)
    addon = orchestrator.addons.get(ADDON) if orchestrator else None
    if addon is not None and addon.status in ("ACTIVE", "UPDATING"):
        return None
    return f"The add-on {ADDON} is not active on the Amazon EKS cluster {name}."


def _drop(policies: dict[str, Policy], policy: Policy) -> None:
    policies.pop(policy.id, None)


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationException", message)
