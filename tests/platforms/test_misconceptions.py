"""Claims that are wrong: each with what is true, and where that is documented."""

from __future__ import annotations

from clusterwright.platforms.misconceptions import MISCONCEPTIONS


def test_every_claim_has_a_fact_and_a_source() -> None:
    assert len({item.claim for item in MISCONCEPTIONS}) == len(MISCONCEPTIONS)
    for item in MISCONCEPTIONS:
        assert item.claim
        assert item.fact
        assert item.source
        assert item.claim != item.fact
