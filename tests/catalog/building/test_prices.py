"""Prices in the data."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import Known, Unknown, generate, load_catalog
from clusterwright.catalog.building import inputs
from clusterwright.catalog.building.prices import prices
from clusterwright.catalog.dates import as_of

CATALOG = load_catalog()


@pytest.mark.parametrize(
    ("name", "region", "kind", "usd", "date"),
    [
        ("p5.48xlarge", "us-east-1", "ec2-on-demand", "55.04", "2026-11-09"),
        ("p5.48xlarge", "us-east-2", "ec2-on-demand", "55.04", "2026-09-19"),
        ("p4d.24xlarge", "us-east-1", "ec2-on-demand", "21.957642", "2026-11-09"),
        ("p6-b300.48xlarge", "us-west-2", "ec2-on-demand", "142.416", "2026-09-19"),
        ("p5.48xlarge", "us-east-1", "hyperpod-on-demand", "66.048", "2026-10-04"),
        ("p4d.24xlarge", "us-east-1", "hyperpod-on-demand", "25.91", "2026-10-04"),
        ("p5.48xlarge", "us-east-1", "training-plan-offer", "45.7675", "2026-10-04"),
        ("p4d.24xlarge", "us-east-2", "training-plan-offer", "13.0046", "2026-10-04"),
        ("p5.48xlarge", "us-west-2", "capacity-block", "41.528", "2026-09-19"),
        ("trn2.48xlarge", "us-east-2", "capacity-block", "35.7608", "2026-10-08/09"),
        ("u-p6e-gb200x72", "us-east-1-dfw-2a", "capacity-block", "761.904", "2026-09-19"),
    ],
)
def test_prices_are_the_newest_of_their_region(
    name: str, region: str, kind: Any, usd: str, date: str
) -> None:
    price = CATALOG.instance_price(name, region, kind)
    assert isinstance(price, Known)
    assert (price.value.usd, price.date) == (Decimal(usd), date)


@pytest.mark.parametrize(
    ("name", "region", "kind", "words"),
    [
        ("p5e.48xlarge", "us-east-1", "ec2-on-demand", "no on-demand SKU"),
        ("p5e.48xlarge", "us-east-1", "hyperpod-on-demand", "in any source"),
        ("p5.48xlarge", "us-west-2", "hyperpod-on-demand", "in any source"),
        ("p5.48xlarge", "eu-west-3", "capacity-block", "in any source"),
        ("p5en.48xlarge", "us-east-1", "capacity-block", "54.92 of 2026-09-19"),
        ("p6-b200.48xlarge", "eu-north-1", "capacity-block", "names no region"),
        ("p6e-gb200.36xlarge", "us-east-1", "capacity-block", "u-p6e-gb200x72"),
        ("u-p6e-gb200x72", "us-east-1", "capacity-block", "in any source"),
        ("p5.48xlarge", "us-east-1", "ec2-spot", "change by the minute"),
    ],
)
def test_contradicting_prices_are_unknown_with_a_reason(
    name: str, region: str, kind: Any, words: str
) -> None:
    price = CATALOG.instance_price(name, region, kind)
    assert isinstance(price, Unknown)
    assert words in price.reason


def test_spot_prices_are_not_in_the_data() -> None:
    assert not [kind for _, kind, _ in CATALOG.priced if "spot" in kind]
    header = (Path(generate.__file__).parent / "sources/instance_prices.csv").open().readline()
    assert "spot" not in header


def test_service_prices_are_in_the_data() -> None:
    price = CATALOG.service_price("fsx_lustre", "PERSISTENT_2 SSD 500", "us-east-1")
    assert isinstance(price, Known)
    assert (price.value.usd, price.value.unit, price.date) == (
        Decimal("0.34"), "GB-month", "2025-05-29",
    )  # fmt: skip
    assert isinstance(
        CATALOG.service_price("fsx_lustre", "PERSISTENT_2 SSD 500", "af-south-1"), Unknown
    )
    unplaced = CATALOG.service_price("amp", "query samples processed", "us-east-1")
    assert isinstance(unplaced, Unknown)
    assert "without a region" in unplaced.reason


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("us-east-1", ("55.04", "0.384", "0.34", "0.023")),
        ("us-west-2", ("55.04", "0.384", "0.34", "0.023")),
        ("us-east-2", ("55.04", "0.384", "0.34", "0.023")),
        ("eu-north-1", ("58.8928", "0.408", "0.352", "0.023")),
        ("ap-northeast-1", ("68.8", "0.496", "0.471", "0.025")),
    ],
)
def test_regions_of_training_clusters_have_prices(region: str, expected: tuple[str, ...]) -> None:
    gpus = CATALOG.instance_price("p5.48xlarge", region, "ec2-on-demand")
    cpus = CATALOG.instance_price("m5.2xlarge", region, "ec2-on-demand")
    lustre = CATALOG.service_price("fsx_lustre", "PERSISTENT_2 SSD 500", region)
    objects = CATALOG.service_price("s3", "Standard storage (first tier)", region)
    found = [gpus, cpus, lustre, objects]
    assert tuple(str(p.value.usd) for p in found if isinstance(p, Known)) == expected
    assert not [p for p in found if isinstance(p, Known) and as_of(p.date) is None]


def test_the_newest_of_several_sources_is_kept() -> None:
    # The list of 2025-05 precedes the cut of 2025-06; sources of 2025-06 and 2026 agree.
    p5 = CATALOG.instance_price("p5.48xlarge", "us-west-1", "ec2-on-demand")
    assert isinstance(p5, Known)
    assert (str(p5.value.usd), p5.date) == ("68.8", "2026-01-21")


def test_two_amounts_of_one_day_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = inputs.rows
    row = next(row for row in real("service_prices.csv"))

    def rows(name: str) -> list[dict[str, str]]:
        extra = (
            [row | {"item": "new", "usd": usd} for usd in ("1", "2")]
            if name == "service_prices.csv"
            else []
        )
        return [*real(name), *extra]

    monkeypatch.setattr(inputs, "rows", rows)
    with pytest.raises(SystemExit, match=f"{row['source']} states 2 on the same day"):
        prices({})
