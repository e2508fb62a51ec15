"""Facts of the catalogue: known, unknown and by name."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import (
    Catalog,
    Known,
    Unknown,
    load_catalog,
)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def value(fact: Known[Any] | Unknown) -> Any:
    assert isinstance(fact, Known), fact
    return fact.value


def test_type_without_a_description_can_exist(catalog: Catalog) -> None:
    assert "c4.large" in catalog.instance_names
    assert catalog.instance("c4.large") is None
    assert catalog.instance("p5.48xlarge") is catalog.instance("p5.48xlarge")
    assert isinstance(catalog.offering("c4.large", "us-east-1"), Unknown)
    assert isinstance(catalog.interface_layout("c4.large"), Unknown)
    assert isinstance(catalog.addresses_per_node("c4.large", "eks"), Unknown)


def test_empty_offering_differs_from_missing_data(catalog: Catalog) -> None:
    assert value(catalog.offering("p5e.48xlarge", "us-east-1")) == frozenset()
    assert isinstance(catalog.offering("p5.48xlarge", "us-gov-west-1"), Unknown)
    assert isinstance(catalog.offering("p6e-gb200.36xlarge", "eu-west-1"), Unknown)


def test_local_zones_are_known_by_name_and_by_id(catalog: Catalog) -> None:
    zones = catalog.zone_ids("us-east-1")
    assert {"use1-az6", "us-east-1-dfw-2a", "use1-dfw2-az1"} <= zones
    assert value(catalog.offering("p6e-gb200.36xlarge", "us-east-1")) == {
        "us-east-1-dfw-2a",
        "use1-dfw2-az1",
    }
    assert "us-west-2-phx-2a" in catalog.zone_ids("us-west-2")
    assert catalog.zone_ids("mars-1") == frozenset()
    assert catalog.local_zone("use1-dfw2-az1") == "us-east-1-dfw-2a"
    assert catalog.local_zone("use1-az6") is None


def test_a_local_zone_has_its_own_price(catalog: Catalog) -> None:
    for name in ("us-east-1-dfw-2a", "use1-dfw2-az1"):
        assert isinstance(catalog.instance_price("u-p6e-gb200x72", name, "capacity-block"), Known)
    assert isinstance(
        catalog.instance_price("u-p6e-gb200x72", "us-east-1", "capacity-block"), Unknown
    )


def test_quota_without_a_code_is_found_by_name(catalog: Catalog) -> None:
    quota = value(catalog.quota_for("g5.48xlarge", "hyperpod-cluster"))
    assert quota.code is None
    assert quota.name == "ml.g5.48xlarge for cluster usage"
    assert isinstance(quota.default, Unknown)


def test_a_default_may_differ_by_region(catalog: Catalog) -> None:
    quota = catalog.quota("fsx", "L-88479C21")
    assert quota is not None
    assert isinstance(quota.default, Unknown)
    assert value(quota.default_in("us-east-1")) == 262144
    assert value(quota.default_in("eu-west-1")) == 65536
    plain = catalog.quota("sagemaker", "L-2CE978FC")
    assert plain is not None
    assert value(plain.default_in("eu-west-1")) == value(plain.default) == 20


@pytest.mark.parametrize(
    ("accelerator", "precision", "supported"),
    [
        ("H100", "fp8", True),
        ("H100", "mxfp8", False),
        ("A100-80GB", "fp8", False),
        ("A100-40GB", "bf16", True),
        ("B200", "nvfp4", True),
        ("B300", "mxfp8", True),
        ("L40S", "fp8", True),
        ("Trn2", "bf16", True),
        ("Trn1", "nvfp4", False),
    ],
)
def test_precisions_are_listed(
    catalog: Catalog, accelerator: str, precision: str, supported: bool
) -> None:
    assert value(catalog.supports_precision(accelerator, precision)) is supported


def test_unsourced_precisions_and_partitions_are_unknown(catalog: Catalog) -> None:
    assert isinstance(catalog.supports_precision("RTX-PRO-6000", "nvfp4"), Unknown)
    assert isinstance(catalog.supports_precision("H100", "fp3"), Unknown)
    assert isinstance(catalog.supports_precision("H900", "fp8"), Unknown)
    assert isinstance(catalog.mig_profiles("RTX-PRO-6000"), Unknown)
    assert isinstance(catalog.mig_profiles("H900"), Unknown)


def test_partitions_are_listed(catalog: Catalog) -> None:
    assert "1g.10gb" in value(catalog.mig_profiles("H100"))
    assert "1g.18gb" in value(catalog.mig_profiles("H200"))
    assert value(catalog.mig_profiles("L4")) == ()
    assert value(catalog.mig_profiles("Trn2")) == ()


def test_accelerators_of_the_planner_are_in_the_catalogue(catalog: Catalog) -> None:
    wanted = [
        "A100-40GB",
        "A100-80GB",
        "H100",
        "H200",
        "H800",
        "GH200",
        "B200",
        "B300",
        "GB200",
        "Trn1",
        "Trn2",
    ]
    assert set(wanted) <= set(catalog.accelerator_names)
    found = catalog.accelerator_of("p6e-gb200.36xlarge")
    assert found is not None
    assert found.name == "GB200"
    assert catalog.accelerator_of("m5.8xlarge") is None
    assert catalog.accelerator_of("nothing.large") is None


def test_scale_up_domain_is_known(catalog: Catalog) -> None:
    sizes = {
        "p5.48xlarge": 8,
        "p5.4xlarge": 1,
        "p6e-gb200.36xlarge": 72,
        "trn1.32xlarge": 16,
        "m5.8xlarge": 0,
        "g5.xlarge": 1,
    }
    for name, size in sizes.items():
        instance = catalog.instance(name)
        assert instance is not None
        assert value(instance.scale_up_size) == size
    b200 = catalog.instance("p6-b200.48xlarge")
    assert b200 is not None
    assert b200.scale_up_link_gbytes_per_s.derived
    assert value(b200.scale_up_link_gbytes_per_s) == 1800
    p4d = catalog.instance("p4d.24xlarge")
    assert p4d is not None
    assert isinstance(p4d.scale_up_link_gbytes_per_s, Unknown)


def test_ultraservers_are_listed(catalog: Catalog) -> None:
    found = catalog.ultraservers["u-p6e-gb200x72"]
    assert value(found.instance_count) == 18
    assert value(found.accelerator_count) == 72
    assert value(found.places) == ("us-east-1-dfw-2a",)
    assert isinstance(catalog.ultraservers["Trn2 UltraServer"].api_name, Unknown)


def test_limits_are_listed(catalog: Catalog) -> None:
    assert value(catalog.limit("hyperpod.instances_per_group_max")) == 6758
    assert isinstance(catalog.limit("hyperpod.lifecycle_script_timeout_minutes"), Unknown)
    assert isinstance(catalog.limit("hyperpod.nonsense"), Unknown)
    assert catalog.limit_units["capacity_block.duration_days_max"] == "days"
