"""Facts and specs for the tests of kubernetes."""

from __future__ import annotations

from typing import Any

WORKERS = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}

EKS: dict[str, Any] = {"platform": "eks", "compute": [WORKERS]}

HYPERPOD: dict[str, Any] = {"platform": "hyperpod-eks", "compute": [WORKERS]}


def of(version: str, support: str = "standard", base: dict[str, Any] = EKS) -> dict[str, Any]:
    return {**base, "kubernetes": {"version": version, "support": support}}
