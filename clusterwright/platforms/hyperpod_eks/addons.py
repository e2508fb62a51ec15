"""SageMaker's add-ons of an EKS cluster: names and service accounts.

Source: aws/sagemaker-hyperpod-cluster-setup, eks/cloudformation/observability-template.yaml
(commit 0ab564d), and the managed policy AmazonSageMakerHyperPodTrainingOperatorAccess.
"""

from __future__ import annotations

from typing import Final

NAMES: Final = {
    "training-operator": "amazon-sagemaker-hyperpod-training-operator",
    "observability": "amazon-sagemaker-hyperpod-observability",
}
TASK_GOVERNANCE: Final = "amazon-sagemaker-hyperpod-taskgovernance"
CERTIFICATES: Final = "cert-manager"
"""Issues the certificates of the webhooks of the training and inference operators."""

SERVICE_ACCOUNTS: Final = {
    "training-operator": ("aws-hyperpod", "hp-training-operator-controller-manager"),
    "observability": ("hyperpod-observability", "hyperpod-observability-operator-otel-collector"),
}
