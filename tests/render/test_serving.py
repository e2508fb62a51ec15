"""Replicas that serve a model, as tables."""

from __future__ import annotations

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.render.serving import serving_markdown, serving_text
from clusterwright.sizing import models
from clusterwright.sizing.serving import plan_serving
from clusterwright.sizing.serving_types import Serving


@pytest.fixture(scope="module")
def serving() -> Serving:
    return plan_serving(
        models.model("llama3-70b"),
        load_catalog(),
        precision="bf16",
        sequences=16,
        seq_len=4096,
        types=["p5.48xlarge", "g6e.xlarge"],
    )


def test_text(serving: Serving) -> None:
    lines = serving_text(serving).splitlines()
    assert lines[0] == (
        f"{serving.shape.name}, serving 16 sequences of 4,096 tokens in bf16: "
        "the smallest replica of each type"
    )
    assert lines[2].split() == [
        *("type", "accelerators", "GiB", "each", "tokens/s", "at", "most", "bound", "by"),
    ]
    (fits,) = [line for line in lines if line.startswith("p5.48xlarge")]
    assert " of 8 " in fits
    (small,) = [line for line in lines if line.startswith("g6e.xlarge")]
    assert small.split()[1:4] == ["-", "-", "-"]
    assert len([line for line in lines if line.startswith("  - ")]) == len(serving.warnings)


def test_markdown(serving: Serving) -> None:
    text = serving_markdown(serving)
    assert text.startswith("### ")
    assert "| type | accelerators | GiB each | tokens/s at most | bound by |\n" in text
    assert text.count("\n| ") == 2 + len(serving.replicas)
