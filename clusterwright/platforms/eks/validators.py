"""Validators of EKS with managed node groups."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.validation.validator import Validator
from clusterwright.platforms.eks import launch_templates, validation
from clusterwright.platforms.kubernetes.validators import VALIDATORS as KUBERNETES_VALIDATORS

VALIDATORS: Final[tuple[Validator, ...]] = (
    Validator(validation.problems),
    *KUBERNETES_VALIDATORS,
    Validator(launch_templates.problems, "synthesis"),
)
