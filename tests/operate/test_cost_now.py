"""The cost of the nodes that exist."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from clusterwright.operate.cost_now import cost_now
from tests.operate.clusters import load, node, rates
from tests.support import specs


def test_known_part_and_nodes_without_price(tmp_path: Path) -> None:
    spec = load(tmp_path)
    found = rates(spec)
    rate = found.of_group("workers")
    assert rate is not None
    nodes = [
        node(1, "controller"),
        node(1),
        node(2, state="Failure", condition="failed"),
        node(3, state="ShuttingDown", condition="ending"),
        node(4, instance_id=None),
        node(1, "elsewhere"),
    ]
    cost = cost_now(nodes, found)
    assert cost.usd == 2 * rate
    assert cost.at_least
    assert [(part.instance_type, part.capacity, part.nodes) for part in cost.unpriced] == [
        ("m5.4xlarge", "on-demand", 1),
        ("m5.4xlarge", "unknown", 1),
    ]
    assert found.of_group("elsewhere") is None


def test_no_nodes_cost_nothing(tmp_path: Path) -> None:
    cost = cost_now([], rates(load(tmp_path)))
    assert (cost.usd, cost.at_least) == (Decimal(0), False)


def test_a_training_plan_has_no_price(tmp_path: Path) -> None:
    spec = load(tmp_path, compute__1__capacity={"kind": "training-plan", "arn": specs.PLAN})
    cost = cost_now([node(1)], rates(spec))
    assert cost.usd is None
    (part,) = cost.unpriced
    assert (part.capacity, part.nodes) == ("training-plan", 1)
    assert part.reason
