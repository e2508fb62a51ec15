"""Slurm's topology from EC2's description of instances."""

from __future__ import annotations

from typing import Any

import pytest
from clusterwright_node.slurm_topology import (
    Place,
    Topology,
    block,
    choose,
    parse_answer,
    topology,
    tree,
)

NEAR = Place(("nn-1", "nn-2", "nn-4"), None)
FAR = Place(("nn-1", "nn-3", "nn-5"), None)
NOWHERE = Place((), None)


def test_locations_by_instance() -> None:
    answer = {
        "Instances": [
            {"InstanceId": "i-1", "NetworkNodes": ["nn-1", "nn-2"]},
            {"InstanceId": "i-2", "CapacityBlockId": "cb-1"},
            {"InstanceId": "i-3", "NetworkNodes": None, "CapacityBlockId": ""},
        ]
    }
    assert parse_answer(answer) == {
        "i-1": Place(("nn-1", "nn-2"), None),
        "i-2": Place((), "cb-1"),
        "i-3": NOWHERE,
    }


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([], "no list `Instances`"),
        ({"Instances": {}}, "no list `Instances`"),
        ({"Instances": [{}]}, "an instance without `InstanceId`"),
        ({"Instances": [{"InstanceId": "i-1", "NetworkNodes": [1]}]}, "`NetworkNodes` of i-1"),
        ({"Instances": [{"InstanceId": "i-1", "CapacityBlockId": 7}]}, "`CapacityBlockId` of i-1"),
    ],
)
def test_an_answer_of_another_form(answer: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_answer(answer)


@pytest.mark.parametrize(
    ("kind", "places", "expected"),
    [
        ("automatic", {"a": NOWHERE}, "none"),
        ("automatic", {"a": NEAR, "b": NOWHERE}, "tree"),
        ("automatic", {"a": NEAR, "b": Place((), "cb-1")}, "block"),
        ("none", {"a": NEAR}, "none"),
        ("block", {"a": NEAR}, "block"),
    ],
)
def test_the_kind_follows_the_locations(
    kind: str, places: dict[str, Place], expected: str
) -> None:
    assert choose(kind, places) == expected
    found = topology(kind, places)
    assert (found.plugin if found else "none") == expected


def test_a_tree_of_switches() -> None:
    assert tree({"n1": NEAR, "n2": NEAR, "n3": FAR}) == Topology(
        "tree",
        "SwitchName=nn-4 Nodes=n[1-2]\n"
        "SwitchName=nn-5 Nodes=n3\n"
        "SwitchName=nn-1 Switches=nn-2,nn-3\n"
        "SwitchName=nn-2 Switches=nn-4\n"
        "SwitchName=nn-3 Switches=nn-5\n",
    )


def test_nodes_without_a_location_are_connected() -> None:
    assert tree({"n1": NEAR, "n2": NOWHERE}).text == (
        "SwitchName=cw-unplaced Nodes=n2\n"
        "SwitchName=nn-4 Nodes=n1\n"
        "SwitchName=cw-root Switches=cw-unplaced,nn-1\n"
        "SwitchName=nn-1 Switches=nn-2\n"
        "SwitchName=nn-2 Switches=nn-4\n"
    )


def test_a_switch_has_nodes_or_switches() -> None:
    text = tree({"n1": NEAR, "n2": Place(("nn-1", "nn-2"), None)}).text
    assert "SwitchName=nn-2-direct Nodes=n2\n" in text
    assert "SwitchName=nn-2 Switches=nn-2-direct,nn-4\n" in text


def test_short_blocks_are_filled() -> None:
    places = {
        "a1": Place((), "cb-1"),
        "a2": Place((), "cb-1"),
        "b1": Place((), "cb-2"),
        "c1": NEAR,
        "c2": FAR,
        "c3": NEAR,
    }
    found = block(places)
    assert found == Topology(
        "block",
        "BlockName=cb-1 Nodes=a[1-2]\n"
        "BlockName=cb-2 Nodes=b1,cw-absent-1\n"
        # Nodes that are close to each other are in one block.
        "BlockName=cw-other-1 Nodes=c[1,3]\n"
        "BlockName=cw-other-2 Nodes=c2,cw-absent-2\n"
        "BlockSizes=2\n",
        ("cw-absent-1", "cw-absent-2"),
    )


def test_without_ultraservers_the_last_network_node_is_a_block() -> None:
    found = block({"n1": NEAR, "n2": NEAR, "n3": FAR})
    assert found.text.splitlines()[-1] == "BlockSizes=2"
    assert found.absent == ("cw-absent-1",)
