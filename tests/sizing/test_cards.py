"""Cards of owned hardware: figures, links and step time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.sizing import calibration, estimate, step
from clusterwright.sizing.cards import cards
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.goal import parse
from clusterwright.sizing.hardware import NAMED_ACCELERATORS, Hardware, of_accelerator
from clusterwright.sizing.layouts import one
from clusterwright.sizing.models import model
from clusterwright.sizing.plan_types import Layout, Plan
from clusterwright.sizing.step import PARTS

CATALOG = load_catalog()
WHOLE = [name for name, card in cards().items() if card.dense_bf16_tflops]
LINKED = [name for name in WHOLE if cards()[name].pcie_gbytes_per_s]


def plan(
    accelerator: str, accelerators: int | None, *, model: str = "llama3-8b", **cluster: object
) -> Plan:
    goal = parse(
        {
            "model": model,
            "tokens": "10B",
            "cluster": {"accelerator": accelerator, "accelerators": accelerators, **cluster},
        }
    )
    return estimate.plan(goal, CATALOG, samples=256)


def seconds(name: str, layout: Layout, hardware: Hardware) -> float:
    parts = step.times(
        model("llama3-8b"),
        hardware,
        one(layout),
        calibration.constants(),
        seq_len=4096,
        precision="bf16",
    )
    return float(parts[PARTS.index(name), 0])


@pytest.mark.parametrize("name", cards())
def test_every_figure_has_a_source_or_a_reason(name: str) -> None:
    card = cards()[name]
    assert card.source
    for field in ("dense_bf16_tflops", "dense_fp8_tflops", "link_gbytes_per_s"):
        assert (getattr(card, field) is None) <= (field in card.unknown or name.endswith("Server"))
    assert name not in NAMED_ACCELERATORS
    # Dense, FP32 accumulation: FP8 is twice BF16 on every chip that has it.
    if card.dense_fp8_tflops:
        assert card.dense_bf16_tflops is not None
        assert card.dense_fp8_tflops / card.dense_bf16_tflops == pytest.approx(2, rel=0.02)


@pytest.mark.parametrize("said", ["RTX A6000", "rtx_a6000", "a6000", " RTX-A6000 "])
def test_cards_have_aliases(said: str) -> None:
    assert of_accelerator(said, CATALOG).name == "RTX-A6000"


def test_an_unknown_card_has_suggestions() -> None:
    with pytest.raises(GoalError) as error:
        of_accelerator("RTX-A600", CATALOG)
    assert "RTX-A6000" in str(error.value.hint)


def test_two_cards_use_their_bridge_and_four_use_pcie() -> None:
    card = of_accelerator("RTX-A6000", CATALOG)
    assert card.scale_up_size == 2
    pair = seconds("tensor parallel", Layout(tensor=2), card)
    four = seconds("tensor parallel", Layout(tensor=4), card)
    # Per rank: the same activations, halved by two, quartered by four, over (n - 1)/n.
    bytes_ratio = (3 / 4) / (1 / 2)
    assert four / pair == pytest.approx(bytes_ratio * 112.5 / 64)


def test_a_bridge_helps_and_pcie_alone_is_slower() -> None:
    bridged = of_accelerator("A100-PCIe-80GB", CATALOG)
    bare = replace(bridged, scale_up_size=1, scale_up_gbytes_per_s=0.0)
    layout = Layout(tensor=2)
    assert seconds("tensor parallel", layout, bridged) < seconds("tensor parallel", layout, bare)
    whole = Layout(data=8, sharding="fsdp")
    part = "gradients and weights"
    assert seconds(part, whole, bridged) == seconds(part, whole, bare)


@pytest.mark.parametrize("name", LINKED)
def test_tensor_parallelism_is_never_on_pcie(name: str) -> None:
    limit = 2 if cards()[name].link_gbytes_per_s else 1
    candidates = plan(name, 8, model="llama2-7b").candidates
    assert all(c.layout is not None and c.layout.tensor <= limit for c in candidates)


def test_pcie_is_slower_than_nvswitch() -> None:
    slow, fast = plan("A100-PCIe-80GB", 8).estimate, plan("A100-80GB", 8).estimate
    assert slow.days.p50 > fast.days.p50


@given(st.sampled_from(LINKED), st.integers(1, 64), st.sampled_from([1, 2, 4, 8]))
def test_network_is_required_only_for_several_nodes(
    name: str, accelerators: int, per_node: int
) -> None:
    hint = None
    try:
        plan(name, accelerators, per_node=per_node)
    except GoalError as error:
        hint = str(error.hint)
    assert ("--network-gbps" in (hint or "")) == (accelerators > per_node)


def test_faster_network_is_never_slower() -> None:
    days = [plan("L40S", 64, network_gbps=gbps).estimate.days.p50 for gbps in (25, 100, 400)]
    assert days == sorted(days, reverse=True)


@pytest.mark.parametrize(
    ("name", "precision", "says"),
    [
        ("RTX-6000-Ada", "bf16", "link speed between two cards"),
        ("RTX-PRO-6000-Server", "bf16", "dense_bf16_tflops"),
        ("RTX-5090", "fp8", "the dense FP8 peak of RTX-5090 is unknown"),
        ("RTX-A6000", "fp8", "RTX-A6000 has no FP8"),
    ],
)
def test_an_unknown_figure_is_an_error_with_its_name(name: str, precision: str, says: str) -> None:
    goal = {
        "model": "llama3-8b",
        "tokens": 1e9,
        "precision": precision,
        "cluster": {"accelerator": name, "accelerators": 4},
    }
    with pytest.raises(GoalError, match=says):
        estimate.plan(parse(goal), CATALOG, samples=64)


def test_one_card_per_node_needs_no_link() -> None:
    found = plan("RTX-6000-Ada", 16, per_node=1, network_gbps=100)
    assert found.estimate.nodes == 16


def test_owned_nodes_of_a_named_accelerator() -> None:
    usual, mine = of_accelerator("H100", CATALOG), of_accelerator("H100", CATALOG, per_node=4)
    assert mine.scale_up_size == 4
    assert mine.per_node * mine.scale_out_gbytes_per_s == pytest.approx(
        usual.per_node * usual.scale_out_gbytes_per_s
    )
    slow = of_accelerator("H100", CATALOG, network_gbps=100)
    assert slow.scale_out_gbytes_per_s == pytest.approx(100 / 8 / 8)
    assert any("100 Gbps between them, as given" in text for text in slow.assumptions)
    cluster = {"instance_type": "p5.48xlarge", "nodes": 2, "per_node": 4}
    goal = parse({"model": "llama3-8b", "tokens": 1e9, "cluster": cluster})
    with pytest.raises(GoalError, match="defines its node"):
        estimate.plan(goal, CATALOG)


def test_a_chip_without_benchmarks_has_a_wider_interval() -> None:
    seen = calibration.seen_accelerators()
    assert {"H100", "H800", "A100-80GB", "Trn1"} <= seen
    assert "L40S" not in seen
    wide = plan("L40S", 8).estimate.days
    narrow = plan("H100", 8).estimate.days
    assert np.log(wide.p90 / wide.p10) > np.log(narrow.p90 / narrow.p10)
