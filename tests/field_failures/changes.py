"""Specs of small clusters, and the findings of the review of a change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright.review.deployment_blockers import deployment_blockers
from clusterwright.review.results import DeploymentBlocker
from tests.review.templates import SCHEMAS, analysis, app
from tests.support import specs
from tests.support.synthesis import Assembly

LUSTRE = {"mount_path": "/fsx", "deployment_type": "SCRATCH_2", "capacity_gib": 1200}

SLURM = specs.changed({"storage.lustre": [LUSTRE], "protection": "destroy"})

EKS = specs.changed(
    {
        "platform": "eks",
        "compute": [
            {"name": "system", "role": "system", "instance_type": "m5.2xlarge", "count": 2},
            {"name": "workers", "role": "compute", "instance_type": "p5.4xlarge", "count": 2},
        ],
    },
    base=SLURM,
)


def obstacles_of(before: Assembly, after: Assembly) -> list[DeploymentBlocker]:
    """Return the blockers that `clusterwright diff` lists, from the templates of both versions."""
    old, new = app(**before.templates), app(**after.templates)
    return list(deployment_blockers(old, new, analysis(old, new), SCHEMAS.of))


SMALL = {**{key: EKS[key] for key in ("platform", "compute")}}
"""Changes that convert the small spec to EKS."""


def written(folder: Path, changes: dict[str, Any]) -> Path:
    return specs.write(folder / "eks.yaml", specs.changed(changes, base=specs.changed(SMALL)))


def of_type(instance_type: str, **more: Any) -> dict[str, Any]:
    """`EKS` with nodes of a type."""
    return specs.changed(
        {"compute.1": {**EKS["compute"][1], "instance_type": instance_type, **more}}, base=EKS
    )


def template_of(assembly: Assembly, group: str) -> dict[str, Any]:
    """Return the launch template of a group, by the name of its instances."""
    (found,) = [
        data
        for one in assembly.resources("AWS::EC2::LaunchTemplate").values()
        if {"Key": "Name", "Value": f"test-{group}"}
        in (data := one["Properties"]["LaunchTemplateData"])["TagSpecifications"][0]["Tags"]
    ]
    return dict(found)
