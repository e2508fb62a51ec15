"""EKS's capabilities are charged by the hour, at rates that no source states."""

from __future__ import annotations

import datetime as dt

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cost.estimate import estimate
from tests.platforms.kubernetes.specs import EKS
from tests.support.rich_specs import changed


def capability_lines(**changes: object) -> dict[str, object]:
    cluster = Cluster.model_validate(changed(EKS, partition="aws", **changes))
    bill = estimate(cluster, load_catalog(), today=dt.date(2026, 11, 20))
    return {
        line.item.removeprefix("EKS capability, "): line.hourly_usd
        for line in bill.lines
        if line.item.startswith("EKS capability")
    }


def test_each_capability_is_a_line_without_a_price() -> None:
    assert capability_lines() == {"Argo CD": None}
    assert capability_lines(kubernetes__capabilities=None) == {}
    assert capability_lines(kubernetes__capabilities={"ack": True, "kro": True}) == {
        "AWS Controllers for Kubernetes": None,
        "kro": None,
    }
