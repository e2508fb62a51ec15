"""Validators of AWS PCS."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.validation.validator import Validator
from clusterwright.platforms.pcs import launch_templates, validation

VALIDATORS: Final[tuple[Validator, ...]] = (
    Validator(validation.problems),
    Validator(launch_templates.problems, "synthesis"),
)
