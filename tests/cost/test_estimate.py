"""Lines, units and sums of a bill."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.estimate import estimate
from tests.support import specs
from tests.support.bills import bill_of, line

DNS_NAME = "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com"


def test_another_region_has_its_own_prices_or_none(tmp_path: Path) -> None:
    bill = bill_of(
        tmp_path,
        {
            "region": "ap-northeast-1",
            "network.availability_zone_id": "apne1-az4",
            "storage.lustre": [specs.LUSTRE],
        },
    )
    here = {
        line.item: line for line in bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]}).lines
    }
    workers = line(bill, "workers")
    assert (workers.unit_price_usd, here[workers.item].unit_price_usd) == (None, Decimal("66.048"))
    fsx = line(bill, "fsx: PERSISTENT_2")
    assert (fsx.unit_price_usd, here[fsx.item].unit_price_usd) == (
        Decimal("0.848"), Decimal("0.6"),
    )  # fmt: skip
    assert bill.total.at_least


def test_existing_resources_are_not_on_the_bill(tmp_path: Path) -> None:
    bill = bill_of(
        tmp_path,
        {
            "network": {
                "availability_zone_id": "use1-az6",
                "existing": {
                    "vpc_id": "vpc-0123456789abcdef0",
                    "subnet_ids": ["subnet-0123456789abcdef0"],
                    "security_group_ids": ["sg-0123456789abcdef0"],
                },
            },
            "storage.lustre": [
                {
                    "mount_path": "/fsx",
                    "existing": {
                        "id": "fs-0123456789abcdef0",
                        "dns_name": DNS_NAME,
                        "mount_name": "abcdefgh",
                        "security_group_id": "sg-0123456789abcdef0",
                    },
                }
            ],
            "storage.home": {
                "kind": "openzfs",
                "existing": {
                    "dns_name": DNS_NAME,
                    "security_group_id": "sg-0123456789abcdef0",
                },
            },
            "identity.kms_key_arn": f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/1",
        },
    )
    components = {line.component for line in bill.lines}
    assert components == {"compute", "objects", "identity", "observability", "support"}
    assert not [line for line in bill.lines if line.item == "KMS key"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"network.egress": "nat"}, {"NAT gateway": "0.045"}),
        ({"storage.home": {"kind": "openzfs", "capacity_gib": 512}}, {"SSD storage": "0.09"}),
        ({"slurm.accounting": {"kind": "rds"}}, {"RDS MariaDB db.t3.large, single-AZ": "0.136"}),
        ({"observability.prometheus": True}, {"Prometheus: samples": "0.9"}),
        ({"compute.1.ebs": {"capacity_gib": 500}}, {"4 × 500 GiB": None}),
        (
            {"storage.buckets": [{"name": "b-1", "create": True, "directory": True}]},
            {"S3 Express storage": None},
        ),
    ],
)
def test_every_component_of_a_cluster_has_a_line(
    tmp_path: Path, changes: dict[str, Any], expected: dict[str, str | None]
) -> None:
    before = {line.item for line in bill_of(tmp_path).lines}
    bill = bill_of(tmp_path, changes)
    for text, price in expected.items():
        (found,) = [
            line
            for line in bill.lines
            if text == line.item
            or text in line.item.split(": ")
            or line.item.startswith(text)
            or line.item.endswith(text)
        ][:1]
        assert found.item not in before
        assert found.unit_price_usd == (None if price is None else Decimal(price))


def test_a_run_is_charged_by_the_hour_and_monthly_items_in_proportion(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]}, run_hours=Decimal(73))
    expected = 73 * (Decimal("264.192") + Decimal("0.10")) + 4800 * Decimal("0.6") / 10
    assert bill.total.run_usd == expected
    assert bill_of(tmp_path).total.run_usd is None
    assert bill_of(tmp_path, {"run.hours": 73}).run_hours == 73
    assert bill_of(tmp_path, {"run.hours": 73}, run_hours=Decimal(10)).run_hours == 10


def test_the_total_is_the_sum_of_known_lines_with_unknown_count(
    tmp_path: Path,
) -> None:
    bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]})
    known = [line for line in bill.lines if line.known]
    assert bill.total.monthly_usd == sum(line.monthly_usd or 0 for line in known)
    assert bill.total.hourly_usd == pytest.approx(bill.total.monthly_usd / 730)
    assert bill.total.unknown_lines == len(bill.lines) - len(known) > 0


def test_old_and_undated_prices_are_stale(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]})
    assert line(bill, "PERSISTENT_2 SSD 1000").stale
    assert not line(bill, "workers").stale
    later = estimate(specs.load(tmp_path).cluster, load_catalog(), today=dt.date(2027, 1, 3))
    assert line(later, "workers").stale
