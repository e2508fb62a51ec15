"""Interfaces, images, placement and node groups of EKS, for every type and for unusual ones."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.catalog import Known, Unknown, load_catalog
from clusterwright.catalog.model import Interface
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.eks import launch_templates as subject
from tests.support.rich_specs import EKS_MINIMAL
from tests.support.validation import cluster

CATALOG = load_catalog()
LAYOUTS = {
    "p4d.24xlarge": 5,
    "p4de.24xlarge": 5,
    "p5.4xlarge": 2,
    "p5.48xlarge": 33,
    "p5e.48xlarge": 33,
    "p5en.48xlarge": 17,
    "p6-b200.48xlarge": 9,
    "p6-b300.48xlarge": 17,
    "trn1.2xlarge": 1,
    "trn1.32xlarge": 9,
    "trn1n.32xlarge": 17,
    "trn2.3xlarge": 2,
    "trn2.48xlarge": 17,
    "g5.48xlarge": 2,
    "g6e.48xlarge": 5,
    "m5.4xlarge": 1,
}


def group(**values: Any) -> ComputeGroup:
    return ComputeGroup.model_validate(
        {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 2,
            **values,
        }
    )


def layout(**values: Any) -> tuple[Interface, ...]:
    found = subject.interfaces(group(**values), CATALOG)
    assert isinstance(found, Known)
    return found.value


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_type_has_its_interfaces_and_one_address(name: str) -> None:
    found = layout(instance_type=name)
    assert len(found) == LAYOUTS[name]
    assert found[0] == Interface(0, 0, "interface")
    assert {each.kind for each in found[1:]} <= {"efa-only"}
    assert subject.addresses(found) == 1
    instance = CATALOG.instance(name)
    assert instance is not None
    assert list(subject.problems_of(found, instance)) == []


@pytest.mark.parametrize("name", LAYOUTS)
def test_full_interfaces_are_fewer_and_each_has_an_address(name: str) -> None:
    found = layout(instance_type=name, network_interface="efa")
    instance = CATALOG.instance(name)
    assert instance is not None
    assert list(subject.problems_of(found, instance)) == []
    assert subject.addresses(found) == len(found)
    assert isinstance(instance.efa_interfaces, Known)
    assert sum(each.kind == "efa" for each in found) == instance.efa_interfaces.value


def test_first_card_of_p6_b300_has_no_efa() -> None:
    for kind in ("efa-only", "efa"):
        on_first = layout(instance_type="p6-b300.48xlarge", network_interface=kind)
        assert [each for each in on_first if each.card == 0] == [Interface(0, 0, "interface")]


def test_unsourced_layout_is_refused_with_its_position() -> None:
    spec = cluster({"compute.0.instance_type": "p6e-gb200.36xlarge"}, EKS_MINIMAL)
    (problem,) = subject.problems(spec)
    assert problem.path == ("compute", 0, "instance_type")
    assert "the network interfaces of p6e-gb200.36xlarge are unknown" in problem.message


def test_unknown_type_is_refused() -> None:
    spec = cluster({"compute.0.instance_type": "p9.1xlarge"}, EKS_MINIMAL)
    messages = [problem.message for problem in subject.problems(spec)]
    assert any("network interfaces" in message for message in messages)
    assert any("no image" in message for message in messages)


def test_threads_require_a_known_number_of_cores() -> None:
    changes = {"compute.0.instance_type": "p9.1xlarge", "compute.0.threads_per_core": 1}
    messages = [p.message for p in subject.problems(cluster(changes, EKS_MINIMAL))]
    assert any("the number of cores" in message for message in messages)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([Interface(0, 0, "interface"), Interface(0, 0, "efa-only")], "two interfaces on device"),
        ([Interface(0, 0, "efa-only")], "the primary interface is efa-only"),
        ([Interface(1, 1, "efa-only")], "card 0 has no interface on device 0"),
        ([Interface(0, 0, "interface"), Interface(40, 1, "efa-only")], "and no card 40"),
        (
            [Interface(0, 0, "interface"), *(Interface(0, i, "efa-only") for i in range(1, 4))],
            "card 0 supports 2 interfaces, not 4",
        ),
        (
            [Interface(0, 0, "efa"), *(Interface(i % 32, i // 32 + 1, "efa") for i in range(33))],
            "34 EFA interfaces: the type supports 32",
        ),
    ],
)
def test_invalid_layouts_are_detected(wrong: list[Interface], words: str) -> None:
    instance = CATALOG.instance("p5.48xlarge")
    assert instance is not None
    assert any(words in problem for problem in subject.problems_of(wrong, instance))


def test_efa_on_a_card_without_efa_is_detected() -> None:
    instance = CATALOG.instance("p6-b300.48xlarge")
    assert instance is not None
    wrong = [Interface(0, 0, "efa")]
    assert "card 0 does not support EFA" in list(subject.problems_of(wrong, instance))


def test_unknown_numbers_are_not_reported() -> None:
    instance = CATALOG.instance("p5.48xlarge")
    assert instance is not None
    unknown = dataclasses.replace(
        instance,
        network_cards=Unknown("?"),
        efa_interfaces=Unknown("?"),
        interfaces_max_card0=Unknown("?"),
        interfaces_max_other_cards=Unknown("?"),
    )
    assert list(subject.problems_of(layout(), unknown)) == []


def test_system_groups_have_one_interface() -> None:
    assert layout(role="system", instance_type="g6e.48xlarge") == (Interface(0, 0, "interface"),)


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("m5.4xlarge", "AL2023_x86_64_STANDARD"),
        ("m7g.xlarge", "AL2023_ARM_64_STANDARD"),
        ("p5.48xlarge", "AL2023_x86_64_NVIDIA"),
        ("p6e-gb200.36xlarge", "AL2023_ARM_64_NVIDIA"),
        ("trn2.48xlarge", "AL2023_x86_64_NEURON"),
        ("p9.1xlarge", None),
    ],
)
def test_images_depend_on_architecture_and_accelerator(name: str, image: str | None) -> None:
    assert subject.image_type(name, CATALOG) == image


def test_images_and_capacity_types_are_those_of_the_api() -> None:
    import gzip
    import json
    from pathlib import Path

    import botocore

    folder = Path(botocore.__file__).parent / "data" / "eks" / "2017-11-01"
    shapes = json.loads(gzip.decompress((folder / "service-2.json.gz").read_bytes()))["shapes"]
    assert set(subject.IMAGES.values()) <= set(shapes["AMITypes"]["enum"])
    assert set(subject.CAPACITY_TYPES.values()) == set(shapes["CapacityTypes"]["enum"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, True),
        ({"placement_group": False}, False),
        ({"capacity": {"kind": "spot"}}, False),
        ({"capacity": {"kind": "spot"}, "placement_group": True}, True),
        ({"capacity": {"kind": "reservation", "id": "cr-0a1b2c3d4e5f60718"}}, False),
        (
            {
                "capacity": {"kind": "capacity-block", "id": "cr-0a1b2c3d4e5f60718"},
                "placement_group": True,
            },
            False,
        ),
        ({"role": "system"}, False),
        ({"instance_type": "trn1.2xlarge"}, False),
        ({"instance_type": "p9.1xlarge"}, False),
    ],
)
def test_placement_groups_depend_on_capacity_and_efa(
    values: dict[str, Any], expected: bool
) -> None:
    assert subject.takes_placement_group(group(**values), "eks", CATALOG) is expected
    assert not subject.takes_placement_group(group(**values), "hyperpod-eks", CATALOG)


@given(
    count=st.integers(0, 6757),
    least=st.none() | st.integers(0, 6758),
    most=st.none() | st.integers(1, 6758),
)
def test_node_groups_of_a_group_add_up_and_fit_eks(
    count: int, least: int | None, most: int | None
) -> None:
    least = None if least is None else min(least, count)
    most = None if most is None else max(most, count)
    parts = subject.node_groups(group(count=count, min_count=least, max_count=most))
    assert sum(part.wanted for part in parts) == count
    assert sum(part.least for part in parts) == (count if least is None else least)
    assert sum(part.most for part in parts) == max(most or count, 1)
    assert all(part.least <= part.wanted <= part.most <= 450 for part in parts)
    assert len({part.name for part in parts}) == len(parts)
    # Growth adds to the last node group or after it: no other node group loses a node.
    larger = subject.node_groups(group(count=count + 1, max_count=max(most or 0, count + 1)))
    assert all(b.wanted >= a.wanted for a, b in zip(parts, larger, strict=False))


def test_too_many_node_groups_are_refused() -> None:
    one = {"role": "compute", "instance_type": "m5.4xlarge", "count": 6758}
    spec = cluster({"compute": [{"name": f"group-{i}", **one} for i in range(2)]}, EKS_MINIMAL)
    (problem,) = subject.problems(spec)
    assert problem.message.startswith("the groups need 32 node groups of at most 450 nodes each")


def test_labels_contain_group_and_role() -> None:
    found = subject.labels(group(labels={"a": "b"}))
    assert found == {"a": "b", subject.GROUP_LABEL: "workers", "clusterwright.dev/role": "compute"}
