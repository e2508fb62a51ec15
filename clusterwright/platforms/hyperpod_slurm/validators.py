"""Validators of HyperPod with Slurm: none beyond those of all platforms."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.validation.validator import Validator

VALIDATORS: Final[tuple[Validator, ...]] = ()
