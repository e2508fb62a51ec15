"""Lines, units and sums of a bill: exact where a price is known, a line where it is not."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.bill import Bill, Line
from clusterwright.cost.estimate import estimate
from tests.support import specs

TODAY = dt.date(2026, 11, 20)
DNS_NAME = "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com"


def bill_of(
    folder: Path,
    changes: dict[str, Any] | None = None,
    *,
    rates: list[dict[str, Any]] | None = None,
    **more: Any,
) -> Bill:
    spec = specs.load(folder, changes)
    return estimate(spec.cluster, load_catalog(prices_override=rates), today=TODAY, **more)


def line(bill: Bill, text: str) -> Line:
    (found,) = [line for line in bill.lines if text in line.item]
    return found


def rate(**what: Any) -> dict[str, Any]:
    return {"region": "us-east-1", "source": "contract 7", "date": "2026-11-01", **what}


def test_on_demand_instances_have_hyperpods_own_rate(tmp_path: Path) -> None:
    workers = line(bill_of(tmp_path), "workers")
    assert (workers.quantity, workers.unit) == (4, "instance-hour")
    assert workers.unit_price_usd == Decimal("66.048")
    assert workers.hourly_usd == Decimal("264.192")
    assert workers.monthly_usd == Decimal("264.192") * 730
    assert (workers.date, workers.stale) == ("2026-10-04", False)
    assert workers.path == "compute[1].count"


def test_a_type_without_a_hyperpod_rate_never_gets_ec2s(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {"compute.1.instance_type": "p6-b200.48xlarge"})
    catalog = load_catalog()
    assert catalog.instance_price("p6-b200.48xlarge", "us-east-1", "ec2-on-demand").value  # type: ignore[union-attr]
    workers = line(bill, "workers")
    assert workers.unit_price_usd is None
    assert workers.hourly_usd is None
    assert workers.monthly_usd is None
    assert workers.reason
    assert "hyperpod-on-demand" in workers.reason
    assert "adds to the total" in (workers.effect or "")


def test_another_region_has_no_price_of_us_east_1(tmp_path: Path) -> None:
    bill = bill_of(
        tmp_path,
        {
            "region": "us-west-2",
            "network.availability_zone_id": "usw2-az2",
            "storage.lustre": [specs.LUSTRE],
        },
    )
    assert all(line.unit_price_usd is None for line in bill.lines), bill.lines
    assert bill.total.monthly_usd == 0
    assert bill.total.at_least


def test_a_training_plan_is_prepaid_and_its_price_is_the_users(tmp_path: Path) -> None:
    plan = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}}
    unknown = line(bill_of(tmp_path, plan), "workers")
    assert unknown.unit_price_usd is None
    assert "paid upfront" in (unknown.note or "")
    assert "45.7675" in (unknown.note or "")
    paid = rate(
        instance_type="p5.48xlarge", kind="training-plan", usd="41.5", unit="instance-hour"
    )
    known = line(bill_of(tmp_path, plan, rates=[paid]), "workers")
    assert known.hourly_usd == Decimal("166.0")
    assert (known.source, known.user_rate, known.stale) == ("your rate: contract 7", True, False)


def test_the_settling_entry_of_an_unknown_line_settles_it(tmp_path: Path) -> None:
    from clusterwright.cluster_spec.document import parse_document

    unknown = [line for line in bill_of(tmp_path).lines if line.rate]
    assert unknown
    entries = [
        parse_document("a: " + str(line.rate).replace("...", "'1'"), "x").data["a"]
        for line in unknown
    ]
    settled = bill_of(tmp_path, rates=[{**e, "usd": "1"} for e in _unique(entries)])
    assert [line.item for line in settled.lines if line.unit_price_usd is None] == []


def _unique(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({str(sorted(entry.items())): entry for entry in entries}.values())


def test_a_rate_in_another_unit_is_not_multiplied(tmp_path: Path) -> None:
    monthly = rate(
        instance_type="p5.48xlarge", kind="hyperpod-on-demand", usd=30000, unit="instance-month"
    )
    workers = line(bill_of(tmp_path, rates=[monthly]), "workers")
    assert workers.unit_price_usd is None
    assert "instance-month" in (workers.reason or "")


def test_spot_has_no_price_that_holds(tmp_path: Path) -> None:
    workers = line(bill_of(tmp_path, {"compute.1.capacity": {"kind": "spot"}}), "workers")
    assert workers.unit_price_usd is None


def test_empty_groups_cost_nothing_and_have_no_line(tmp_path: Path) -> None:
    bill = bill_of(
        tmp_path,
        {"compute.2": {**specs.SMALL["compute"][1], "name": "later", "count": 0}},
    )
    assert not [line for line in bill.lines if "later" in line.item]


def test_lustre_is_charged_by_tier_and_metadata_above_what_is_included(tmp_path: Path) -> None:
    metadata = {"mode": "provisioned", "iops": 24000}
    bill = bill_of(tmp_path, {"storage.lustre": [{**specs.LUSTRE, "metadata": metadata}]})
    capacity = line(bill, "PERSISTENT_2 SSD 1000")
    assert capacity.monthly_usd == 4800 * Decimal("0.6")
    # 4,800 GiB include 6,000 IOPS (FSx documentation, automatic mode).
    iops = line(bill, "metadata IOPS")
    assert iops.quantity == 18000
    assert iops.monthly_usd == 18000 * Decimal("0.055")


def test_metadata_within_what_is_included_has_no_line(tmp_path: Path) -> None:
    metadata = {"mode": "provisioned", "iops": 6000}
    bill = bill_of(tmp_path, {"storage.lustre": [{**specs.LUSTRE, "metadata": metadata}]})
    assert not [line for line in bill.lines if "metadata" in line.item]


def test_intelligent_tiering_is_charged_by_throughput_and_use(tmp_path: Path) -> None:
    tiering = {
        "mount_path": "/fsx",
        "storage_type": "INTELLIGENT_TIERING",
        "throughput_mbps": 4000,
        "metadata": {"mode": "provisioned", "iops": 6000},
        "read_cache": {"mode": "provisioned", "capacity_gib": 1024},
    }
    bill = bill_of(tmp_path, {"storage.lustre": [tiering]})
    assert line(bill, "throughput").monthly_usd == 4000 * Decimal("0.52")
    assert line(bill, "Intelligent-Tiering: storage").quantity is None
    assert line(bill, "SSD read cache").quantity == 1024
    assert line(bill, "metadata IOPS").quantity == 6000


def test_hdd_has_its_cache(tmp_path: Path) -> None:
    hdd = {
        "mount_path": "/fsx",
        "deployment_type": "PERSISTENT_1",
        "storage_type": "HDD",
        "capacity_gib": 6000,
        "throughput_mbps_per_tib": 12,
        "hdd_read_cache": True,
        "backup_retention_days": 7,
    }
    bill = bill_of(tmp_path, {"storage.lustre": [hdd]})
    assert line(bill, "PERSISTENT_1 HDD 12").monthly_usd == 6000 * Decimal("0.025")
    assert line(bill, "SSD cache").quantity == 1200
    assert line(bill, "backups").quantity is None


def test_what_exists_already_is_on_somebody_elses_bill(tmp_path: Path) -> None:
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
        ({"slurm.accounting": {"kind": "rds"}}, {"RDS MariaDB db.t3.large, single-AZ": None}),
        ({"observability.prometheus": True}, {"Prometheus: samples": None}),
        ({"compute.1.ebs": {"capacity_gib": 500}}, {"4 × 500 GiB": None}),
        (
            {"storage.buckets": [{"name": "b-1", "create": True, "directory": True}]},
            {"S3 Express storage": None},
        ),
    ],
)
def test_every_part_of_a_cluster_has_a_line(
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


def test_endpoints_are_counted_and_nat_takes_their_place(tmp_path: Path) -> None:
    from clusterwright.platforms.endpoints import interface_services

    spec = specs.load(tmp_path)
    expected = len(interface_services(spec.cluster))
    assert line(bill_of(tmp_path), "interface endpoints: ec2").quantity == expected
    nat = bill_of(tmp_path, {"network.egress": "nat"})
    assert not [line for line in nat.lines if "endpoints" in line.item]


def test_a_run_is_charged_by_the_hour_and_monthly_items_in_proportion(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]}, run_hours=Decimal(73))
    expected = 73 * Decimal("264.192") + 4800 * Decimal("0.6") / 10
    assert bill.total.run_usd == expected
    assert bill_of(tmp_path).total.run_usd is None
    assert bill_of(tmp_path, {"run.hours": 73}).run_hours == 73
    assert bill_of(tmp_path, {"run.hours": 73}, run_hours=Decimal(10)).run_hours == 10


def test_the_total_is_the_sum_of_the_known_lines_and_says_what_it_leaves_out(
    tmp_path: Path,
) -> None:
    bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]})
    known = [line for line in bill.lines if line.known]
    assert bill.total.monthly_usd == sum(line.monthly_usd or 0 for line in known)
    assert bill.total.hourly_usd == pytest.approx(bill.total.monthly_usd / 730)
    assert bill.total.unknown_lines == len(bill.lines) - len(known) > 0


def test_a_figure_of_use_makes_a_line_known(tmp_path: Path) -> None:
    key = "s3/Standard storage (first tier)"
    bill = bill_of(tmp_path, usage={key: Decimal(1000)})
    storage = line(bill, "S3 storage")
    assert storage.monthly_usd == Decimal("23")
    assert storage.note == "your usage"


def test_every_line_that_depends_on_use_can_be_settled_by_a_user(tmp_path: Path) -> None:
    from clusterwright.cost.usage_items import USAGE_ITEMS

    everything = {
        "network.egress": "nat",
        "storage.lustre": [
            {
                "mount_path": "/fsx",
                "storage_type": "INTELLIGENT_TIERING",
                "throughput_mbps": 4000,
                "backup_retention_days": 7,
                "read_cache": {"mode": "none"},
            }
        ],
        "storage.home": {"kind": "openzfs", "capacity_gib": 64},
        "storage.buckets": [{"name": "b-1", "create": True, "directory": True}],
        "slurm.accounting": {"kind": "rds"},
        "observability.prometheus": True,
    }
    usage = dict.fromkeys(USAGE_ITEMS, Decimal(1))
    bill = bill_of(tmp_path, everything, usage=usage)
    assert [line.item for line in bill.lines if line.quantity is None] == []
    closed = bill_of(tmp_path, {**everything, "network.egress": "closed"}, usage=usage)
    assert [line.item for line in closed.lines if line.quantity is None] == []


def test_old_and_undated_prices_are_stale(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]})
    assert line(bill, "PERSISTENT_2 SSD 1000").stale
    assert not line(bill, "workers").stale
    later = estimate(specs.load(tmp_path).cluster, load_catalog(), today=dt.date(2027, 1, 3))
    assert line(later, "workers").stale
