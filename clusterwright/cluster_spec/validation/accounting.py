"""Requirements of managed accounting, and of accounting on RDS in managed mode.

Source of the latter: AWS documentation, `sagemaker-hyperpod-external-accounting-db-slurm`:
AccountingDatabase requires NodeProvisioningMode=Continuous and an AMI released after
2026-08-30, and cannot be reverted.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.platforms.registry import PLATFORMS, either, traits_of

EXTERNAL_ACCOUNTING_AFTER = datetime.date(2026, 8, 30)


def problems(cluster: Cluster) -> Iterator[Problem]:
    accounting = cluster.slurm.accounting
    here = ("slurm", "accounting")
    if accounting.kind == "managed" and cluster.uses_slurm:
        yield from _managed(cluster)
    managed = cluster.on_hyperpod and cluster.slurm.configuration == "managed"
    if accounting.kind != "rds" or not managed:
        # In scripted mode the node program starts slurmdbd.
        return
    if cluster.resilience.node_provisioning != "continuous":
        yield Problem(
            "accounting on RDS requires continuous provisioning",
            ("resilience", "node_provisioning"),
            other_path=(*here, "kind"),
            rests_on=(("slurm", "configuration"),),
        )
    released = cluster.image.released
    if released is not None and released <= EXTERNAL_ACCOUNTING_AFTER:
        yield Problem(
            f"accounting on RDS requires an image released after {EXTERNAL_ACCOUNTING_AFTER}; "
            f"this image was released on {released}",
            ("image", "released"),
            other_path=(*here, "kind"),
            rests_on=(("slurm", "configuration"),),
        )


def _managed(cluster: Cluster) -> Iterator[Problem]:
    if not cluster.traits.managed_accounting:
        able = [name for name in PLATFORMS if traits_of(name).managed_accounting]
        yield Problem(
            f"{cluster.platform} has no managed accounting database",
            ("slurm", "accounting", "kind"),
            hint=f"kind: rds, or platform: {either(able)}",
            other_path=("platform",),
        )
