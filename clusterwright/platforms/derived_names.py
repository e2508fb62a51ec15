"""Names of resources that the stacks derive from the environment's name, as data.

The deployment fails if another resource has such a name. `tests/platforms/test_derived_names.py`
compares the templates with this list.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.storage import Bucket
from clusterwright.cluster_spec.problems import Path
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.hyperpod_eks import inference
from clusterwright.platforms.kubernetes.control_plane import log_group as control_plane_logs
from clusterwright.platforms.kubernetes.kubelet_wait import delays_kubelet

STATE_FOLDER = "state"
"""Of the scripts' bucket: what the controller publishes (docs/designs/operating.md)."""

REQUESTS_FOLDER = "requests"
"""Of the scripts' bucket: what operators request from the controller."""


def key_alias(cluster: Cluster) -> str | None:
    """Return the alias of the key that is created; None with an existing key."""
    return None if cluster.identity.kms_key_arn else f"alias/{cluster.environment}"


def bucket_name(bucket: Bucket, cluster: Cluster) -> str:
    """Return the S3 name of a bucket of the spec: S3 Express requires the zone in the name."""
    if not bucket.directory:
        return bucket.name
    return f"{bucket.name}--{cluster.network.availability_zone_id}--x-s3"


def network_account(cluster: Cluster) -> str:
    """Return the account that owns VPC and subnets; another one if it shares them."""
    existing = cluster.network.existing
    return (existing.owner_account if existing is not None else None) or cluster.account


def has_scripts(cluster: Cluster) -> bool:
    """Return whether nodes run lifecycle scripts, from a bucket that is created for them.

    Nodes with Slurm do. On Kubernetes, HyperPod's image joins the cluster, and scripts only set
    up local disks and the wait of held nodes.
    """
    if cluster.uses_slurm:
        return True
    return cluster.on_hyperpod and any(
        group.scratch is not None or delays_kubelet(cluster, group) for group in cluster.compute
    )


def secrets(cluster: Cluster) -> tuple[str, ...]:
    """Return the names of the secrets that are created."""
    found = []
    if cluster.uses_slurm and _scripted(cluster):
        found.append(f"{cluster.environment}/munge-key")
    if database(cluster) is not None:
        found.append(accounting_secret(cluster))
    user = accounting_user_secret(cluster)
    if user is not None:
        found.append(user)
    return tuple(found)


def accounting_secret(cluster: Cluster) -> str:
    """Return the name of the accounting database's secret, which is JSON or only the password."""
    name = f"{cluster.environment}/slurm-accounting"
    return f"{name}-password" if cluster.traits.accounting_secret_is_password else name


def accounting_user_secret(cluster: Cluster) -> str | None:
    """The secret of slurmdbd's own user, whom the controller creates (scripted configuration).

    Other configurations have none: HyperPod and ParallelCluster start slurmdbd before any script
    runs, with the secret that created the database.
    """
    if database(cluster) is None or not _scripted(cluster):
        return None
    return f"{cluster.environment}/slurm-accounting-user"


def node_role_path(cluster: Cluster) -> str:
    """The path of the roles of groups: on HyperPod the jobs' role trusts them by it, and PCS
    requires `/aws-pcs/` in it.
    """
    if cluster.traits.service_runs_controller:
        return f"/aws-pcs/clusterwright/{cluster.environment}/{cluster.region}/"
    return f"/clusterwright/{cluster.environment}/{cluster.region}/nodes/"


def job_role(cluster: Cluster) -> str | None:
    """The name of the role whose credentials jobs get on HyperPod with Slurm.

    None where the spec gives jobs nothing on AWS: neither buckets nor images. The name has at most
    60 characters; IAM allows 64.
    """
    uses = bool(cluster.storage.buckets) or cluster.slurm.containers.pyxis
    if not (cluster.on_hyperpod and cluster.uses_slurm and uses):
        return None
    return f"{cluster.environment}-{cluster.region}-jobs"


def job_role_arn(cluster: Cluster) -> str | None:
    """The ARN of the jobs' role."""
    name = job_role(cluster)
    return None if name is None else f"arn:{cluster.partition}:iam::{cluster.account}:role/{name}"


def monthly_budget(cluster: Cluster) -> str | None:
    """Return the name of the monthly budget; None without one."""
    budget = cluster.budget
    if budget is None or budget.monthly_usd is None:
        return None
    return f"{cluster.environment}-monthly"


def database(cluster: Cluster) -> str | None:
    """Return the identifier of the accounting database that is created."""
    accounting = cluster.slurm.accounting
    built = accounting.kind == "rds" and accounting.existing is None
    return f"{cluster.environment}-accounting" if built else None


def built_buckets(cluster: Cluster) -> dict[str, Path]:
    """Return the buckets that are created, with the first path that names each; `environment` for
    scripts.
    """
    found: dict[str, Path] = {}
    if has_scripts(cluster):
        found[lifecycle_bucket(cluster)] = ("environment",)
    for index, fs in enumerate(cluster.storage.lustre):
        for number, repository in enumerate(fs.repositories):
            if repository.create:
                name = repository.s3.removeprefix("s3://").partition("/")[0]
                path = ("storage", "lustre", index, "repositories", number, "s3")
                found.setdefault(name, path)
    if inference.wanted(cluster):
        found[inference.certificate_bucket(cluster)] = ("environment",)
    for index, bucket in enumerate(cluster.storage.buckets):
        if bucket.create:
            found.setdefault(bucket_name(bucket, cluster), ("storage", "buckets", index, "name"))
    return found


def built_image_repositories(cluster: Cluster) -> dict[str, Path]:
    """Return the ECR repositories that are created, with their paths."""
    return {
        repository.name: ("storage", "image_repositories", index, "name")
        for index, repository in enumerate(cluster.storage.image_repositories)
        if repository.create
    }


def log_groups(cluster: Cluster) -> Iterator[tuple[str, bool]]:
    """Return the names of the log groups that are created, and whether the cluster's key encrypts
    each.
    """
    ours = f"/clusterwright/{cluster.environment}"
    if has_scripts(cluster):
        yield f"{ours}/lifecycle/copying", False
        yield f"{ours}/lifecycle/emptying", False
    if cluster.on_hyperpod:
        yield f"{ours}/log-keeper", False
    if cluster.uses_kubernetes:
        yield control_plane_logs(cluster), True
    if cluster.network.existing is None:
        yield f"{ours}/flow-logs", True
    if cluster.protection == "destroy" and any(
        not name.endswith("--x-s3") and path != ("environment",)
        for name, path in built_buckets(cluster).items()
    ):
        yield f"{ours}/storage/emptying", False
    if cluster.protection == "destroy" and inference.wanted(cluster):
        yield f"{ours}/operators/emptying", False
    if any(fs.repositories for fs in cluster.storage.lustre if fs.existing is None):
        yield f"/aws/fsx/{cluster.environment}", True
    name = database(cluster)
    if name is not None:
        yield f"/aws/rds/instance/{name}/error", True


def _scripted(cluster: Cluster) -> bool:
    return cluster.slurm.configuration == "scripted"
