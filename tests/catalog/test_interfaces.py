"""Interface layouts and addresses per node, sourced and derived."""

from __future__ import annotations

import dataclasses

import pytest

from clusterwright.catalog import InstanceType, Interface, Known, Unknown, load_catalog
from clusterwright.catalog.interfaces import derived_layout

CATALOG = load_catalog()
RULE = ("rule", "2026-01-01")


def layout(name: str) -> tuple[Interface, ...]:
    fact = CATALOG.interface_layout(name)
    assert isinstance(fact, Known), fact
    return fact.value


def test_p5_has_33_interfaces_and_one_address() -> None:
    found = layout("p5.48xlarge")
    assert len(found) == 33
    assert found[:2] == (Interface(0, 0, "interface"), Interface(0, 1, "efa-only"))
    assert found[2:] == tuple(Interface(card, 1, "efa-only") for card in range(1, 32))
    fact = CATALOG.interface_layout("p5.48xlarge")
    assert isinstance(fact, Known)
    assert not fact.derived
    assert "device 0" in fact.note


def test_p6_b300_has_no_efa_on_card_0() -> None:
    found = layout("p6-b300.48xlarge")
    assert len(found) == 17
    assert [i for i in found if i.card == 0] == [Interface(0, 0, "interface")]
    assert {i.kind for i in found if i.card} == {"efa-only"}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("p5en.48xlarge", 17),
        ("trn2.48xlarge", 17),
        ("p6-b200.48xlarge", 9),
        ("trn1.32xlarge", 9),
        ("p4d.24xlarge", 5),
        ("g5.48xlarge", 2),
    ],
)
def test_sourced_layouts_have_the_sourced_number_of_interfaces(name: str, count: int) -> None:
    assert len(layout(name)) == count


def test_layout_rule_reproduces_sourced_layouts() -> None:
    for name in CATALOG.store.document("network")["layouts"]:
        instance = CATALOG.instance(name)
        assert instance is not None
        derived = derived_layout(instance, RULE)
        assert isinstance(derived, Known)
        assert derived.derived
        assert derived.value == layout(name), name


@pytest.mark.parametrize(
    ("name", "count"), [("p5e.48xlarge", 33), ("p4de.24xlarge", 5), ("m5.8xlarge", 1)]
)
def test_other_layouts_are_derived_and_marked(name: str, count: int) -> None:
    fact = CATALOG.interface_layout(name)
    assert isinstance(fact, Known)
    assert fact.derived
    assert len(fact.value) == count


def test_contradicting_layout_is_unknown() -> None:
    assert isinstance(CATALOG.interface_layout("p6e-gb200.36xlarge"), Unknown)
    assert isinstance(CATALOG.interface_layout("p6e-gb300.36xlarge"), Unknown)


def changed(name: str, **values: int) -> InstanceType:
    instance = CATALOG.instance(name)
    assert instance is not None
    facts = {field: Known(value, *RULE) for field, value in values.items()}
    return dataclasses.replace(instance, **facts)


def test_first_card_with_one_interface_has_efa_with_ip() -> None:
    single = changed("g5.48xlarge", interfaces_max_card0=1)
    fact = derived_layout(single, RULE)
    assert isinstance(fact, Known)
    assert fact.value == (Interface(0, 0, "efa"),)


def test_other_cards_for_one_interface_use_device_0() -> None:
    narrow = changed("p4d.24xlarge", interfaces_max_other_cards=1)
    fact = derived_layout(narrow, RULE)
    assert isinstance(fact, Known)
    assert fact.value[2:] == tuple(Interface(card, 0, "efa-only") for card in (1, 2, 3))


def test_layout_with_efa_on_too_few_cards_is_unknown() -> None:
    odd = derived_layout(changed("p4d.24xlarge", efa_interfaces=2), RULE)
    assert isinstance(odd, Unknown)
    dark = dataclasses.replace(changed("p4d.24xlarge"), network_cards=Unknown("dark"))
    assert isinstance(derived_layout(dark, RULE), Unknown)


@pytest.mark.parametrize(
    ("name", "platform", "count", "derived"),
    [
        ("p5.48xlarge", "hyperpod-slurm", 32, False),
        ("p5.48xlarge", "hyperpod-eks", 81, False),
        ("p5.48xlarge", "parallelcluster", 1, False),
        ("p5.48xlarge", "eks", 81, True),
        ("p5e.48xlarge", "hyperpod-slurm", 32, True),
        ("p5en.48xlarge", "hyperpod-slurm", 16, True),
        ("p6-b300.48xlarge", "hyperpod-slurm", 17, True),
        ("m5.8xlarge", "hyperpod-slurm", 1, True),
        ("m5.8xlarge", "hyperpod-eks", 30, True),
        ("p6e-gb200.36xlarge", "hyperpod-slurm", 17, True),
    ],
)
def test_addresses_per_node_are_known(name: str, platform: str, count: int, derived: bool) -> None:
    fact = CATALOG.addresses_per_node(name, platform)
    assert isinstance(fact, Known)
    assert (fact.value, fact.derived) == (count, derived)


def test_derivation_reproduces_sourced_addresses() -> None:
    """The rule must reproduce all values that AWS states."""
    from clusterwright.catalog.interfaces import derived_addresses

    instance = CATALOG.instance("p5.48xlarge")
    assert instance is not None
    for platform in ("hyperpod-slurm", "hyperpod-eks"):
        derived = derived_addresses(instance, platform, CATALOG.interface_layout(instance.name))
        stated = CATALOG.addresses_per_node("p5.48xlarge", platform)
        assert isinstance(derived, Known)
        assert isinstance(stated, Known)
        assert derived.value == stated.value


def test_contradicting_addresses_are_unknown() -> None:
    assert isinstance(CATALOG.addresses_per_node("p6e-gb200.36xlarge", "eks"), Unknown)
    assert isinstance(CATALOG.addresses_per_node("p6e-gb300.36xlarge", "hyperpod-slurm"), Unknown)
    assert isinstance(CATALOG.addresses_per_node("p5.48xlarge", "mainframe"), Unknown)
