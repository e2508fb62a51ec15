"""Every example has a number that a manager can use, in the regions where clusters are trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import load_spec
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cost.estimate import estimate
from clusterwright.cost.headline import headline
from tests.support.bills import TODAY

CONFIGS: Final = Path(__file__).resolve().parents[2] / "configs"
EXAMPLES: Final = sorted(
    path
    for folder in (CONFIGS, CONFIGS / "examples")
    for path in folder.glob("*.yaml")
    if path.name not in ("base.yaml", "prices.yaml")
)
ZONES: Final = {
    "us-east-1": "use1-az6",
    "us-west-2": "usw2-az2",
    "us-east-2": "use2-az3",
    "eu-north-1": "eun1-az1",
    "ap-northeast-1": "apne1-az4",
}
NO_PRICE: Final = {
    # The regions in which no source has a price of any kind of the type; EC2 sells p6e-gb200 in
    # one local zone.
    "m7g.4xlarge": set(ZONES),
    "p6e-gb200.36xlarge": set(ZONES) - {"us-east-1"},
    "p6-b200.48xlarge": {"eu-north-1", "ap-northeast-1"},
    "trn1.32xlarge": {"ap-northeast-1"},
    "trn2.48xlarge": {"us-east-1", "us-west-2", "eu-north-1", "ap-northeast-1"},
    "p5.4xlarge": {"eu-north-1"},
}


def moved(cluster: Cluster, region: str) -> Cluster:
    if cluster.region == region:
        return cluster
    network = cluster.network.model_copy(update={"availability_zone_id": ZONES[region]})
    return cluster.model_copy(update={"region": region, "network": network})


@pytest.mark.parametrize("region", ZONES)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_has_a_cost_in_every_region(path: Path, region: str) -> None:
    cluster = moved(load_spec(path).cluster, region)
    bill = estimate(cluster, load_catalog(), today=TODAY)
    found = headline(bill)
    missing: set[Any] = set()
    if bill.scenario is not None:
        groups = {group.name: group.instance_type for group in cluster.compute}
        missing = {groups[line.group] for line in bill.scenario.without if line.group}
    expected = {
        group.instance_type
        for group in cluster.compute
        if group.count and region in NO_PRICE.get(group.instance_type, ())
    }
    assert missing == expected
    sums = bill.scenario or bill.total
    # With its instances, every example costs more than a dollar an hour.
    assert missing or sums.hourly_usd > 1
    assert found.cost.startswith("cost unknown") or not missing
    assert found.not_counted is not None
    assert len(found.not_counted) < 200
