"""Requirements of HyperPod's inference operator, as data.

Sources: SageMaker developer guide, "Setting up your HyperPod clusters for model deployment"
(method 2, read 2026-11-21), and AWS's own templates for it: aws/sagemaker-hyperpod-cluster-setup,
eks/cloudformation/inference-addon-iam-roles-template.yaml (3bee904) and
private-subnet-tagging-template.yaml (26ffc6d).
"""

from __future__ import annotations

import hashlib
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster

ADDON: Final = "amazon-sagemaker-hyperpod-inference"
NAMESPACE: Final = "hyperpod-inference-system"

OPERATOR_ACCOUNT: Final = "hyperpod-inference-controller-manager"
LOAD_BALANCER_ACCOUNT: Final = "aws-load-balancer-controller"
KEDA_ACCOUNT: Final = "keda-operator"
MODEL_ACCOUNTS: Final = "hyperpod-inference-service-account*"
"""Service accounts in the operator's namespace, and those of endpoints in any namespace."""

DEPENDENCIES: Final = ("aws-mountpoint-s3-csi-driver", "aws-fsx-csi-driver", "metrics-server")
"""Add-ons that must be installed first, in addition to cert-manager."""

INTERNAL_TAG: Final = "kubernetes.io/role/internal-elb"
"""Tag of subnets in which the load balancer controller may place internal load balancers."""

BUCKET_PREFIX: Final = "hyperpod-tls-"
"""Prefix of the certificate bucket; AmazonSageMakerHyperPodInferenceAccess allows no other."""


def wanted(cluster: Cluster) -> bool:
    """Return whether the spec has the operator."""
    return cluster.platform == "hyperpod-eks" and cluster.hyperpod.inference is not None


def certificate_bucket(cluster: Cluster) -> str:
    """Return `hyperpod-tls-<environment>-<digest of account and region>`, up to 62 characters."""
    digest = hashlib.sha256(f"{cluster.account}/{cluster.region}".encode()).hexdigest()[:8]
    return f"{BUCKET_PREFIX}{cluster.environment}-{digest}"


def subnet_tags(cluster: Cluster, purpose: str) -> tuple[str, ...]:
    """Return the tags, with the value 1, of a created subnet for `purpose`.

    Load balancers are in the subnets of the control plane, which are in two zones, as load
    balancers require, and contain no nodes.
    """
    return (INTERNAL_TAG,) if wanted(cluster) and purpose == "control" else ()
