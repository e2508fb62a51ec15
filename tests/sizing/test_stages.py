"""Pipelines whose stages do not divide the layers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.sizing.launch import launch_settings
from clusterwright.sizing.models import model
from clusterwright.sizing.plan_types import Layout
from clusterwright.sizing.stages import edge_layers, fits, nearest


@pytest.mark.parametrize(
    ("layers", "stages", "edges"),
    [
        (61, 2, (31, 30)),
        (61, 4, (15, 14)),
        (61, 8, (7, 6)),
        (61, 16, (3, 2)),
        (61, 32, None),  # 30 stages of 2 leave one layer for the first and the last
        (32, 8, None),
        (80, 3, (27, 26)),
        (5, 1, None),
        (2, 4, None),
    ],
)
def test_layers_of_the_first_and_the_last_stage(
    layers: int, stages: int, edges: tuple[int, int] | None
) -> None:
    assert edge_layers(layers, stages) == edges


@given(st.integers(1, 200), st.integers(1, 200))
def test_megatron_s_own_rule(layers: int, stages: int) -> None:
    edges = edge_layers(layers, stages)
    if edges is None:
        return
    first, last = edges
    assert first >= last >= 1
    between = stages - 2
    if between:
        assert (layers - first - last) % between == 0
        assert (layers - first - last) // between >= first
    else:
        assert first + last == layers


def test_the_nearest_number_of_stages() -> None:
    assert not fits(61, 32)
    assert nearest(61, 32, 512) == 16
    assert nearest(61, 32, 61) == 61
    assert nearest(7, 4, 12) == 4


def test_settings_of_frameworks() -> None:
    layout = Layout(pipeline=8, expert=8, data=8, tensor=8)
    launch = launch_settings(layout, model("deepseek-v3"), seq_len=4096, tokens=1e12)
    assert "--decoder-first-pipeline-num-layers=7" in launch.megatron
    assert launch.nemo["model"]["num_layers_in_first_pipeline_stage"] == 7
    assert launch.nemo["model"]["num_layers_in_last_pipeline_stage"] == 6
    assert any("the first has 7, the last 6, the others 8" in text for text in launch.cautions)
