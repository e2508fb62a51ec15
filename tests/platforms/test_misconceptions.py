"""Wrong claims: each with the correct statement and its documentation."""

from __future__ import annotations

from clusterwright.platforms.misconceptions import MISCONCEPTIONS


def test_every_claim_has_a_fact_and_a_source() -> None:
    assert len({item.claim for item in MISCONCEPTIONS}) == len(MISCONCEPTIONS)
    for item in MISCONCEPTIONS:
        assert item.claim
        assert item.fact
        assert item.source
        assert item.claim != item.fact
