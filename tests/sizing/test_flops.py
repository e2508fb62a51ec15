"""Operations of training."""

from __future__ import annotations

import pytest

from clusterwright.sizing.flops import (
    attention_flops_per_token,
    attention_share,
    six_n_d,
)
from clusterwright.sizing.models import model


def test_flops_follow_6nd() -> None:
    assert six_n_d(70e9, 15e12) == 6.3e24


def test_attention_flops_are_counted() -> None:
    """70B at 8K: 8 % of 6N causal; at 128K 1.2 times 6N (computed by hand)."""
    shape = model("llama3-70b")
    assert attention_share(shape, 8192) == pytest.approx(0.08, abs=0.005)
    assert attention_share(shape, 131_072) == pytest.approx(1.2, abs=0.05)
    assert attention_flops_per_token(shape, 8192) == 6 * 80 * 8192 * 8192
