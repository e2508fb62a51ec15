"""Merging of live API responses into the catalogue."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import Known, Unknown, changes, directory, load_catalog, snapshot
from clusterwright.catalog.api_shapes import API_FIELDS, LEFT_OUT, instance_record
from clusterwright.catalog.snapshot import Snapshot
from clusterwright.catalog.store import Store

STORE = Store()


BEFORE = directory.read(STORE)


def answered(name: str, **different: Any) -> dict[str, Any]:
    """The API fields of a type as in the data, some of them changed."""
    record = BEFORE["instances"]["instances"].get(name) or {}
    return {**{field: record.get(field, 0) for field in API_FIELDS}, **different}


def live(**different: Any) -> Snapshot:
    fields: dict[str, Any] = {
        "region": "us-east-1",
        "date": "2027-02-01",
        "endpoint": None,
        "instances": {"p5.48xlarge": answered("p5.48xlarge")},
        "zones": ("use1-az1", "use1-az6"),
        "local_zones": {},
        "offers": {"p5.48xlarge": ("use1-az6",)},
        "prices": {
            ("p5.48xlarge", "ec2-on-demand"): "60.00",
            ("p5.48xlarge", "hyperpod-on-demand"): "66.048",
        },
        "services": {("nat_gateway", "hourly"): ("0.051", "hour")},
        "quotas": (("sagemaker", "L-8762A75F", "ml.p5.48xlarge for cluster usage", "None", 4.0),),
    }
    return Snapshot(**{**fields, **different})


def after(snap: Snapshot, tmp_path: Path) -> Any:
    directory.write(snapshot.apply(BEFORE, snap), tmp_path)
    return load_catalog(directory=tmp_path)


def test_arguments_are_not_modified() -> None:
    kept = copy.deepcopy(BEFORE)
    snapshot.apply(BEFORE, live())
    assert kept == BEFORE


def test_responses_have_source_and_date(tmp_path: Path) -> None:
    catalog = after(live(), tmp_path)
    price = catalog.instance_price("p5.48xlarge", "us-east-1", "ec2-on-demand")
    assert isinstance(price, Known)
    assert (str(price.value.usd), price.date) == ("60.00", "2027-02-01")
    assert price.source == "AWS Price List (Pricing GetProducts), us-east-1"
    offering = catalog.offering("p5.48xlarge", "us-east-1")
    assert isinstance(offering, Known)
    assert "use1-az6" in offering.value
    assert "use1-az1" not in offering.value
    quota = catalog.quota("sagemaker", "L-8762A75F")
    assert (quota.default.value, quota.unit, quota.date) == (4, "instances", "2027-02-01")


def test_other_data_is_unchanged(tmp_path: Path) -> None:
    catalog, old = after(live(), tmp_path), load_catalog()
    for name, region, kind in (
        ("p5.48xlarge", "us-east-2", "ec2-on-demand"),
        ("p5.48xlarge", "us-east-1", "capacity-block"),
        ("p5.48xlarge", "us-east-1", "training-plan-offer"),
    ):
        assert catalog.instance_price(name, region, kind) == old.instance_price(name, region, kind)
    assert catalog.offering("p5.48xlarge", "eu-west-2") == old.offering("p5.48xlarge", "eu-west-2")
    assert catalog.lustre.tiers == old.lustre.tiers


def test_price_missing_in_the_price_list_is_unknown(tmp_path: Path) -> None:
    catalog = after(live(), tmp_path)
    gone = catalog.instance_price("p4d.24xlarge", "us-east-1", "ec2-on-demand")
    assert isinstance(gone, Unknown)
    assert gone.reason == "not in the Price List of us-east-1 on 2027-02-01"


def test_price_of_a_service_replaces_that_of_its_region(tmp_path: Path) -> None:
    catalog, old = after(live(), tmp_path), load_catalog()
    price = catalog.service_price("nat_gateway", "hourly", "us-east-1")
    assert isinstance(price, Known)
    assert (str(price.value.usd), price.value.unit, price.date) == ("0.051", "hour", "2027-02-01")
    for service, item, region in (
        ("nat_gateway", "hourly", "us-west-2"),
        ("nat_gateway", "data processed", "us-east-1"),  # the Price List has no single amount
    ):
        kept = old.service_price(service, item, region)
        assert isinstance(kept, Known)
        assert catalog.service_price(service, item, region) == kept


def test_snapshots_of_before_have_no_prices_of_services() -> None:
    document = live().to_json()
    del document["services"]
    assert Snapshot.from_json(document).services == {}


def test_several_amounts_for_one_price_are_unknown(tmp_path: Path) -> None:
    catalog = after(live(prices={("p5.48xlarge", "ec2-on-demand"): None}), tmp_path)
    price = catalog.instance_price("p5.48xlarge", "us-east-1", "ec2-on-demand")
    assert isinstance(price, Unknown)
    assert "several amounts" in price.reason


def test_corrections_of_the_api_are_kept(tmp_path: Path) -> None:
    wrong = answered("trn2.48xlarge", accelerator_memory_gib=512)
    catalog = after(live(instances={"trn2.48xlarge": wrong}), tmp_path)
    memory = catalog.instance("trn2.48xlarge").accelerator_memory_gib
    assert (memory.value, memory.date) == (96, "2025-12-02")


def test_api_values_replace_documented_ones(tmp_path: Path) -> None:
    now = answered("p5.48xlarge", vcpus=144, architecture="arm64", efa_interfaces=8)
    catalog = after(live(instances={"p6e-gb200.36xlarge": now}), tmp_path)
    instance = catalog.instance("p6e-gb200.36xlarge")
    assert instance.efa_interfaces == Known(8, *_types_source())
    assert isinstance(instance.accelerator, Known)
    assert instance.accelerator.value == "GB200"
    # EC2 lists the type now, so its absence from a region's offerings is an answer.
    assert catalog.offering("p6e-gb200.36xlarge", "us-west-2").value == frozenset()


def _types_source() -> tuple[str, str]:
    return "EC2 DescribeInstanceTypes, us-east-1", "2027-02-01"


def test_missing_fields_keep_their_source(tmp_path: Path) -> None:
    record = instance_record({"InstanceType": "p5.48xlarge", "VCpuInfo": {"DefaultVCpus": 1}}, "")
    assert [key for key in API_FIELDS if record[key] != LEFT_OUT] == [
        "vcpus", "accelerator_name", "accelerator_count", "accelerator_memory_gib",
    ]  # fmt: skip
    catalog, old = after(live(instances={"p5.48xlarge": record}), tmp_path), load_catalog()
    instance, was = catalog.instance("p5.48xlarge"), old.instance("p5.48xlarge")
    assert instance.vcpus == Known(1, *_types_source())
    assert instance.memory_gib == was.memory_gib
    assert instance.efa_interfaces == was.efa_interfaces


def test_regional_default_changes_only_in_its_region(tmp_path: Path) -> None:
    def fsx(value: float) -> Snapshot:
        row = ("fsx", "L-88479C21", "OpenZFS SSD storage capacity", "GiB", value)
        return live(region="eu-west-1", quotas=(row,), parts=("quotas",))

    same = snapshot.apply(BEFORE, fsx(65536))
    assert changes.compare(BEFORE, same).changes == ()
    quota = after(fsx(70000), tmp_path).quota("fsx", "L-88479C21")
    assert quota.default_in("eu-west-1").value == 70000
    assert quota.default_in("us-east-1").value == 262144
    assert quota.default_in("eu-north-1").value == 65536


def test_new_type_has_unknown_fields(tmp_path: Path) -> None:
    new = answered("m5.8xlarge", vcpus=999)
    catalog = after(live(instances={"c4.large": new}), tmp_path)
    instance = catalog.instance("c4.large")
    assert instance.vcpus == Known(999, *_types_source())
    assert isinstance(instance.nitro, Unknown)
    assert list(catalog.described_names) != []


def test_quota_without_a_code_gets_it_by_name(tmp_path: Path) -> None:
    found = ("sagemaker", "L-0123ABCD", "ml.g5.48xlarge for cluster usage", "None", 0.0)
    new = ("sagemaker", "L-1123ABCD", "ml.p9.48xlarge for cluster usage", "None", 0.0)
    dark = ("vpc", "L-F678F1CE", "VPCs per Region", "None", None)
    catalog = after(live(quotas=(found, new, dark)), tmp_path)
    quota = catalog.quota_for("g5.48xlarge", "hyperpod-cluster").value
    assert (quota.code, quota.default.value) == ("L-0123ABCD", 0)
    assert catalog.quota("sagemaker", "L-1123ABCD").unit == "count"
    assert isinstance(catalog.quota("vpc", "L-F678F1CE").default, Unknown)


def test_local_zone_gets_its_id(tmp_path: Path) -> None:
    zone = {"us-west-2-phx-2a": "usw2-phx2-az1"}
    catalog = after(live(local_zones=zone), tmp_path)
    assert catalog.local_zone("usw2-phx2-az1") == "us-west-2-phx-2a"


@pytest.mark.parametrize("part", snapshot.PARTS)
def test_unrequested_data_is_unchanged(part: str, tmp_path: Path) -> None:
    made = snapshot.apply(BEFORE, live(parts=(part,)))
    changed = {name for name in made if made[name] != BEFORE[name]} - {"sources"}
    files = {
        "instances": {"instances", "zones", "offerings"},
        "prices": {"prices"},
        "quotas": {"quotas"},
    }
    assert changed == files[part]


def test_source_names_the_local_aws() -> None:
    made = snapshot.apply(BEFORE, live(endpoint="http://localhost:4566"))
    titles = [t for key, (t, _) in made["sources"]["sources"].items() if key.startswith("live-")]
    assert titles
    assert all(title.endswith("at http://localhost:4566, which is not AWS") for title in titles)


def test_unused_sources_are_removed() -> None:
    once = snapshot.apply(BEFORE, live())
    twice = snapshot.apply(once, live(date="2027-03-01"))
    left = {key for key in twice["sources"]["sources"] if key.startswith("live-")}
    assert left
    assert all(key.endswith("2027-03-01") for key in left)


def test_snapshot_is_saved() -> None:
    kept = json.loads(json.dumps(live().to_json()))
    assert Snapshot.from_json(kept) == live()


def test_quotas_of_a_snapshot_are_loaded() -> None:
    known = [("vpc", "L-1")]
    keeps = snapshot.keeps_quota
    assert keeps("vpc", "L-1", "anything", known)
    assert not keeps("vpc", "L-2", "anything", known)
    assert keeps("sagemaker", "L-3", "ml.p9.48xlarge for cluster spot instance usage", known)
    assert not keeps("sagemaker", "L-3", "ml.p9.48xlarge for training job usage", known)
