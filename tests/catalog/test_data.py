"""The committed data files: sourced, dated, of the documented shape, and what the sources say."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.catalog import Catalog, Known, Unknown, generate, load_catalog, writer
from clusterwright.catalog.building import inputs
from clusterwright.catalog.dates import as_of
from clusterwright.catalog.report import all_facts
from clusterwright.catalog.store import PACKAGE_DATA

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schema/catalog.schema.json").read_text(encoding="utf-8"))
CATALOG = load_catalog()


def known(fact: Known[Any] | Unknown) -> Any:
    assert isinstance(fact, Known), fact
    return fact.value


def test_the_committed_files_are_what_the_generator_writes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().err


def test_the_check_names_files_that_differ_are_missing_or_are_strays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = generate.documents()
    for name, content in made.items():
        if name != "limits":
            (tmp_path / f"{name}.json").write_text(writer.text(name, content), encoding="utf-8")
    changed = (tmp_path / "quotas.json").read_text(encoding="utf-8").replace("L-8762A75F", "L-X")
    (tmp_path / "quotas.json").write_text(changed, encoding="utf-8")
    (tmp_path / "extra.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(generate, "DATA", tmp_path)
    monkeypatch.setattr(generate, "documents", lambda: made)
    assert generate.main(["--check"]) == 1
    said = capsys.readouterr().err.split("\n")
    assert sorted(filter(None, said)) == [
        "differs: extra.json",
        "differs: limits.json",
        "differs: quotas.json",
    ]
    assert generate.main([]) == 0
    assert not (tmp_path / "extra.json").exists()
    assert generate.main(["--check"]) == 0


@pytest.mark.parametrize("name", writer.DEPTHS)
def test_each_file_has_the_shape_of_its_schema(name: str) -> None:
    document = json.loads((PACKAGE_DATA / f"{name}.json").read_text(encoding="utf-8"))
    schema = {"$ref": f"#/$defs/files/{name}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(document)


def test_the_schema_refuses_a_value_without_a_source() -> None:
    schema = {"$ref": "#/$defs/files/limits", "$defs": SCHEMA["$defs"]}
    document = {"schema_version": 1, "limits": {"a.b": ["things", {"value": 3}]}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(document)


def test_every_fact_has_a_source_and_a_date_or_a_reason() -> None:
    count = 0
    for data_set, fact in all_facts(CATALOG):
        count += 1
        if isinstance(fact, Unknown):
            assert len(fact.reason) > 3, data_set
            continue
        assert len(fact.source) > 3, (data_set, fact)
        assert fact.date == "undated" or as_of(fact.date) or fact.date.startswith("before"), fact
    assert count > 10_000


def test_every_source_of_the_table_is_dated_and_none_is_used_that_is_not_there() -> None:
    listed = {row["id"]: row for row in inputs.rows("sources.csv")}
    assert all(row["date"] and row["title"] for row in listed.values())
    for name in [
        "instance_facts",
        "accelerators",
        "precisions",
        "addresses",
        "interface_layouts",
        "local_zones",
        "ultraservers",
        "limits",
        "quotas",
        "instance_prices",
        "service_prices",
    ]:
        used = {row["source"] for row in inputs.rows(f"{name}.csv")}
        assert used <= listed.keys(), name


# -- the facts, as collected on 2026-11-20 ------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "vcpus", "memory", "count", "gib", "gbps", "cards", "efa", "enis", "card0", "ipv4"),
    [
        ("p4d.24xlarge", 96, 1152, 8, 40, 400, 4, 4, 60, 15, 50),
        ("p4de.24xlarge", 96, 1152, 8, 80, 400, 4, 4, 60, 15, 50),
        ("p5.4xlarge", 16, 256, 1, 80, 100, 1, 1, 4, 4, 30),
        ("p5.48xlarge", 192, 2048, 8, 80, 3200, 32, 32, 64, 2, 50),
        ("p5e.48xlarge", 192, 2048, 8, 141, 3200, 32, 32, 64, 2, 50),
        ("p5en.48xlarge", 192, 2048, 8, 141, 3200, 16, 16, 64, 4, 50),
        ("p6-b200.48xlarge", 192, 2048, 8, 179.1, 3200, 8, 8, 32, 4, 50),
        ("p6-b300.48xlarge", 192, 4096, 8, 268.6, 6400, 17, 16, 68, 4, 50),
        ("trn1.32xlarge", 128, 512, 16, 32, 800, 8, 8, 40, 5, 50),
        ("trn1n.32xlarge", 128, 512, 16, 32, 1600, 16, 16, 80, 5, 50),
        ("trn2.3xlarge", 12, 128, 1, 96, 200, 1, 1, 2, 2, 15),
        ("trn2.48xlarge", 192, 2048, 16, 96, 3200, 16, 16, 32, 2, 50),
        ("trn2u.48xlarge", 192, 2048, 16, 96, 3200, 16, 16, 32, 2, 50),
        ("g5.48xlarge", 192, 768, 8, 22.4, 100, 1, 1, 7, 7, 50),
        ("g6e.48xlarge", 192, 1536, 8, 44.7, 400, 4, 4, 40, 10, 50),
        ("g7e.48xlarge", 192, 2048, 8, 96, 1600, 4, 4, 40, 10, 64),
        ("inf2.48xlarge", 192, 768, 12, 32, 100, 1, 0, 15, 15, 50),
    ],
)
def test_accelerated_types_carry_the_collected_figures(
    name: str, vcpus: int, memory: int, count: int, gib: float, gbps: float, cards: int,
    efa: int, enis: int, card0: int, ipv4: int,
) -> None:  # fmt: skip
    instance = CATALOG.instance(name)
    assert instance is not None
    assert known(instance.vcpus) == vcpus
    assert known(instance.memory_gib) == memory
    assert known(instance.accelerator_count) == count
    assert known(instance.accelerator_memory_gib) == gib
    assert known(instance.network_gbps) == gbps
    assert known(instance.network_cards) == cards
    assert known(instance.efa_interfaces) == efa
    assert known(instance.interfaces_max) == enis
    assert known(instance.interfaces_max_card0) == card0
    assert known(instance.ipv4_per_interface) == ipv4


def test_a_wrong_api_value_is_overridden_and_says_so() -> None:
    for name in ("trn2.3xlarge", "trn2.48xlarge"):
        instance = CATALOG.instance(name)
        assert instance is not None
        memory = instance.accelerator_memory_gib
        assert isinstance(memory, Known)
        assert memory.value == 96
        assert "524,288" in memory.note
        assert "neuron" in memory.source


def test_contradicting_sources_make_an_unknown_that_names_both() -> None:
    instance = CATALOG.instance("p6e-gb200.36xlarge")
    assert instance is not None
    assert isinstance(instance.efa_generation, Unknown)
    assert "v3" in instance.efa_generation.reason
    assert "v4" in instance.efa_generation.reason
    assert known(instance.architecture) == "arm64"
    assert known(instance.spot) is False


def test_every_hyperpod_type_is_described_for_sizing_and_addresses() -> None:
    assert len(CATALOG.hyperpod_names) == 209
    for name in CATALOG.hyperpod_names:
        instance = CATALOG.instance(name)
        assert instance is not None, name
        assert known(instance.vcpus) > 0
        assert known(instance.memory_gib) > 0
        assert known(instance.architecture) in ("x86_64", "arm64")
        assert known(instance.hyperpod) is True
        assert known(instance.network_cards) >= 1
        assert isinstance(instance.local_nvme, Known)
        assert isinstance(CATALOG.addresses_per_node(name, "hyperpod-slurm"), Known), name
        assert known(instance.accelerator_count) == 0 or CATALOG.accelerator_of(name) is not None


def test_training_plans_take_the_documented_types_only() -> None:
    assert CATALOG.training_plan_names < CATALOG.hyperpod_names
    for name, taken in {
        "p5.48xlarge": True,
        "trn1n.32xlarge": False,
        "trn2.3xlarge": False,
    }.items():
        instance = CATALOG.instance(name)
        assert instance is not None
        assert known(instance.training_plan) is taken


def test_offerings_name_zones_of_their_region() -> None:
    for name in CATALOG.described_names:
        for region in CATALOG.regions:
            offered = CATALOG.offering(name, region)
            if isinstance(offered, Known):
                assert offered.value <= CATALOG.zone_ids(region), (name, region)


def test_the_collected_offerings_are_in_the_data() -> None:
    assert known(CATALOG.offering("p4d.24xlarge", "us-east-1")) == {
        "use1-az1", "use1-az2", "use1-az4", "use1-az6",
    }  # fmt: skip
    assert known(CATALOG.offering("p5en.48xlarge", "us-east-1")) == {"use1-az2", "use1-az6"}
    assert known(CATALOG.offering("trn2.48xlarge", "us-east-1")) == frozenset()


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
        ("p5.48xlarge", "eu-west-2", "capacity-block", "in any source"),
        ("p5en.48xlarge", "us-east-1", "capacity-block", "54.92 of 2026-09-19"),
        ("p4d.24xlarge", "us-east-2", "capacity-block", "14.75 of 2024-12"),
        ("p6-b200.48xlarge", "eu-north-1", "capacity-block", "names no region"),
        ("p6e-gb200.36xlarge", "us-east-1", "capacity-block", "u-p6e-gb200x72"),
        ("u-p6e-gb200x72", "us-east-1", "capacity-block", "in any source"),
        ("p5.48xlarge", "us-east-1", "ec2-spot", "change by the minute"),
    ],
)
def test_prices_that_no_source_settles_are_unknown_with_the_reason(
    name: str, region: str, kind: Any, words: str
) -> None:
    price = CATALOG.instance_price(name, region, kind)
    assert isinstance(price, Unknown)
    assert words in price.reason


def test_no_spot_price_is_in_the_data() -> None:
    assert not [kind for _, kind, _ in CATALOG.priced if "spot" in kind]
    header = (Path(generate.__file__).parent / "sources/instance_prices.csv").open().readline()
    assert "spot" not in header


def test_service_prices() -> None:
    price = CATALOG.service_price("fsx_lustre", "PERSISTENT_2 SSD 500", "us-east-1")
    assert isinstance(price, Known)
    assert (price.value.usd, price.value.unit, price.date) == (
        Decimal("0.34"), "GB-month", "undated",
    )  # fmt: skip
    assert isinstance(
        CATALOG.service_price("fsx_lustre", "PERSISTENT_2 SSD 500", "eu-west-1"), Unknown
    )
    unplaced = CATALOG.service_price("amp", "storage", "us-east-1")
    assert isinstance(unplaced, Unknown)
    assert "without a region" in unplaced.reason


def test_circulating_wrong_quota_codes_are_not_used() -> None:
    rejected = {row["code"] for row in inputs.rows("rejected_quota_codes.csv")}
    assert len(rejected) == 6
    assert not rejected & {quota.code for quota in CATALOG.quotas}


def test_quota_codes_are_unique_and_unknown_defaults_stay_unknown() -> None:
    codes = [(q.service, q.code) for q in CATALOG.quotas if q.code]
    assert len(codes) == len(set(codes)) == 147
    total = CATALOG.quota("sagemaker", "L-3308CCC7")
    assert total is not None
    assert isinstance(total.default, Unknown)
    assert "30" in total.default.reason


def test_a_damaged_input_version_stops_the_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MOTO_VERSION", "0.0.1")
    with pytest.raises(SystemExit, match=r"generated from moto 0\.0\.1"):
        inputs.api_instance_types()


def test_catalogs_of_the_same_files_share_them() -> None:
    again: Catalog = load_catalog()
    assert again.store is CATALOG.store
