"""Validators of HyperPod with Amazon EKS."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.validation.validator import Validator
from clusterwright.platforms.hyperpod_eks import compute_quotas, inference_validation, validation
from clusterwright.platforms.kubernetes.validators import VALIDATORS as KUBERNETES_VALIDATORS

VALIDATORS: Final[tuple[Validator, ...]] = (
    Validator(validation.problems),
    Validator(inference_validation.problems),
    Validator(compute_quotas.problems, "catalogue"),
    *KUBERNETES_VALIDATORS,
)
