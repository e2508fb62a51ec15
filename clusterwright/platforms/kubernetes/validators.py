"""Validators of platforms with Kubernetes."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.validation.validator import Validator
from clusterwright.platforms.kubernetes import (
    acceptance_validation,
    node_memory,
    spares,
    value_schemas,
)

VALIDATORS: Final[tuple[Validator, ...]] = (
    Validator(acceptance_validation.problems),
    Validator(value_schemas.problems, "catalogue"),
    Validator(spares.problems, "catalogue"),
    Validator(node_memory.problems, "catalogue"),
)
