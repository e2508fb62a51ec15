"""Words of other tools, and the keys of the spec that have their meaning.

The words are keys of ParallelCluster's configuration, of CloudFormation's resources
(`AWS::SageMaker::Cluster`, `AWS::FSx::FileSystem`, `AWS::EKS::Nodegroup`), of eksctl and of
Terraform's AWS provider, and names of products, in lower case without `_` and `-`.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.cluster_spec.problems import Path

KEYS: Final[dict[str, tuple[str, ...]]] = {
    # Top level.
    "awsaccount": ("account",),
    "awsregion": ("region",),
    "cluster": ("environment", "compute"),
    "clustername": ("environment",),
    "instancegroups": ("compute",),
    "managednodegroups": ("compute",),
    "nodegroups": ("compute",),
    "nodes": ("compute[].count",),
    "orchestrator": ("platform",),
    "queues": ("slurm.partitions", "compute"),
    "scheduler": ("platform",),
    "scheduling": ("slurm", "compute"),
    "slurmqueues": ("slurm.partitions", "compute"),
    "teams": ("tenants",),
    "headnode": ("compute[].role",),
    "loginnodes": ("compute[].role",),
    # Network.
    "availabilityzone": ("network.availability_zone_id",),
    "az": ("network.availability_zone_id",),
    "natgateway": ("network.egress",),
    "securitygroups": ("network.existing.security_group_ids",),
    "subnet": ("network.existing.subnet_ids",),
    "subnetid": ("network.existing.subnet_ids",),
    "subnets": ("network.existing.subnet_ids",),
    "vpc": ("network.existing.vpc_id", "network.cidr"),
    "vpccidr": ("network.cidr",),
    "vpcid": ("network.existing.vpc_id",),
    # Compute.
    "ami": ("image.image_id",),
    "amiid": ("image.image_id",),
    "capacityblock": ("compute[].capacity",),
    "capacityreservation": ("compute[].capacity",),
    "capacitytype": ("compute[].capacity",),
    "customami": ("image.image_id",),
    "desiredcapacity": ("compute[].count",),
    "desiredsize": ("compute[].count",),
    "instancecount": ("compute[].count",),
    "instances": ("compute[].count",),
    "maxsize": ("compute[].max_count",),
    "minsize": ("compute[].min_count",),
    "machinetype": ("compute[].instance_type",),
    "replicas": ("compute[].count",),
    "spares": ("compute[].spare_count",),
    "spot": ("compute[].capacity",),
    "trainingplan": ("compute[].capacity",),
    "trainingplanarn": ("compute[].capacity",),
    # Storage.
    "datacompressiontype": ("storage.lustre[].compression",),
    "ecr": ("storage.image_repositories",),
    "efs": ("storage.home",),
    "filesystems": ("storage.lustre", "storage.home"),
    "fsx": ("storage.lustre",),
    "iops": ("storage.lustre[].metadata",),
    "mountdir": ("storage.lustre[].mount_path",),
    "perunitstoragethroughput": ("storage.lustre[].throughput_mbps_per_tib",),
    "s3": ("storage.buckets", "storage.lustre[].repositories"),
    "sharedstorage": ("storage.lustre", "storage.home"),
    "size": ("storage.lustre[].capacity_gib", "storage.home.capacity_gib"),
    "storagecapacity": ("storage.lustre[].capacity_gib", "storage.home.capacity_gib"),
    # Slurm.
    "database": ("slurm.accounting",),
    "enroot": ("slurm.containers.pyxis",),
    "maxtime": ("slurm.partitions[].max_time_minutes",),
    "partition": ("slurm.partitions",),
    "pyxis": ("slurm.containers.pyxis",),
    "rds": ("slurm.accounting",),
    "slurmdbd": ("slurm.accounting",),
    # Kubernetes.
    "argo": ("kubernetes.capabilities.argocd",),
    "kueue": ("kubernetes.workloads.queueing",),
    "k8s": ("kubernetes",),
    "karpenter": ("kubernetes.autoscaling", "hyperpod.autoscaling"),
    "kubernetesversion": ("kubernetes.version",),
    "mig": ("compute[].mig_profile",),
    "namespaces": ("tenants",),
    # Operation.
    "alerts": ("observability.alarm_emails", "budget.alert_emails"),
    "amp": ("observability.prometheus",),
    "autorecovery": ("resilience.node_recovery",),
    "autoresume": ("resilience.node_recovery",),
    "cloudwatch": ("observability",),
    "costlimit": ("budget.monthly_usd",),
    "dashboards": ("observability.grafana",),
    "deletionpolicy": ("protection",),
    "encryptionkey": ("identity.kms_key_arn",),
    "amg": ("observability.grafana",),
    "grafana": ("observability.grafana",),
    "kms": ("identity.kms_key_arn",),
    "kmskeyid": ("identity.kms_key_arn",),
    "lifecycleconfig": ("lifecycle.steps",),
    "lifecyclescripts": ("lifecycle.steps",),
    "logging": ("observability.log_retention_days",),
    "logs": ("observability.log_retention_days",),
    "monitoring": ("observability",),
    "noderecovery": ("resilience.node_recovery",),
    "oncreate": ("lifecycle.steps",),
    "permissionsboundary": ("identity.permissions_boundary_arn",),
    "retain": ("protection",),
    "ssm": ("identity.session_manager",),
    "ssh": ("slurm.users[].ssh_public_keys", "identity.session_manager"),
}

REASONS: Final[dict[str, str]] = {
    "cloudwatch": "alarms and logs are always in CloudWatch",
    "grafana": "without it a Grafana of your own can query the workspace of `prometheus`",
    "dashboards": "`clusterwright render dashboards` writes them",
    "efs": "home directories are on FSx for OpenZFS",
}


def names_in(path: Path, word: str) -> list[str]:
    """Return the keys with the meaning of `word` that the mapping at `path` may have."""
    here = ".".join(str(part) for part in path if not isinstance(part, int))
    found = [key.replace("[]", "").rpartition(".") for key in KEYS.get(_plain(word), ())]
    return [name for parent, _, name in found if parent == here]


def hint(word: str) -> str | None:
    """Return the hint for an unknown key, or None if the word is not one of another tool."""
    plain = _plain(word)
    keys = KEYS.get(plain)
    if keys is None:
        return None
    named = " or ".join(f"`{key}`" for key in keys)
    reason = f"; {REASONS[plain]}" if plain in REASONS else ""
    return f"the spec has {named} for this{reason}"


def _plain(word: str) -> str:
    return re.sub(r"[-_.]", "", word).lower()
